r"""Blocks of a diff card, back to lines: removed, added and context, with their numbers.

A block is what `dsh_tools.hunk_models.FileDiff` is on the wire: an old and a new text with their context. Which lines
changed is compared again; where they stand is taken from the block, if what it says fits its texts.
Deliberately absent: any drawing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsh_ledger.hunks import Hunk, LineKind
from dsh_lsp.replaying.members import integer, items, string
from dsh_tools.diff import compare
from dsh_tools.diff.trimming import common_prefix, common_suffix

_ALIKE = 0.3
"""How much of the longer of two lines must be common for the rest to be pointed out."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff.

    Attributes:
        kind: What it is; the value is its mark.
        old: Its number on the old side, None where it is not there or the number is not known.
        new: Its number on the new side.
        text: The line, without its end.
        changed: Where it differs from the line that it replaces or is replaced by, as offsets; None for all of it.
    """

    kind: LineKind
    old: int | None
    new: int | None
    text: str
    changed: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """Lines that stand together.

    Attributes:
        at: Where, as the header of a hunk (``@@ -1,3 +1,4 @@``), or None where that is not known.
        lines: In the order of a unified diff.
        old_unended: The last line of the old side has no line end.
        new_unended: The last line of the new side has no line end.
    """

    at: str | None
    lines: tuple[DiffLine, ...]
    old_unended: bool = False
    new_unended: bool = False

    def count(self, kind: LineKind) -> int:
        """How many lines of a kind there are."""
        return sum(line.kind is kind for line in self.lines)


def blocks(diff: Mapping[str, Any], *, whole: bool, kind: LineKind = LineKind.ADDED) -> tuple[DiffBlock, ...]:
    """The lines of one block of a diff card; more than one if unchanged lines between them were left out.

    Args:
        diff: ``{path, oldText, newText, hunks?}``; any of them may be missing.
        whole: A block without a position is a whole file, which begins at line 1.
        kind: What the lines of a block without an old side are.
    """
    old, new = string(diff, "oldText"), string(diff, "newText") or ""
    at = _position(diff, old, new)
    if old is None:
        first = at[1] if at is not None else 1 if whole else None
        found = _only_new(new, first, kind)
        return () if found is None else (replace(found, at=_header(diff) if at is not None else None),)
    if at is None:  # parts of lines, perhaps: what they end with says nothing
        old, new = _ended(old), _ended(new)
    if old == new:
        found = _only_new(new, at[1] if at is not None and at[0] == at[1] else None, LineKind.CONTEXT)
        return () if found is None else (found,)
    return tuple(_block(hunk, at) for hunk in compare(old, new).hunks)


def _position(diff: Mapping[str, Any], old: str | None, new: str) -> tuple[int, int] | None:
    """The numbers of the first lines on both sides, if there is one position and it fits the texts."""
    positions = items(diff, "hunks")
    if len(positions) != 1 or not isinstance(positions[0], Mapping):
        return None
    starts = []
    for side, text in (("old", old or ""), ("new", new)):
        start, lines = integer(positions[0], f"{side}Start"), integer(positions[0], f"{side}Lines")
        if start is None or start < 0 or lines is None or lines != _line_count(text):
            return None
        starts.append(start if lines else start + 1)
    return starts[0], starts[1]


def _header(diff: Mapping[str, Any]) -> str:
    at = items(diff, "hunks")[0]
    return f"@@ -{at['oldStart']},{at['oldLines']} +{at['newStart']},{at['newLines']} @@"


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def _only_new(text: str, first: int | None, kind: LineKind) -> DiffBlock | None:
    if not text:
        return None
    lines = _ended(text).split("\n")[:-1]
    numbers = [None] * len(lines) if first is None else range(first, first + len(lines))
    both = kind is LineKind.CONTEXT
    made = tuple(
        DiffLine(kind, number if both else None, number, line) for number, line in zip(numbers, lines, strict=True)
    )
    return DiffBlock(None, made, new_unended=first is not None and not text.endswith("\n"))


def _block(hunk: Hunk, at: tuple[int, int] | None) -> DiffBlock:
    lines: list[DiffLine] = []
    old = new = None
    if at is not None:
        old = at[0] - 1 + hunk.old_start + (0 if hunk.old_lines else 1)
        new = at[1] - 1 + hunk.new_start + (0 if hunk.new_lines else 1)
    header = None
    if old is not None and new is not None:
        starts = (old - (0 if hunk.old_lines else 1), new - (0 if hunk.new_lines else 1))
        header = f"@@ -{starts[0]},{hunk.old_lines} +{starts[1]},{hunk.new_lines} @@"
    for line in hunk.lines:
        on_old, on_new = line.kind is not LineKind.ADDED, line.kind is not LineKind.REMOVED
        lines.append(DiffLine(line.kind, old if on_old else None, new if on_new else None, line.text))
        old = None if old is None else old + on_old
        new = None if new is None else new + on_new
    return DiffBlock(header, tuple(_pointed_out(lines)), hunk.old_no_newline, hunk.new_no_newline)


def _pointed_out(lines: Sequence[DiffLine]) -> list[DiffLine]:
    """The same lines; where as many were removed as were added, each pair says where it differs."""
    done: list[DiffLine] = []
    at = 0
    while at < len(lines):
        removed = _run(lines, at, LineKind.REMOVED)
        added = _run(lines, at + removed, LineKind.ADDED)
        if removed == added > 0:
            pairs = [_pair(lines[at + i], lines[at + removed + i]) for i in range(removed)]
            done += [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
        else:
            done += lines[at : at + removed + added] or lines[at : at + 1]
        at += max(removed + added, 1)
    return done


def _run(lines: Sequence[DiffLine], at: int, kind: LineKind) -> int:
    end = at
    while end < len(lines) and lines[end].kind is kind:
        end += 1
    return end - at


def _pair(removed: DiffLine, added: DiffLine) -> tuple[DiffLine, DiffLine]:
    old, new = removed.text, added.text
    start = common_prefix(old, new)
    end = common_suffix(old, new, min(len(old), len(new)) - start)
    if start + end < _ALIKE * max(len(old), len(new)) or old == new:
        return removed, added
    return replace(removed, changed=(start, len(old) - end)), replace(added, changed=(start, len(new) - end))
