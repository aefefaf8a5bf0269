"""What may become of a buffer in a real Neovim while agents edit it: reloads, other names, windows, obstacles."""

import os
import signal

import pytest

from tests.support.neovim import NeovimError
from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

TEXT = "".join(f"line {n}\n" for n in range(10))


async def test_a_clean_buffer_is_read_again_and_painted_anew(room: NeovimRoom) -> None:
    """A file that another program changes: `:checktime` as on focus; the hunk is where it is now."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5", "LINE 5")
    await room.painted(buffer, "#hunks == 1")
    room.world.file("a.txt", "above\nand above\n" + room.world.bytes("a.txt").decode())
    await nvim.command("checktime")
    paint = await room.painted(buffer, "#hunks == 1")

    assert ([7], [{"before": 7, "lines": ["line 5"]}]) == (paint["modified"], paint["removed"])
    assert await room.same(agent, "a.txt")


async def test_the_server_has_a_clean_buffer_read_again(room: NeovimRoom) -> None:
    """An agent that reads a file which is newer than its clean buffer sees the disk, and edits that."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    room.world.file("a.txt", TEXT.replace("line 5", "of the disk"))
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "of the disk", "of the agent")

    assert ("of the disk" in read["value"]["text"], "buffer") == (True, read["value"]["via"])
    assert not edited["isError"]
    assert "of the agent" in await nvim.lines()
    assert "" == await nvim.messages()


async def test_a_file_that_has_changed_is_not_written_over(room: NeovimRoom) -> None:
    """With another program's text on the disk the save is refused, and nobody is asked."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    await nvim.keys("ggx")
    room.world.file("a.txt", "of another program\n")
    save = "return { require('dsh.disk').save(..., vim.lsp.util.buf_versions[...]) }"

    assert [False, "the file was changed on disk"] == await nvim.lua(save, buffer)
    assert b"of another program\n" == room.world.bytes("a.txt")


async def test_edit_bang_throws_typing_away_and_hunks_stay_right(room: NeovimRoom) -> None:
    """`:e!` brings the disk's text back; what is pending is told anew for that."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5", "LINE 5")
    await room.painted(buffer, "#hunks == 1")
    await nvim.keys("ggOtyped<Esc>")
    await room.painted(buffer, "#hunks == 1 and hunks[1].range.start.line == 6")
    await nvim.command("edit!")
    paint = await room.painted(buffer, "#hunks == 1")

    assert [5] == paint["modified"]
    assert await room.same(agent, "a.txt")


async def test_a_note_from_before_a_reload_is_not_painted(room: NeovimRoom) -> None:
    """It has the version that the text from the disk has, and is about another one."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5", "LINE 5")
    await room.painted(buffer, "#hunks == 1")
    late = """
        local buf = ...
        local hunks = vim.deepcopy(require('dsh.paint').of(buf).hunks)
        local note = { uri = vim.uri_from_bufnr(buf), version = 0, hunks = hunks }
        note.hunks[1].range = { start = { line = 1, character = 0 }, ['end'] = { line = 2, character = 0 } }
        note.hunks[1].removedText = 'late'
        vim.cmd('silent edit!')
        vim.schedule(function()
          local client = vim.lsp.get_clients({ name = 'dsh' })[1]
          require('dsh.handlers').handlers['dsh/decorations'](nil, note, { client_id = client.id })
          LATE = View.paint(buf)
        end)
    """
    # Else the server might answer before the note comes.
    os.kill(room.servers[-1].pid, signal.SIGSTOP)
    await nvim.lua(late, buffer)
    await nvim.until("LATE ~= nil")
    os.kill(room.servers[-1].pid, signal.SIGCONT)
    paint = await room.painted(buffer, "#hunks == 1")

    assert [] == await nvim.lua("return LATE.removed")
    assert ([5], [{"before": 5, "lines": ["line 5"]}]) == (paint["modified"], paint["removed"])


async def test_marks_of_the_user_stay_in_lines_that_are_replaced(room: NeovimRoom) -> None:
    """`'a` in an edited line, and `'b` below."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.keys("6Gma8Gmb")
    await agent.edit("a.txt", "line 4\nline 5\nline 6\n", "new\nother\nand more\nand yet more\n")
    await room.painted(buffer, "#hunks == 1")

    assert [6, 9] == await nvim.lua("return { vim.fn.line([['a]]), vim.fn.line([['b]]) }")


async def test_saveas_is_another_document(room: NeovimRoom) -> None:
    """The old name is closed, the new one is open, and edits of it reach the buffer."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.command("silent saveas b.txt")
    await room.attached(buffer)
    await room.synced()
    old, new = await agent.read("a.txt"), await agent.read("b.txt")
    edited = await agent.edit("b.txt", "line 5", "LINE 5")
    await room.painted(buffer, "#hunks == 1")

    assert ("disk", "buffer") == (old["value"]["via"], new["value"]["via"])
    assert not edited["isError"]
    assert "LINE 5" in await nvim.lines()
    assert TEXT.encode() == room.world.bytes("a.txt")
    assert await room.same(agent, "b.txt")


async def test_a_new_name_without_a_save_is_known(room: NeovimRoom) -> None:
    """`:file` and typing: the server follows the new name."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await nvim.command("file c.txt")
    await room.attached(buffer)
    await nvim.keys("ggOtyped<Esc>")

    assert await room.same(agent, "c.txt")


async def test_a_name_that_another_buffer_has_changes_nothing(room: NeovimRoom) -> None:
    """`:file` fails then; an agent goes on editing the buffer with its unsaved typing, and not the file behind it."""
    room.world.file("a.txt", TEXT)
    room.world.file("b.txt", "b\n")
    nvim = await room.start()
    await room.open("b.txt")
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await nvim.keys("ggOtyped<Esc>")
    with pytest.raises(NeovimError, match="E95"):
        await nvim.command("file b.txt")
    await room.attached(buffer)
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 5", "LINE 5")

    assert ("buffer", False) == (edited["value"]["via"], edited["value"]["saved"])
    assert ["typed", "LINE 5"] == [line for line in await nvim.lines() if not line.startswith("line")]
    assert TEXT.encode() == room.world.bytes("a.txt")


async def test_a_server_that_dies_while_it_is_asked_about_a_reload_leaves_no_buffer_unpainted(room: NeovimRoom) -> None:
    """The next server's hunks are painted, though nobody answered."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5", "LINE 5")
    await room.painted(buffer, "#hunks == 1")
    os.kill(room.servers[-1].pid, signal.SIGSTOP)
    await nvim.command("edit!")
    await nvim.until("not require('dsh.attach').is_settled(..., vim.lsp.get_clients()[1])", buffer)
    room.servers[-1].kill()
    await nvim.until("#vim.lsp.get_clients() == 0", what="the end of the client")
    await nvim.command("Dsh start")
    paint = await room.painted(buffer, "#hunks == 1")

    assert [5] == paint["modified"]


async def test_a_wiped_buffer_is_a_file_again(room: NeovimRoom) -> None:
    """After `:bwipeout!` the agent edits the file; opened again, its hunks are painted."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 2", "LINE 2")
    await room.painted(buffer, "#hunks == 1")
    room.world.file("other.txt", "other\n")
    await room.open("other.txt")
    await nvim.command(f"bwipeout! {buffer}")
    await room.synced()
    edited = await agent.edit("a.txt", "line 7\n", "")
    again = await room.open("a.txt")
    paint = await room.painted(again, "#hunks == 2")

    assert (False, "disk") == (edited["isError"], edited["value"]["via"])
    assert ([2], [2, 7]) == (paint["modified"], [each["before"] for each in paint["removed"]])


async def test_two_windows_keep_their_places(room: NeovimRoom) -> None:
    """Two windows of one buffer: neither loses its line when lines come above."""
    room.world.file("a.txt", "".join(f"line {n}\n" for n in range(300)))
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.keys("100Gzt")
    await nvim.command("split")
    await nvim.keys("200Gzz")
    places = """return vim.tbl_map(function(win)
      return { vim.fn.win_execute(win, 'echo getline(".") getline("w0")') }
    end, vim.fn.win_findbuf(...))"""
    before = await nvim.lua(places, buffer)
    await agent.edit("a.txt", "line 3\n", "line 3\nnew\nnew\n")
    await room.painted(buffer, "#hunks == 1")

    assert before == await nvim.lua(places, buffer)


@pytest.mark.parametrize("option", ["nomodifiable", "readonly"])
async def test_a_buffer_that_can_not_be_changed_is_refused_with_its_reason(room: NeovimRoom, option: str) -> None:
    """Neither the buffer nor the file behind it is changed."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    await room.open("a.txt")
    await nvim.command(f"set {option}")
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 5", "LINE 5")

    assert "FS_APPLY_REJECTED" == edited["error"]["code"]
    assert option.removeprefix("no") in edited["error"]["message"]
    assert TEXT.splitlines() == await nvim.lines()
    assert TEXT.encode() == room.world.bytes("a.txt")
    assert "" == await nvim.messages()


async def test_a_swap_file_of_another_editor_stops_nobody(room: NeovimRoom) -> None:
    """A file that is not open here, but in another Neovim, is edited on the disk; no question is asked."""
    file = room.world.file("a.txt", TEXT)
    room.world.file("other.txt", "other\n")
    other = await room.start(plugin=False)
    await other.command(f"edit {file}")
    swap = await other.lua("return vim.fn.swapname('%')")
    nvim = await room.start()
    await room.open("other.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 5", "LINE 5")

    assert swap.endswith(".swp")
    assert (False, "disk") == (edited["isError"], edited["value"]["via"])
    assert ["other"] == await nvim.lines()
    assert "" == await nvim.messages()


async def test_buffers_that_are_no_files_are_left_alone(room: NeovimRoom) -> None:
    """Help, scratch buffers, terminals and names that are URIs are not attached."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    await room.open("a.txt")
    attached = "return require('dsh.rpc').client_of(vim.api.nvim_get_current_buf()) ~= nil"
    for command in ("help", "enew", "setlocal buftype=nofile | file x", "edit scheme://host/name"):
        await nvim.command(f"silent! {command}")
        assert not await nvim.lua(attached)
