r"""Frames of the LSP base protocol: a header block, a blank line, and that many bytes of JSON.

Held: reading one frame at a time from a stream of bytes, the limits that a peer may not exceed, and what exactly is
wrong with a frame that is refused. Absent: which peer it came from, what a message means, and any answer.

Two kinds of wrong (LSP 3.17, "Base Protocol"):

- The header says where the body ends, and the body is bad (no JSON, no UTF-8, too deep, no object). The stream is
  still in step, so the frame is refused and the next one is read.
- The header itself is bad, or announces more than we take. Nobody can tell where the next frame starts, so the
  refusal is ``fatal``: say so to the peer and close.

``Content-Type`` and unknown fields are skipped; names are case-insensitive as in HTTP. Lines may end in a bare ``\n``:
hand-written agents do that, and it is unambiguous.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

STREAM_LIMIT: Final = 1024 * 1024
"""The ``limit`` to give a ``StreamReader``: bytes it holds before it stops reading from the peer (twice this)."""

_FIELD_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2: token
_LENGTH_DIGITS: Final = 18


@dataclass(frozen=True, slots=True)
class Limits:
    """What one frame may cost us.

    Attributes:
        header: Bytes of a header block, its blank line included.
        body: Bytes of a body.
        depth: Objects and arrays inside each other; the message itself is the first.
    """

    header: int = 8 * 1024
    body: int = 64 * 1024 * 1024
    depth: int = 200


DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A frame that is not a message.

    Attributes:
        code: The JSON-RPC error code to answer with.
        message: What is wrong, without any of the frame's content.
        fatal: The place of the next frame is unknown: nothing more can be read.
        id: The id to answer with, where the body could be read far enough to know it.
    """

    code: int
    message: str
    fatal: bool = False
    id: int | str | None = None


class FrameReader:
    """Reads messages from one peer's stream.

    Args:
        stream: Where the bytes come from.
        limits: The caps; ``Limits.header`` should be less than the stream's own limit.
    """

    def __init__(self, stream: asyncio.StreamReader, limits: Limits = DEFAULT_LIMITS) -> None:
        self._stream = stream
        self._limits = limits

    async def read(self) -> dict[str, Any] | Rejected | None:
        """Return the next message, why there is none, or None at the end of the stream.

        A stream that ends inside a frame has ended: there is nobody to explain it to. After a fatal rejection this
        must not be called again.

        Raises:
            ConnectionError: The connection broke.
        """
        try:
            length = await self._read_header()
            if isinstance(length, Rejected):
                return length
            return parse(await self._stream.readexactly(length), self._limits)
        except asyncio.IncompleteReadError:
            return None

    async def _read_header(self) -> int | Rejected:
        length: int | None = None
        size = 0
        while True:
            try:
                line = await self._stream.readuntil(b"\n")
            except asyncio.LimitOverrunError:
                return _broken("the header is too long")
            size += len(line)
            if size > self._limits.header:
                return _broken("the header is too long")
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if not line:
                return length if length is not None else _broken("the header has no Content-Length")
            name, colon, value = line.partition(b":")
            if not colon or not _FIELD_NAME.fullmatch(name):
                return _broken("the header has a line that is not a field")
            if name.lower() != b"content-length":
                continue
            announced = self._content_length(value.strip(b" \t"))
            if isinstance(announced, Rejected):
                return announced
            if length not in (None, announced):
                return _broken("the header has two Content-Lengths")
            length = announced

    def _content_length(self, value: bytes) -> int | Rejected:
        if not value.isdigit():  # of bytes: ASCII digits only, no sign
            return _broken("Content-Length is not a number of bytes")
        if len(value.lstrip(b"0")) > _LENGTH_DIGITS or int(value) > self._limits.body:
            return Rejected(INVALID_REQUEST, f"the message is longer than {self._limits.body} bytes", fatal=True)
        return int(value)


def parse(body: bytes, limits: Limits = DEFAULT_LIMITS) -> dict[str, Any] | Rejected:
    """Return the message that a frame's body holds, or why it holds none."""
    try:
        message = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        return Rejected(PARSE_ERROR, "the body is not UTF-8")
    except RecursionError:
        return Rejected(PARSE_ERROR, f"the body is nested deeper than {limits.depth}")
    except json.JSONDecodeError as error:
        return Rejected(PARSE_ERROR, f"the body is not JSON (at character {error.pos})")
    except ValueError:  # NaN, Infinity, and integers of more digits than Python converts
        return Rejected(PARSE_ERROR, "the body has a number that is not acceptable")
    # Counting costs microseconds per megabyte and nearly always proves that no walk is needed.
    if body.count(b"[") + body.count(b"{") > limits.depth and _deeper_than(limits.depth, message):
        request_id = message.get("id") if isinstance(message, dict) and "method" in message else None
        return Rejected(
            PARSE_ERROR,
            f"the body is nested deeper than {limits.depth}",
            id=request_id if type(request_id) is int or type(request_id) is str else None,
        )
    if isinstance(message, dict):
        return message
    if isinstance(message, list):
        return Rejected(INVALID_REQUEST, "batches are not part of LSP")
    return Rejected(INVALID_REQUEST, "the message is not an object")


@dataclass(frozen=True, slots=True)
class JsonText:
    """The params of a message, as JSON that was made already: ASCII, and one value."""

    text: str


def encode(message: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> bytes:
    """Return ``message`` as one frame.

    The body is ASCII, so lone surrogates survive and a length in characters would be right too.

    Args:
        message: A JSON object; its ``params`` may be a `JsonText`.
        default: Turns a value that JSON does not know into one that it does, as for :func:`json.dumps`.

    Raises:
        TypeError: A value is not JSON.
        ValueError: A number is NaN or infinite, or a container contains itself.
        RecursionError: The message is too deep.
    """
    params = message.get("params")
    if isinstance(params, JsonText):
        # "params" is the last member, and empty until it is put in as it is.
        message = {**{name: value for name, value in message.items() if name != "params"}, "params": 0}
    text = json.dumps(message, allow_nan=False, separators=(",", ":"), default=default)
    if isinstance(params, JsonText):
        text = f"{text[:-2]}{params.text}}}"
    body = text.encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _broken(message: str) -> Rejected:
    return Rejected(PARSE_ERROR, message, fatal=True)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _deeper_than(depth: int, value: Any) -> bool:
    """Whether containers are nested deeper than ``depth``; level by level, so that it can't recurse itself."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        if not level:
            return False
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) is dict or type(child) is list
        ]
    return bool(level)
