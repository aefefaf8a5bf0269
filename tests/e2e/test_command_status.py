"""``dsh-lsp status`` and ``sessions``: who has a workspace, and what is recorded of it."""

import json

import pytest

from dsh_lsp.client import NoServer, connect, observe
from dsh_lsp.commands.sessions import run_sessions
from dsh_lsp.commands.status import run_status
from tests.support.commands import command
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_places(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))
    monkeypatch.delenv("DSH_LSP_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", world.env["XDG_STATE_HOME"])


async def test_the_server_tells_who_is_here(world: World) -> None:
    """Editors as they described themselves, sessions, and what is pending; no path but the folders."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    editor.open(world.file("b.txt", "secret\n"))
    editor.type(uri, "one", "typed")
    await world.socket(editor)
    async with connect(world.workspace, name="tester") as agent, observe(world.workspace) as observer:
        await agent.read("a.txt")
        await agent.edit("a.txt", "two", "agent")
        status = await observer.status()
        after = await observer.keep([hunk.id for hunk in await observer.pending()])
        decided = await observer.status()

    [seen] = status.editors
    [session] = status.sessions
    assert editor.process.pid == status.pid
    assert [world.workspace.as_uri()] == list(status.workspace_folders)
    assert (2, 1, True, "utf-16") == (seen.documents, seen.unsaved, seen.apply_edit, seen.position_encoding)
    assert (agent.session_id, "tester", True, 0, 1) == (
        session.session_id,
        session.agent,
        session.attached,
        session.running,
        session.pending,
    )
    assert (1, 1) == (status.pending_hunks, status.pending_files)
    assert ["kept"] == [each.status for each in after]
    assert (0, 0) == (decided.pending_hunks, decided.pending_files)
    assert "a.txt" not in status.model_dump_json()


async def test_what_an_editor_declared_is_told(world: World) -> None:
    """A client of ours says what it paints and takes."""
    await world.socket(await world.editor(OwnClient))
    async with observe(world.workspace) as observer:
        [own] = (await observer.status()).editors

    assert own.dsh.apply_edit
    assert own.dsh.decorations


async def test_a_neovim_is_told_apart(world: World) -> None:
    """It has its name, and says that it can be made to send what it holds back."""
    await world.socket(await world.editor(StockNeovim))
    async with observe(world.workspace) as observer:
        [seen] = (await observer.status()).editors

    assert ("Neovim", True, False) == (seen.name, seen.refreshes_tokens, seen.dsh.apply_edit)


async def test_a_call_that_runs_is_counted(world: World) -> None:
    """While the user is asked, say."""
    editor = await world.editor(VsCodeLike)
    editor.hold("window/showMessageRequest")
    agent = await world.agent(editor)
    call = agent.start("bash", command="true")
    question = await editor.held_request("window/showMessageRequest")
    async with observe(world.workspace) as observer:
        [session] = (await observer.status()).sessions
    question.answer(None)
    await call.result()

    assert (1, True) == (session.running, session.attached)


async def test_the_status_is_printed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """In lines for people, and as JSON."""
    editor = await world.editor(VsCodeLike)
    editor.open(world.file("a.txt", "one\n"))
    await world.socket(editor)
    async with connect(world.workspace, name="tester") as agent:
        await agent.read("a.txt")
        await agent.edit("a.txt", "one", "two")
        await run_status(world.workspace, as_json=False, wait=5.0)
        lines = capsys.readouterr().out.splitlines()
        await run_status(world.workspace, as_json=True, wait=5.0)
        found = json.loads(capsys.readouterr().out)

    assert f"process {editor.process.pid}" in lines[0]
    assert f"folders   {world.workspace}" == lines[1]
    assert lines[2].startswith("editors   Visual Studio Code: 1 document open")
    assert f"sessions  {agent.session_id} (tester): attached, 1 hunk pending" == lines[3]
    assert "pending   1 hunk in 1 file" == lines[4]
    assert editor.process.pid == found["pid"]


async def test_without_a_server_the_status_is_that(world: World) -> None:
    """It ends with 2, as a process, too."""
    with pytest.raises(NoServer):
        await run_status(world.workspace, as_json=False, wait=0.0)
    ended = await command(world, "status", "--wait", "0")

    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("dsh-lsp status: no server has the workspace")


async def test_sessions_are_listed_with_a_server_and_without(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same ones; without a server none is live. A folder in the workspace finds them as well."""
    editor = await world.editor(VsCodeLike)
    await world.socket(editor)
    async with connect(world.workspace, name="tester", session_id="s-1", end_session=False):
        await run_sessions(world.workspace, as_json=True, wait=5.0)
        [live] = json.loads(capsys.readouterr().out)
    await world.kill(editor)
    world.file("deep/er/a.txt")
    await run_sessions(world.path("deep/er"), as_json=True, wait=0.0)
    [recorded] = json.loads(capsys.readouterr().out)
    await run_sessions(world.workspace, as_json=False, wait=0.0)
    table = capsys.readouterr().out

    assert ("s-1", {"name": "tester"}, True) == (live["sessionId"], live["agent"], live["live"])
    assert {**live, "live": False, "lastAt": ""} == {**recorded, "lastAt": ""}
    assert ["s-1", "tester"] == table.splitlines()[1].split()[:2]


async def test_where_nothing_is_recorded_it_says_so(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """And leaves nothing behind by looking."""
    code = await run_sessions(world.workspace, as_json=False, wait=0.0)

    assert (0, "No session is recorded for this workspace.\n") == (code, capsys.readouterr().out)
    assert [] == list(world.workspace.parent.glob("home/*"))
