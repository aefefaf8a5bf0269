"""Frames of LSP's base protocol, read strictly: what a careful client would refuse is an error here, not a guess.

Written apart from the server's own reader and writer, so that the two can disagree. Deliberately absent: recovery.
After a broken frame there is nothing more to be read.
"""

import asyncio
import json
import re
from typing import Any, NoReturn

_HEADER = re.compile(rb"(Content-Length|Content-Type): ([^\r\n]*)\r\n")


class BrokenFrame(Exception):
    """What came is not a frame of JSON-RPC 2.0; the message says what it was, cut to a line."""


def encode(message: dict[str, Any]) -> bytes:
    """The frame of a message, its text as UTF-8 and not as escapes (lone surrogates, which UTF-8 can't hold, apart)."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message; None where the stream ends between two of them.

    Raises:
        BrokenFrame: Anything else, such as output that is no frame, or a body that is no JSON-RPC message.
    """
    length: int | None = None
    while True:
        line = await reader.readline()
        if line == b"" and length is None:
            return None
        if line == b"\r\n" and length is not None:
            break
        header = _HEADER.fullmatch(line)
        if header is None:
            raise BrokenFrame(f"not a header: {line[:200]!r}")
        if header[1] == b"Content-Length":
            if not header[2].isdigit():
                raise BrokenFrame(f"not a length: {line[:200]!r}")
            length = int(header[2])
    try:
        body = await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        raise BrokenFrame(f"the stream ended after {len(error.partial)} of {length} bytes") from error
    return _message(body)


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except ValueError as error:
        raise BrokenFrame(f"{error}: {body[:200]!r}") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise BrokenFrame(f"not a JSON-RPC 2.0 message: {body[:200]!r}")
    return message


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
