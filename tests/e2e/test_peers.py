"""What one peer does or leaves undone is no other peer's trouble."""

import asyncio
import json
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from statistics import median
from typing import Any

from dsh_lsp import discovery
from tests.support import framing
from tests.support.agent import Agent
from tests.support.applying import AnswersLate, Exactly
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import World

CALLS = 60


async def test_a_stalled_editor_does_not_delay_an_agent(world: World) -> None:
    """An editor that stops reading is sent card after card; another agent's answers still come in under 100 ms."""
    world.file("f.txt", "x" * 20_000 + "\n")
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dsh_lsp", "--stdio", stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=world.env, limit=4096
    )
    try:
        await _initialize(server, world)
        agent = await Agent.connect(await _socket(world))
        await agent.open_session()
        taken = []
        for _ in range(CALLS):
            started = time.perf_counter()
            assert (await agent.read("f.txt"))["isError"] is False
            taken.append(time.perf_counter() - started)
        await agent.close()
    finally:
        server.kill()
        await server.communicate()  # takes out what is left in the pipe; without that, the end is never seen

    assert median(taken) < 0.1


async def test_an_agent_that_does_not_read_is_dropped_and_the_others_go_on(world: World) -> None:
    """Cards for a subscriber that never reads are not kept without bound."""
    world.file("f.txt", "".join(f"{n:_>49}\n" for n in range(1_000)))
    await world.editor(VsCodeLike)
    worker = await world.agent()
    reader, writer = await asyncio.open_unix_connection(await world.socket(), limit=4096)
    request = {"jsonrpc": "2.0", "id": 1, "method": "dsh/subscribe", "params": {}}
    writer.write(framing.encode(request))
    await writer.drain()
    assert (await framing.read(reader)) is not None
    for _ in range(900):
        assert (await worker.read("f.txt"))["isError"] is False
    # 900 cards of 50 KB are more than may be queued: the peer was dropped, which ends the stream behind what was sent.
    received = 0
    async with asyncio.timeout(30):
        while chunk := await reader.read(1 << 20):
            received += len(chunk)
    writer.close()

    assert received < 900 * 50_000


async def test_an_agent_that_goes_in_the_middle_of_an_edit_leaves_it_whole(world: World) -> None:
    """The connection is cut while the edit is on its way: it is applied once, and the next session sees it."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(OwnClient)
    uri = editor.open(file)
    agent = await world.agent()
    await agent.read("f.txt")
    session = agent.session_id
    agent.start("edit", call_id="c1", file_path="f.txt", old_string="a", new_string="b")
    await editor.next("dsh/applyEdit")
    await agent.close()
    again = await world.agent(session=False)
    await again.open_session(sessionId=session)

    result = await again.run("edit", call_id="c1", file_path="f.txt", old_string="a", new_string="b")

    assert result["isError"] is False
    assert editor.text(uri) == "b\n"


async def test_a_cancelled_edit_is_either_done_or_not(world: World) -> None:
    """A cancellation that comes when the edit was sent is answered with what became of it."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(VsCodeLike)
    uri = editor.open(file)
    agent = await world.agent()
    await agent.read("f.txt")
    running = agent.start("edit", file_path="f.txt", old_string="a", new_string="b")
    await editor.next("workspace/applyEdit")
    running.cancel()

    result = await running.result()

    assert result["isError"] is False
    assert editor.text(uri) == "b\n"
    assert (await agent.edit("f.txt", "b", "c"))["isError"] is False


async def test_an_edit_that_is_cancelled_while_it_waits_its_turn_changes_nothing(world: World) -> None:
    """One edit of a file at a time; one that waits can still be called off, which is FS_ABORTED."""
    file = world.file("f.txt", "a\nb\n")
    late = AnswersLate(Exactly())
    editor = await world.editor(OwnClient, applying=late)
    uri = editor.open(file)
    first, second, other = [await world.agent() for _ in range(3)]
    await first.read("f.txt")
    await second.read("f.txt")
    running = first.start("edit", file_path="f.txt", old_string="a", new_string="A")
    await editor.next("dsh/applyEdit")
    waiting = await second.start_told("edit", call_id="c", file_path="f.txt", old_string="b", new_string="B")
    for _ in range(2):  # each finds the file as the edit has to first, and then does more
        await other.read("f.txt")
    waiting.cancel()

    aborted = await waiting.result()
    late.release()

    assert aborted["error"]["code"] == "FS_ABORTED"
    assert (await running.result())["isError"] is False
    assert editor.text(uri) == "A\nb\n"


async def _initialize(server: Process, world: World) -> None:
    folder = world.workspace.as_uri()
    capabilities = {"experimental": {"dsh": {"cards": True}}}
    params = {"processId": None, "rootUri": folder, "capabilities": capabilities}
    await _send(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    if server.stdout is None:
        raise AssertionError
    answer = await framing.read(server.stdout)
    assert answer is not None, json.dumps(answer)
    await _send(server, {"jsonrpc": "2.0", "method": "initialized", "params": {}})


async def _send(server: Process, message: dict[str, Any]) -> None:
    if server.stdin is None:
        raise AssertionError
    server.stdin.write(framing.encode(message))
    await server.stdin.drain()


async def _socket(world: World) -> str:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(20):
        while True:
            for found in await loop.run_in_executor(None, discovery.find, world.workspace, [world.runtime]):
                return str(found.socket)
