"""What the client does by itself when its server ends, and who looks on without being an agent."""

import asyncio
from typing import Any

import pytest

from dsh_lsp.client import (
    Disconnected,
    NoServer,
    Note,
    Observer,
    Progress,
    Reconnected,
    RequestRefused,
    connect,
    observe,
)
from dsh_lsp.client.notes import Notes
from dsh_lsp.discovery import Discovery
from dsh_lsp.endpoint import AgentEndpoint
from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.pump import serve
from dsh_lsp.wire import (
    SessionOpenParams,
    SessionOpenResult,
    ToolResultNote,
    ToolRunParams,
    ToolRunResult,
)
from dsh_tools.content import TextBlock
from tests.support.editors import VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def next_note(observer: Observer, kind: type[Any]) -> Note:
    """The next note of a kind."""
    async with asyncio.timeout(10):
        async for note in observer.notes():
            if isinstance(note, kind):
                return note
    raise AssertionError("the notes ended")


async def test_whoever_waits_for_notes_is_connected_again(world: World) -> None:
    """Without a request of its own; it is told that notes may be lost, and its subscriptions are made again."""
    first = await world.editor(VsCodeLike)
    world.file("a.txt", "one\n")
    await world.socket(first)
    async with observe(world.workspace) as observer:
        await observer.subscribe()
        waiting = asyncio.create_task(next_note(observer, Reconnected))
        await asyncio.sleep(0)
        await world.kill(first)
        agent = await world.agent(await world.editor(VsCodeLike))
        again = await waiting
        await agent.read("a.txt")
        note = await next_note(observer, ToolResultNote)

    assert isinstance(again, Reconnected)
    assert isinstance(note, ToolResultNote)
    assert "read" == note.name


async def test_notes_end_with_the_client_and_fail_without_a_server(world: World) -> None:
    """Neither waits for ever."""
    editor = await world.editor(VsCodeLike)
    await world.socket(editor)
    async with observe(world.workspace, patience=0.2) as closing:
        ended = asyncio.create_task(_all(closing))
        await asyncio.sleep(0)
    async with observe(world.workspace, patience=0.2) as losing:
        failed = asyncio.create_task(_all(losing))
        await asyncio.sleep(0)
        await world.kill(editor)
        with pytest.raises(NoServer):
            await failed

    assert [] == await ended
    with pytest.raises(Disconnected):
        await losing.status()


async def _all(observer: Observer) -> list[Note]:
    return [note async for note in observer.notes()]


async def test_an_observer_decides_and_begins_no_session(world: World) -> None:
    """What it keeps and undoes is told to the agent as the user's decision; tools and sessions can be looked at."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    await world.socket(editor)
    async with connect(world.workspace, name="tester") as agent, observe(world.workspace) as observer:
        await agent.read("a.txt")
        await agent.edit("a.txt", "two", "agent")
        [hunk] = await observer.pending(uri)
        mine = await observer.pending(session_id="another")
        undone = await observer.undo([hunk.id])
        [session] = await observer.sessions()
        replayed = await observer.replay(agent.session_id)
        again = await agent.read("a.txt")
        tools = await observer.tools()

    assert ((), ["undone"]) == (mine, [each.status for each in undone])
    assert agent.session_id == session.session_id
    assert ["read", "edit"] == [card.name for card in replayed.cards]
    assert "The user undid a change of a.txt" in again.text
    assert {"read", "edit"} <= {tool.name for tool in tools}
    assert "one\ntwo\n" == editor.text(uri)


async def test_replayed_cards_come_as_notes_before_the_answer(world: World) -> None:
    """So whoever comes late sees what there was."""
    agent = await world.agent(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    await agent.read("a.txt")
    async with observe(world.workspace) as observer:
        await observer.replay(agent.session_id, notify=True)
        notes = observer.take_notes()
        with pytest.raises(RequestRefused):
            await observer.replay("no such session")

    assert ["ToolCallNote", "ToolResultNote"] == [type(note).__name__ for note in notes]
    assert [] == observer.take_notes()


def test_progress_goes_to_the_call_that_it_is_of() -> None:
    """By its token, until the call has ended; what is no progress of ours is passed over."""
    notes = Notes()
    seen: list[Progress] = []
    notes.follow("p-1", seen.append)
    begin = {"kind": "begin", "title": "bash", "message": "make test"}
    for token, value in [("p-1", begin), ("p-2", begin), (7, begin), ("p-1", {"kind": "odd"}), ("p-1", None)]:
        notes.hear("$/progress", {"token": token, "value": value})
    notes.hear("$/progress", {"token": "p-1", "value": {"kind": "report", "percentage": 50}})
    notes.unfollow("p-1")
    notes.hear("$/progress", {"token": "p-1", "value": {"kind": "end"}})

    assert [Progress("begin", "bash", "make test"), Progress("report", percentage=50)] == seen
    assert [] == notes.take()


async def test_a_call_with_progress_carries_a_token(world: World) -> None:
    """A short call may be over before there is any; its outcome is the same."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    seen: list[Progress] = []
    async with connect(world.workspace) as agent:
        read = await agent.run("read", {"file_path": "a.txt"}, progress=seen.append)

    assert "one" in read.text
    assert [] == [each for each in seen if each.kind not in ("begin", "report", "end")]


async def test_progress_is_told_while_a_call_runs(world: World) -> None:
    """From a server that reports some: between the request and its answer, and none of it after that."""

    def opened(_peer: Any, params: SessionOpenParams) -> SessionOpenResult:
        return SessionOpenResult(session_id=params.session_id or "", resumed=False, workspace_folders=(), tools=())

    def ran(peer: Any, params: ToolRunParams) -> ToolRunResult:
        for value in ({"kind": "begin", "title": params.name}, {"kind": "report", "message": "half"}, {"kind": "end"}):
            peer.notify("$/progress", {"token": params.work_done_token, "value": value})
        return ToolRunResult(call_id=params.call_id or "", is_error=False, content=(TextBlock(text="done"),))

    methods = {"dsh/session/open": (SessionOpenParams, opened), "dsh/tool/run": (ToolRunParams, ran)}

    async def attached(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(agent_peer(Connection(reader, writer, name="agent"), methods))

    endpoint, discovery = AgentEndpoint(attached), Discovery(world.runtime)
    await endpoint.open()
    discovery.announce([world.workspace], endpoint.address)
    seen: list[Progress] = []
    try:
        async with connect(world.workspace, end_session=False) as agent:
            reply = await agent.run("slow", progress=seen.append)
            quiet = await agent.run("slow")
    finally:
        await endpoint.close()
        discovery.withdraw()

    assert ("done", "done") == (reply.text, quiet.text)
    assert [Progress("begin", "slow"), Progress("report", message="half"), Progress("end")] == seen
