r"""ripgrep's messages (``--json``), as what was found.

A message is a JSON object on a line: ``begin`` and ``end`` of a file that has hits, ``match`` and ``context`` between
them, offsets in bytes of the text in UTF-8. Files that aren't wanted are passed over here.
"""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dsh_tools.search.clipping import clip
from dsh_tools.search.hits import FileHits, Found, FoundLine
from dsh_tools.search.records import Records

MOST_COUNTED = 100_000
"""How many hits are counted before it is "at least"."""

_MESSAGE_LIMIT = 1 << 23
"""Bytes that a message may have. It is longer than its line: a quote takes two bytes, and each match about fifty."""

_LINES_OF_A_MATCH = 50
"""How many lines of a match that spans lines are shown."""

_TYPE = re.compile(rb'\{"type":"(\w+)"')
_PATH = re.compile(rb'"path":\{"(text|bytes)":("(?:[^"\\]|\\.)*")')


class Messages:
    """Reads messages into what was found.

    Args:
        found: Takes in each file's hits.
        accepts: Whether a file is wanted, by its path from the root.
        name: The path of all that is found, where ripgrep reads its standard input and knows none.
    """

    def __init__(self, found: Found, accepts: Callable[[bytes], bool], name: bytes | None = None) -> None:
        self._found = found
        self._accepts = accepts
        self._name = name
        self._records = Records(b"\n", _MESSAGE_LIMIT)
        self._file: FileHits | None = None
        self._kept = self._size = 0

    def feed(self, piece: bytes) -> bool:
        """Take in a piece of output; False when enough has been counted."""
        for record, whole in self._records.split(piece):
            if not record:
                continue
            if whole:
                message = json.loads(record)
                self._take(message["type"], message["data"])
            else:
                self._take_head(record)
            if self._found.total_hits + (self._file.hits if self._file else 0) > MOST_COUNTED:
                self._found.complete = False
                self._end(binary=False)
                return False
        return True

    def _take(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "begin":
            self._begin(_raw(data["path"]))
        elif kind == "end":
            self._end(binary=data["binary_offset"] is not None)
        elif kind in ("match", "context") and self._file is not None:
            # A binary file may have a NUL for a line end, and then no number.
            self._file.odd |= "bytes" in data["lines"]
            self._add(self._file, data["line_number"] or 0, _raw(data["lines"]), data["submatches"])

    def _take_head(self, head: bytes) -> None:
        """A message that is too large: its file and its hit count all the same."""
        kind, path = _TYPE.match(head), _PATH.search(head)
        if kind and path and kind[1] == b"match" and self._file is not None:
            self._file.hits += 1
            self._file.huge += 1

    def _begin(self, path: bytes) -> None:
        name = path.removeprefix(b"./") if self._name is None else self._name
        self._file = FileHits(name) if self._accepts(name) else None
        self._kept = self._size = 0

    def _end(self, *, binary: bool) -> None:
        if self._file is not None and self._file.hits:
            self._file.binary = binary
            self._file.odd |= binary
            self._found.add(self._file)
        self._file = None

    def _add(self, file: FileHits, first: int, text: bytes, matches: list[dict[str, Any]]) -> None:
        starts = [match["start"] for match in matches]
        for line in _lines(first, text, starts):
            if line.column is not None:
                file.hits += 1
                self._kept += 1
            if self._kept <= self._found.limit and self._size <= self._found.characters:
                file.lines.append(line)
                self._size += len(line.clip.text) + 1


def _lines(first: int, text: bytes, starts: list[int]) -> list[FoundLine]:
    """The lines of a message, without their ends, each with the matches that begin in it."""
    lines = text.split(b"\n")
    if lines[-1] == b"" and len(lines) > 1:
        lines.pop()
    found: list[FoundLine] = []
    at = taken = hidden = 0
    for number, line in enumerate(lines):
        here = taken
        while taken < len(starts) and (starts[taken] <= at + len(line) or number == len(lines) - 1):
            taken += 1
        if taken == here and number >= _LINES_OF_A_MATCH:
            hidden += 1
        else:
            if hidden:
                found[-1] = replace(found[-1], hidden=hidden)
                hidden = 0
            ended = at + len(line) < len(text)
            found.append(_line(first + number, line, starts[here] - at if taken > here else None, taken - here, ended))
        at += len(line) + 1
    if hidden:
        found[-1] = replace(found[-1], hidden=hidden)
    return found


def _line(number: int, line: bytes, start: int | None, matches: int, ended: bool) -> FoundLine:
    before = None if start is None else len(line[:start].decode("utf-8", "replace"))
    text = (line.removesuffix(b"\r") if ended else line).decode("utf-8", "replace")
    return FoundLine(number, clip(text, before or 0), None if before is None else before + 1, matches)


def _raw(value: dict[str, str]) -> bytes:
    """Text or bytes of a message, as bytes."""
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])
