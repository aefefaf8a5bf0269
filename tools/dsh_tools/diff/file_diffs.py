r"""Hunks as two texts side by side, for a card that shows an old and a new text.

Held here: the derivation, one value for each hunk. Deliberately absent: wire names.
"""

from dataclasses import dataclass

from dsh_ledger.drift import ChangedLines
from dsh_ledger.hunks import Diff, Hunk, LineKind


@dataclass(frozen=True, slots=True)
class FileDiff:
    r"""One hunk as two texts.

    Attributes:
        path: The target's path as shown.
        old_text: The hunk's context and removed lines, or None for a pure insertion: lines added in one place and
            none removed. A created file is one.
        new_text: The hunk's context and added lines; where ``old_text`` is None, the added lines alone.
        at: Which lines the two texts are. With ``old_text`` None there are none on the old side.

    Every line of a text ends with ``\n``, save the last line of a file that has no end.
    """

    path: str
    old_text: str | None
    new_text: str
    at: ChangedLines


def file_diffs(diff: Diff) -> tuple[FileDiff, ...]:
    """One `FileDiff` for each hunk, in order."""
    return tuple(_file_diff(diff.path, hunk) for hunk in diff.hunks)


def _file_diff(path: str, hunk: Hunk) -> FileDiff:
    blocks = hunk.blocks()
    if len(blocks) == 1 and not blocks[0].removed:
        [block] = blocks
        added = len(block.added)
        ends_file = hunk.new_no_newline and hunk.lines[-1].kind is LineKind.ADDED
        at = ChangedLines(block.old_line, 0, block.new_line + 1, added)
        return FileDiff(path, None, _joined(block.added, unended=ends_file), at)
    old = [line.text for line in hunk.lines if line.kind is not LineKind.ADDED]
    new = [line.text for line in hunk.lines if line.kind is not LineKind.REMOVED]
    at = ChangedLines(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
    return FileDiff(path, _joined(old, unended=hunk.old_no_newline), _joined(new, unended=hunk.new_no_newline), at)


def _joined(lines: list[str] | tuple[str, ...], *, unended: bool) -> str:
    text = "\n".join(lines)
    return text if unended or not lines else text + "\n"
