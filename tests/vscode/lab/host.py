"""Running code in the extension hosts of VS Code's windows, with the real ``vscode`` API."""

import asyncio
import json
from itertools import count
from pathlib import Path
from typing import Any


class HostError(Exception):
    """The code threw; the message is what it threw."""


class Host:
    """The extension host of one window."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def run(self, code: str, *args: Any, within: float = 30.0) -> Any:
        """Run the body of an async function of ``vscode``, ``args``, ``until``, ``ours``; what it returns, as JSON."""
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(json.dumps({"id": number, "code": code, "args": args}).encode() + b"\n")
        async with asyncio.timeout(within):
            return await future

    def take(self, message: dict[str, Any]) -> None:
        """An answer has come."""
        future = self._waiting.pop(message["id"])
        if future.done():
            return
        if "error" in message:
            future.set_exception(HostError(message["error"]))
        else:
            future.set_result(message["value"])

    def lose(self) -> None:
        """The connection has ended."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(HostError("the extension host has gone"))


class HostDoor:
    """Where the hosts come in, each with the folder of its window."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hosts: dict[str | None, Host] = {}
        self._came = asyncio.Condition()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Wait for hosts from now on."""
        self._server = await asyncio.start_unix_server(self._serve, self.path, limit=1 << 26)

    async def host_of(self, folder: Path, within: float = 60.0) -> Host:
        """The host of the window that has a folder; for a workspace file, the first folder of that."""
        name = str(folder)
        if folder.suffix == ".code-workspace":
            name = json.loads(folder.read_text(encoding="utf-8"))["folders"][0]["path"]
        async with asyncio.timeout(within), self._came:
            await self._came.wait_for(lambda: name in self._hosts)
            return self._hosts.pop(name)

    async def close(self) -> None:
        """No more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = Host(writer)
        try:
            hello = json.loads(await reader.readline())
            async with self._came:
                self._hosts[hello["folder"]] = host
                self._came.notify_all()
            while line := await reader.readline():
                host.take(json.loads(line))
        except (OSError, ValueError):
            pass
        finally:
            host.lose()
            writer.close()
