r"""Hunks, blocks and edits from two texts.

Every text is logical: a line ends at ``\n`` and nowhere else, and a last line may have no end. Held here: how runs of
changed lines become hunks with context, and edits of whole lines. Deliberately absent: which lines changed (`scripts`)
and what is written for people to read (`rendering`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_ledger.edits import Change, Edit
from dsh_ledger.hunks import CONTEXT_LINES, Block, Diff, Hunk, HunkLine, LineKind
from dsh_ledger.versions import Version
from dsh_tools.diff.scripts import Run, Script, script


@dataclass(frozen=True, slots=True)
class Comparison:
    """The hunks between two texts.

    Attributes:
        hunks: In order, disjoint; empty when the texts are equal.
        coarse: There was too much to compare; one hunk stands for everything between the equal ends.
    """

    hunks: tuple[Hunk, ...]
    coarse: bool = False


def compare(old: str, new: str, context: int = CONTEXT_LINES) -> Comparison:
    """The hunks of ``git diff -U<context>``, and whether they had to be coarse."""
    found = script(old, new, context)
    return Comparison(tuple(hunks_of(found, context)), found.coarse)


def hunks(old: str, new: str, context: int = CONTEXT_LINES) -> tuple[Hunk, ...]:
    """The hunks of ``git diff -U<context>``: positions, lines and flags."""
    return compare(old, new, context).hunks


def diff(
    path: str, old: str | None, new: str | None, base_version: Version | None, result_version: Version | None
) -> Diff:
    """What changed in one target; None is a text that is not there, and has the lines of an empty one."""
    return Diff(path, base_version, result_version, hunks(old or "", new or ""))


@dataclass(frozen=True, slots=True)
class LocatedBlocks:
    """Blocks, and a place above them all from which their lines can be found.

    Attributes:
        blocks: In order, disjoint.
        line: The line of the place, 0-based, on both sides.
        offset: Where that line begins, in code points, on both sides.
    """

    blocks: tuple[Block, ...]
    line: int
    offset: int


def line_blocks(old: str, new: str) -> LocatedBlocks:
    """The runs of changed lines, without context; the same runs as those in `hunks`."""
    found = script(old, new, 0)
    above, before, after = found.window.above, found.window.old.lines, found.window.new.lines
    blocks = tuple(
        Block(
            above + run.old_line,
            before[run.old_line : run.old_line + run.old_lines],
            above + run.new_line,
            after[run.new_line : run.new_line + run.new_lines],
        )
        for run in found.runs
    )
    return LocatedBlocks(blocks, above, found.window.offset)


def minimal_change(old: str, new: str) -> Change:
    """The edits that make one text the other: one for each run of changed lines, of whole lines.

    Returns:
        A change whose ``apply(old)`` is ``new``, whatever the texts end with.
    """
    found = script(old, new, 0)
    before = _Offsets(found.window.old.lines, found.window.offset, len(old))
    after = _Offsets(found.window.new.lines, found.window.offset, len(new))
    edits: list[Edit] = []
    for run in found.runs:
        start, end = before.of(run.old_line), before.of(run.old_line + run.old_lines)
        text = new[after.of(run.new_line) : after.of(run.new_line + run.new_lines)]
        edits.append(Edit(start, end, text))
    return Change.of(*edits)


def hunks_of(found: Script, context: int) -> Iterator[Hunk]:
    """The hunks of a script, one at a time; runs with at most twice the context between them share one."""
    group: list[Run] = []
    for run in found.runs:
        if group and run.old_line - (group[-1].old_line + group[-1].old_lines) > 2 * context:
            yield _hunk(found, group, context)
            group = []
        group.append(run)
    if group:
        yield _hunk(found, group, context)


class _Offsets:
    """Where lines begin, in code points; asked in ascending order."""

    def __init__(self, lines: tuple[str, ...], offset: int, length: int) -> None:
        self._lines = lines
        self._length = length
        self._line = 0
        self._at = offset

    def of(self, line: int) -> int:
        passed = self._lines[self._line : line]
        self._at += sum(map(len, passed)) + len(passed)
        self._line = line
        return min(self._at, self._length)  # a last line without an end has nothing to count for it


def _hunk(found: Script, group: list[Run], context: int) -> Hunk:
    window = found.window
    first, last = group[0], group[-1]
    lead = min(first.old_line, context)
    after = last.old_line + last.old_lines
    trail = min(len(window.old.lines) - after, context)
    old_start, old_end = first.old_line - lead, after + trail
    new_start, new_end = first.new_line - lead, last.new_line + last.new_lines + trail
    return Hunk(
        old_start=_start(window.above + old_start, old_end - old_start),
        old_lines=old_end - old_start,
        new_start=_start(window.above + new_start, new_end - new_start),
        new_lines=new_end - new_start,
        lines=tuple(_lines(found, group, old_start, old_end)),
        old_no_newline=window.old.unended and old_end == len(window.old.lines),
        new_no_newline=window.new.unended and new_end == len(window.new.lines),
    )


def _start(line: int, lines: int) -> int:
    return line + 1 if lines else line


def _lines(found: Script, group: list[Run], start: int, end: int) -> list[HunkLine]:
    old, new = found.window.old.lines, found.window.new.lines
    lines: list[HunkLine] = []
    for run in group:
        lines += [HunkLine(LineKind.CONTEXT, line) for line in old[start : run.old_line]]
        start = run.old_line + run.old_lines
        lines += [HunkLine(LineKind.REMOVED, line) for line in old[run.old_line : start]]
        lines += [HunkLine(LineKind.ADDED, line) for line in new[run.new_line : run.new_line + run.new_lines]]
    return lines + [HunkLine(LineKind.CONTEXT, line) for line in old[start:end]]
