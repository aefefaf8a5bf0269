"""A web site on this machine, for one test."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager


@asynccontextmanager
async def pages(texts: Mapping[str, str]) -> AsyncIterator[str]:
    """Serve pages by their paths; the address of the first one."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readline()).split(b" ")[1].decode()
        while (await reader.readline()).strip():
            pass
        body = texts.get(path, "").encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{next(iter(texts))}"
    finally:
        server.close()
