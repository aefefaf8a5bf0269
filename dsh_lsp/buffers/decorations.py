"""The agents' hunks of a document as the editor is told of them: LSP ranges, in the document as it is now."""

from dsh_ledger.pending import PendingHunk
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import character_at
from dsh_lsp.wire import DecoratedHunk, DecorationsNote, NoNewlineAtEnd, Position, Range


def decorations(document: OpenDocument) -> DecorationsNote:
    """All hunks of the document, in order."""
    mirror = document.mirror
    return DecorationsNote(
        uri=mirror.uri, version=mirror.version, hunks=tuple(_decorated(hunk, mirror) for hunk in document.hunks)
    )


def _decorated(hunk: PendingHunk, mirror: Document) -> DecoratedHunk:
    base, count = list(hunk.base), hunk.count
    no_newline: NoNewlineAtEnd | None = None
    if hunk.start + count == mirror.line_count:
        # The document's last line is the empty one behind a final line end, where there is such an end; it is no line
        # that anybody added or removed.
        before, after = bool(base) and base[-1] == "", count > 0 and mirror.line(mirror.line_count - 1) == ""
        if before != after:
            no_newline = NoNewlineAtEnd(old=not before, new=not after)
        base = base[:-1] if before else base
        count = count - 1 if after else count
    return DecoratedHunk(
        id=hunk.id,
        session_id=hunk.session,
        call_id=hunk.call,
        kind="modified" if base and count else "added" if count else "deleted",
        range=line_range(mirror, hunk.start, hunk.start + count),
        removed_text="\n".join(base),
        added_lines=count,
        removed_lines=len(base),
        no_newline_at_end=no_newline,
    )


def line_range(mirror: Document, start: int, end: int) -> Range:
    """Whole lines (0-based, ``end`` excluded) as a range that lies inside the document.

    Its end is the start of the line behind them, or the end of the text where there is none.
    """
    return Range(start=_line_start(mirror, start), end=_line_start(mirror, max(start, end)))


def _line_start(mirror: Document, line: int) -> Position:
    if line < mirror.line_count:
        return Position(line=line, character=0)
    last = mirror.line(mirror.line_count - 1)
    return Position(line=mirror.line_count - 1, character=character_at(last, len(last), mirror.encoding))
