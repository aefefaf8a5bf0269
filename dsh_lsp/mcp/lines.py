"""Standard input and output as lines of UTF-8, as the kit's transport takes them: it only iterates, writes and flushes.

The kit's own read standard input in a thread, which can't be told to stop: a signal would have to wait for the client.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

_CHUNK: Final = 64 * 1024
LONGEST: Final = 64 * 2**20
"""Bytes that a line may have; a longer one ends the connection."""


class LinesIn:
    """The lines of a stream.

    Args:
        reader: The stream.
        longest: Bytes that a line may have.
    """

    def __init__(self, reader: asyncio.StreamReader, longest: int = LONGEST) -> None:
        self._reader = reader
        self._longest = longest

    async def __aiter__(self) -> AsyncIterator[str]:
        begun = bytearray()
        while chunk := await self._reader.read(_CHUNK):
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                begun += line
                yield begun.decode("utf-8", "replace")
                begun.clear()
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
