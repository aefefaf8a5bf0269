r"""Text as an editor sees it, computed the slow and obvious way: one string, and counting from its beginning.

Nothing here is shared with the server's mirror of a document; where the two differ, one of them is wrong. Lines end
with ``\n``, ``\r\n`` or ``\r``; positions are ``{"line", "character"}`` as on the wire; offsets are code points.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
Position: TypeAlias = dict[str, int]
Range: TypeAlias = dict[str, Position]

_LINE_END = re.compile("\r\n|\n|\r")


class Outside(ValueError):
    """A position that is not in the text, or inside a character."""


@dataclass(frozen=True, slots=True)
class Span:
    """The code points from ``start`` up to and without ``end`` of a text, and what is to stand there instead."""

    start: int
    end: int
    new: str


def joined(text: str) -> str:
    """The text with the halves of each surrogate pair put together, as it is in an editor's memory."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def units(text: str, encoding: Encoding) -> int:
    """How long a text is in code units of an encoding."""
    if encoding == "utf-32":
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(ord(character) > 0xFFFF for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=256)
def line_bounds(text: str) -> list[tuple[int, int]]:
    """Where each line starts and where its content ends; a text that ends with a line end has an empty last line."""
    bounds, start = [], 0
    for end in _LINE_END.finditer(text):
        bounds.append((start, end.start()))
        start = end.end()
    return [*bounds, (start, len(text))]


def position_of(text: str, offset: int, encoding: Encoding) -> Position:
    r"""The position of an offset. Raises Outside between ``\r`` and ``\n``, which has none, and outside the text."""
    if not 0 <= offset <= len(text):
        raise Outside(f"offset {offset} of a text of {len(text)}")
    if text[offset - 1 : offset + 1] == "\r\n" and offset > 0:
        raise Outside(f"offset {offset} is inside a line end")
    before = list(_LINE_END.finditer(text, 0, offset))
    start = before[-1].end() if before else 0
    return {"line": len(before), "character": units(text[start:offset], encoding)}


def offset_of(text: str, position: Position, encoding: Encoding, *, clamp: bool = False) -> int:
    """The offset of a position.

    Args:
        text: The text.
        position: A position in it.
        encoding: What its character counts.
        clamp: Take a place outside the text as the nearest one inside, as editors do.

    Raises:
        Outside: The position is outside the text, past the end of a line or inside a character; not with ``clamp``.
    """
    bounds = line_bounds(text)
    line, character = position["line"], position["character"]
    if line >= len(bounds):
        if clamp:
            return len(text)
        raise Outside(f"line {line} of {len(bounds)}")
    start, end = bounds[line]
    for offset in range(start, end):
        if character <= 0:
            if character < 0 and not clamp:
                raise Outside(f"{position} is inside a character")
            return offset if character == 0 else offset - 1
        character -= units(text[offset], encoding)
    if character > 0 and not clamp:
        raise Outside(f"{position} is {character} past the end of the line")
    if character < 0 and not clamp:
        raise Outside(f"{position} is inside a character")
    return end if character >= 0 else end - 1


def spans_of(text: str, edits: Sequence[Any], encoding: Encoding, *, clamp: bool = False) -> list[Span]:
    """The spans of LSP text edits, in the order of the text; inserts at one place stay in their own order.

    Raises:
        Outside: A range is not inside the text (not with ``clamp``), ends before it starts, or overlaps another.
    """
    spans = []
    for edit in edits:
        start = offset_of(text, edit["range"]["start"], encoding, clamp=clamp)
        end = offset_of(text, edit["range"]["end"], encoding, clamp=clamp)
        if end < start:
            raise Outside(f"{edit['range']} ends before it starts")
        spans.append(Span(start, end, edit["newText"]))
    spans.sort(key=lambda span: span.start)
    for one, other in pairwise(spans):
        if other.start < one.end:
            raise Outside(f"two edits overlap at offset {other.start}")
    return spans


def replaced(text: str, spans: Sequence[Span]) -> str:
    """The text with disjoint spans, given in order, replaced."""
    for span in reversed(spans):
        text = text[: span.start] + span.new + text[span.end :]
    return joined(text)


def content_changes(text: str, spans: Sequence[Span], encoding: Encoding) -> list[dict[str, Any]]:
    """The change events, to be applied one after the other, that replace disjoint spans given in order."""
    after = replaced(text, spans)
    events, now = [], text
    try:
        for span in reversed(spans):
            events.append(_event(now, span, encoding))
            now = replaced(now, [span])
    except Outside:  # a place that the change before has put inside a line end
        return [_event(text, difference(text, after), encoding)]
    return events


def difference(old: str, new: str) -> Span:
    r"""The one smallest span whose replacement makes ``old`` into ``new``, never reaching between ``\r`` and ``\n``."""
    limit = min(len(old), len(new))
    start = next((i for i in range(limit) if old[i] != new[i]), limit)
    while start > 0 and old[start - 1 : start + 1] == "\r\n":
        start -= 1
    tail = next((i for i in range(limit - start) if old[-1 - i] != new[-1 - i]), limit - start)
    while tail > 0 and old[len(old) - tail - 1 : len(old) - tail + 1] == "\r\n":
        tail -= 1
    return Span(start, len(old) - tail, new[start : len(new) - tail])


def content_version(text: str) -> str:
    r"""The content version of a text: SHA-256 of its UTF-8 without a byte order mark and with ``\n`` for ``\r\n``."""
    logical = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return hashlib.sha256(logical.encode("utf-8", "surrogatepass")).hexdigest()


def ranges_in(value: Any) -> Iterator[Range]:
    """Every range in a JSON value, whatever the member is called."""
    if isinstance(value, dict):
        if set(value) == {"start", "end"} and all(isinstance(end, dict) and "line" in end for end in value.values()):
            yield value
        else:
            for member in value.values():
                yield from ranges_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from ranges_in(item)


def _event(text: str, span: Span, encoding: Encoding) -> dict[str, Any]:
    start, end = (position_of(text, offset, encoding) for offset in (span.start, span.end))
    return {"range": {"start": start, "end": end}, "text": span.new}
