"""Those who are no agents, and come to the place where agents attach."""

import asyncio
from pathlib import Path

import pytest

from tests.support.editors import VsCodeLike
from tests.support.framing import encode
from tests.support.world import World

OPEN = encode({"jsonrpc": "2.0", "id": 1, "method": "dsh/session/open", "params": {"sessionId": "evil"}})
FIELDS = b"Host: localhost\r\nOrigin: https://evil.example\r\n"


@pytest.mark.parametrize(
    "request_of_a_page",
    [
        b"GET / HTTP/1.1\r\n" + FIELDS + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + OPEN,
        b"POST / HTTP/1.1\r\n" + FIELDS + OPEN,
        b"POST /x HTTP/1.1\n" + OPEN,
    ],
    ids=["upgrade", "post", "bare"],
)
async def test_I04_what_a_browser_sends_reaches_no_handler(world: World, request_of_a_page: bytes) -> None:
    """A connection that begins as HTTP does is closed at its first line, whatever follows, a good frame too."""
    await world.editor(VsCodeLike)
    agent = await world.agent()
    reader, writer = await asyncio.open_unix_connection(await world.socket())
    writer.write(request_of_a_page)
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    listed = (await agent.request("dsh/session/list"))["sessions"]

    assert b'"result"' not in answer
    assert b"HTTP/1.1 101" not in answer
    assert "evil" not in {session["sessionId"] for session in listed}


async def test_I04_no_port_is_open(world: World) -> None:
    """The server listens on its socket alone: no page in a browser can come as far as that."""
    editor = await world.editor(VsCodeLike)
    await world.agent()
    pid = editor.process.pid
    links = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:[")}
    rows = [
        line.split()
        for name in ("tcp", "tcp6", "udp", "udp6")
        for line in Path(f"/proc/{pid}/net/{name}").read_text(encoding="ascii").splitlines()[1:]
    ]

    assert sockets
    assert set() == sockets & {row[9] for row in rows}
