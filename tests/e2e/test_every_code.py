"""Every code of the closed set, produced by a call, with the next action in what the model reads."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from dsh_ledger import errors
from dsh_ledger.errors import LedgerError, ReviewConflict
from tests.support.agent import ToolUser
from tests.support.applying import Lying, Rejecting
from tests.support.editors import VsCodeLike
from tests.support.world import World

Result: TypeAlias = dict[str, Any]
Produce: TypeAlias = Callable[[World], Awaitable[Result]]

ASKED = "window/showMessageRequest"

ELSEWHERE = {
    "INVALID_TOOL_OUTPUT": "tests/tools/test_pipeline.py: no tool of ours returns what its schema refuses",
    "REVIEW_CONFLICT": "below: no tool undoes a hunk, people do",
}
"""Codes that no call of a built-in tool can give, and where they are tested."""

TABLE: dict[str, Produce] = {}


def produces(code: str) -> Callable[[Produce], Produce]:
    """Enter a function into the table."""

    def enter(produce: Produce) -> Produce:
        TABLE[code] = produce
        return produce

    return enter


async def alone(world: World) -> ToolUser:
    """An agent at an editor that has nothing open."""
    await world.editor(VsCodeLike)
    return await world.agent()


async def having_read(world: World, text: str = "one\n") -> ToolUser:
    """An agent that has read a.txt."""
    world.file("a.txt", text)
    agent = await alone(world)
    await agent.read("a.txt")
    return agent


@produces("FS_NOT_FOUND")
async def _(world: World) -> Result:
    return await (await alone(world)).read("nothing.txt")


@produces("FS_NOT_DIRECTORY")
async def _(world: World) -> Result:
    world.file("a.txt", "one\n")
    return await (await alone(world)).read("a.txt/b.txt")


@produces("FS_NOT_REGULAR_FILE")
async def _(world: World) -> Result:
    world.path("folder").mkdir()
    return await (await alone(world)).read("folder")


@produces("FS_NOT_TEXT")
async def _(world: World) -> Result:
    world.file("a.bin", b"\x00\xff\xfe\x00")
    return await (await alone(world)).read("a.bin")


@produces("FS_TOO_LARGE")
async def _(world: World) -> Result:
    with world.file("big.txt").open("r+b") as file:
        file.truncate(200 * 2**20)
    return await (await alone(world)).read("big.txt")


@produces("FS_PERMISSION_DENIED")
async def _(world: World) -> Result:
    agent = await having_read(world)
    world.path("a.txt").chmod(0o444)
    return await agent.edit("a.txt", "one", "two")


@produces("FS_SANDBOX_DENIED")
async def _(world: World) -> Result:
    return await (await alone(world)).read("../outside.txt")


@produces("FS_IO_ERROR")
async def _(world: World) -> Result:
    return await (await alone(world)).write("x" * 300, "no name may be as long as this")


@produces("FS_STALE_VERSION")
async def _(world: World) -> Result:
    agent = await having_read(world)
    world.file("a.txt", "two\n")
    return await agent.edit("a.txt", "one", "three")


@produces("FS_NOT_OBSERVED")
async def _(world: World) -> Result:
    world.file("a.txt", "one\n")
    return await (await alone(world)).edit("a.txt", "one", "two")


@produces("FS_AMBIGUOUS_EDIT")
async def _(world: World) -> Result:
    return await (await having_read(world, "one one\n")).edit("a.txt", "one", "two")


@produces("FS_EDIT_NOT_FOUND")
async def _(world: World) -> Result:
    return await (await having_read(world)).edit("a.txt", "onE", "two")


@produces("FS_APPLY_REJECTED")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike, applying=Rejecting("read-only"))
    editor.open(world.file("a.txt", "one\n"))
    agent = await world.agent()
    await agent.read("a.txt")
    return await agent.edit("a.txt", "one", "two")


@produces("FS_APPLY_UNCONFIRMED")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike, applying=Lying(), initialization_options={"timing": {"confirm": 0.1}})
    editor.open(world.file("a.txt", "one\n"))
    agent = await world.agent()
    await agent.read("a.txt")
    return await agent.edit("a.txt", "one", "two")


@produces("FS_ABORTED")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike)
    editor.open(world.file("a.txt", "one\n"))
    editor.hold("workspace/applyEdit")
    first, second = await world.agent(), await world.agent()
    for agent in (first, second):
        await agent.read("a.txt")
    holding = first.start("edit", file_path="a.txt", old_string="one", new_string="two")
    held = await editor.held_request("workspace/applyEdit")
    waiting = await second.start_told("edit", call_id="c", file_path="a.txt", old_string="one", new_string="three")
    other = await world.agent()
    for _ in range(2):  # each finds the file as the edit has to first, and then does more
        await other.read("a.txt")
    waiting.cancel()
    result: Result = await waiting.result()
    held.answer({"applied": False, "failureReason": "the test is over"})
    await holding.result()
    return result


@produces("ABORTED")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike)
    editor.hold(ASKED)
    agent = await world.agent()
    call = agent.start("bash", command="true")
    question = await editor.held_request(ASKED)
    call.cancel()
    result: Result = await call.result()
    question.answer(None)
    return result


@produces("ABORTED_BEFORE_DISPATCH")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike)
    editor.hold(ASKED)
    agent = await world.agent()
    first = agent.start("bash", command="true")
    question = await editor.held_request(ASKED)
    behind = agent.start("write", file_path="new.txt", content="x\n")
    await agent.request("dsh/tool/list", {})
    behind.cancel()
    result: Result = await behind.result()
    question.answer(None)
    await first.result()
    assert not world.path("new.txt").exists()
    return result


@produces("INVALID_ARGS")
async def _(world: World) -> Result:
    return await (await alone(world)).run("read", file_path=3)


@produces("UNKNOWN_TOOL")
async def _(world: World) -> Result:
    return await (await alone(world)).run("erase")


@produces("DENIED")
async def _(world: World) -> Result:
    editor = await world.editor(VsCodeLike)
    editor.answers[ASKED] = lambda _params: {"title": "Deny"}
    return await (await world.agent()).run("bash", command="true")


def kinds() -> dict[str, type[LedgerError]]:
    """The classes of refusals by their code."""
    found = (each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, LedgerError))
    return {each.code: each for each in found if hasattr(each, "code")}


@pytest.mark.parametrize("code", sorted(TABLE))
async def test_the_code_comes_with_its_next_action(world: World, code: str) -> None:
    """In the error for programs the code, in the model's text the code and what to do next."""
    result = await TABLE[code](world)

    assert result["isError"]
    assert code == result["error"]["code"]
    remedy = kinds()[code].remedy
    assert remedy
    assert remedy in result["content"][0]["text"]
    assert result["content"][0]["text"].startswith(f"{code}: ")


async def test_a_conflict_of_a_review_comes_with_its_next_action(world: World) -> None:
    """A created file that is not the agent's any more: the reason has code, text and way out."""
    agent = await alone(world)
    await agent.write("new.txt", "agent\n")
    world.file("new.txt", "agent\nuser\n")
    [result] = (await agent.request("dsh/review/undo", {"all": True}))["results"]

    assert "conflict" == result["status"]
    assert result["reason"].startswith("REVIEW_CONFLICT: ")
    assert "agent\nuser\n" in result["reason"]
    assert ReviewConflict.remedy in result["reason"]
    agent.take("dsh/drift")


def test_no_code_is_left_out() -> None:
    """The set is closed: each is in the table, or it is said where it is tested."""
    assert set(kinds()) == TABLE.keys() | ELSEWHERE.keys()
