"""The journal's lines, and what follows from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.journal import (
    FS_OBSERVED,
    SESSION_END,
    SESSION_START,
    TOOL_CALL,
    TOOL_RESULT,
    Event,
    UnreadableLine,
    decode,
    encode,
    observed_data,
    observed_fact,
)
from dsh_ledger.journal_folds import History, Standing
from dsh_ledger.ledger import Observed
from dsh_ledger.observations import Absent, LineSpan, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
OBJECT = st.dictionaries(st.text(), JSON, max_size=4)
KNOWN = {"v", "seq", "at", "type", "data"}
MORE = st.dictionaries(st.text().filter(lambda name: name not in KNOWN), JSON, max_size=2)
EVENTS = st.builds(Event, st.integers(1), st.text(), st.text(), OBJECT, st.integers(1, 9), MORE)
SPANS = st.lists(st.builds(LineSpan, st.integers(0, 9), st.integers(0, 9)), max_size=3).map(tuple)
OBSERVATIONS = st.builds(Absent) | st.builds(Unseen) | st.builds(Present, st.text().map(Version), st.none() | SPANS)


@given(EVENTS)
def test_an_event_is_one_line_and_comes_back_whole(event: Event) -> None:
    """Whatever it holds: text of any kind, members and types that this version does not know."""
    line = encode(event)

    assert 1 == line.count(b"\n")
    assert line.isascii()
    assert event == decode(line)
    assert line == encode(decode(line))


@pytest.mark.parametrize("text", ["\ud800", "a\nb", "\u2028", "\x00", "\u202e"])
def test_hard_text_survives(text: str) -> None:
    """Lone surrogates, line separators and control characters are escaped in the line, and come back."""
    assert text == decode(encode(Event(1, "", "t", {"text": text}))).data["text"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b'{"seq":1,"at":"","type":"t","data":{}}',
        b'{"v":1,"seq":0,"at":"","type":"t","data":{}}',
        b'{"v":1,"seq":true,"at":"","type":"t","data":{}}',
        b'{"v":1,"seq":1,"at":1,"type":"t","data":{}}',
        b'{"v":1,"seq":1,"at":"","type":null,"data":{}}',
        b'{"v":1,"seq":1,"at":"","type":"t","data":[]}',
        b'{"v":1,"seq":1,"at":"","type":"t","data":{"a":"\xff"}}',
        b"[" * 100_000,
        b"\x00\x00\x00",
    ],
)
def test_what_is_no_event_is_refused_without_its_content(line: bytes) -> None:
    """Half a line, another shape, bytes that a crash left."""
    with pytest.raises(UnreadableLine):
        decode(line)


def test_a_number_that_json_lacks_is_refused() -> None:
    """Nothing is written that could not be read again."""
    with pytest.raises(ValueError):
        encode(Event(1, "", "t", {"x": float("inf")}))


@given(st.text(min_size=1), st.text(), OBSERVATIONS)
def test_an_observation_survives_its_record(uri: str, path: str, observation: Absent | Unseen | Present) -> None:
    """Version, lines and the path to show."""
    fact = Observed("s", Target(uri, path), observation)

    back = observed_fact("s", json.loads(json.dumps(observed_data(fact))))

    assert fact == back
    assert path == back.target.path


@given(OBJECT)
def test_any_other_data_is_no_observation_and_no_crash(data: dict[str, object]) -> None:
    """A damaged record is refused, not believed."""
    with pytest.raises(UnreadableLine):
        observed_fact("s", data)  # type: ignore[arg-type]


def call(seq: int, call_id: str) -> Event:
    """A call."""
    return Event(seq, f"t{seq}", TOOL_CALL, {"callId": call_id, "name": "read", "arguments": {}, "view": {"card": "x"}})


def result(seq: int, call_id: str) -> Event:
    """Its result."""
    data = {"callId": call_id, "name": "read", "isError": False, "content": [], "view": {"card": "y", "n": seq}}
    return Event(seq, f"t{seq}", TOOL_RESULT, data)  # type: ignore[arg-type]


def test_where_a_session_stands() -> None:
    """Its last number, what it has seen, and the calls that never ended."""
    seen = Observed("s", Target("file:///a", "a"), Absent())
    standing = Standing("s")
    for event in (
        Event(1, "t1", SESSION_START, {"sessionId": "s"}),
        call(2, "a"),
        Event(3, "t3", FS_OBSERVED, observed_data(seen)),
        Event(4, "t4", FS_OBSERVED, {"uri": 1}),
        result(5, "a"),
        call(6, "b"),
        Event(7, "t7", "something/new", {}),
    ):
        standing.apply(event)

    assert ("t1", "t7", 7) == (standing.started_at, standing.last_at, standing.last_seq)
    assert {"b": "read"} == standing.unfinished
    assert [seen] == standing.observed
    assert (2, 1, False) == (standing.calls, standing.unreadable, standing.is_ended)


def test_a_closed_session_has_seen_nothing_and_an_opened_one_is_not_closed() -> None:
    """The end forgets; what is seen after another beginning counts again."""
    standing = Standing("s")
    seen = observed_data(Observed("s", Target("file:///a", "a"), Absent()))
    standing.apply(Event(1, "", FS_OBSERVED, seen))
    standing.apply(Event(2, "", SESSION_END, {}))
    assert (True, []) == (standing.is_ended, standing.observed)

    standing.apply(Event(3, "", SESSION_START, {}))
    standing.apply(Event(4, "", FS_OBSERVED, seen))
    assert (False, 1) == (standing.is_ended, len(standing.observed))


def test_the_history_shows_calls_and_results_in_order_and_the_first_of_two() -> None:
    """A call id that was recorded twice keeps what was shown first; damaged records are counted."""
    history = History()
    for event in (
        Event(1, "t1", SESSION_START, {"sessionId": "s", "n": 1}),
        call(2, "a"),
        call(3, "b"),
        result(4, "b"),
        result(5, "a"),
        result(6, "a"),
        Event(7, "", TOOL_CALL, {"callId": "c"}),
        Event(8, "", TOOL_RESULT, {"callId": "c", "view": {}}),
        Event(9, "t9", SESSION_END, {}),
        Event(10, "", SESSION_START, {"sessionId": "s", "n": 2}),
    ):
        history.apply(event)

    assert [2, 3, 4, 5] == [item.seq for item in history.in_order()]
    assert ("s", 1, 2, None) == (history.session, history.start["n"], history.unreadable, history.ended_at)
