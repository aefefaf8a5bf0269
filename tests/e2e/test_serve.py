"""``dsh-lsp serve``: agents without an editor, and an editor that comes later."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from dsh_lsp import discovery
from dsh_lsp.headless import FolderTaken, headless
from tests.support.agent import Agent
from tests.support.editor import COMMAND
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.process import ServerProcess
from tests.support.world import World


async def attached(world: World, **params: str) -> Agent:
    """An agent with a session at the server of the workspace."""
    [found] = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
    agent = await Agent.connect(found.socket)
    await agent.open_session(**params)
    return agent


async def test_agents_have_the_same_guarantees_without_an_editor(world: World) -> None:
    """A stale edit is refused, an edit of what was read goes through, with a version and hunks that are pending."""
    world.file("a.txt", "one\n")
    await world.serve()
    agent = await attached(world)
    unread = await agent.edit("a.txt", "one", "two")
    await agent.read("a.txt")
    world.file("a.txt", "other\n")
    stale = await agent.edit("a.txt", "one", "two")
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "other", "two")
    pending = await agent.request("dsh/review/list", {})
    await agent.close()

    assert "FS_NOT_OBSERVED" == unread["error"]["code"]
    assert "FS_STALE_VERSION" == stale["error"]["code"]
    assert not edited["isError"]
    assert b"two\n" == world.bytes("a.txt")
    assert 1 == len(pending["hunks"])


async def test_there_is_nobody_to_ask_without_an_editor(world: World) -> None:
    """What needs the user's permission is denied, at once."""
    await world.serve()
    agent = await attached(world)
    result = await agent.run("bash", command="true")
    await agent.close()

    assert "DENIED" == result["error"]["code"]
    assert "no editor" in result["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_cleanly_on_a_signal(world: World, number: signal.Signals) -> None:
    """Exit code 0, no word of trouble, and nothing by which an agent would find it."""
    world.file("a.txt", "one\n")
    service = await world.serve()
    agent = await attached(world)
    await agent.read("a.txt")
    service.kill(number)
    code = await service.wait(10.0)
    await agent.until_gone()
    await agent.close()

    assert 0 == code
    assert "dsh-lsp: ready for agents" == service.stderr.strip()
    assert [] == await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
    assert [] == [path.name for path in world.runtime.rglob("*.sock")]


async def test_its_workspace_is_the_working_directory_by_default(world: World) -> None:
    """Without ``--workspace``."""
    service = await ServerProcess.start([*COMMAND[:3], "serve"], dict(world.env), world.workspace)
    world.services.append(service)
    await service.said("ready")
    [found] = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])

    assert (world.workspace, service.pid) == (found.folder, found.pid)


async def test_several_folders_are_one_workspace(world: World, tmp_path: Path) -> None:
    """Relative paths start from the first, and each is found."""
    second = tmp_path / "second"
    second.mkdir()
    (second / "b.txt").write_text("b\n")
    service = await world.serve(world.workspace, second)
    [found] = await asyncio.to_thread(discovery.find, second, [world.runtime])
    agent = await attached(world)
    read = await agent.read(second / "b.txt")
    await agent.close()

    assert service.pid == found.pid
    assert "b\n" == read["value"]["text"]


async def test_a_folder_that_is_not_there_is_refused_by_name(world: World) -> None:
    """With the option that is wrong."""
    command = [*COMMAND[:3], "serve", "--workspace", "nowhere"]
    service = await ServerProcess.start(command, dict(world.env), world.workspace)
    world.services.append(service)
    code = await service.wait(10.0)

    assert 2 == code
    assert "--workspace" in service.stderr
    assert "nowhere is not a folder" in service.stderr


async def test_a_second_one_on_the_same_folder_is_refused(world: World) -> None:
    """At most one hub has a folder; it says what to do."""
    await world.serve()
    command = [*COMMAND[:3], "serve", "--workspace", str(world.workspace)]
    second = await ServerProcess.start(command, dict(world.env), world.workspace)
    world.services.append(second)
    code = await second.wait(10.0)

    assert 1 == code
    assert "dsh-lsp: another server has the folder workspace already; agents can attach to that one." in second.stderr
    assert 1 == len(await asyncio.to_thread(discovery.find, world.workspace, [world.runtime]))


async def test_an_editor_may_attach_later(world: World) -> None:
    """It joins, and from then on its buffers are what agents see and edit; when it goes, the disk is again."""
    path = world.file("a.txt", "one\ntwo\n")
    service = await world.serve()
    agent = await attached(world)
    await agent.read("a.txt")
    editor = await world.editor(OwnClient)
    uri = editor.open(path)
    editor.type(uri, "one", "typed")
    await editor.sync()
    seen = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "agent")
    await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    text = editor.text(uri)
    editor.close(uri)
    await editor.shutdown()
    after = await agent.read("a.txt")
    await agent.close()

    assert ("typed\ntwo\n", True) == (seen["value"]["text"], seen["value"]["dirty"])
    assert not edited["isError"]
    assert "typed\nagent\n" == text
    assert "one\ntwo\n" == after["value"]["text"]
    assert service.exit_code is None


async def test_an_editor_goes_on_when_the_service_ends(world: World) -> None:
    """Its own process becomes the hub; an agent comes back to its session there."""
    path = world.file("a.txt", "one\ntwo\n")
    service = await world.serve()
    editor = await world.editor(VsCodeLike)
    uri = editor.open(path)
    agent = await attached(world, sessionId="s-1")
    await agent.read("a.txt")
    service.kill(signal.SIGTERM)
    await service.wait(10.0)
    await agent.close()
    again = await world.agent(editor, session=False)
    opened = await again.open_session(sessionId="s-1")
    edited = await again.edit("a.txt", "two", "TWO")

    assert opened["resumed"]
    assert not edited["isError"]
    assert "one\nTWO\n" == editor.text(uri)


async def test_a_hub_in_this_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """``headless`` is a hub for a block; another one on the same folder is refused meanwhile, and not after it."""
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    async with headless([world.workspace]) as hub:
        [found] = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
        with pytest.raises(FolderTaken):
            async with headless([world.workspace]):
                pass
        roots = hub.workspace.roots
    async with headless([world.workspace]):
        pass

    assert (os.getpid(), (world.workspace,)) == (found.pid, roots)
