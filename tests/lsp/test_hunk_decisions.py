"""Decisions on very many hunks at once are those one after the other; and what another state of a text has of them."""

import itertools
from collections.abc import Callable
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.hunk_decisions import Parts, kept, undo_edits, undone

SIDES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3).map(tuple)


def counted() -> Callable[[], str]:
    """Ids that count up."""
    numbers = itertools.count()
    return lambda: f"n{next(numbers)}"


@st.composite
def reviews(draw: st.DrawFn) -> tuple[list[str], PendingHunks, Parts]:
    """A text, hunks in it, and some of them, wholly or in part."""
    lines: list[str] = []
    hunks: list[PendingHunk] = []
    parts: list[tuple[str, tuple[int, int] | None]] = []
    for number, (base, current) in enumerate(draw(st.lists(st.tuples(SIDES, SIDES), max_size=6))):
        lines.append(f"between {number}")
        if base != current:
            hunks.append(PendingHunk(f"h{number}", len(lines), base, current, (("s", f"c{number}"),)))
            start = draw(st.integers(0, len(current)))
            parts += draw(st.sampled_from([[], [(f"h{number}", None)], [(f"h{number}", (start, start + 1))]]))
        lines += current
    return lines, PendingHunks.of(hunks), tuple(parts)


@settings(max_examples=300)
@given(reviews(), st.booleans())
def test_they_are_the_same_as_one_after_the_other(drawn: tuple[list[str], PendingHunks, Parts], keep: bool) -> None:
    """Hunks, places and ids."""
    lines, hunks, parts = drawn
    slowly, new_id = hunks, counted()
    for name, chosen in parts:
        hunk = slowly.get(name)
        assert hunk is not None
        if chosen is None:
            slowly = slowly.kept(name) if keep else slowly.undone(name)
        else:
            decide = slowly.kept_lines if keep else slowly.undone_lines
            slowly = decide(name, hunk.start + chosen[0], hunk.start + chosen[1], new_id)
    text = "\n".join(["top", *lines])
    down = PendingHunks.of(hunk.at(hunk.start + 1) for hunk in hunks)
    decided = kept(down, parts, counted()) if keep else undone(down, parts, text, counted())

    assert list(slowly) == [hunk.at(hunk.start - 1) for hunk in decided.hunks]
    assert {hunk.id for hunk in hunks} - {hunk.id for hunk in slowly} == set(decided.gone)
    after = text.split("\n")
    for edit in undo_edits(down, parts):
        assert tuple(after[edit.start : edit.end]) == edit.old
        after[edit.start : edit.end] = edit.new
    if not keep:
        assert down.base_lines(text.split("\n")) == decided.hunks.base_lines(after)


@settings(max_examples=300)
@given(reviews(), st.booleans())
def test_another_state_with_the_same_hunks_has_the_same_left(
    drawn: tuple[list[str], PendingHunks, Parts], keep: bool
) -> None:
    """As if they had been kept: the text of that state stays, and whatever is left has the same ids."""
    lines, hunks, parts = drawn
    new_id = counted()
    text = "\n".join([*lines, "bottom"])
    decided = kept(hunks, parts, new_id) if keep else undone(hunks, parts, text, new_id)
    elsewhere = decided.known_to(hunks)

    assert {hunk.id for hunk in decided.hunks} == {hunk.id for hunk in elsewhere}
    assert [hunk.current for hunk in decided.hunks] == [hunk.current for hunk in elsewhere]
    if keep:
        assert decided.hunks == elsewhere


def hunk_of(base: tuple[str, ...], current: tuple[str, ...], *calls: str) -> PendingHunks:
    """One hunk."""
    return PendingHunks.of([PendingHunk("h", 0, base, current, tuple(("s", call) for call in calls))])


@pytest.mark.parametrize(
    ("then", "left"),
    [
        (hunk_of((), ("1",), "c1"), []),
        (hunk_of((), ("1", "2"), "c1"), []),
        (hunk_of((), ("1", "3", "2"), "c1", "c2"), [("n0", (), ("3",))]),
        (hunk_of((), ("1", "2"), "c1", "c2"), []),
        (hunk_of(("0",), ("1", "3", "2"), "c1", "c2"), [("n0", ("0",), ("1", "3", "2"))]),
    ],
    ids=["less of it", "all of it", "an edit in it that was unknown", "the same by other edits", "another base"],
)
def test_what_a_decision_did_not_know_of_is_another_hunk(
    then: PendingHunks, left: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
) -> None:
    """What it did know of is accepted."""
    decided = kept(hunk_of((), ("1", "2"), "c1"), (("h", None),), counted())

    assert left == [(hunk.id, hunk.base, hunk.current) for hunk in decided.known_to(then)]
    assert left == [(hunk.id, hunk.base, hunk.current) for hunk in decided.known_to(then)]


def test_a_hunk_that_was_another_one_then_stays_where_a_part_was_decided_on() -> None:
    """In doubt, people are asked again."""
    now, then = hunk_of((), ("1", "2", "3"), "c1"), hunk_of((), ("1", "2"), "c1")

    assert then == kept(now, (("h", (0, 1)),), counted()).known_to(then)


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "undone"])
def test_ten_thousand_at_once_take_no_seconds(keep: bool) -> None:
    """A generous bound that a quadratic cost is over."""
    hunks = PendingHunks.of(PendingHunk(f"h{n}", 2 * n, (), ("a",), (("s", "c"),)) for n in range(10_000))
    parts: Parts = tuple((f"h{n}", None) for n in range(10_000))
    text = "a\nb\n" * 10_000
    began = perf_counter()
    decided = kept(hunks, parts, counted()) if keep else undone(hunks, parts, text, counted())
    edits = undo_edits(hunks, parts)

    assert perf_counter() - began < 2
    assert (0, 10_000) == (len(decided.hunks), len(edits))
