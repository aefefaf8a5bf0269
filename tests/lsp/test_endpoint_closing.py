"""The end of the agent endpoint, and what its connections get of it."""

import asyncio
import socket
from pathlib import Path

import pytest

from dsh_lsp.endpoint import AgentEndpoint
from tests.support.endpoint_peer import PATIENCE, Served, connect, echoed, names, no_connections, rest


async def test_closing_ends_connections_and_removes_the_file(endpoint: AgentEndpoint, served: Served) -> None:
    """Handlers and peers see the end of the stream; the file is gone, its directory stays, nobody can connect."""
    second_name = endpoint.path.with_name("link")
    second_name.hardlink_to(endpoint.path)
    streams = await connect(endpoint)
    assert b"x\n" == await echoed(streams, b"x\n")

    await asyncio.wait_for(endpoint.close(), PATIENCE)

    assert "end of stream" == served.ended.get_nowait()
    assert b"" == await rest(streams)
    assert 0 == endpoint.connections
    assert ["link"] == names(endpoint.path.parent)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_unix_connection(second_name)


async def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    """Concurrent and repeated calls wait for the same end, and a handler that tidies up is cancelled once."""
    started, tidy = asyncio.Event(), asyncio.Event()
    cancelled = 0

    async def tidying(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal cancelled
        started.set()
        while not tidy.is_set():
            try:
                await tidy.wait()
            except asyncio.CancelledError:
                cancelled += 1

    async with AgentEndpoint(tidying, directory=tmp_path, grace=0.05) as endpoint:
        streams = await connect(endpoint)
        await asyncio.wait_for(started.wait(), PATIENCE)
        await asyncio.wait_for(asyncio.gather(endpoint.close(), endpoint.close()), PATIENCE)
        await asyncio.wait_for(endpoint.close(), PATIENCE)
        tidy.set()

        assert 1 == cancelled
        await no_connections(endpoint)
        streams[1].close()


async def test_a_connection_that_comes_while_closing_is_cut_off(endpoint: AgentEndpoint, served: Served) -> None:
    """One that had been accepted on the very turn of the loop on which closing began is not served any more."""
    closing = asyncio.create_task(endpoint.close())
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    streams = await asyncio.open_unix_connection(sock=theirs)
    endpoint._accept(*await asyncio.open_unix_connection(sock=ours))

    assert b"" == await rest(streams)
    await closing
    assert (0, 0) == (served.count, endpoint.connections)


async def test_closing_goes_on_when_the_caller_is_cancelled(tmp_path: Path) -> None:
    """A cancelled close leaves nothing half closed."""
    noticed, release = asyncio.Event(), asyncio.Event()

    async def linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await reader.read()
        noticed.set()
        await release.wait()

    async with AgentEndpoint(linger, directory=tmp_path, grace=PATIENCE) as endpoint:
        streams = await connect(endpoint)
        assert b"x\n" == await echoed(streams, b"x\n")
        closing = asyncio.create_task(endpoint.close())
        await asyncio.wait_for(noticed.wait(), PATIENCE)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing

        assert 1 == endpoint.connections
        release.set()
        await no_connections(endpoint)
        assert b"" == await rest(streams)
        assert not endpoint.path.exists()


async def test_queued_bytes_arrive_before_the_end(tmp_path: Path) -> None:
    """Closing lets a peer that reads have what was written for it."""
    written = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * 3_000_000)
        written.set()
        await reader.read()

    async with AgentEndpoint(answer, directory=tmp_path) as endpoint:
        streams = await connect(endpoint)
        await asyncio.wait_for(written.wait(), PATIENCE)
        _, received = await asyncio.gather(endpoint.close(), rest(streams))

        assert 3_000_000 == len(received)


async def test_a_handler_that_does_not_notice_is_cancelled(tmp_path: Path) -> None:
    """After the grace a handler that waits for something else is cancelled, and its peer cut off."""
    ended: asyncio.Queue[str] = asyncio.Queue()
    started = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.put_nowait("cancelled")
            raise

    async with AgentEndpoint(wait, directory=tmp_path, grace=0.05) as endpoint:
        streams = await connect(endpoint)
        await asyncio.wait_for(started.wait(), PATIENCE)
        await asyncio.wait_for(endpoint.close(), PATIENCE)

        assert "cancelled" == ended.get_nowait()
        assert 0 == endpoint.connections
        assert b"" == await rest(streams)


async def test_a_handler_that_refuses_to_end_does_not_hold_up_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Closing comes back even so, and says that something is left."""
    started, release = asyncio.Event(), asyncio.Event()

    async def stubborn(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    endpoint = AgentEndpoint(stubborn, directory=tmp_path, grace=0.05)
    await endpoint.open()
    streams = await connect(endpoint)
    await asyncio.wait_for(started.wait(), PATIENCE)

    await asyncio.wait_for(endpoint.close(), PATIENCE)
    release.set()

    assert "1 agent connections did not end when cancelled" in caplog.text
    await no_connections(endpoint)
    streams[1].close()
