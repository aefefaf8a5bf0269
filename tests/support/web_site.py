"""A web server on this machine that says exactly the bytes that a test wants, and notes what it was asked.

No library is between the test and the wire: a page is a function that gets the request and the connection.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path with the query, and its headers under their names in lower case."""

    path: str
    headers: dict[str, str]


Page: TypeAlias = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]
"""Writes an answer. The connection is closed when it returns."""


@dataclass(slots=True)
class Site:
    """A server that is running.

    Attributes:
        port: Where it listens, on 127.0.0.1.
        pages: What it answers, by path.
        asked: What it was asked, in order.
        gone: Set when a client has closed a connection that a page still holds (see `held`).
        begun: Set when `held` has begun to answer.
    """

    port: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        """An address of it, by any name of the host."""
        return f"{scheme}://{host}:{self.port}{path}"

    def put(self, path: str, body: bytes = b"", *, status: str = "200 OK", **headers: str) -> str:
        """A page that says this, with its length; ``content_type="text/html"`` names a header. Returns its address."""

        async def page(_asked: Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(head(status, {"Content-Length": str(len(body)), **_names(headers)}) + body)

        self.pages[path] = page
        return self.url(path)

    def put_bytes(self, path: str, answer: bytes) -> str:
        """A page that says this, head and all, and ends the connection. Returns its address."""

        async def page(_asked: Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(answer)

        self.pages[path] = page
        return self.url(path)

    def held(self, path: str, first: bytes) -> str:
        """A page that begins with these bytes and then says nothing, until the client goes. Returns its address."""

        async def page(_asked: Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(first)
            await writer.drain()
            self.begun.set()
            await self._reader_end(writer)
            self.gone.set()

        self.pages[path] = page
        return self.url(path)

    async def _reader_end(self, writer: asyncio.StreamWriter) -> None:
        reader: asyncio.StreamReader = self._readers[writer]
        try:
            while await reader.read(1 << 16):
                pass
        except OSError:
            pass

    _readers: dict[asyncio.StreamWriter, asyncio.StreamReader] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = (line.partition(": ") for line in lines[1:] if line)
            asked = Asked(lines[0].split(" ")[1], {name.lower(): value for name, _, value in pairs})
            self.asked.append(asked)
            self._readers[writer] = reader
            page = self.pages.get(asked.path)
            if page is None:
                writer.write(head("404 Not Found", {"Content-Length": "0"}))
            else:
                await page(asked, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._readers.pop(writer, None)
            writer.close()


def head(status: str, headers: dict[str, str]) -> bytes:
    """The head of an answer."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@asynccontextmanager
async def web_site(tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """A server for as long as the block runs."""
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
