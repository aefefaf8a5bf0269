"""Where the agents' hunks of an open document are shown: on lines that are there, also where lines are gone.

A deletion has no lines. It is shown on the line that it stands before, or on the last one at the end of the text.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.decorations import decorated
from dsh_lsp.buffers.diff_hunks import DiffHunk, diff_hunks
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import character_at
from dsh_lsp.wire import DecoratedHunk, Range


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """A hunk and its place.

    Attributes:
        hunk: The hunk.
        painted: What painting editors are told of it.
        range: Where it is shown, in the document as it is now; empty only where there is no character to show it on.
    """

    hunk: PendingHunk
    painted: DecoratedHunk
    range: types.Range

    @property
    def first(self) -> int:
        """The first line that it is shown on, 0-based."""
        return self.range.start.line

    @property
    def last(self) -> int:
        """The last one."""
        end = self.range.end
        return end.line - 1 if end.character == 0 and end.line > self.first else end.line


def shown_hunks(hunks: Iterable[PendingHunk], mirror: Document) -> list[ShownHunk]:
    """The places of hunks in a document that holds them, in order."""
    listed = list(hunks)
    seen = {each.hunk.id: each for each in diff_hunks(PendingHunks.of(listed), mirror)}
    painted = (
        (hunk, decorated(seen.get(hunk.id) or DiffHunk(hunk, hunk.start, (), ()), mirror, words=False))
        for hunk in listed
    )
    return [ShownHunk(hunk, each, _visible_range(mirror, each.range)) for hunk, each in painted]


def shown_on(document: OpenDocument, first: int, last: int) -> list[ShownHunk]:
    """The hunks of a document that are shown on these lines (0-based, both included), in order."""
    # A deletion behind the last line is shown one line above its place, or two where the last line is empty.
    near = document.hunks.touching(first, last + 2)
    return [each for each in shown_hunks(near, document.mirror) if each.first <= last and first <= each.last]


def _visible_range(mirror: Document, place: Range) -> types.Range:
    if place.start != place.end:
        return types.Range(*(types.Position(each.line, each.character) for each in (place.start, place.end)))
    line = place.start.line
    if (end := _content_end(mirror, line)) > 0:
        return _span(line, 0, line, end)
    if line + 1 < mirror.line_count:
        return _span(line, 0, line + 1, 0)
    # The last line, and it is empty: at the end of the line before it.
    return _span(line - 1, 0, line, 0) if line > 0 else _span(0, 0, 0, 0)


def _content_end(mirror: Document, line: int) -> int:
    content = mirror.line(line)
    return character_at(content, len(content), mirror.encoding)


def _span(start_line: int, start: int, end_line: int, end: int) -> types.Range:
    return types.Range(types.Position(start_line, start), types.Position(end_line, end))
