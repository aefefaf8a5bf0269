"""Cancelling: what the peer is answered, what the handler sees, and what a disconnect leaves running."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from tests.support.raw_peer import PATIENCE, agent_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from dsh_lsp.rpc.agent import AgentProtocol


class Nothing(BaseModel):
    """No params."""


class Seen(list[str]):
    """What a handler did, and when it and its shielded part have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.Event()
        self.part_done = asyncio.Event()


async def awaiting(seen: Seen, release: asyncio.Event) -> object:
    """Wait, as most handlers do."""
    try:
        await release.wait()
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise
    return "result"


async def catching(seen: Seen, release: asyncio.Event) -> object:
    """Have a result in spite of being cancelled."""
    try:
        await release.wait()
    except asyncio.CancelledError:
        seen.append("cancelled")
        await asyncio.sleep(0.01)
    return "in spite"


async def shielding(seen: Seen, release: asyncio.Event) -> object:
    """Keep a part from being cancelled."""

    async def part() -> None:
        await release.wait()
        seen.append("the part was done")
        seen.part_done.set()

    task = asyncio.create_task(part())
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise
    return "result"


async def failing(seen: Seen, release: asyncio.Event) -> object:
    """Fail on being cancelled."""
    try:
        await release.wait()
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise ValueError from None
    return "result"


def table(handler: Callable[[Seen, asyncio.Event], Any], seen: Seen, release: asyncio.Event) -> dict[str, Any]:
    """Return the handler as a method, and a barrier."""

    async def run(peer: AgentProtocol, params: Nothing) -> object:
        seen.append("begun")
        try:
            return await handler(seen, release)
        finally:
            seen.ended.set()

    return {"dsh/run": (Nothing, run), "dsh/sync": (Nothing, lambda peer, params: "synced")}


@pytest.mark.parametrize("request_id", [1, "one"])
@pytest.mark.parametrize(
    ("handler", "expected"),
    [(awaiting, -32800), (catching, "in spite"), (shielding, -32800), (failing, -32603)],
)
async def test_cancelling_a_running_request(handler: Any, expected: object, request_id: int | str) -> None:
    """-32800, unless the handler answers in spite of it; and one answer only."""
    seen = Seen()
    async with agent_session(table(handler, seen, asyncio.Event())) as (client, peer):
        client.call(request_id, "dsh/run")
        assert "synced" == await client.result("s", "dsh/sync")
        client.tell("$/cancelRequest", {"id": request_id})
        answer = await client.receive()

        assert (request_id, expected) == (answer["id"], answer.get("result", answer.get("error", {}).get("code")))
        assert ["begun", "cancelled"] == seen
        assert "synced" == await client.result("s", "dsh/sync")
        assert 0 == len(peer._incoming)


async def test_a_request_cancelled_in_the_same_burst_has_begun() -> None:
    """The handler took its first step before the cancellation was looked at."""
    seen = Seen()
    async with agent_session(table(awaiting, seen, asyncio.Event())) as (client, _):
        client.send(
            {"jsonrpc": "2.0", "id": 1, "method": "dsh/run"},
            {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}},
        )

        assert -32800 == (await client.receive())["error"]["code"]
        assert ["begun", "cancelled"] == seen


async def test_a_request_cancelled_before_its_first_step_is_answered() -> None:
    """Without the pump's turn of the loop, too, and without a complaint about a coroutine nobody awaited."""
    seen = Seen()
    async with agent_session(table(awaiting, seen, asyncio.Event())) as (client, peer):
        peer.receive({"jsonrpc": "2.0", "id": 1, "method": "dsh/run"})
        peer.receive({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})

        assert -32800 == (await client.receive())["error"]["code"]
        assert ([], 0) == (seen, len(peer._incoming))


async def test_a_second_cancellation_does_not_interrupt_the_first() -> None:
    """A handler that is putting things in order after it was cancelled is let be, by a disconnect as well."""
    seen = Seen()
    async with agent_session(table(catching, seen, asyncio.Event())) as (client, _):
        client.call(1, "dsh/run")
        for _ in range(3):
            client.tell("$/cancelRequest", {"id": 1})

        assert "in spite" == (await client.receive())["result"]
        assert ["begun", "cancelled"] == seen


@pytest.mark.parametrize(
    "params", [{"id": 99}, {"id": "x"}, {"id": None}, {"id": [1]}, {"id": 1.5}, {"id": True}, {}, None, [], "x"]
)
async def test_cancelling_what_is_not_there_is_ignored(params: object) -> None:
    """Answers and cancellations cross each other, and some are malformed; nothing comes of either."""
    async with agent_session(table(awaiting, Seen(), asyncio.Event())) as (client, _):
        client.tell("$/cancelRequest", params)
        assert "synced" == await client.result("s", "dsh/sync")


async def test_ids_of_the_two_directions_are_different_ids() -> None:
    """Cancelling number 1 does not touch our own request number 1."""

    async def ask(peer: AgentProtocol, params: Nothing) -> object:
        return await peer.request("dsh/ask")

    async with agent_session({"dsh/run": (Nothing, ask)}) as (client, _):
        client.call("run", "dsh/run")
        asked = await client.receive()
        client.tell("$/cancelRequest", {"id": asked["id"]})
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": 7})

        answer = await client.receive()
        assert ("run", 7) == (answer["id"], answer["result"])


async def test_cancelling_a_request_that_waits_for_another_peer_forgets_that_one() -> None:
    """The wait is given up, and the late answer of the other peer is dropped."""
    async with agent_session() as (other, other_peer):

        async def ask(peer: AgentProtocol, params: Nothing) -> object:
            return await other_peer.request("dsh/ask")

        async with agent_session({"dsh/run": (Nothing, ask)}) as (client, _):
            client.call(1, "dsh/run")
            asked = await other.receive()
            client.tell("$/cancelRequest", {"id": 1})
            assert -32800 == (await client.receive())["error"]["code"]
            assert 0 == len(other_peer._outgoing)
            other.send({"jsonrpc": "2.0", "id": asked["id"], "result": 7})
            assert -32601 == (await other.error(1, "none"))["code"]


async def test_a_disconnect_cancels_what_runs_and_not_what_is_shielded() -> None:
    """The handlers of a peer that has gone are cancelled; what they keep from it is finished."""
    seen = Seen()
    release = asyncio.Event()
    async with agent_session(table(shielding, seen, release)) as (client, _peer):
        client.call(1, "dsh/run")
        assert "synced" == await client.result("s", "dsh/sync")
        client.writer.close()
        async with asyncio.timeout(PATIENCE):
            await seen.ended.wait()
        assert ["begun", "cancelled"] == seen
        release.set()
        async with asyncio.timeout(PATIENCE):
            await seen.part_done.wait()

    assert ["begun", "cancelled", "the part was done"] == seen


async def test_a_disconnect_cancels_notifications_that_run() -> None:
    """They belong to the peer as well."""
    seen = Seen()
    async with agent_session(table(awaiting, seen, asyncio.Event())) as (client, peer):
        client.tell("dsh/run")
        assert "synced" == await client.result("s", "dsh/sync")
        assert 1 == len(peer._incoming)
        client.writer.close()
        async with asyncio.timeout(PATIENCE):
            await seen.ended.wait()

    assert ["begun", "cancelled"] == seen
