"""The loopback port: an agent with the token is served, everybody else is not."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp import discovery
from dsh_lsp.discovery import Found
from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.pump import serve
from dsh_lsp.tcp import connected
from tests.support import framing
from tests.support.editors import VsCodeLike
from tests.support.world import World


async def found_in(world: World, **options: Any) -> Found:
    """The server of a new editor with these options, as agents find it."""
    editor = await world.editor(VsCodeLike, initialization_options=options)
    await world.socket(editor)
    [found] = discovery.find(world.workspace, [world.runtime])
    return found


async def answers(port: int, *data: bytes) -> bytes:
    """All that comes back for these bytes until the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for each in data:
        writer.write(each)
    async with asyncio.timeout(5.0):
        answer = await reader.read()
    writer.close()
    return answer


def port_of(found: Found) -> int:
    """The port of a server that has one."""
    assert found.tcp is not None
    return found.tcp.port


async def test_an_agent_that_can_not_reach_the_socket_comes_through_the_port(world: World) -> None:
    """With the token of the discovery file, it is an agent like any other."""
    found = await found_in(world, tcp=True)
    world.file("a.txt", "one\n")
    connection = await connected(replace(found, socket=world.path("no such socket")))
    peer = agent_peer(connection, {})
    serving = asyncio.create_task(serve(peer))
    opened = await peer.request("dsh/session/open", {"agent": {"name": "far away"}}, timeout=5.0)
    read = await peer.request(
        "dsh/tool/run",
        {"sessionId": opened["sessionId"], "name": "read", "arguments": {"file_path": "a.txt"}},
        timeout=5.0,
    )
    connection.close("the test is over")
    await serving

    assert not read["isError"]
    assert "one" in read["content"][0]["text"]


async def test_there_is_no_port_unless_it_is_asked_for(world: World) -> None:
    """The socket is enough for everybody on the machine."""
    assert (await found_in(world)).tcp is None


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "dsh/session/open", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "dsh/authenticate", "params": {"token": "guess"}},
        {"jsonrpc": "2.0", "id": 1, "method": "dsh/authenticate", "params": {"token": ""}},
        {"jsonrpc": "2.0", "id": 1, "method": "dsh/authenticate", "params": {"token": "\ud800"}},
        {"jsonrpc": "2.0", "id": 1, "method": "dsh/authenticate"},
        {"jsonrpc": "2.0", "method": "dsh/authenticate", "params": {"token": "x"}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
    ],
)
async def test_without_the_token_nothing_is_served(world: World, message: dict[str, Any]) -> None:
    """One answer that says what is wanted, and the connection ends, whatever else was sent."""
    found = await found_in(world, tcp=True)
    opening = framing.encode({"jsonrpc": "2.0", "id": 2, "method": "dsh/session/open", "params": {}})

    said = await answers(port_of(found), framing.encode(message), opening)

    assert 1 == said.count(b"Content-Length")
    assert b"dsh/authenticate with the token" in said
    assert b"sessionId" not in said
    assert [] == sorted(Path(world.env["XDG_STATE_HOME"]).rglob("*.jsonl"))


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 60\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
    ],
)
async def test_what_a_browser_sends_never_reaches_a_handler(world: World, head: bytes) -> None:
    """A page can make a browser connect to any port: its request is no frame, and the connection ends."""
    found = await found_in(world, tcp=True)
    assert found.tcp is not None
    token = {"jsonrpc": "2.0", "id": 1, "method": "dsh/authenticate", "params": {"token": found.tcp.token}}
    opening = {"jsonrpc": "2.0", "id": 2, "method": "dsh/session/open", "params": {}}

    said = await answers(port_of(found), head, b"\r\n", framing.encode(token), framing.encode(opening))

    assert b"result" not in said
    assert b"sessionId" not in said
    assert [] == sorted(Path(world.env["XDG_STATE_HOME"]).rglob("*.jsonl"))


async def test_the_token_is_in_the_file_alone(world: World) -> None:
    """Not in the command line, not in the log, not in what is shown of the objects that hold it."""
    editor = await world.editor(VsCodeLike, initialization_options={"tcp": True})
    await world.socket(editor)
    [found] = discovery.find(world.workspace, [world.runtime])
    assert found.tcp is not None
    await answers(port_of(found), b"GET / HTTP/1.1\r\n\r\n")
    token = found.tcp.token

    assert token not in Path(f"/proc/{editor.process.pid}/cmdline").read_text()
    assert token not in editor.process.stderr
    assert token not in repr(found)
    assert 43 == len(token)
