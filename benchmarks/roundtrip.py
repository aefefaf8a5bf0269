"""The round trip of one small custom request over a Unix socket, beside a hand-written echo server.

Each server runs in a process of its own; this process is the client, hand-written for both. Requests are sent one at a
time ("depth 1"), in alternating blocks, so that a noisy machine is as noisy for the one as for the other.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

BLOCK = 200
BLOCKS = 15
REQUEST = {"name": "edit", "items": [1, 2, 3], "position": {"line": 3, "character": 7}, "text": "some text of a line"}


class Position(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    line: int = Field(ge=0)
    character: int = Field(ge=0)


class Echo(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    name: str
    items: list[int]
    position: Position
    text: str


async def echo(_: object, params: Echo) -> Echo:
    return params


def echo_now(_: object, params: Echo) -> Echo:
    return params


async def ours(path: str) -> None:
    from dsh_lsp.rpc.agent import agent_peer
    from dsh_lsp.rpc.connection import Connection
    from dsh_lsp.rpc.framing import STREAM_LIMIT
    from dsh_lsp.rpc.pump import serve

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        table: Any = {"dsh/echo": (Echo, echo), "dsh/echoNow": (Echo, echo_now)}
        await serve(agent_peer(Connection(reader, writer), table))

    await (await asyncio.start_unix_server(connected, path, limit=STREAM_LIMIT)).serve_forever()


async def hand_written(path: str) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                header = await reader.readuntil(b"\r\n\r\n")
                message = json.loads(await reader.readexactly(int(header[16:-4])))
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": message["params"]}
                body = json.dumps(answer).encode()
                writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        except asyncio.IncompleteReadError:
            writer.close()

    await (await asyncio.start_unix_server(connected, path)).serve_forever()


def _serve(server: Callable[[str], Coroutine[Any, Any, None]], path: str) -> None:
    asyncio.run(server(path))


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.number = 0

    async def round_trip(self, method: str) -> None:
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": REQUEST}
        body = json.dumps(message).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        header = await self.reader.readuntil(b"\r\n\r\n")
        answer = json.loads(await self.reader.readexactly(int(header[16:-4])))
        assert answer["id"] == self.number
        assert answer["result"] == REQUEST

    async def block(self, method: str) -> list[float]:
        times = []
        for _ in range(BLOCK):
            started = time.perf_counter()
            await self.round_trip(method)
            times.append((time.perf_counter() - started) * 1e6)
        return times


async def connect(path: str) -> Client:
    for _ in range(200):
        try:
            return Client(*await asyncio.open_unix_connection(path))
        except OSError:
            await asyncio.sleep(0.05)
    raise TimeoutError


async def _measure(folder: Path) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    processes = []
    clients = []
    try:
        for server in (ours, hand_written):
            path = str(folder / f"{server.__name__}.sock")
            processes.append(context.Process(target=_serve, args=(server, path), daemon=True))
            processes[-1].start()
            clients.append(await connect(path))
        rows: dict[str, list[float]] = {"ours_us": [], "ours_sync_us": [], "hand_written_us": []}
        runs = [
            ("ours_us", clients[0], "dsh/echo"),
            ("ours_sync_us", clients[0], "dsh/echoNow"),
            ("hand_written_us", clients[1], "echo"),
        ]
        for _, client, method in runs:
            await client.block(method)
        for _ in range(BLOCKS):
            for name, client, method in runs:
                rows[name] += await client.block(method)
        for client in clients:
            client.writer.close()
    finally:
        for process in processes:
            process.terminate()
            process.join()
    medians = {name: statistics.median(times) for name, times in rows.items()}
    return {**medians, "ratio": medians["ours_us"] / medians["hand_written_us"]}


def measure() -> dict[str, float]:
    """Return medians in microseconds, of a coroutine handler, of a plain one, and of the hand-written server; and the
    ratio of the first to the last.
    """
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


if __name__ == "__main__":
    for row, value in measure().items():
        print(f"{row:<16}{value:10.2f}")
