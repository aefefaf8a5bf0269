"""Blocks of a diff card are lines again: kinds, numbers, and what of a line changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.hunks import LineKind
from dsh_lsp.replaying.diff_lines import DiffBlock, blocks
from dsh_tools.diff import compare
from dsh_tools.hunk_models import HunkModel, file_diffs

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "    d"]), max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join(lines) + "\n" if lines else ""])
)


def rows(found: tuple[DiffBlock, ...]) -> list[tuple[str, int | None, int | None, str]]:
    """The lines of blocks, in short."""
    return [(line.kind.value, line.old, line.new, line.text) for block in found for line in block.lines]


@given(TEXTS, TEXTS)
def test_the_lines_are_those_of_the_hunks_they_were_made_from(old: str, new: str) -> None:
    """A block has the removed and added lines of its hunk, at the numbers that they have in the two files."""
    hunks = compare(old, new).hunks
    recorded = [diff.to_wire() for diff in file_diffs("a", map(HunkModel.of, hunks))]
    found = rows(tuple(block for diff in recorded for block in blocks(diff, whole=False)))

    before, after = old.split("\n"), new.split("\n")
    assert all(before[n - 1] == text for kind, n, _, text in found if kind != "+" and n is not None)
    assert all(after[n - 1] == text for kind, _, n, text in found if kind != "-" and n is not None)
    assert [(sum(hunk.removed for hunk in hunks)), sum(hunk.added for hunk in hunks)] == [
        sum(kind == "-" for kind, *_ in found),
        sum(kind == "+" for kind, *_ in found),
    ]
    assert all(at_old or at_new for _, at_old, at_new, _ in found)


def test_an_insertion_has_the_numbers_of_its_position() -> None:
    """A block without an old side is added lines, numbered from where they were put."""
    at = {"oldStart": 4, "oldLines": 0, "newStart": 5, "newLines": 2}

    [block] = blocks({"oldText": None, "newText": "x\ny\n", "hunks": [at]}, whole=False)

    assert "@@ -4,0 +5,2 @@" == block.at
    assert [("+", None, 5, "x"), ("+", None, 6, "y")] == rows((block,))


def test_a_file_that_was_emptied_keeps_its_position() -> None:
    """A side without lines names the line before it, as in a unified diff."""
    at = {"oldStart": 1, "oldLines": 2, "newStart": 0, "newLines": 0}

    [block] = blocks({"oldText": "x\ny\n", "newText": "", "hunks": [at]}, whole=False)

    assert "@@ -1,2 +0,0 @@" == block.at
    assert [("-", 1, None, "x"), ("-", 2, None, "y")] == rows((block,))


def test_a_created_file_begins_at_line_1_and_one_about_to_be_has_no_numbers() -> None:
    """Only what was applied has positions."""
    diff = {"oldText": None, "newText": "x\n"}

    assert [("+", None, 1, "x")] == rows(blocks(diff, whole=True))
    assert [("+", None, None, "x")] == rows(blocks(diff, whole=False))


def test_parts_of_lines_are_compared_as_lines() -> None:
    """What an edit asks for need not end with a line feed, and nothing is said of the end of the file."""
    [block] = blocks({"oldText": "a\nb", "newText": "a\nb\nc"}, whole=False)

    assert [(" ", None, None, "a"), (" ", None, None, "b"), ("+", None, None, "c")] == rows((block,))
    assert (False, False) == (block.old_unended, block.new_unended)


@pytest.mark.parametrize(
    "hunks",
    [
        [],
        [{"oldStart": 9, "oldLines": 7, "newStart": 9, "newLines": 1}],
        [{"oldStart": -2, "oldLines": 1, "newStart": 9, "newLines": 1}],
        [{"oldStart": "9", "oldLines": 1, "newStart": 9, "newLines": 1}],
        [{"oldStart": True, "oldLines": 1, "newStart": 9, "newLines": 1}],
        [{}],
        [None],
        "hunks",
        [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1}] * 2,
    ],
)
def test_a_position_that_does_not_fit_is_not_believed(hunks: Any) -> None:
    """Lines have no numbers rather than wrong ones."""
    found = blocks({"oldText": "a\n", "newText": "b\n", "hunks": hunks}, whole=False)

    assert [("-", None, None, "a"), ("+", None, None, "b")] == rows(found)


def test_the_changed_part_of_a_line_is_pointed_out() -> None:
    """A line that replaces one with much in common says where they differ; one with little in common does not."""
    old, new = "total = sum(a)\nx\n", "total = sum(b)\nsomething else\n"

    [block] = blocks({"oldText": old, "newText": new}, whole=False)

    assert [(12, 13), None, (12, 13), None] == [line.changed for line in block.lines]


def test_an_end_of_file_without_a_line_feed_is_kept() -> None:
    """A block at a position tells which side lacks the last line feed."""
    at = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1}

    [block] = blocks({"oldText": "a", "newText": "a\n", "hunks": [at]}, whole=False)

    assert (True, False) == (block.old_unended, block.new_unended)


def test_text_that_did_not_change_is_context() -> None:
    """A write of what was there already shows its lines as they stand, none of them as added."""
    found = blocks({"oldText": None, "newText": "a\nb\n"}, whole=True, kind=LineKind.CONTEXT)

    assert [(" ", 1, 1, "a"), (" ", 2, 2, "b")] == rows(found)
