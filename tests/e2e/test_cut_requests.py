"""Requests that are cancelled, or whose connection is cut, at any moment of them: nothing of them stays half done.

A tool call in that place is in `test_lost_answers`; these are the other requests that change something.
"""

import asyncio
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.support.agent import Agent
from tests.support.editors import VsCodeLike
from tests.support.inbox import NeverMet
from tests.support.peer import Pending, RpcError
from tests.support.world import World

TIMES = 120
LONGEST = 0.004
"""Seconds after which a request is cut, at most: opening a session takes about half of that."""

End = Literal["cancelled", "cut"]


@pytest.fixture(params=["cancelled", "cut"])
def end(request: pytest.FixtureRequest) -> End:
    """How requests end."""
    found: End = request.param
    return found


async def ended(agent: Agent, request: Pending, end: End, moment: float) -> Any:
    """End a request after a moment (seconds); its result, or None if none came."""
    reached = asyncio.Event()
    asyncio.get_running_loop().call_later(moment, reached.set)
    await reached.wait()
    if end == "cut":
        agent._writer.transport.abort()
    else:
        request.cancel()
    with suppress(NeverMet, RpcError):
        return await request.result()
    return None


async def test_a_session_that_was_half_opened_can_be_opened(world: World, end: End) -> None:
    """Its journal is not left locked by whoever asked first."""
    moments = random.Random(end)
    await world.editor(VsCodeLike)
    for n in range(TIMES):
        first, second = await world.agent(session=False), await world.agent(session=False)
        assert isinstance(first, Agent)
        request = first.start_request("dsh/session/open", {"sessionId": f"s-{n}"})
        await ended(first, request, end, moments.uniform(0, LONGEST))
        answer = await second.open_session(sessionId=f"s-{n}")
        assert answer["sessionId"] == f"s-{n}"
        await first.close()
        await second.close()


async def test_a_session_that_was_half_closed_is_closed(world: World, end: End) -> None:
    """It can be opened again, and so can any other."""
    moments = random.Random(end)
    await world.editor(VsCodeLike)
    for n in range(TIMES):
        agent = await world.agent(sessionId=f"s-{n}")
        assert isinstance(agent, Agent)
        request = agent.start_request("dsh/session/close", {"sessionId": f"s-{n}"})
        await ended(agent, request, end, moments.uniform(0, LONGEST))
        again = await world.agent(sessionId=f"s-{n}")
        await agent.close()
        await again.close()


@pytest.mark.parametrize("decision", ["keep", "undo"])
async def test_what_was_decided_is_recorded_and_told(world: World, end: End, decision: str) -> None:
    """Of every file whose hunk is not pending any more; the others are still there to decide on."""
    moments = random.Random(end + decision)
    await world.editor(VsCodeLike)
    agent = await world.agent(sessionId="s-1")
    names = [f"{n}.txt" for n in range(4)]
    for _ in range(TIMES // 4):
        for name in names:
            world.file(name, "one\n")
            await agent.read(name)
            assert not (await agent.edit(name, "one", "two"))["isError"]
        user = await world.agent(sessionId="s-user")
        assert isinstance(user, Agent)
        request = user.start_request(f"dsh/review/{decision}", {"sessionId": "s-1"})
        await ended(user, request, end, moments.uniform(0, LONGEST * 2))
        rest = {each["uri"] for each in (await agent.request("dsh/review/keep", {"all": True}))["results"]}
        await user.close()

        expected = {uri: "kept" if uri in rest else PAST[decision] for uri in map(world.uri, names)}
        told = [await agent.next("dsh/decided") for _ in names]
        assert expected == {note["uri"]: note["decision"] for note in told}
        assert expected == {each["uri"]: each["decision"] for each in decided(world)[-len(names) :]}


PAST = {"keep": "kept", "undo": "undone"}


def decided(world: World) -> list[dict[str, Any]]:
    """The data of decisions in the journal of session s-1."""
    [path] = [path for path in Path(world.env["XDG_STATE_HOME"]).rglob("*.jsonl") if b'"s-1"' in path.read_bytes()]
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [event["data"] for event in events if event["type"] == "review/decided"]
