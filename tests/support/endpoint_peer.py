"""Both ends of an agent endpoint: a handler that echoes, and a peer that connects."""

import asyncio
from pathlib import Path
from typing import Final, TypeAlias

from dsh_lsp.endpoint import AgentEndpoint

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]

PATIENCE: Final = 20.0
"""Seconds after which a test gives up; nothing there takes a tenth of one."""


def names(directory: Path) -> list[str]:
    """What is in a directory."""
    return [path.name for path in directory.iterdir()]


class Served:
    """An ``on_connect`` that echoes lines and remembers what it saw."""

    def __init__(self) -> None:
        self.count = 0
        self.ended: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Echo until the end of the stream; fail on the line that asks for it."""
        self.count += 1
        try:
            while line := await reader.readline():
                if line.startswith(b"fail"):
                    raise ValueError(line)
                writer.write(line)
        except BaseException as error:
            self.ended.put_nowait(type(error).__name__)
            raise
        self.ended.put_nowait("end of stream")


async def connect(endpoint: AgentEndpoint) -> Streams:
    """A connection to it."""
    return await asyncio.open_unix_connection(endpoint.path)


async def echoed(streams: Streams, line: bytes) -> bytes:
    """What comes back for ``line``."""
    reader, writer = streams
    writer.write(line)
    return await asyncio.wait_for(reader.readline(), PATIENCE)


async def rest(streams: Streams) -> bytes:
    """All that is still to come; a connection cut off has come to its end too."""
    try:
        return await asyncio.wait_for(streams[0].read(), PATIENCE)
    except ConnectionResetError:
        return b""
    finally:
        streams[1].close()


async def no_connections(endpoint: AgentEndpoint) -> None:
    """Wait until the endpoint has let go of every connection."""
    if tasks := list(endpoint._connections):
        await asyncio.wait(tasks, timeout=PATIENCE)
    assert 0 == endpoint.connections
