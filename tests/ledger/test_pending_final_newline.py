"""Pending hunks where base and current text differ in whether they end with a newline."""

import pytest

from dsh_ledger.errors import LedgerBug
from dsh_ledger.pending import PendingHunks


def test_a_changed_final_newline_is_a_hunk() -> None:
    """Equal lines of which one has no end differ, and the base knows that it had none."""
    hunks = PendingHunks().agent_edit("s", "c", 3, ["a", "b"], ["a", "b"], lambda: "h1", old_no_newline=True)

    (made,) = hunks
    assert (4, ("b",), ("b",), "modified") == (made.start, made.base, made.current, made.kind)
    assert (True, False) == (made.old_no_newline, made.new_no_newline)
    assert hunks.base_no_newline(False)
    assert PendingHunks() == hunks.user_edit(4, ["b"], ["b"], new_no_newline=True)


def test_a_final_newline_that_neither_has_is_no_difference() -> None:
    """Flags that are equal on both sides, as unified diffs carry them, are not kept."""
    hunks = PendingHunks().agent_edit(
        "s", "c", 3, ["b"], ["b", "c"], lambda: "h1", old_no_newline=True, new_no_newline=True
    )

    (made,) = hunks
    assert (("c",), False, False) == (made.current, made.old_no_newline, made.new_no_newline)
    assert hunks.base_no_newline(True)


def test_a_line_after_a_changed_final_newline_is_on_the_hunk() -> None:
    """Otherwise the base would end in the middle of the text."""
    hunks = PendingHunks().agent_edit("s", "c", 4, ["b"], ["b"], lambda: "h1", old_no_newline=True)
    hunks = hunks.user_edit(5, [], ["mine"])

    (made,) = hunks
    assert (5, (), ("mine",), True) == (made.start, made.base, made.current, made.old_no_newline)
    assert ["0", "1", "2", "3", "b"] == hunks.base_lines(["0", "1", "2", "3", "b", "mine"])


def test_a_final_newline_changed_beside_deleted_last_lines_is_on_the_hunk() -> None:
    """The hunk that changes the final newline is the last one, always."""
    hunks = PendingHunks().agent_edit("s", "c1", 5, ["z"], [], lambda: "h1")
    hunks = hunks.agent_edit("s", "c2", 4, ["y"], ["y"], lambda: "h2", new_no_newline=True)

    (made,) = hunks
    assert (("z",), (), True, "h1") == (made.base, made.current, made.new_no_newline, made.id)
    assert not hunks.base_no_newline(True)


def test_an_edit_past_the_end_is_a_bug() -> None:
    """There is nothing after a hunk that changes the final newline."""
    hunks = PendingHunks().agent_edit("s", "c", 4, ["b"], ["b"], lambda: "h1", old_no_newline=True)

    with pytest.raises(LedgerBug, match="an edit at line 8 is past the end of the text at line 6"):
        hunks.user_edit(7, ["x"], ["y"])
