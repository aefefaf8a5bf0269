"""The agents' hunks of a document as the editor is told of them: LSP ranges, in the document as it is now."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from dsh_ledger.pending import PendingHunks
from dsh_ledger.versions import BOM
from dsh_lsp.buffers.changed_words import changed_words
from dsh_lsp.buffers.diff_hunks import DiffHunk, diff_hunks
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding, character_at, units_in
from dsh_lsp.wire import DecoratedHunk, DecorationsNote, NoNewlineAtEnd, Position, Range

AuthorOf: TypeAlias = Callable[[str], str | None]
"""The name of a session's agent, if it has given one."""


def nobody(_session: str) -> str | None:
    """No session is known by a name."""
    return None


def decorations(document: OpenDocument, author_of: AuthorOf = nobody) -> DecorationsNote:
    """All hunks of the document, in order."""
    mirror = document.mirror
    return DecorationsNote(
        uri=mirror.uri, version=mirror.version, hunks=tuple(decorated_hunks(document.hunks, mirror, author_of))
    )


def decorated_hunks(hunks: PendingHunks, mirror: Document, author_of: AuthorOf = nobody) -> Iterable[DecoratedHunk]:
    """The hunks of a document that holds them, in order."""
    return (decorated(each, mirror, author_of) for each in diff_hunks(hunks, mirror))


def decorated(seen: DiffHunk, mirror: Document, author_of: AuthorOf = nobody, *, words: bool = True) -> DecoratedHunk:
    """One hunk, in a document that holds it; with the words that changed, which cost the most."""
    hunk, mark = seen.hunk, mark_size(mirror)
    return DecoratedHunk(
        id=hunk.id,
        session_id=hunk.session,
        call_id=hunk.call,
        kind=seen.kind,
        range=line_range(mirror, seen.start, seen.start + len(seen.current)),
        removed_text="\n".join(seen.base),
        added_lines=len(seen.current),
        removed_lines=len(seen.base),
        author=author_of(hunk.session),
        no_newline_at_end=no_newline_at_end(seen),
        words=tuple(
            Range(
                start=Position(line=line, character=start if line else start + mark),
                end=Position(line=line, character=end if line else end + mark),
            )
            for line, start, end in (word_columns(seen, mirror.encoding, seen.start) if words else ())
        )
        or None,
    )


def no_newline_at_end(seen: DiffHunk) -> NoNewlineAtEnd | None:
    """The flags of the two texts' ends, where they differ."""
    if seen.old_no_newline == seen.new_no_newline:
        return None
    return NoNewlineAtEnd(old=seen.old_no_newline, new=seen.new_no_newline)


def mark_size(mirror: Document) -> int:
    """How many units the byte order mark takes that the first line begins with, and that is none of the text."""
    return units_in(BOM, mirror.encoding) if mirror.line(0).startswith(BOM) else 0


def word_columns(seen: DiffHunk, encoding: PositionEncoding, first: int = 0) -> list[tuple[int, int, int]]:
    """The changed words of a hunk: line, first and last character (excluded), in units of the encoding.

    Args:
        seen: The hunk.
        encoding: The encoding.
        first: What the hunk's first line is called.
    """
    columns: list[tuple[int, int, int]] = []
    for line, start, end in changed_words(seen.base, seen.current):
        content = seen.current[line]
        before = units_in(content[:start], encoding)
        columns.append((first + line, before, before + units_in(content[start:end], encoding)))
    return columns


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
