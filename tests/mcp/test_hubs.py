"""Which workspace the bridge finds, which hub it joins, and what it does when there is none or no longer one."""

import asyncio
import signal
from pathlib import Path

import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from dsh_lsp.client import connect
from dsh_lsp.discovery import find
from tests.e2e.test_replay_exact import PROVIDER
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.fake_plugin import install_plugin
from tests.support.mcp_client import error_of, mcp_client, text_of
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def test_without_a_hub_it_is_one_and_others_may_join(world: World) -> None:
    """The guards are the same; another agent attaches to it, and so does an editor that comes later."""
    world.file("a.txt", "one\ntwo\n")
    async with mcp_client(world) as client:
        unseen = await client.code("edit", file_path="a.txt", old_string="one", new_string="1")
        await client.value("read", file_path="a.txt")
        async with connect(world.workspace, name="another") as other:
            await other.read("a.txt")
            await other.edit("a.txt", "two", "2")
        stale = await client.code("edit", file_path="a.txt", old_string="one", new_string="1")
        editor = await world.editor(OwnClient)
        uri = editor.open(world.path("a.txt"))
        editor.type(uri, "one", "typed")
        await editor.sync()
        read = await client.call("read", file_path="a.txt")
        await client.value("edit", file_path="a.txt", old_string="2", new_string="zwei")
        await editor.until(lambda: editor.text(uri) == "typed\nzwei\n")

    assert ("FS_NOT_OBSERVED", "FS_STALE_VERSION") == (unseen, stale)
    assert "typed" in text_of(read)


async def test_when_the_hub_is_killed_it_goes_on(world: World) -> None:
    """As a hub of its own where nobody takes over, with what it has read, and with no call lost."""
    first = await world.editor(VsCodeLike)
    world.file("a.txt", "one\ntwo\n")
    async with mcp_client(world) as client:
        await client.value("read", file_path="a.txt")
        await world.kill(first)
        edited = await client.call("edit", file_path="a.txt", old_string="one", new_string="1")
        again = await client.call("edit", file_path="a.txt", old_string="two", new_string="2")
        own = find(world.workspace)

    assert not edited.is_error, text_of(edited)
    assert b"1\n2\n" == world.bytes("a.txt")
    assert [client.process.pid] == [each.pid for each in own]
    assert {s["sessionId"] for r in (edited, again) if (s := (r.meta or {})["dsh-lsp/call"])} == {
        (edited.meta or {})["dsh-lsp/call"]["sessionId"]
    }


async def test_a_call_that_its_hub_did_not_survive_is_told_as_it_is(world: World) -> None:
    """It is not run twice: what became of it is not known, and the session goes on."""
    first = await world.editor(VsCodeLike)
    first.open(world.file("a.txt", "x\n"))
    first.hold("workspace/applyEdit")
    async with mcp_client(world) as client:
        await client.value("read", file_path="a.txt")
        editing = asyncio.create_task(client.call("edit", file_path="a.txt", old_string="x", new_string="xx"))
        await first.held_request("workspace/applyEdit")
        await world.kill(first)
        lost = await editing
        await client.value("read", file_path="a.txt")
        await client.value("edit", file_path="a.txt", old_string="x", new_string="xx")

    assert ("ABORTED", True) == (error_of(lost)["code"], lost.is_error)
    assert b"xx\n" == world.bytes("a.txt")


async def test_the_next_editor_takes_over_from_a_killed_one(world: World) -> None:
    """It is joined: edits go into its buffer."""
    first = await world.editor(VsCodeLike)
    world.file("a.txt", "one\ntwo\n")
    async with mcp_client(world) as client:
        await client.value("read", file_path="a.txt")
        await world.kill(first)
        second = await world.editor(VsCodeLike)
        uri = second.open(world.path("a.txt"))
        second.type(uri, "two", "typed")
        await second.sync()
        stale = await client.code("edit", file_path="a.txt", old_string="one", new_string="1")
        await client.value("read", file_path="a.txt")
        await client.value("edit", file_path="a.txt", old_string="one", new_string="1")
        await second.until(lambda: second.text(uri) == "1\ntyped\n")

    assert "FS_STALE_VERSION" == stale


async def test_tools_that_are_others_with_the_next_hub_are_announced(world: World) -> None:
    """The client is told, and a new list has them; it is told once."""
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    async with mcp_client(world) as client:
        before = {tool.name for tool in (await client.session.list_tools()).tools}
        install_plugin(world, "seek", {"dsh_lsp.search_providers": "seek:PROVIDER"}, PROVIDER)
        await world.kill(first)
        await world.editor(VsCodeLike)
        await client.value("read", file_path="a.txt")
        await client.value("read", file_path="a.txt")
        after = {tool.name for tool in (await client.session.list_tools()).tools}
        told = [note.method for note in client.received if isinstance(note, types.ToolListChangedNotification)]

    assert {"web_search"} == after - before
    assert ["notifications/tools/list_changed"] == told


async def test_roots_say_which_folder_is_meant(world: World, tmp_path: Path) -> None:
    """They come before the working directory; those that are not there are passed over."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "b.txt").write_text("there\n")
    async with mcp_client(world, cwd=tmp_path, roots=[tmp_path / "gone", project]) as client:
        read = await client.call("read", file_path="b.txt")

    assert "1| there" in text_of(read)


async def test_a_root_that_a_hub_has_is_joined(world: World, tmp_path: Path) -> None:
    """Even if it is not the first."""
    other = tmp_path / "other"
    other.mkdir()
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\n"))
    editor.type(uri, "one", "typed")
    await editor.sync()
    async with mcp_client(world, cwd=tmp_path, roots=[other, world.workspace]) as client:
        read = await client.call("read", file_path="a.txt")

    assert "typed" in text_of(read)


async def test_a_folder_can_be_given_for_clients_without_roots(world: World, tmp_path: Path) -> None:
    """A client that declares roots and has none is such a client, too."""
    world.file("a.txt", "one\n")
    async with mcp_client(world, "--workspace", str(world.workspace), cwd=tmp_path, roots=()) as client:
        read = await client.call("read", file_path="a.txt")

    assert "1| one" in text_of(read)


async def test_the_home_is_never_the_workspace(world: World) -> None:
    """Lists and calls are refused, and say what to do."""
    async with mcp_client(world, cwd=Path(world.env["HOME"])) as client:
        with pytest.raises(MCPError, match="--workspace DIR"):
            await client.session.list_tools()
        refused = await client.call("read", file_path="a.txt")

    assert refused.is_error
    assert "--workspace DIR" in text_of(refused)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order(world: World, number: signal.Signals) -> None:
    """With its hub and what that announces; the client learns of it by the end of the output."""
    world.file("a.txt", "one\n")
    async with mcp_client(world) as client:
        await client.value("read", file_path="a.txt")
        assert find(world.workspace)
        client.kill(number)
        code = await client.process.wait()

    assert 0 == code
    assert "" == client.stderr
    assert [] == find(world.workspace)
    assert ["a.txt"] == [path.name for path in world.workspace.iterdir()]


async def test_it_ends_while_it_waits_for_a_hub_that_says_nothing(world: World) -> None:
    """With its input: nobody is left behind who waits for a process that was stopped."""
    editor = await world.editor(VsCodeLike)
    await world.socket()
    editor.process.kill(signal.SIGSTOP)
    try:
        async with mcp_client(world) as client:
            listing = asyncio.create_task(client.session.list_tools())
            await asyncio.sleep(0)
            await client.session.send_ping()
            code = await client.end(within=5.0)
            listing.cancel()
            await asyncio.wait({listing})
    finally:
        editor.process.kill(signal.SIGCONT)

    assert (0, []) == (code, client.strays)
    assert "Traceback" not in client.stderr
