"""A connection never makes anybody wait, and ends once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from dsh_lsp.rpc.connection import Connection
from tests.support.raw_peer import PATIENCE, RawClient, agent_session, stream_pair

MEGABYTE = 1024 * 1024
SECRET = "sec" + "ret"  # not as such in any line of source that a traceback could show


Connect = Callable[[int], Awaitable[tuple[Connection, RawClient]]]


@pytest.fixture
async def connected() -> AsyncIterator[Connect]:
    """Makes connections of a write limit, each with the client at its other end, and ends both after the test."""
    made: list[tuple[Connection, RawClient]] = []

    async def connect(write_limit: int) -> tuple[Connection, RawClient]:
        streams, client = await stream_pair()
        made.append((Connection(*streams, name="test", write_limit=write_limit), client))
        return made[-1]

    yield connect
    for connection, client in made:
        connection.drop("the test is over")
        client.writer.close()


async def test_a_message_is_sent_and_received(connected: Connect) -> None:
    """What is sent is one frame at the other end."""
    connection, client = await connected(MEGABYTE)

    assert connection.send({"jsonrpc": "2.0", "method": "x"})
    assert {"jsonrpc": "2.0", "method": "x"} == await client.receive()


async def test_a_message_of_any_size_is_taken_by_an_empty_queue(connected: Connect) -> None:
    """One answer over the limit does not cost the peer its connection, nor do small ones right after it."""
    connection, client = await connected(MEGABYTE)
    big = "x" * (8 * MEGABYTE)

    assert connection.send({"big": big})
    assert connection.send({"small": 1})
    assert {"big": big} == await client.receive()
    assert {"small": 1} == await client.receive()


async def test_a_second_message_over_the_limit_is_too_much(connected: Connect) -> None:
    """The exception is for one big message in the queue, not for each."""
    connection, _ = await connected(MEGABYTE)
    connection.send({"big": "x" * (8 * MEGABYTE)})

    assert not connection.send({"big": "x" * (8 * MEGABYTE)})
    assert connection.reason == "the peer does not read"


async def test_a_peer_that_does_not_read_is_dropped(connected: Connect) -> None:
    """Once more than the limit is queued, the connection ends, and further messages are not taken."""
    connection, _ = await connected(MEGABYTE)
    chunk = {"text": "x" * 100_000}
    sent = 0
    while connection.send(chunk):
        sent += 1
        assert sent < 100

    assert connection.is_closed
    assert connection.reason == "the peer does not read"
    assert not connection.send({})


async def test_a_peer_that_reads_again_is_forgiven(connected: Connect) -> None:
    """The limit is on what is queued now, not on what has ever been sent."""
    connection, client = await connected(MEGABYTE)
    for _ in range(10):
        for _ in range(8):
            assert connection.send({"text": "x" * 100_000})
        for _ in range(8):
            await client.receive()


async def test_callbacks_run_once_with_the_reason(connected: Connect) -> None:
    """Whoever asked is told why, once, however often and by whatever the connection is ended."""
    connection, _ = await connected(MEGABYTE)
    told: list[str] = []
    connection.on_closed(told.append)
    connection.close("first")
    connection.close("second")
    connection.drop("third")

    assert ([], True) == (told, connection.closed.is_set())
    await connection.wait_closed()
    connection.on_closed(told.append)
    await asyncio.sleep(0)
    assert ["first", "first"] == told


async def test_a_failing_callback_does_not_hide_the_end_from_the_others(
    connected: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    """Each callback runs; a failure is logged by its type, and not by what it says."""
    connection, _ = await connected(MEGABYTE)
    told: list[str] = []

    def fail(reason: str) -> None:
        raise ValueError(SECRET)

    connection.on_closed(fail)
    connection.on_closed(told.append)
    connection.close("over")
    await connection.wait_closed()

    assert ["over"] == told
    assert ("ValueError" in caplog.text, SECRET in caplog.text) == (True, False)


async def test_close_hands_over_what_is_queued(connected: Connect) -> None:
    """A graceful end is no loss."""
    connection, client = await connected(8 * MEGABYTE)
    connection.send({"text": "x" * (4 * MEGABYTE)})
    connection.close("over")

    assert {"text": "x" * (4 * MEGABYTE)} == await client.receive()
    assert b"" == await client.ended()


async def test_close_does_not_wait_for_ever(connected: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that never takes what is queued is cut off after a while."""
    monkeypatch.setattr("dsh_lsp.rpc.connection._LINGER", 0.05)
    connection, _ = await connected(8 * MEGABYTE)
    connection.send({"text": "x" * (4 * MEGABYTE)})
    connection.close("over")

    async with asyncio.timeout(PATIENCE):
        await connection.wait_closed()


async def test_reading_ends_when_the_connection_is_ended_here(connected: Connect) -> None:
    """Whoever waits for the next message learns of a local end at once, with output still queued."""
    connection, _ = await connected(8 * MEGABYTE)
    reading = asyncio.create_task(connection.read())
    await asyncio.sleep(0)
    connection.send({"text": "x" * (4 * MEGABYTE)})
    connection.close("over")

    async with asyncio.timeout(1):
        assert await reading is None


async def test_sending_to_a_peer_that_has_closed_ends_the_connection(connected: Connect) -> None:
    """A write error is an end like any other, and raises nothing."""
    connection, client = await connected(MEGABYTE)
    client.writer.transport.abort()
    assert await asyncio.wait_for(connection.read(), PATIENCE) is None

    assert not connection.send({"text": "x"})
    assert connection.is_closed


async def test_one_peer_that_stops_reading_does_not_slow_another() -> None:
    """Messages are queued for a stuck peer up to its death, and another peer's answers stay quick throughout."""
    loop = asyncio.get_running_loop()
    slowest = 0.0
    async with agent_session(write_limit=4 * MEGABYTE) as (_, stuck), agent_session() as (client, _):
        told: list[str] = []
        stuck.connection.on_closed(told.append)
        for number in range(100):
            stuck.notify("dsh/toolCall", {"text": "x" * 100_000})
            started = loop.time()
            await client.error(number, "nothing/there")
            slowest = max(slowest, loop.time() - started)

        assert 1 == len(told)
        assert told[0] == "the peer does not read"
        assert slowest < 0.1


async def test_nothing_of_a_message_is_logged(connected: Connect, caplog: pytest.LogCaptureFixture) -> None:
    """Not even at the lowest level."""
    caplog.set_level(logging.DEBUG)
    connection, client = await connected(MEGABYTE)
    connection.send({"text": "secret"})
    client.send({"method": "secret"})
    await connection.read()
    connection.drop("over")
    await connection.wait_closed()

    assert "secret" not in caplog.text
