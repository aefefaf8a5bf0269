"""Standard input and output as lines of UTF-8, as the kit's transport takes them: it only iterates, writes and flushes.

The kit's own read standard input in a thread, which can't be told to stop: a signal would have to wait for the client.
And it drops a line that it can't read, also where that is a request, whose sender would wait for ever: one that is too
deep, or holds half of a character (a lone surrogate, as a model's output that was cut has it).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from pydantic import TypeAdapter

from dsh_lsp.rpc.errors import MsgId, is_message_id

_CHUNK: Final = 64 * 1024
LONGEST: Final = 64 * 2**20
"""Bytes that a line may have; a longer one ends the connection."""

_JSON: Final = TypeAdapter[Any](Any)
"""What the kit reads with."""


class LinesIn:
    """The lines of a stream.

    Args:
        reader: The stream.
        longest: Bytes that a line may have.
        refuse: Told of the id of each request that the kit would not read; such a line is none of the stream's.
    """

    def __init__(
        self, reader: asyncio.StreamReader, longest: int = LONGEST, refuse: Callable[[MsgId], None] | None = None
    ) -> None:
        self._reader = reader
        self._longest = longest
        self._refuse = refuse

    async def __aiter__(self) -> AsyncIterator[str]:
        begun = bytearray()
        while chunk := await self._reader.read(_CHUNK):
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                begun += line
                text = begun.decode("utf-8", "replace")
                begun.clear()
                if self._refuse is not None and (request_id := _unreadable_request(text)) is not None:
                    self._refuse(request_id)
                else:
                    yield text
            begun += rest
            if len(begun) > self._longest:
                return


class LinesOut:
    """Where lines go. What can't be written is lost: the client is gone then, and its input has ended as well."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        """Queue some text. Characters that UTF-8 can't have are replaced."""
        if not self._writer.is_closing():
            self._writer.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        """Wait until the client has taken what is queued, or nearly all."""
        try:
            await self._writer.drain()
        except OSError:
            pass


def _unreadable_request(line: str) -> MsgId | None:
    """The id of a request that the kit's parser refuses and another one does not; None for every other line."""
    try:
        _JSON.validate_json(line)
    except ValueError:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if isinstance(message, dict) and "method" in message and is_message_id(request_id := message.get("id")):
            return request_id
    return None
