"""Telling editors where the agents' hunks are: the whole truth for a document, each time, soon after it changed.

A burst of changes is told of once. A document without hunks is told of only to clear what was painted in it; and for
some seconds after that with every change, since an editor that had typed on already passes over a note for a text that
it does not have any more.

Thousands of hunks are some megabytes of JSON. Three things keep that out of the way of typing. What is said of a hunk
is made once and kept until the hunk itself or its place changes. A note is made in slices, between which everything
else has its turn; it tells of the document as it was when the first was begun, with that version. And after a note that
took long, the next one waits so long that painting takes a tenth of the time at most.
"""

import asyncio
import json
import math
from collections.abc import Iterator
from itertools import islice
from time import perf_counter
from typing import Final
from weakref import WeakKeyDictionary

from dsh_ledger.pending import PendingHunk
from dsh_lsp.buffers.decorations import AuthorOf, decorated, mark_size, nobody, word_columns
from dsh_lsp.buffers.diff_hunks import DiffHunk, hunks_at_end
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.rpc.framing import JsonText

_DELAY: Final = 0.015
"""Seconds in which changes are gathered; below what a person notices."""

_SLICE: Final = 0.003
"""Seconds after which others have their turn while a note is made."""

_AT_ONCE: Final = 64
"""Hunks between two looks at the clock."""

_CLEARED: Final = 10.0
"""Seconds in which an editor has surely read a note that clears it, and has told of what it had typed before."""

_BYTES_PER_SECOND: Final = 50_000_000
"""What an editor reads of a note, about; its time counts as ours does."""


class Painter:
    """Sends ``dsh/decorations`` to editors that declared it.

    Args:
        author_of: The name of a session's agent.
        share: The part of the time that the notes of one document may take.
    """

    def __init__(self, author_of: AuthorOf = nobody, share: float = 0.1) -> None:
        self._author_of = author_of
        self._rest = 1 / share - 1
        # One that is closed is not kept for its paint.
        self._pieces: WeakKeyDictionary[OpenDocument, _Pieces] = WeakKeyDictionary()
        self._due: dict[OpenDocument, asyncio.TimerHandle] = {}
        self._under_way: dict[OpenDocument, bool] = {}  # whether it has changed again

    def changed(self, document: OpenDocument) -> None:
        """The document or its hunks have changed."""
        if document in self._under_way:
            self._under_way[document] = True
        elif document.editor.traits.dsh.decorations and document not in self._due:
            pieces = self._pieces.get(document)
            loop = asyncio.get_running_loop()
            if pieces is not None and not document.hunks and loop.time() > pieces.clear_until:
                del self._pieces[document]
            elif document.hunks or pieces is not None:
                earliest = pieces.rest_until if pieces is not None else 0.0
                self._due[document] = loop.call_at(max(loop.time() + _DELAY, earliest), self._begin, document)

    def _begin(self, document: OpenDocument) -> None:
        del self._due[document]
        if document.closed.is_set():
            self._pieces.pop(document, None)
            return
        self._under_way[document] = False
        pieces = self._pieces.setdefault(document, _Pieces())
        self._go_on(document, pieces, pieces.note(document, self._author_of), 0.0)

    def _go_on(self, document: OpenDocument, pieces: "_Pieces", note: "Iterator[str | None]", spent: float) -> None:
        """Make a slice of a note; send it when it was the last one."""
        began = perf_counter()
        text = next(note)
        while text is None and perf_counter() - began < _SLICE:
            text = next(note)
        loop = asyncio.get_running_loop()
        if text is None and not document.closed.is_set():
            loop.call_soon(self._go_on, document, pieces, note, spent + perf_counter() - began)
            return
        changed_again = self._under_way.pop(document)
        if document.closed.is_set() or text is None:
            self._pieces.pop(document, None)
            return
        document.editor.peer.notify("dsh/decorations", JsonText(text))
        spent += perf_counter() - began + len(text) / _BYTES_PER_SECOND
        pieces.rest_until = loop.time() + self._rest * spent
        if pieces.are_seen:
            pieces.clear_until = math.inf
        else:
            pieces.clear_until = min(pieces.clear_until, loop.time() + _CLEARED)
        if changed_again:
            self.changed(document)


class _Pieces:
    """What is said of the hunks of one document.

    Attributes:
        kept: By a hunk's id.
        are_seen: The last note had any hunks.
        rest_until: The time of the loop before which there is no further note.
        clear_until: The time of the loop up to which a document without hunks is told of.
    """

    def __init__(self) -> None:
        self.kept: dict[str, _Piece] = {}
        self.are_seen = False
        self.rest_until = 0.0
        self.clear_until = math.inf

    def note(self, document: OpenDocument, author_of: AuthorOf) -> Iterator[str | None]:
        """The note for the document as it is now; None as often as others may have their turn."""
        mirror, hunks = document.mirror, document.hunks
        version, encoding, mark = mirror.version, mirror.encoding, mark_size(mirror)
        at_end, last = hunks_at_end(hunks, mirror)
        ends = [_json(decorated(each, mirror, author_of).to_wire()) for each in last]
        names: dict[str, str | None] = {}
        texts: list[str] = []
        before, self.kept = self.kept, {}
        for index, (line, hunk) in enumerate(islice(hunks.placed(), len(hunks) - at_end)):
            if hunk.session not in names:
                names[hunk.session] = author_of(hunk.session)
            piece = before.get(hunk.id)
            if piece is None or piece.hunk is not hunk or piece.author != names[hunk.session]:
                piece = _Piece(hunk, names[hunk.session], word_columns(_whole(hunk), encoding), piece)
            self.kept[hunk.id] = piece
            texts.append(piece.at(line, 0 if line else mark))
            if index % _AT_ONCE == 0:
                yield None
        texts += ends
        self.are_seen = bool(texts)
        yield f'{{"uri":{json.dumps(mirror.uri)},"version":{version},"hunks":[{",".join(texts)}]}}'
        raise AssertionError("a note is made once")


class _Piece:
    """One hunk that is not at the end of its document, as JSON that depends on its place alone."""

    __slots__ = ("_head", "_place", "_text", "_words", "author", "hunk", "removed")

    def __init__(
        self, hunk: PendingHunk, author: str | None, words: list[tuple[int, int, int]], before: "_Piece | None"
    ) -> None:
        self.hunk = hunk
        self.author = author
        self._words = words
        seen = _whole(hunk)
        fields = {
            "id": hunk.id,
            "sessionId": hunk.session,
            "callId": hunk.call,
            "kind": seen.kind,
            "addedLines": hunk.count,
            "removedLines": len(hunk.base),
        }
        # Of a key in a hunk of 100,000 lines, the removed text costs the most, and stays as it is.
        same = before is not None and before.hunk.base is hunk.base
        self.removed: str = before.removed if before is not None and same else _json("\n".join(seen.base))
        self._head = _json(fields if author is None else {**fields, "author": author})[:-1]
        self._place = (-1, 0)
        self._text = ""

    def at(self, line: int, mark: int) -> str:
        """The JSON of the hunk at a line of the document, and with so many units more before its first line's text."""
        if (line, mark) != self._place:
            words = ",".join(
                _range(line + row, start if row else start + mark, line + row, end if row else end + mark)
                for row, start, end in self._words
            )
            place = _range(line, 0, line + self.hunk.count, 0)
            told = f'{self._head},"removedText":{self.removed},"range":{place}'
            self._text = told + (f',"words":[{words}]}}' if words else "}")
            self._place = (line, mark)
        return self._text


def _whole(hunk: PendingHunk) -> DiffHunk:
    return DiffHunk(hunk, hunk.start, hunk.base, hunk.current)


def _range(line: int, start: int, end_line: int, end: int) -> str:
    return f'{{"start":{{"line":{line},"character":{start}}},"end":{{"line":{end_line},"character":{end}}}}}'


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
