"""The story that the demo tells, in a real Neovim with the plug-in, and how the plug-in starts its server."""

import json
import sys

import pytest

from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

TEXT = "".join(f"line {n}\n" for n in range(1, 31))


async def test_the_whole_story(room: NeovimRoom) -> None:
    """Unsaved typing and an agent's edits in one buffer; a stale edit is refused; hunks move; nothing is lost."""
    file = room.world.file("a.txt", TEXT)
    room.world.file("unread.txt", "somebody else's\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    await nvim.keys("3Gothe user types<Esc>")
    await room.synced()
    agent = await room.agent()
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 5\n", "line five\nand a half\n")
    first = await room.painted(buffer, "#hunks == 1")
    await nvim.keys("ggOtyped above<Esc>")
    await room.synced()
    stale = await agent.edit("a.txt", "no such text", "x")
    await agent.read("a.txt")
    again = await agent.edit("a.txt", "line 20", "line twenty")
    second = await room.painted(buffer, "#hunks == 2")
    unread = await agent.edit("unread.txt", "else", "other")
    created = await agent.write("new/file.txt", "hello\n")

    wanted = ["typed above", *TEXT.splitlines()]
    wanted[4:4] = ["the user types"]
    wanted[6:7] = ["line five", "and a half"]
    wanted[wanted.index("line 20")] = "line twenty"
    assert (True, "buffer") == (read["value"]["dirty"], read["value"]["via"])
    assert (False, False) == (edited["isError"], edited["value"]["saved"])
    assert ([5, 6], [{"before": 5, "lines": ["line 5"]}]) == (first["modified"], first["removed"])
    assert "FS_STALE_VERSION" == stale["error"]["code"]
    assert not again["isError"]
    assert [6, 7, 22] == second["modified"]
    assert wanted == await nvim.lines()
    assert TEXT == file.read_text(encoding="utf-8")
    assert "FS_NOT_OBSERVED" == unread["error"]["code"]
    assert not created["isError"]
    assert await room.same(agent, "a.txt")
    assert "" == await nvim.messages()


async def test_D04_the_new_text_is_in_a_buffer_that_nobody_looks_at(room: NeovimRoom) -> None:
    """A loaded buffer that is in no window shows the edit without any action of the user, and is saved."""
    room.world.file("a.txt", "a\nb\n")
    room.world.file("other.txt", "other\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    await room.open("other.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "b", "B")

    assert (False, True) == (edited["isError"], edited["value"]["saved"])
    assert ["a", "B"] == await nvim.lines(buffer)
    assert b"a\nB\n" == room.world.bytes("a.txt")
    assert ["other"] == await nvim.lines()
    assert "" == await nvim.messages()


async def test_the_server_is_started_by_its_command(room: NeovimRoom) -> None:
    """A file of a type that Neovim does not know starts the server that the option names, and it ends with Neovim."""
    room.world.file("no-suffix", "a\nb\n")
    command = json.dumps([sys.executable, "-m", "dsh_lsp", "--stdio"])
    nvim = await room.start(before="", options=f"cmd = vim.json.decode({json.dumps(command)}),")
    buffer = await room.open("no-suffix")
    agent = await room.agent()
    await agent.read("no-suffix")
    await agent.edit("no-suffix", "b", "B")
    await room.painted(buffer, "#hunks == 1")
    lines = await nvim.lines()
    await nvim.end()

    assert ["a", "B"] == lines
    assert "the connection" in await agent.until_gone()


async def test_without_the_command_nothing_happens_and_health_says_why(room: NeovimRoom) -> None:
    """Files open as ever; `:checkhealth dsh` names the program that is missing, and options that make no sense."""
    room.world.file("a.txt", "a\n")
    options = "cmd = { 'no-such-program' }, paint = 'yes',"
    nvim = await room.start(options=options)
    await room.open("a.txt", attached=False)
    await nvim.command("checkhealth dsh")
    report = "\n".join(await nvim.lines())

    assert "no-such-program is not executable" in report
    assert "the option paint must be a boolean" in report
    assert "dsh: the option paint must be a boolean, and is a stri" in await nvim.messages()


async def test_health_tells_of_the_server(room: NeovimRoom) -> None:
    """The folder, the protocol, the encoding."""
    room.world.file("a.txt", "a\n")
    nvim = await room.start()
    await room.open("a.txt")
    await nvim.command("checkhealth dsh")
    report = "\n".join(await nvim.lines())

    assert f"a server has {room.world.workspace}: protocol 1, positions in utf-8, 1 files" in report
    assert "ERROR" not in report


async def test_a_server_that_dies_takes_nothing_with_it(room: NeovimRoom) -> None:
    """The text stays, the paint goes, one line says so; `:Dsh start` starts another one, which paints again."""
    room.world.file("a.txt", "a\nb\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    await room.painted(buffer, "#hunks == 1")
    room.servers[-1].kill()
    await nvim.until("vim.api.nvim_exec2('messages', { output = true }).output:find('the server has ended')")
    await room.painted(buffer, "#hunks == 0")
    await nvim.keys("Gotyped<Esc>")
    await nvim.command("Dsh keep")
    await nvim.command("Dsh start")
    await room.attached(buffer)
    await room.painted(buffer, "#hunks == 1")

    assert ["a", "B", "typed"] == await nvim.lines()
    assert await room.same(await room.agent(), "a.txt")


async def test_a_server_that_is_started_by_another_file_has_all_that_are_open(room: NeovimRoom) -> None:
    """After a crash, the next file that is opened starts one: no agent writes behind the buffers of the one before."""
    room.world.file("a.txt", "a\nb\n")
    room.world.file("other.txt", "other\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    await nvim.keys("Gotyped<Esc>")
    room.servers[-1].kill()
    await nvim.until("#vim.lsp.get_clients() == 0", what="the end of the client")
    await room.open("other.txt")
    await room.attached(buffer)
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "b", "B")

    assert ("buffer", False) == (edited["value"]["via"], edited["value"]["saved"])
    assert ["a", "B", "typed"] == await nvim.lines(buffer)
    assert b"a\nb\n" == room.world.bytes("a.txt")


async def test_a_server_that_is_stopped_is_not_missed(room: NeovimRoom) -> None:
    """`:Dsh stop` clears the paint and says nothing."""
    room.world.file("a.txt", "a\nb\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    await room.painted(buffer, "#hunks == 1")
    await nvim.command("Dsh stop")
    await nvim.until("#vim.lsp.get_clients() == 0", what="the end of the client")
    await room.painted(buffer, "#hunks == 0")

    assert ["a", "B"] == await nvim.lines()
    assert "" == await nvim.messages()
