"""Decisions while others decide, and while agents edit: each hunk is decided once, and none is forgotten."""

import asyncio
import random
from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.applying import AnswersLate, LikeVsCode
from tests.support.editor import IGNORED
from tests.support.editors import VsCodeLike
from tests.support.world import World

TEXT = "".join(f"line {n}\n" for n in range(40))
ROUNDS = 40


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_a_hunk_is_decided_once(world: World, opened: bool) -> None:
    """Two people press keep and undo at once: one of them decides, and that is what the file and the agent have."""
    path = world.file("a.txt", TEXT)
    editor = await world.editor(VsCodeLike, ignore=IGNORED)
    if opened:
        editor.open(path)
    agent = await world.agent(sessionId="s")
    one, other = await world.agent(sessionId="one"), await world.agent(sessionId="other")
    text = TEXT
    for n in range(ROUNDS):
        line, changed = f"line {n % 40}\n", f"LINE {n % 40}\n"
        if line not in text:
            continue
        await agent.read("a.txt")
        assert not (await agent.edit("a.txt", line, changed))["isError"]
        ways = ["keep", "undo"] if n % 2 else ["undo", "keep"]
        asked = [
            who.start_request(f"dsh/review/{way}", {"all": True}) for who, way in zip((one, other), ways, strict=True)
        ]
        results = [each for request in asked for each in (await request.result())["results"]]

        [decided] = results
        note = await agent.next("dsh/decided")
        assert (decided["id"], decided["status"]) == (note["hunkId"], note["decision"])
        if decided["status"] == "kept":
            text = text.replace(line, changed)
        assert text == (editor.text(path) if opened else path.read_text())
    assert [] == agent.take("dsh/decided")
    agent.take("dsh/drift")


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_no_hunk_is_forgotten_when_one_is_undone_while_the_agent_edits(world: World, opened: bool) -> None:
    """Undoing all that is left gives the text of before the agent came."""
    path = world.file("a.txt", TEXT)
    editor = await world.editor(VsCodeLike, ignore=IGNORED)
    if opened:
        editor.open(path)
    user = await world.agent(sessionId="user")
    agents = [await world.agent(sessionId=f"s-{n}", onStale="rebase") for n in range(3)]
    working = set(agents)

    async def work(agent: ToolUser, lines: random.Random) -> None:
        await agent.read("a.txt")
        for _ in range(ROUNDS):
            n = lines.randrange(40)
            if (await agent.edit("a.txt", f"line {n}\n", f"LINE {n}\n"))["isError"]:
                await agent.read("a.txt")
        working.remove(agent)

    async def undo() -> None:
        while working:
            await decide(user, "undo")

    async with asyncio.TaskGroup() as group:
        for n, agent in enumerate(agents):
            group.create_task(work(agent, random.Random(n)))
        group.create_task(undo())
    await decide(user, "undo")
    assert TEXT == (editor.text(path) if opened else path.read_text())
    for agent in agents:
        agent.take("dsh/decided")
        agent.take("dsh/drift")


async def test_a_file_that_is_created_again_while_its_creation_is_undone(world: World) -> None:
    """What is there at the end is pending: undoing it removes the file."""
    await world.editor(VsCodeLike, ignore=IGNORED)
    agent, user = await world.agent(sessionId="s"), await world.agent(sessionId="user")
    ended = asyncio.Event()

    async def work() -> None:
        for n in range(ROUNDS):
            await agent.write("new.txt", f"text {n}\n")
            await agent.read("new.txt")
        ended.set()

    async def undo() -> None:
        while not ended.is_set():
            await decide(user, "undo")

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        group.create_task(undo())
    await decide(user, "undo")
    assert not world.path("new.txt").exists()
    agent.take("dsh/decided")
    agent.take("dsh/drift")


async def decide(user: Any, way: str) -> None:
    """Decide on all that is pending."""
    await user.request(f"dsh/review/{way}", {"all": True})


async def test_an_edit_that_comes_into_a_hunk_before_its_undo_is_told_as_undone(world: World) -> None:
    """Another agent changes a hunk whose undo waits for that: both agents are told what became of theirs."""
    path = world.file("a.txt", TEXT)
    late = AnswersLate(LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=IGNORED)
    editor.open(path)
    one, other = await world.agent(sessionId="one"), await world.agent(sessionId="other")
    await one.read("a.txt")
    assert not (await one.edit("a.txt", "line 5\n", "LINE 5\n"))["isError"]
    await other.read("a.txt")
    editor.applying = late
    call = other.start("edit", call_id="c", file_path="a.txt", old_string="LINE 5\n", new_string="line five\n")
    await editor.until(lambda: bool(late.waiting))
    undo = one.start_request("dsh/review/undo", {"all": True})
    await one.request("dsh/status", {})

    late.release()
    assert not (await call.result())["isError"]
    await editor.until(lambda: bool(late.waiting))
    late.release()
    assert ["undone"] == [each["status"] for each in (await undo.result())["results"]]

    assert TEXT == editor.text(path)
    assert ["one", "other"] == [note["sessionId"] for who in (one, other) for note in who.take("dsh/decided")]
    one.take("dsh/drift")
    other.take("dsh/drift")


async def test_what_is_typed_in_a_created_file_while_its_undo_waits_is_not_taken_back(world: World) -> None:
    """The file is not the agent's any more when its undo has its turn: it stays, with what was typed in it."""
    late = AnswersLate(LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=IGNORED)
    agent = await world.agent(sessionId="s")
    await agent.write("new.txt", "one\ntwo\nthree\n")
    path = world.path("new.txt")
    editor.open(path)
    await editor.sync()
    editor.applying = late
    call = agent.start("edit", file_path="new.txt", old_string="three", new_string="four")
    await editor.until(lambda: bool(late.waiting))
    undo = agent.start_request("dsh/review/undo", {"all": True})
    await agent.request("dsh/status", {})

    editor.type(path, "two", "typed")
    editor.applying = LikeVsCode()
    late.release()
    assert (await call.result())["isError"]
    [result] = (await undo.result())["results"]

    assert "conflict" == result["status"]
    assert "typed" in result["reason"]
    assert "one\ntyped\nthree\n" == editor.text(path)
    assert path.exists()
    agent.take("dsh/drift")
