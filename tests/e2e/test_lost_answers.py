"""An edit whose answer is lost, and that is sent again with its call id, is applied once."""

import asyncio
import random
from typing import Any

import pytest

from tests.support import framing
from tests.support.agent import Agent
from tests.support.editors import VsCodeLike
from tests.support.world import World

TIMES = 100
STAGES = ("half sent", "sent", "soon", "shown", "answered")


def call(call_id: str, line: str) -> dict[str, Any]:
    """An insertion: done twice, it would be seen twice."""
    arguments = {"command": "insert", "path": "a.txt", "insert_line": 0, "new_str": line}
    return {"sessionId": "s", "callId": call_id, "name": "str_replace_editor", "arguments": arguments}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("place", ["in the buffer", "on the disk"])
async def test_an_edit_that_is_sent_again_is_applied_once(world: World, place: str) -> None:
    """Whatever the connection was cut at: before all of it was sent, while it ran, or with the answer on its way."""
    moments = random.Random(place)
    path = world.file("a.txt", "end\n")
    editor = await world.editor(VsCodeLike)
    if place == "in the buffer":
        editor.open(path)
    agent = await world.agent(sessionId="s")
    await agent.read("a.txt")
    for n in range(TIMES):
        stage = STAGES[n % len(STAGES)]
        cut = await world.agent(sessionId="s")
        assert isinstance(cut, Agent)
        await send_and_cut(cut, call(f"c-{n}", f"line {n}"), stage, moments.uniform(0, 0.02))

        again = await world.agent(sessionId="s")
        result = await again.run(
            "str_replace_editor", call_id=f"c-{n}", command="insert", path="a.txt", insert_line=0, new_str=f"line {n}"
        )
        assert not result["isError"], result
        await again.close()

    expected = "".join(f"line {n}\n" for n in reversed(range(TIMES))) + "end\n"
    assert expected == (editor.text(path) if place == "in the buffer" else path.read_text())


async def send_and_cut(agent: Agent, params: dict[str, Any], stage: str, moment: float) -> None:
    """Send a call, and cut the connection at a stage of it (seconds, where the stage is a moment)."""
    if stage == "half sent":
        frame = framing.encode({"jsonrpc": "2.0", "id": 1, "method": "dsh/tool/run", "params": params})
        agent.write_raw(frame[: len(frame) // 2])
    elif stage == "shown":
        await agent.request("dsh/subscribe", {"sessionId": "s"})
        agent.start_request("dsh/tool/run", params)
        await agent.next("dsh/toolCall")
    elif stage == "answered":
        await agent.request("dsh/tool/run", params)
    else:
        agent.start_request("dsh/tool/run", params)
        if stage == "soon":
            cut = asyncio.Event()
            asyncio.get_running_loop().call_later(moment, cut.set)
            await cut.wait()
    await agent.close()
