"""What is pending in a file while it is looked at, opened and closed in the moment in which an agent edits it."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import World

QUIET = IGNORED | {"dsh/drift", "dsh/decided"}
TEXT = "".join(f"line {n}\n" for n in range(40))


async def undo_all(user: ToolUser) -> None:
    """Undo all that is pending; nothing of it is a conflict."""
    results = (await user.request("dsh/review/undo", {"all": True}))["results"]
    assert {"undone"} >= {each["status"] for each in results}


async def test_an_edit_that_somebody_looks_at_before_it_is_told_is_the_agents(world: World) -> None:
    """Lists that are asked for all the time make nothing of an agent's edits the user's, also of those of one line."""
    path = world.file("a.txt", TEXT)
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(sessionId="s")
    lookers = [await world.agent(sessionId=f"looker-{n}") for n in range(3)]
    is_over = asyncio.Event()

    async def look(looker: ToolUser) -> None:
        while not is_over.is_set():
            await looker.request("dsh/review/list", {})

    async def work() -> None:
        await agent.read("a.txt")
        now = "line 5\n"
        for n in range(60):
            new = f"text {n}\n" if n % 3 else "line 5\n"
            if new != now:
                assert not (await agent.edit("a.txt", now, new))["isError"]
            now = new
        is_over.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        for looker in lookers:
            group.create_task(look(looker))
    await undo_all(lookers[0])

    assert TEXT == path.read_text()
    assert [False] == [note["userModified"] for note in agent.take("dsh/decided")]
    agent.take("dsh/drift")


@pytest.mark.parametrize("kind", [OwnClient, StrictEditor])
async def test_nothing_is_forgotten_when_a_file_is_opened_and_closed_under_an_edit(
    world: World, kind: Callable[..., StrictEditor]
) -> None:
    """A file is opened, saved and closed again and again while an agent edits it: all of its edits are pending."""
    path = world.file("a.txt", TEXT)
    editor = await world.editor(kind, ignore=QUIET)
    agent = await world.agent(sessionId="s", onStale="rebase")
    chance = random.Random(0)
    is_over = asyncio.Event()

    async def work() -> None:
        await agent.read("a.txt")
        for n in chance.sample(range(40), 15):
            if (await agent.edit("a.txt", f"line {n}\n", f"LINE {n}\n"))["isError"]:
                await agent.read("a.txt")
        is_over.set()

    async def open_and_close() -> None:
        while not is_over.is_set():
            editor.open(path)
            for _ in range(chance.randrange(1, 4)):
                await editor.sync()
            editor.save(path)
            await editor.sync()
            editor.close(path)
            for _ in range(chance.randrange(1, 4)):
                await editor.sync()

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        group.create_task(open_and_close())
    await undo_all(await world.agent(sessionId="user"))

    assert TEXT == path.read_text()
    assert not any(note["userModified"] for note in agent.take("dsh/decided"))
    agent.take("dsh/drift")


@pytest.mark.parametrize("is_anew", [False, True], ids=["changed", "opened anew"])
async def test_a_document_that_is_older_than_its_file_has_the_hunks_once_it_is_read_again(
    world: World, is_anew: bool
) -> None:
    """An editor that attaches late has the text from before the agent: reading the file again is no typing."""
    path = world.file("a.txt", TEXT)
    editor = await world.editor(StrictEditor, ignore=QUIET)
    agent = await world.agent(sessionId="s")
    await agent.read("a.txt")
    assert not (await agent.edit("a.txt", "line 5\n", "LINE 5\n"))["isError"]
    listed = (await agent.request("dsh/review/list", {}))["hunks"]

    editor.open(path, TEXT)
    assert [] == (await agent.request("dsh/review/list", {}))["hunks"]
    if is_anew:
        editor.close(path)
        editor.open(path)
    else:
        editor.replace(path, 0, len(TEXT), path.read_text())

    assert listed == (await agent.request("dsh/review/list", {}))["hunks"]
    await undo_all(agent)
    assert TEXT == editor.text(path)
    taken: list[Any] = agent.take("dsh/decided")
    assert [False] == [note["userModified"] for note in taken]


@pytest.mark.parametrize("text", ["", "one\nTWO\n"], ids=["another text", "the same text"])
async def test_the_name_of_a_text_that_is_no_file_is_used_again(world: World, text: str) -> None:
    """What was pending in a closed untitled document is not pending in the next one of its name, unless it is back."""
    editor = await world.editor(StrictEditor, ignore=QUIET)
    uri = editor.open("untitled:Untitled-1", "one\ntwo\n")
    agent = await world.agent(sessionId="s")
    await agent.read(uri)
    edited = await agent.edit(uri, "two", "TWO")
    assert "There is no file on disk: the text is in the editor's buffer alone" in edited["content"][0]["text"]
    listed = (await agent.request("dsh/review/list", {}))["hunks"]
    editor.close(uri)

    editor.open(uri, text)

    assert (listed if text else []) == (await agent.request("dsh/review/list", {}))["hunks"]
