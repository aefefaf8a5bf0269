"""Pending hunks survive being kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_ledger.pending_json import UnreadableHunks, hunks_from_json, hunks_to_json

GOOD = {
    "id": "h",
    "start": 0,
    "base": ["a"],
    "current": ["b"],
    "calls": [["s", "c"]],
    "userModified": False,
    "oldNoNewline": False,
    "newNoNewline": True,
}


@given(st.lists(st.tuples(st.lists(st.text(), max_size=3), st.booleans()), max_size=4))
def test_they_come_back_as_they_were(drawn: list[tuple[list[str], bool]]) -> None:
    """Lines of any text, places, authors and flags."""
    listed = [
        PendingHunk(f"h{n}", 10 * n, tuple(base), ("new", *base), (("s", "c"), ("t", "\ud800")), modified)
        for n, (base, modified) in enumerate(drawn)
    ]
    hunks = PendingHunks.of(listed)

    assert hunks == hunks_from_json(json.loads(json.dumps(hunks_to_json(hunks))))


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [1],
        [{**GOOD, "id": 1}],
        [{**GOOD, "base": [1]}],
        [{**GOOD, "calls": []}],
        [{**GOOD, "calls": [["s"]]}],
        [{**GOOD, "start": -1}],
        [{**GOOD, "base": ["b"], "newNoNewline": False}],
        [GOOD, GOOD],
        [{key: value for key, value in GOOD.items() if key != "current"}],
    ],
)
def test_what_is_none_is_refused(value: object) -> None:
    """A damaged record is not believed."""
    with pytest.raises(UnreadableHunks):
        hunks_from_json(value)  # type: ignore[arg-type]
