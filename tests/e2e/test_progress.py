"""Calls that take their time show in the editor and to the agent, and can be cancelled there."""

import asyncio
from typing import Any

import pytest

from dsh_lsp.client import connect
from dsh_lsp.client.notes import Progress
from tests.support.agent import ToolUser
from tests.support.editors import VsCodeLike
from tests.support.world import Via, World

SHOWS = {"window": {"workDoneProgress": True}}
ALLOWED = {"permissions": {"bash": "allow"}}


async def editor_that_shows(world: World, **how: Any) -> VsCodeLike:
    """An editor that shows progress, whose user lets agents run commands."""
    options = {"capabilities": SHOWS, "initialization_options": ALLOWED, **how}
    return await world.editor(VsCodeLike, **options)


def kind(name: str) -> Any:
    """Whether a ``$/progress`` is of this kind."""
    return lambda note: note["value"]["kind"] == name


async def begun(agent: ToolUser, command: str, **params: Any) -> Any:
    """A command that runs."""
    arguments = {"name": "bash", "arguments": {"command": command}, "sessionId": agent.session_id}
    return agent.start_request("dsh/tool/run", {**arguments, **params})


async def test_a_slow_call_shows_in_the_editor_and_ends_there(world: World, via: Via) -> None:
    """With who does what, and that it can be cancelled; the token was announced first (LSP 3.17)."""
    editor = await editor_that_shows(world)
    agent = await world.agent(via=via)
    world.file("go", "")
    call = await begun(agent, "while [ -e go ]; do sleep 0.01; done")
    begin = await editor.next("$/progress", where=kind("begin"))
    world.path("go").unlink()
    result = await call.result()
    end = await editor.next("$/progress", where=kind("end"))

    assert not result["isError"]
    assert begin["token"] == end["token"]
    assert [begin["token"]] == list(editor.lsp.progress_reports)
    assert begin["value"]["cancellable"]
    assert begin["value"]["title"].startswith("test agent: Run: while")


async def test_no_two_calls_have_one_token(world: World) -> None:
    """Whatever ids agents choose: the user cancels the one that is meant, and the other goes on."""
    editor = await editor_that_shows(world)
    world.file("go", "")
    calls: list[Any] = []
    tokens: list[str] = []
    for session, call in (("a-b", "c"), ("a", "b-c")):
        agent = await world.agent(sessionId=session)
        calls.append(await begun(agent, "while [ -e go ]; do sleep 0.01; done", callId=call))
        tokens.append((await editor.next("$/progress", where=kind("begin")))["token"])
    editor.notify("window/workDoneProgress/cancel", {"token": tokens[0]})
    cancelled = await calls[0].result()
    world.path("go").unlink()
    other = await calls[1].result()

    assert "ABORTED" == cancelled["error"]["code"]
    assert not other["isError"]


async def test_the_user_cancels_a_call(world: World, via: Via) -> None:
    """It ends as one that the agent has cancelled: its processes too."""
    editor = await editor_that_shows(world)
    agent = await world.agent(via=via)
    call = await begun(agent, "sleep 60; touch late")
    begin = await editor.next("$/progress", where=kind("begin"))
    editor.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
    result = await call.result()
    await editor.next("$/progress", where=kind("end"))
    editor.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
    editor.notify("window/workDoneProgress/cancel", {"token": "nobody's"})
    await editor.sync()

    assert "ABORTED" == result["error"]["code"]
    assert not world.path("late").exists()


async def test_a_quick_call_shows_nowhere(world: World) -> None:
    """Nothing flickers."""
    editor = await editor_that_shows(world)
    agent = await world.agent()
    world.file("a.txt", "one\n")
    await agent.read("a.txt")
    await agent.edit("a.txt", "one", "two")
    call = await begun(agent, "sleep 0.5")
    await call.result()
    await editor.next("$/progress", where=kind("end"))

    assert 1 == len(editor.inbox.all("window/workDoneProgress/create"))


@pytest.mark.filterwarnings("ignore:Unknown progress token")
async def test_the_agent_hears_of_it_under_its_own_token(world: World, via: Via) -> None:
    """Also where no editor shows progress."""
    await world.editor(VsCodeLike, initialization_options=ALLOWED)
    agent = await world.agent(via=via)
    world.file("go", "")
    call = await begun(agent, "while [ -e go ]; do sleep 0.01; done", workDoneToken="mine")
    begin = await agent.next("$/progress", where=lambda note: note["token"] == "mine")
    world.path("go").unlink()
    await call.result()
    end = await agent.next("$/progress", where=lambda note: note == {"token": "mine", "value": {"kind": "end"}})

    assert {"kind": "begin", "title": "bash", "cancellable": False} == begin["value"]
    assert "mine" == begin["token"] == end["token"]


async def test_an_editor_that_does_not_answer_is_not_waited_for(world: World) -> None:
    """A call ends although its token was never accepted, and nothing is said under that token; a no is a no."""
    editor = await editor_that_shows(world)
    editor.hold("window/workDoneProgress/create")
    agent = await world.agent()
    call = await begun(agent, "sleep 0.5")
    request = await editor.held_request("window/workDoneProgress/create")
    result = await call.result()
    request.answer(None)
    second = await begun(agent, "sleep 0.5")
    refused = await editor.held_request("window/workDoneProgress/create")
    refused.fail(-32603, "no")
    again = await second.result()
    await editor.sync()

    assert [False, False] == [result["isError"], again["isError"]]
    assert [] == editor.inbox.all("$/progress")


async def test_two_calls_at_once_have_two_tokens(world: World) -> None:
    """Cancelling one leaves the other alone, although their call ids are the same in two sessions."""
    editor = await editor_that_shows(world)
    first, second = await world.agent(), await world.agent()
    world.file("go", "")
    command = "while [ -e go ]; do sleep 0.01; done"
    calls = [await begun(agent, command, callId="c") for agent in (first, second)]
    begins = [await editor.next("$/progress", where=kind("begin")) for _ in calls]
    editor.notify("window/workDoneProgress/cancel", {"token": begins[0]["token"]})
    done, _ = await asyncio.wait(
        [asyncio.ensure_future(call.result()) for call in calls], return_when=asyncio.FIRST_COMPLETED
    )
    world.path("go").unlink()
    results = [await call.result() for call in calls]

    assert 1 == len(done)
    assert [False, True] == sorted(result["isError"] for result in results)
    assert 2 == len({begin["token"] for begin in begins})


async def test_the_client_hears_all_of_it_before_the_answer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token is good until its request is answered (LSP 3.17); an end that came later would be lost."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))
    await world.editor(VsCodeLike, initialization_options=ALLOWED)
    heard: list[Progress] = []
    async with connect(world.workspace) as agent:
        await agent.run("bash", {"command": "sleep 0.5"}, progress=heard.append)

    assert [Progress("begin", title="bash"), Progress("end")] == heard
