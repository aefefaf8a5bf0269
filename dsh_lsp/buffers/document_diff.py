r"""What changed between two states of a document, in its lines, as the settled edits that pending hunks are told of.

The lines of a document are not those of a diff: a text that ends with a line end has an empty last line here, and a
lone ``\r`` ends a line. Pure. Deliberately absent: hunks, and whose a change is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, overload

from dsh_ledger.hunks import Block
from dsh_ledger.line_edits import LineEdit
from dsh_ledger.versions import BOM
from dsh_lsp.text.document import AppliedChange, Document
from dsh_tools.diff import LocatedBlocks, line_blocks

LARGE = 256 * 1024
"""Characters above which a thread looks at a whole text: to say why something was not found in it takes 0.2 s in 5 MB,
and to find 10,000 hunks as much; nobody else shall wait for that."""

MAX_BLOCKS = 20_000
"""Places of one edit above which it is one place, from the first to the last of them: nobody decides on so many."""

_FAR: Final = 1 << 16
"""Code points. What is further down than that from all changes has no part in how they are told."""


def document_lines(text: str) -> list[str]:
    r"""The lines of a document with this logical text, without their ends.

    There is one more than a diff has where the text ends with a line end (the empty last one), and a lone ``\r`` ends a
    line (LSP 3.17, "Text Documents").
    """
    return text.replace("\r", "\n").split("\n")


def document_blocks(before: str, after: str) -> tuple[Block, ...]:
    """What changed between two logical texts, in the lines of `document_lines`."""
    return _located(before, after).blocks


def settled_edits(before: str, after: str) -> list[LineEdit]:
    """The edits that lead from one logical text to the other, bottom up, so that each one's place is right in its turn.

    Settled, as every edit that the hunks are told of: an editor's undo then meets the edit that it undoes.
    """
    if before == after:
        return []
    found = _located(before, after)
    return list(_bottom_up(found.blocks, 0, _LinesFrom(after, found).__getitem__, _line_ends(after) + 1))


def _located(before: str, after: str) -> LocatedBlocks:
    old, new = before.replace("\r", "\n"), after.replace("\r", "\n")
    if old[-_FAR:] != new[-_FAR:]:
        # The end of the texts is near, and their last line is one that may have no end, or be empty.
        old, new = f"{old}\n", f"{new}\n"
    found = line_blocks(old, new)
    if len(found.blocks) <= MAX_BLOCKS:
        return found
    return replace(found, blocks=_bounded(found.blocks, document_lines(before), document_lines(after)))


class _LinesFrom:
    """The lines of a text from a place on, read as far as they are asked for."""

    def __init__(self, text: str, place: LocatedBlocks) -> None:
        self._text = text
        self._first = place.line
        self._offset = place.offset
        self._lines: list[str] = []

    def __getitem__(self, line: int) -> str:
        while line - self._first >= len(self._lines):
            self._read_on()
        return self._lines[line - self._first]

    def _read_on(self) -> None:
        if self._offset > len(self._text):
            raise IndexError
        end = self._text.find("\n", self._offset + _FAR)
        self._lines += document_lines(self._text[self._offset : end] if end >= 0 else self._text[self._offset :])
        self._offset = end + 1 if end >= 0 else len(self._text) + 1


def settled_edits_of(applied: AppliedChange, mirror: Document) -> list[LineEdit]:
    """The same for a change that has been applied to a document: as many small edits as it takes.

    An editor may say the undo of several hunks as one range over all of them; each hunk must meet its own part.
    """
    old, new = bare_lines(applied.old_lines), bare_lines(applied.new_lines)
    if len(old) + len(new) > 2 and old and new:
        blocks = _bounded(line_blocks(_text(old), _text(new)).blocks, old, new)
    else:
        blocks = (Block(0, old, 0, new),)
    return list(_bottom_up(blocks, applied.start_line, lambda at: logical_line(mirror, at), mirror.line_count))


def without_mark(applied: AppliedChange, mirror: Document) -> AppliedChange:
    """A change that has been applied to a document, in the lines of its logical text.

    A byte order mark at the start of a document is none of its first line. Where another line becomes the first one, it
    can be that the mark is a part of a line from now on, or no longer: then that line has changed as well.
    """
    if applied.start_line > 0:
        return applied
    below = mirror.lines(len(applied.new_lines), len(applied.new_lines) + 1)
    old, new = (*applied.old_lines, *below), (*applied.new_lines, *below)
    if not old[0].startswith(BOM) and not new[0].startswith(BOM):
        return applied
    old, new = (old[0].removeprefix(BOM), *old[1:]), (new[0].removeprefix(BOM), *new[1:])
    same = old[-1:] == new[-1:]
    return AppliedChange(0, old[: len(old) - same], new[: len(new) - same])


def change_between(before: Sequence[str], after: Sequence[str]) -> AppliedChange:
    """One change that made the lines of a document others, or none where they are the same."""
    limit = min(len(before), len(after))
    head = next((at for at in range(limit) if before[at] != after[at]), limit)
    tail = next((at for at in range(limit - head) if before[-1 - at] != after[-1 - at]), limit - head)
    return AppliedChange(head, tuple(before[head : len(before) - tail]), tuple(after[head : len(after) - tail]))


def logical_line(mirror: Document, index: int) -> str:
    """A line of a document without its end, and without the byte order mark that is none of the text."""
    line = _bare(mirror.line(index))
    return line if index else line.removeprefix(BOM)


def bare_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines of a document without their ends."""
    return tuple(map(_bare, lines))


def _bounded(blocks: tuple[Block, ...], old: Sequence[str], new: Sequence[str]) -> tuple[Block, ...]:
    """The blocks, or one over all of them if they are too many."""
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    first, last = blocks[0], blocks[-1]
    removed = tuple(old[first.old_line : last.old_line + len(last.removed)])
    return (
        Block(first.old_line, removed, first.new_line, tuple(new[first.new_line : last.new_line + len(last.added)])),
    )


def _bottom_up(blocks: Sequence[Block], first: int, line: Callable[[int], str], count: int) -> Iterator[LineEdit]:
    """Blocks of changed lines as settled edits, the last one first.

    Args:
        blocks: In order.
        first: The line of the document that their line 0 is.
        line: A line of the document as it is after all of them.
        count: How many lines it has then.
    """
    for block in reversed(blocks):
        edit = LineEdit(first + block.old_line, block.removed, block.added).trimmed()
        # Below this edit, all later ones are done already: those lines are the new text's.
        delta = block.new_line - block.old_line + len(block.added) - len(block.removed)
        yield edit.settled(_LinesBelow(line, count, delta))


class _LinesBelow(Sequence[str]):
    """The lines of a text before an edit, of which only those below the edit are looked at.

    Args:
        line: A line of the text after the edit.
        count: How many lines that text has.
        delta: How many lines further down its lines below the edit are.
    """

    def __init__(self, line: Callable[[int], str], count: int, delta: int) -> None:
        self._line = line
        self._count = count - delta
        self._delta = delta

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._line(at + self._delta) for at in range(*index.indices(self._count))]
        return self._line(index + self._delta)


def _line_ends(text: str) -> int:
    return text.count("\n") + (text.count("\r") if "\r" in text else 0)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
