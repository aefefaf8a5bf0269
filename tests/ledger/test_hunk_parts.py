"""Deciding on a part of a hunk."""

import itertools
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunk, PendingHunks

LINES = st.lists(st.sampled_from("abcd"), max_size=6).map(tuple)


def hunks_of(base: tuple[str, ...], current: tuple[str, ...], start: int = 2) -> PendingHunks:
    """One hunk at a line, and another one further down."""
    hunk = PendingHunk("h", start, base, current, (("s", "c"),))
    return PendingHunks.of([hunk, PendingHunk("z", start + len(current) + 3, ("x",), ("y",), (("s", "c"),))])


def ids() -> "itertools.count[int]":
    """Numbers for ids."""
    return itertools.count()


def applied(text: list[str], edits: Iterable[LineEdit]) -> list[str]:
    """A text after edits that are given the last one first."""
    for edit in edits:
        assert list(edit.old) == text[edit.start : edit.end]
        text[edit.start : edit.end] = edit.new
    return text


def test_some_lines_of_an_addition_are_kept() -> None:
    """What is above and below them stays pending: one part under the hunk's id, the other under a new one."""
    numbers = ids()
    left = hunks_of((), ("a", "b", "c", "d")).kept_lines("h", 3, 5, lambda: f"n{next(numbers)}")

    assert [("h", 2, (), ("a",)), ("n0", 5, (), ("d",)), ("z", 9, ("x",), ("y",))] == [
        (hunk.id, hunk.start, hunk.base, hunk.current) for hunk in left
    ]


def test_some_lines_of_an_addition_are_undone() -> None:
    """They go, and what is below them moves up."""
    hunks = hunks_of((), ("a", "b", "c", "d"))
    numbers = ids()
    left = hunks.undone_lines("h", 3, 5, lambda: f"n{next(numbers)}")

    assert [("h", 2, ("a",)), ("n0", 3, ("d",)), ("z", 7, ("y",))] == [
        (hunk.id, hunk.start, hunk.current) for hunk in left
    ]
    assert [LineEdit(3, ("b", "c"), ())] == hunks.undo_edits("h", 3, 5)


def test_a_changed_line_is_decided_with_its_other_side() -> None:
    """Of two changed lines with an equal one between them the chosen one is decided, with what it was before."""
    hunks = hunks_of(("a", "same", "b"), ("A", "same", "B"))

    assert [LineEdit(2, ("A",), ("a",))] == hunks.undo_edits("h", 2, 3)
    assert [("h", 4, ("b",), ("B",))] == [
        (hunk.id, hunk.start, hunk.base, hunk.current) for hunk in hunks.kept_lines("h", 2, 3, str)
    ][:1]


def test_lines_that_hold_nothing_of_it_leave_it_as_it_is() -> None:
    """An equal line inside of a hunk is nothing to decide on."""
    hunks = hunks_of(("a", "same", "b"), ("A", "same", "B"))
    numbers = ids()
    left = hunks.kept_lines("h", 3, 4, lambda: f"n{next(numbers)}")

    assert [] == hunks.undo_edits("h", 3, 4)
    assert [("a",), ("b",), ("x",)] == [hunk.base for hunk in left]


@given(LINES, LINES, st.integers(0, 8), st.integers(0, 8))
def test_a_decision_on_a_part_changes_one_text_and_leaves_the_other(
    base: tuple[str, ...], current: tuple[str, ...], one: int, other: int
) -> None:
    """Keeping leaves the current text, undoing the base text; deciding on what is left as well decides on the whole."""
    if base == current:
        return
    start, end = sorted((one, other))
    hunks = hunks_of(base, current)
    text = ["0", "1", *current, "2", "3", "4", "y", "5"]
    before = hunks.base_lines(text)
    numbers = ids()

    kept = hunks.kept_lines("h", start, end, lambda: f"n{next(numbers)}")
    undone = hunks.undone_lines("h", start, end, lambda: f"n{next(numbers)}")
    shorter = applied(list(text), hunks.undo_edits("h", start, end))

    assert before == undone.base_lines(shorter)
    PendingHunks.of(kept)
    PendingHunks.of(undone)
    for hunk in kept:
        assert list(hunk.current) == text[hunk.start : hunk.end]
    for hunk in undone:
        assert list(hunk.current) == shorter[hunk.start : hunk.end]
    everything = hunks.undo_edits("h", 0, 99)
    assert before[: len(base) + 5] == applied(list(text), everything)[: len(base) + 5]
