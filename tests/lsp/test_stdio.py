"""Standard input and output are the peer's alone, whatever kind of file they are."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import tty
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dsh_lsp.rpc.stdio import StdioFds, stdio_connection
from tests.support.raw_peer import PATIENCE, RawClient, frame

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "tests.support.stdio_server"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "ledger", ROOT / "tools")))}
START_UP = 30.0


async def start(stdin: Any, stdout: Any, command: list[str] = SERVER) -> asyncio.subprocess.Process:
    """Start the server with these as its standard input and output."""
    return await asyncio.create_subprocess_exec(
        *command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=ROOT
    )


async def finish(server: asyncio.subprocess.Process) -> str:
    """Wait for the server's end, and return what it wrote to standard error."""
    assert server.stderr is not None
    async with asyncio.timeout(START_UP):
        said = await server.stderr.read()
        assert 0 == await server.wait()
    return said.decode()


@contextlib.asynccontextmanager
async def over_pipes() -> AsyncIterator[tuple[RawClient, asyncio.subprocess.Process]]:
    """Two pipes, as most editors give."""
    server = await start(subprocess.PIPE, subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    yield RawClient(server.stdout, server.stdin), server
    server.stdin.close()


@contextlib.asynccontextmanager
async def over_two_sockets() -> AsyncIterator[tuple[RawClient, asyncio.subprocess.Process]]:
    """Two socket pairs, as Node gives; the one for output is half-closed at once, as Node may do."""
    (to, stdin), (from_, stdout) = socket.socketpair(), socket.socketpair()
    with stdin, stdout:
        server = await start(stdin, stdout)
    from_.shutdown(socket.SHUT_WR)
    _, writer = await asyncio.open_connection(sock=to)
    reader, output = await asyncio.open_connection(sock=from_)
    yield RawClient(reader, writer), server
    writer.close()
    output.close()


@contextlib.asynccontextmanager
async def over_one_socket() -> AsyncIterator[tuple[RawClient, asyncio.subprocess.Process]]:
    """One socket for both directions, as a super-server gives."""
    ours, theirs = socket.socketpair()
    with theirs:
        server = await start(theirs, theirs)
    reader, writer = await asyncio.open_connection(sock=ours)
    yield RawClient(reader, writer), server
    writer.close()


@contextlib.asynccontextmanager
async def over_a_terminal() -> AsyncIterator[tuple[RawClient, asyncio.subprocess.Process]]:
    """A terminal in raw mode."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    server = await start(theirs, theirs)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(ours), "rb", 0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(ours, "wb", 0)
    )
    yield RawClient(reader, asyncio.StreamWriter(transport, protocol, None, loop)), server
    assert os.get_blocking(theirs)  # whoever else has this terminal open was not made non-blocking
    os.close(theirs)
    transport.close()


EVERY_KIND = pytest.mark.parametrize("transport", [over_pipes, over_two_sockets, over_one_socket, over_a_terminal])


@EVERY_KIND
async def test_G03_stray_output_does_not_break_the_framing(transport: Any) -> None:
    """What we and our children print goes to standard error, they read nothing, and they inherit no private file."""
    async with transport() as (client, server):
        text = "Content-Length: 3 本"
        assert {"heard": ""} == await client.result(1, "noise", {"text": text})
        big = "─本\U0001f600" * 100_000
        assert {"text": big} == await client.result(2, "echo", {"text": big})
        client.tell("exit")
        said = await finish(server)

    assert "stray output\n" in said
    assert 3 == said.count(f"{text}\n")
    assert "child heard '' and inherited []\n" in said
    assert "ended: exit" in said


@EVERY_KIND
async def test_A19_one_byte_at_a_time(transport: Any) -> None:
    """Every kind of input is read whole from any pieces."""
    async with transport() as (client, server):
        text = "x─本\U0001f600"
        for byte in frame({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": text}}):
            client.send_bytes(bytes([byte]))
            await asyncio.sleep(0)
        assert {"text": text} == (await client.receive())["result"]
        client.tell("exit")
        await finish(server)


@pytest.mark.parametrize("transport", [over_pipes, over_two_sockets, over_one_socket])
async def test_the_end_of_input_is_the_end(transport: Any) -> None:
    """An editor that dies takes the connection with it."""
    async with transport() as (client, server):
        client.writer.close()

        assert "ended: end of stream" in await finish(server)


async def test_regular_files(tmp_path: Path) -> None:
    """Input from a file and output to one: all of it is read, and all of it written before the process ends."""
    texts = ["first", "─本" * 200_000, "last"]
    source, sink = tmp_path / "in", tmp_path / "out"
    source.write_bytes(
        b"".join(
            frame({"jsonrpc": "2.0", "id": number, "method": "echo", "params": {"text": text}})
            for number, text in enumerate(texts)
        )
    )
    with source.open("rb") as stdin, sink.open("wb") as stdout:
        said = await finish(await start(stdin, stdout))

    assert "ended: end of stream" in said
    bodies = [part.split(b"\r\n\r\n")[1] for part in sink.read_bytes().split(b"Content-Length: ")[1:]]
    assert texts == [json.loads(body)["result"]["text"] for body in bodies]


async def test_output_to_a_file_is_complete_however_slow_the_copying(tmp_path: Path) -> None:
    """The process does not end before what it said is in the file."""
    slowly = (
        "import runpy, dsh_lsp.rpc.stdio as stdio; stdio._CHUNK = 8;"
        "runpy.run_module('tests.support.stdio_server', run_name='__main__')"
    )
    sink = tmp_path / "out"
    with sink.open("wb") as stdout:
        server = await start(subprocess.PIPE, stdout, command=[sys.executable, "-c", slowly])
    assert server.stdin is not None
    server.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": "x" * 100_000}}))
    server.stdin.close()
    await finish(server)

    assert sink.read_bytes().endswith(b'xxx"}}')


async def test_no_input_at_all() -> None:
    """The null device is an end of stream."""
    assert "ended: end of stream" in await finish(await start(subprocess.DEVNULL, subprocess.DEVNULL))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
async def test_as_a_child_of_node() -> None:
    """The way VS Code starts a server."""
    script = """
        const child = require("child_process").spawn(process.argv[1], process.argv.slice(2), {stdio: "pipe"});
        let out = "";
        child.stdout.on("data", (data) => { out += data; if (out.includes("second")) child.stdin.end(); });
        child.on("exit", (code) => console.log(JSON.stringify({code, answered: out.includes("first")})));
        const echo = (id, text) => {
            const body = Buffer.from(JSON.stringify({jsonrpc: "2.0", id, method: "echo", params: {text}}));
            child.stdin.write(`Content-Length: ${body.length}\\r\\n\\r\\n`);
            child.stdin.write(body);
        };
        echo(1, "first");
        setTimeout(() => echo(2, "second"), 100);
    """
    node = await asyncio.create_subprocess_exec(
        "node", "-e", script, *SERVER, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd=ROOT
    )
    async with asyncio.timeout(START_UP):
        output, _ = await node.communicate()

    assert {"code": 0, "answered": True} == json.loads(output)


async def test_an_editor_that_stops_reading_is_dropped_and_does_not_block() -> None:
    """A full pipe costs the editor its connection, and never the loop."""
    (stdin, our_end), (their_end, stdout) = os.pipe(), os.pipe()
    connection = await stdio_connection(StdioFds(stdin, stdout), write_limit=1_000_000)
    try:
        async with asyncio.timeout(PATIENCE):
            while connection.send({"text": "x" * 100_000}):
                pass
            await connection.wait_closed()
            assert await connection.read() is None
        with pytest.raises(BrokenPipeError):  # its input is closed as well
            os.write(our_end, b"x")
    finally:
        os.close(our_end)
        os.close(their_end)

    assert "the peer does not read" == connection.reason
