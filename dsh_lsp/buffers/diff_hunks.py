r"""Pending hunks as a diff of the two texts has them.

To a document, a text that ends with a line end has an empty last line. To a diff that is no line: nobody has added or
removed it. The two differ at the end of a text alone, where a hunk may hold that empty line on one side, on both, or
stand behind it. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dsh_ledger.pending import PendingHunk, PendingHunks, PendingKind
from dsh_lsp.buffers.document_diff import logical_line
from dsh_lsp.text.document import Document


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """A hunk in a document.

    Attributes:
        hunk: Which one.
        start: Its first line in the document, 0-based.
        base: The lines that were there before.
        current: The lines that are there now.
        old_no_newline: There is no line end behind the last line of the base text; told where the two texts differ.
        new_no_newline: The same of the document.
    """

    hunk: PendingHunk
    start: int
    base: tuple[str, ...]
    current: tuple[str, ...]
    old_no_newline: bool = False
    new_no_newline: bool = False

    @property
    def kind(self) -> PendingKind:
        """How it is painted; ``modified`` too where nothing but the final line end differs."""
        if bool(self.base) == bool(self.current):
            return "modified"
        return "added" if self.current else "deleted"


def diff_hunks(hunks: PendingHunks, mirror: Document) -> tuple[DiffHunk, ...]:
    """All hunks of a document that are to be seen, in order."""
    count, last = hunks_at_end(hunks, mirror)
    before = hunks.hunks[: len(hunks) - count]
    return (*(DiffHunk(hunk, hunk.start, hunk.base, hunk.current) for hunk in before), *last)


def hunks_at_end(hunks: PendingHunks, mirror: Document) -> tuple[int, list[DiffHunk]]:
    """How many hunks stand at the end of the document, one behind the other; and those that are to be seen.

    One that has nothing but the empty last line is not, where another one tells what became of that.
    """
    group: list[PendingHunk] = []
    at = mirror.line_count
    for hunk in reversed(hunks):
        if hunk.end != at:
            break
        group.insert(0, hunk)
        at = hunk.start
    if not group:
        return 0, []
    old, new = [list(hunk.base) for hunk in group], [list(hunk.current) for hunk in group]
    if at > 0 and not (any(old) and any(new)) and logical_line(mirror, at - 1) == "":
        # The empty line above them is the last one of one text, and a line like others in the other.
        at -= 1
        old[0].insert(0, "")
        new[0].insert(0, "")
    old_ended, new_ended = _drop_last(old), _drop_last(new)
    # A text without any line has no line end to lack.
    flags = (not old_ended and (at > 0 or any(old)), not new_ended)
    seen: list[DiffHunk] = []
    for hunk, base, current in zip(group, old, new, strict=True):
        told = flags if hunk is group[-1] and flags[0] != flags[1] else (False, False)
        if base or current or any(told):
            seen.append(DiffHunk(hunk, at, tuple(base), tuple(current), *told))
        at += len(current)
    return len(group), seen


def _drop_last(side: Iterable[list[str]]) -> bool:
    """Take the empty last line of a text out of its hunks; whether the text ends with a line end."""
    holding = [lines for lines in side if lines]
    if holding and holding[-1][-1] == "":
        holding[-1].pop()
        return True
    return False
