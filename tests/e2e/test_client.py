"""The Python client against a real server."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from dsh_lsp.client import Disconnected, NoServer, Note, Refused, RequestRefused, SessionOptions, connect
from dsh_lsp.wire import DecidedNote, DriftNote, ToolResultNote
from tests.support.editors import VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def test_an_agent_edits_what_the_user_has_open(world: World) -> None:
    """Reads, edits, writes; a reply has the text for models and the canonical value."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    editor.type(uri, "one", "typed")
    await editor.sync()
    async with connect(world.workspace, name="tester") as agent:
        read = await agent.read("a.txt")
        edited = await agent.edit("a.txt", "two", "agent")
        created = await agent.write("b.txt", "new\n")
        [hunk] = await agent.pending(uri)
        summary = await agent.summary()
        observed = await agent.observations()
        [session] = await agent.sessions()

    assert "typed" in read.text
    assert 2 == read.value["totalLines"]
    assert "typed\nagent\n" == editor.text(uri)
    assert b"new\n" == world.bytes("b.txt")
    assert {read.call_id, edited.call_id, created.call_id} >= {hunk.call_id}
    assert ("modified", "tester") == (hunk.kind, hunk.author)
    assert 2 == summary.changed
    assert {uri, world.uri("b.txt")} == {each.uri for each in observed}
    assert (agent.session_id, True) == (session.session_id, session.live)
    assert {"read", "edit", "write"} <= {tool.name for tool in agent.tools}


async def test_a_refusal_is_an_exception_with_its_code(world: World) -> None:
    """With the message, the details, and the text that tells a model what to do next."""
    await world.editor(VsCodeLike)
    world.file("a.txt", "one\n")
    async with connect(world.workspace) as agent:
        with pytest.raises(Refused) as unseen:
            await agent.edit("a.txt", "one", "two")
        await agent.read("a.txt")
        world.file("a.txt", "other\n")
        with pytest.raises(Refused) as stale:
            await agent.edit("a.txt", "one", "two")
        with pytest.raises(Refused) as unknown:
            await agent.run("no_such_tool")
        with pytest.raises(RequestRefused) as malformed:
            await agent.run("read", call_id="c" * 300)

    assert "FS_NOT_OBSERVED" == unseen.value.code
    assert ("FS_STALE_VERSION", True) == (stale.value.code, bool(stale.value.details))
    assert str(stale.value).startswith("FS_STALE_VERSION: ")
    assert "UNKNOWN_TOOL" == unknown.value.code
    assert (-32602, "params.callId") == (malformed.value.code, malformed.value.data["errors"][0]["path"])


async def test_it_hears_of_drift_decisions_and_cards(world: World) -> None:
    """Each in its type, in order; hunks that it decides on itself are told of like others."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    async with connect(world.workspace) as agent:
        await agent.subscribe(agent.session_id)
        await agent.read("a.txt")
        await agent.edit("a.txt", "two", "agent")
        [hunk] = await agent.pending()
        kept = await agent.keep([hunk.id])
        editor.type(uri, "one", "typed")
        seen = [note async for note in _until_drift(agent.notes())]
        again = await agent.undo([hunk.id])

    assert ["kept"] == [each.status for each in kept]
    assert () == again
    assert {"DriftNote", "DecidedNote", "ToolCallNote", "ToolResultNote"} == {type(note).__name__ for note in seen}
    assert [hunk.id] == [note.hunk_id for note in seen if isinstance(note, DecidedNote)]
    assert ["read", "edit"] == [note.name for note in seen if isinstance(note, ToolResultNote)]


async def _until_drift(notes: AsyncIterator[Note]) -> AsyncIterator[Note]:
    async for note in notes:
        yield note
        if isinstance(note, DriftNote):
            return


async def test_it_comes_back_after_its_server_was_killed(world: World) -> None:
    """To the next server, with its session: what it has seen is known, and its subscriptions are made again."""
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    async with connect(world.workspace, session_id="s-1") as agent:
        await agent.subscribe()
        await agent.read("a.txt")
        await world.kill(first)
        editing = asyncio.create_task(agent.edit("a.txt", "one", "two"))
        await world.editor(VsCodeLike)
        edited = await editing
        [ended] = [note async for note in _until_ended(agent.notes(), "edit")]

    assert edited.text
    assert b"two\n" == world.bytes("a.txt")
    assert edited.call_id == ended.call_id


async def test_it_comes_back_before_the_session_that_it_follows(world: World) -> None:
    """And is told of its cards as soon as that is back, too."""
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    async with connect(world.workspace, session_id="s-1") as followed, connect(world.workspace) as agent:
        await agent.subscribe("s-1")
        await world.kill(first)
        await world.editor(VsCodeLike)
        await agent.read("a.txt")
        read = await followed.read("a.txt")
        [ended] = [note async for note in _until_ended(agent.notes(), "read")]

    assert read.call_id == ended.call_id


async def test_a_call_whose_answer_is_lost_is_not_run_twice(world: World) -> None:
    """The server is killed during the edit: the next one answers with what it knows, and runs nothing."""
    world.file("a.txt", "x\n")
    first = await world.editor(VsCodeLike)
    uri = first.open(world.path("a.txt"))
    first.hold("workspace/applyEdit")
    async with connect(world.workspace, session_id="s-1") as agent:
        await agent.read("a.txt")
        editing = asyncio.create_task(agent.edit("a.txt", "x", "xx"))
        await first.held_request("workspace/applyEdit")
        await world.kill(first)
        await world.editor(VsCodeLike)
        with pytest.raises(Refused) as refusal:
            await editing

    assert ("ABORTED", b"x\n") == (refusal.value.code, world.bytes("a.txt"))
    assert uri


async def test_without_a_server_it_says_what_to_do(world: World) -> None:
    """At the beginning, and when the last one has ended."""
    with pytest.raises(NoServer, match="dsh-lsp serve"):
        async with connect(world.workspace, patience=0.1):
            pass
    editor = await world.editor(VsCodeLike)
    async with connect(world.workspace, patience=0.2) as agent:
        await world.kill(editor)
        with pytest.raises((NoServer, Disconnected)):
            await agent.read("a.txt")


async def test_a_server_that_says_nothing_is_not_waited_for_for_ever(world: World) -> None:
    """A process that was stopped still takes connections; it is named, so that it can be ended."""
    editor = await world.editor(VsCodeLike)
    await world.socket()
    editor.process.kill(signal.SIGSTOP)
    try:
        async with asyncio.timeout(20.0):
            with pytest.raises(NoServer, match=f"does not answer.*{editor.process.pid}"):
                async with connect(world.workspace, patience=0.1):
                    pass
    finally:
        editor.process.kill(signal.SIGCONT)


async def test_a_client_that_is_closed_connects_no_more(world: World) -> None:
    """A call that looks for a server meanwhile has ended, and does not run when there is one again."""
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    async with connect(world.workspace) as agent:
        await world.kill(first)
        await asyncio.gather(*filter(None, [agent._link._serving]))
        writing = asyncio.create_task(agent.write("new.txt", "text\n"))
        await asyncio.sleep(0)
    async with asyncio.timeout(5.0):
        with pytest.raises(Disconnected):
            await writing
    second = await world.editor(VsCodeLike)
    status = await second.request("dsh/status", {})

    assert () == tuple(status["sessions"])
    assert not world.path("new.txt").exists()


async def test_giving_up_on_a_call_cancels_it(world: World) -> None:
    """The server hears of it: the question to the user is answered with no, and nothing has run."""
    editor = await world.editor(VsCodeLike)
    editor.hold("window/showMessageRequest")
    async with connect(world.workspace) as agent:
        await agent.subscribe(agent.session_id)
        slow = asyncio.create_task(agent.run("bash", {"command": "touch done"}))
        question = await editor.held_request("window/showMessageRequest")
        slow.cancel()
        with suppress(asyncio.CancelledError):
            await slow
        [ended] = [note async for note in _until_ended(agent.notes(), "bash")]
        question.answer(None)

    assert ended.is_error
    assert not world.path("done").exists()


async def _until_ended(notes: AsyncIterator[Note], name: str) -> AsyncIterator[ToolResultNote]:
    async for note in notes:
        if isinstance(note, ToolResultNote) and name == note.name:
            yield note
            return


async def test_a_session_with_options(world: World) -> None:
    """They are those of dsh/session/open; a session that is not ended can be taken up again."""
    await world.editor(VsCodeLike)
    world.file("a.txt", "it’s\n")
    options = SessionOptions(on_stale="rebase", unicode_fallback=True)
    async with connect(world.workspace, options=options, end_session=False) as agent:
        await agent.read("a.txt")
    async with connect(world.workspace, session_id=agent.session_id, options=options) as again:
        await again.edit("a.txt", "it's", "it is")

    assert b"it is\n" == world.bytes("a.txt")


async def test_a_folder_of_the_workspace_finds_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a terminal somewhere in it does."""
    await world.editor(VsCodeLike)
    world.file("deep/er/a.txt", "one\n")
    monkeypatch.chdir(world.path("deep/er"))
    async with connect() as agent:
        read = await agent.read("deep/er/a.txt")

    assert "one" in read.text
    assert [world.workspace] == [Path(folder.removeprefix("file://")) for folder in agent.workspace_folders]
