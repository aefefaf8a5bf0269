"""Line edits: trimming, and the one settled way to say one of several that mean the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.line_edits import LineEdit

LINES = st.lists(st.sampled_from(["a", "b", ""]), max_size=8)


@st.composite
def fitting(draw: st.DrawFn) -> tuple[list[str], LineEdit]:
    """A text and an edit of some of its lines."""
    before = draw(LINES)
    start = draw(st.integers(0, len(before)))
    end = draw(st.integers(start, len(before)))
    return before, LineEdit(start, tuple(before[start:end]), tuple(draw(LINES)))


def applied(before: list[str], edit: LineEdit) -> list[str]:
    """The lines after the edit, whose old lines must be there."""
    assert before[edit.start : edit.end] == list(edit.old)
    return before[: edit.start] + list(edit.new) + before[edit.end :]


def test_there_is_no_line_before_the_first() -> None:
    """A negative start is a ValueError."""
    with pytest.raises(ValueError, match="there is no line -1"):
        LineEdit(-1, (), ())


def test_trimming_cuts_equal_lines_at_both_ends() -> None:
    """The lines that stay are cut off, those in the middle are not."""
    edit = LineEdit(3, ("a", "b", "m", "c", "d"), ("a", "B", "m", "C", "d"))

    assert LineEdit(4, ("b", "m", "c"), ("B", "m", "C")) == edit.trimmed()


def test_trimming_keeps_the_last_line_when_the_final_newline_changes() -> None:
    """There is always a line to show a changed final newline on."""
    edit = LineEdit(3, ("a", "b"), ("a", "b"), old_no_newline=True)

    assert LineEdit(4, ("b",), ("b",), old_no_newline=True) == edit.trimmed()
    assert not edit.changes_nothing


def test_trimming_keeps_the_back_when_the_final_newline_changes() -> None:
    """Two last lines of which one has an end are different lines."""
    edit = LineEdit(3, ("a", "b"), ("x", "b"), new_no_newline=True)

    assert edit == edit.trimmed()


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_repeated_line_settles_furthest_down(at: int) -> None:
    """Wherever among equal lines one is said to go in or out, it is the last."""
    before = ["a", "x", "x", "b"]

    assert LineEdit(3, (), ("x",)) == LineEdit(at, (), ("x",)).settled(before)
    assert LineEdit(2, ("x",), ()) == LineEdit(min(at, 2), ("x",), ()).settled(before)


def test_a_block_settles_by_its_own_length_and_more() -> None:
    """A block slides through text that repeats it, and comes out rotated."""
    before = ["{", "a", "b", "a", "b", "a", "}"]

    assert LineEdit(6, (), ("b", "a")) == LineEdit(1, (), ("a", "b")).settled(before)
    assert LineEdit(4, ("b", "a"), ()) == LineEdit(1, ("a", "b"), ()).settled(before)


@settings(deadline=None)
@given(fitting())
def test_settling_keeps_the_result(case: tuple[list[str], LineEdit]) -> None:
    """A settled edit still fits the text and gives the same lines."""
    before, edit = case

    assert applied(before, edit) == applied(before, edit.settled(before))


@settings(deadline=None)
@given(fitting())
def test_one_inserted_or_deleted_block_is_said_in_one_way(case: tuple[list[str], LineEdit]) -> None:
    """Every insertion, or deletion, of as many lines that gives the same text settles to the same edit."""
    before, edit = case
    settled = edit.settled(before)
    if settled.old and settled.new:
        return
    after = applied(before, edit)
    size = len(settled.old) + len(settled.new)

    for start in range(len(before) + 1):
        if settled.old:
            other = LineEdit(start, tuple(before[start : start + size]), ())
        else:
            other = LineEdit(start, (), tuple(after[start : start + size]))
        if applied(before, other) == after:
            assert settled == other.settled(before)


@settings(deadline=None)
@given(fitting())
def test_the_inverse_settles_to_the_same_place(case: tuple[list[str], LineEdit]) -> None:
    """An undo, however it is said, meets what it takes back."""
    before, edit = case
    settled = edit.settled(before)
    undo = LineEdit(edit.start, edit.new, edit.old).settled(applied(before, edit))

    assert LineEdit(settled.start, settled.new, settled.old) == undo
