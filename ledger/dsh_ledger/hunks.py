r"""Hunks as data: where two texts differ, with positions, and never as text to be parsed again.

A line is its content and its end, kept apart: ``text`` never holds the ``\n``. A file whose last line has no end says
so in a flag of the hunk that shows that line. Deliberately absent: the diff algorithm, colours, and unified-diff text.
"""

from dataclasses import dataclass
from enum import Enum

from dsh_ledger.versions import Version

CONTEXT_LINES = 3
"""How many unchanged lines a hunk shows before and after its changes."""


class LineKind(Enum):
    """What a line of a hunk is. The values are the marks of a unified diff."""

    CONTEXT = " "
    REMOVED = "-"
    ADDED = "+"


@dataclass(frozen=True, slots=True)
class HunkLine:
    r"""One line of a hunk, without its line end (a ``\r`` that is not part of a ``\r\n`` stays in the text)."""

    kind: LineKind
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of lines that differ, with their context.

    Attributes:
        old_start: First line on the old side, 1-based; with ``old_lines == 0`` the line before it (0: the top).
        old_lines: Number of lines on the old side, context included.
        new_start: First line on the new side, 1-based; with ``new_lines == 0`` the line before it (0: the top).
        new_lines: Number of lines on the new side, context included.
        lines: Context, removed and added lines, in the order of a unified diff.
        old_no_newline: The last line of the old side is shown here and has no line end.
        new_no_newline: The last line of the new side is shown here and has no line end.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[HunkLine, ...]
    old_no_newline: bool = False
    new_no_newline: bool = False

    @property
    def added(self) -> int:
        """Number of added lines."""
        return sum(line.kind is LineKind.ADDED for line in self.lines)

    @property
    def removed(self) -> int:
        """Number of removed lines."""
        return sum(line.kind is LineKind.REMOVED for line in self.lines)

    def blocks(self) -> tuple["Block", ...]:
        """The runs of removed and added lines in the hunk, without their context, in order."""
        return tuple(_blocks(self))


@dataclass(frozen=True, slots=True)
class Block:
    """One run of changed lines: ``removed`` at ``old_line`` was replaced by ``added`` at ``new_line`` (0-based)."""

    old_line: int
    removed: tuple[str, ...]
    new_line: int
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed in one target between two versions.

    Attributes:
        path: The target's path as shown.
        base: The version on the old side, or None where there was no file.
        result: The version on the new side, or None where there is no file any more.
        hunks: In order, disjoint. Empty when the contents are equal.
    """

    path: str
    base: Version | None
    result: Version | None
    hunks: tuple[Hunk, ...]

    @property
    def added(self) -> int:
        """Number of added lines over all hunks."""
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Number of removed lines over all hunks."""
        return sum(hunk.removed for hunk in self.hunks)


def _blocks(hunk: Hunk) -> list[Block]:
    # A side with no lines at all names the line before it; 0-based, that is the index where the other side goes.
    old = hunk.old_start - (1 if hunk.old_lines else 0)
    new = hunk.new_start - (1 if hunk.new_lines else 0)
    found: list[Block] = []
    removed: list[str] = []
    added: list[str] = []
    start = (old, new)

    def close() -> None:
        if removed or added:
            found.append(Block(start[0], tuple(removed), start[1], tuple(added)))
            removed.clear()
            added.clear()

    for line in hunk.lines:
        if line.kind is LineKind.CONTEXT:
            close()
            old, new = old + 1, new + 1
            start = (old, new)
        elif line.kind is LineKind.REMOVED:
            removed.append(line.text)
            old += 1
        else:
            added.append(line.text)
            new += 1
    close()
    return found
