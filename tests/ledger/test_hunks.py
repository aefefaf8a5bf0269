"""Hunks as data: their blocks and their counts."""

import pytest

from dsh_ledger.hunks import CONTEXT_LINES, Block, Diff, Hunk, HunkLine, LineKind


def hunk(old: tuple[int, int], new: tuple[int, int], *lines: str) -> Hunk:
    """A hunk from its two headers and its lines, each with the mark of a unified diff."""
    return Hunk(*old, *new, tuple(HunkLine(LineKind(line[0]), line[1:]) for line in lines))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            hunk((2, 3), (2, 3), " a", "-b", "+B", " c"), [Block(2, ("b",), 2, ("B",))], id="modified, 0-based lines"
        ),
        pytest.param(hunk((1, 0), (2, 1), "+x"), [Block(1, (), 1, ("x",))], id="added, without context"),
        pytest.param(
            hunk((0, 0), (1, 2), "+x", "+y"), [Block(0, (), 0, ("x", "y"))], id="added at the top, or created"
        ),
        pytest.param(hunk((2, 1), (1, 0), "-x"), [Block(1, ("x",), 1, ())], id="deleted, without context"),
        pytest.param(hunk((1, 2), (0, 0), "-x", "-y"), [Block(0, ("x", "y"), 0, ())], id="all deleted"),
        pytest.param(
            hunk((5, 5), (7, 5), "-a", " m", " n", "+X", " o", "-b"),
            [Block(4, ("a",), 6, ()), Block(7, (), 8, ("X",)), Block(8, ("b",), 10, ())],
            id="several, with context between",
        ),
        pytest.param(
            hunk((1, 2), (1, 2), "+A", "-a", "+B", "-b"),
            [Block(0, ("a", "b"), 0, ("A", "B"))],
            id="removed and added in any order are one run",
        ),
        pytest.param(hunk((1, 1), (1, 1), " a"), [], id="nothing but context"),
    ],
)
def test_blocks(given: Hunk, expected: list[Block]) -> None:
    """The runs of changed lines, with the index of their first line on either side."""
    assert expected == [*given.blocks()]


def test_blocks_lie_where_their_lines_are() -> None:
    """What a block removes stands at its old line, what it adds at its new line."""
    old = ["0", "1", "a", "3", "b", "c", "6"]
    new = ["0", "1", "A", "A2", "3", "6"]
    given = hunk((2, 6), (2, 5), " 1", "-a", "+A", "+A2", " 3", "-b", "-c", " 6")

    for block in given.blocks():
        assert list(block.removed) == old[block.old_line : block.old_line + len(block.removed)]
        assert list(block.added) == new[block.new_line : block.new_line + len(block.added)]


def test_E11_marks_in_the_text_are_text() -> None:
    """A line that itself looks like a mark of a diff is counted as what its kind says."""
    given = hunk((1, 1), (1, 1), "--- a", "+++ b")

    assert [Block(0, ("-- a",), 0, ("++ b",))] == [*given.blocks()]
    assert (1, 1) == (given.added, given.removed)


def test_H03_a_diff_counts_over_its_hunks() -> None:
    """The figures of a card are derived from the hunks, and from nothing else."""
    diff = Diff(
        "a.py", None, None, (hunk((1, 3), (1, 3), " a", "-b", "+B", " c"), hunk((9, 2), (9, 1), "-x", "-y", "+z"))
    )

    assert (2, 3) == (diff.added, diff.removed)
    assert (0, 0) == (Diff("a.py", None, None, ()).added, Diff("a.py", None, None, ()).removed)


def test_the_context_is_that_of_git() -> None:
    """Three lines, as `git diff` shows unless told otherwise."""
    assert 3 == CONTEXT_LINES
