"""Review in a real Neovim with the plug-in: going, keeping, undoing, in parts and in all, diff and quickfix."""

import pytest

from tests.support.agent import Agent
from tests.support.neovim_room import NeovimRoom
from tests.support.transcript import paint_of

pytestmark = pytest.mark.slow

TEXT = "".join(f"line {n}\n" for n in range(30))

THREE = (("line 3\n", "LINE 3\n"), ("line 10\n", "line 10\nnew a\nnew b\nnew c\nnew d\n"), ("line 20\n", ""))
"""A modification, an addition of four lines and a deletion, which end up at rows 3, 11 to 14, and 24."""


async def edited(room: NeovimRoom, *edits: tuple[str, str], options: str = "") -> tuple[int, Agent]:
    """A Neovim with a.txt open, in which an agent has made these edits."""
    room.world.file("a.txt", TEXT)
    await room.start(options=options)
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    for old, new in edits:
        assert not (await agent.edit("a.txt", old, new))["isError"]
    await room.painted(buffer, f"#hunks == {len(edits)}")
    return buffer, agent


async def pending(agent: Agent) -> int:
    """How many hunks are pending."""
    return len((await agent.request("dsh/review/list", {}))["hunks"])


async def test_going_from_change_to_change(room: NeovimRoom) -> None:
    """`]a` and `[a`, with counts, around the end of the buffer; the way back is in the jump list."""
    await edited(room, *THREE)
    rows = []
    for keys in ("gg]a", "]a", "]a", "]a", "[a", "gg2]a", "``"):
        await room.nvim.keys(keys)
        rows.append(await room.nvim.lua("return vim.fn.line('.') - 1"))

    assert [3, 11, 24, 3, 24, 11, 0] == rows


async def test_keeping_and_undoing_under_the_cursor(room: NeovimRoom) -> None:
    """By the default maps: one is kept, one undone; the third stays; the cursor stays in its line."""
    buffer, agent = await edited(room, *THREE)
    await room.nvim.keys("4G\\ak")
    await room.painted(buffer, "#hunks == 2")
    await room.nvim.keys("13G\\au")
    paint = await room.painted(buffer, "#hunks == 1")

    assert [20] == [each["before"] for each in paint["removed"]]
    assert TEXT.replace("line 3\n", "LINE 3\n").replace("line 20\n", "").splitlines() == await room.nvim.lines()
    decisions = [(await agent.next("dsh/decided"))["decision"] for _ in range(2)]
    assert ["kept", "undone"] == decisions
    assert await room.same(agent, "a.txt")


async def test_a_decision_is_repeated_with_a_dot(room: NeovimRoom) -> None:
    """`.` undoes the next one."""
    buffer, _ = await edited(room, *THREE)
    await room.nvim.keys("4G\\au")
    await room.painted(buffer, "#hunks == 2")
    await room.nvim.keys("]a.")
    await room.painted(buffer, "#hunks == 1")
    await room.nvim.keys("]a.")
    await room.painted(buffer, "#hunks == 0")

    assert TEXT.splitlines() == await room.nvim.lines()


async def test_some_lines_of_a_change(room: NeovimRoom) -> None:
    """A selection and a range: two lines are kept, one is undone, one stays pending."""
    buffer, agent = await edited(room, *THREE[1:2])
    await room.nvim.keys("12GVj\\ak")
    await room.painted(buffer, "#hunks > 0 and hunks[1].range.start.line == 13")
    mode = await room.nvim.lua("return vim.fn.mode()")
    await room.nvim.command("14Dsh undo")
    paint = await room.painted(buffer, "#hunks == 1 and hunks[1].addedLines == 1")

    assert "n" == mode
    assert [13] == paint["added"]
    assert TEXT.replace("line 10\n", "line 10\nnew a\nnew b\nnew d\n").splitlines() == await room.nvim.lines()
    assert 1 == await pending(agent)


async def test_the_file_and_all_files(room: NeovimRoom) -> None:
    """`:Dsh undo file` leaves the others; `:Dsh keep all` takes those that are not open, too."""
    buffer, agent = await edited(room, *THREE)
    await agent.write("b.txt", "new\n")
    await room.nvim.command("Dsh undo file")
    await room.painted(buffer, "#hunks == 0")
    left = await pending(agent)
    await room.nvim.command("Dsh keep all")
    notes = [await agent.next("dsh/decided") for _ in range(4)]

    assert TEXT.splitlines() == await room.nvim.lines()
    assert (1, "kept") == (left, notes[-1]["decision"])
    assert 0 == await pending(agent)
    assert b"new\n" == room.world.bytes("b.txt")


async def test_an_undo_is_one_step_of_the_undo_history(room: NeovimRoom) -> None:
    """`u` after an undo brings the agent's text back, as the user's own; another `u` is the step before."""
    buffer, agent = await edited(room, *THREE[:1])
    await room.nvim.command("Dsh undo file")
    await room.painted(buffer, "#hunks == 0")
    await room.nvim.command("silent undo")
    again = await room.nvim.lines()
    await room.nvim.command("silent undo")

    assert TEXT.replace("line 3\n", "LINE 3\n").splitlines() == again
    assert TEXT.splitlines() == await room.nvim.lines()
    assert await room.same(agent, "a.txt")


async def test_typing_in_a_change_and_next_to_it(room: NeovimRoom) -> None:
    """Paint moves with the keys before the server has said a word, and typing survives an undo."""
    buffer, _ = await edited(room, *THREE)
    await room.nvim.keys("ggOtyped<Esc>")
    moved = (await room.nvim.lua("return View.paint(...)", buffer))["modified"]
    await room.painted(buffer, "#hunks == 3 and hunks[1].range.start.line == 4")
    await room.nvim.command("Dsh undo file")
    await room.painted(buffer, "#hunks == 0")

    assert [4] == moved
    assert ["typed", *TEXT.splitlines()] == await room.nvim.lines()


async def test_the_text_from_before_in_a_diff_split(room: NeovimRoom) -> None:
    """Both windows are in diff mode, the base is what was there, the cursor has not left; again closes it."""
    buffer, _ = await edited(room, *THREE)
    window = await room.nvim.call("nvim_get_current_win")
    full = await room.nvim.lua("return View.paint(...)", buffer)
    await room.nvim.keys("4G\\ad")
    await room.nvim.until("#vim.api.nvim_tabpage_list_wins(0) == 2", what="the split")
    beside = await room.nvim.lua("return View.paint(...)", buffer)
    base = await room.nvim.lua("""
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          assert(vim.wo[win].diff)
          local buf = vim.api.nvim_win_get_buf(win)
          if vim.b[buf].dsh_base_of then
            return vim.api.nvim_buf_get_lines(buf, 0, -1, true)
          end
        end
    """)
    here = await room.nvim.call("nvim_get_current_win"), await room.nvim.lua("return vim.fn.line('.')")
    await room.nvim.command("Dsh diff")

    assert {"signs", "authors", "count"} == {name for name in beside if beside[name]}
    assert full == await room.nvim.lua("return View.paint(...)", buffer)
    assert TEXT.splitlines() == base
    assert (window, 4) == here
    assert 1 == await room.nvim.lua("return #vim.api.nvim_tabpage_list_wins(0)")
    assert False is await room.nvim.lua("return vim.wo.diff")


async def test_the_text_from_before_follows_decisions(room: NeovimRoom) -> None:
    """A change that is kept is part of it from then on; asked for twice in a breath, it is there once."""
    buffer, _ = await edited(room, *THREE[:1])
    await room.nvim.lua("vim.cmd('Dsh diff') vim.cmd('Dsh diff')")
    await room.synced()
    await room.nvim.until("#vim.api.nvim_tabpage_list_wins(0) == 2", what="the split")
    base = "View.base = vim.fn.winbufnr(1) return vim.api.nvim_buf_get_lines(View.base, 0, -1, true)"
    before = await room.nvim.lua(base)
    await room.nvim.command("Dsh keep file")
    await room.painted(buffer, "#hunks == 0")
    after = await room.nvim.lua(base)

    assert (TEXT.splitlines(), await room.nvim.lines(buffer)) == (before, after)
    assert False is await room.nvim.lua("return vim.bo[View.base].modifiable")


async def test_pending_changes_are_a_quickfix_list(room: NeovimRoom) -> None:
    """In all files, with what was removed; the cursor stays, and `:cnext` goes there."""
    _, agent = await edited(room, *THREE)
    await agent.write("b.txt", "new\n")
    window = await room.nvim.call("nvim_get_current_win")
    await room.nvim.command("Dsh quickfix")
    await room.nvim.until("#vim.fn.getqflist() == 4", what="the quickfix list")
    lines = await room.nvim.lua("return vim.tbl_map(function(each) return each.lnum end, vim.fn.getqflist())")
    texts = await room.nvim.lua("return vim.tbl_map(function(each) return each.text end, vim.fn.getqflist())")
    here = await room.nvim.call("nvim_get_current_win")
    await room.nvim.command("silent cc 2")

    assert [4, 12, 25, 1] == lines
    assert "modified (+1 -1) by test agent: line 3" == texts[0]
    assert window == here
    assert 12 == await room.nvim.lua("return vim.fn.line('.')")


async def test_all_is_all_of_all_workspaces(room: NeovimRoom) -> None:
    """Files of two workspaces have a server each: the quickfix list has both, and `:Dsh undo all` means both."""
    buffers = []
    await room.start()
    for name in ("one", "two"):
        room.world.file(f"{name}/.git/HEAD", "")
        room.world.file(f"{name}/a.txt", TEXT)
        buffers.append(await room.open(f"{name}/a.txt"))
        agent = await room.agent(folder=name)
        await agent.read("a.txt")
        await agent.edit("a.txt", "line 3\n", f"{name}\n")
        await room.painted(buffers[-1], "#hunks == 1")
    await room.nvim.command("Dsh quickfix")
    await room.nvim.until("#vim.fn.getqflist() == 2", what="the quickfix list")
    await room.nvim.command("Dsh undo all")
    for buffer in buffers:
        await room.painted(buffer, "#hunks == 0")

    assert [TEXT.splitlines()] * 2 == [await room.nvim.lines(buffer) for buffer in buffers]
    assert "dsh: 2 changes in 2 files undone" in await room.nvim.messages()


async def test_a_range_has_all_of_a_line_in_which_others_end(room: NeovimRoom) -> None:
    """A lone carriage return ends a line for the server, and not for Neovim."""
    room.world.file("a.txt", "one\rtwo\rthree\nfour\n")
    await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "three", "THREE")
    await room.painted(buffer, "#hunks == 1")
    await room.nvim.command("1Dsh undo")
    await room.painted(buffer, "#hunks == 0")

    assert ["one\rtwo\rthree", "four"] == await room.nvim.lines()


async def test_one_toggle_for_all_paint(room: NeovimRoom) -> None:
    """Off, nothing is to be seen, though hunks can be gone to; on, all is there again."""
    buffer, _ = await edited(room, *THREE)
    full = await room.nvim.lua("return View.paint(...)", buffer)
    await room.nvim.command("Dsh toggle")
    none = await room.nvim.lua("return View.paint(...)", buffer)
    await room.nvim.keys("gg]a")
    row = await room.nvim.lua("return vim.fn.line('.') - 1")
    await room.nvim.command("Dsh toggle")

    assert {"added", "modified", "removed", "signs", "authors"} <= {name for name in full if full[name]}
    assert {"count"} == {name for name in none if none[name]}
    assert 3 == row
    assert full == await room.nvim.lua("return View.paint(...)", buffer)


async def test_a_conflict_is_said_and_nothing_is_lost(room: NeovimRoom) -> None:
    """A created file that the user has changed is not removed; one line says so, all of it is in `:Dsh messages`."""
    _, agent = await edited(room, *THREE[:1])
    await agent.write("b.txt", "new\n")
    room.world.file("b.txt", "changed by the user\n")
    await room.nvim.command("Dsh undo all")
    await room.nvim.until("vim.api.nvim_exec2('messages', { output = true }).output:find('could not be undone')")
    await room.nvim.until("table.concat(require('dsh.say').said):find('b.txt')")

    assert b"changed by the user\n" == room.world.bytes("b.txt")


async def test_maps_can_be_off(room: NeovimRoom) -> None:
    """With `maps = false` no key is mapped; with another leader it is that; a map of the user's own is left alone."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start(options="maps = false,")
    await room.open("a.txt")
    none = await nvim.lua("return #vim.api.nvim_buf_get_keymap(0, 'n')")
    nvim = await room.start(options="leader = '<Space>d',", before="vim.keymap.set('n', 'Q', '<Plug>(dsh-undo)')")
    await room.open("a.txt")
    mine = "return { vim.fn.maparg('<Space>dk', 'n'), vim.fn.maparg('<Space>du', 'n'), vim.fn.maparg('Q', 'n') }"

    assert 0 == none
    assert ["<Plug>(dsh-keep)", "", "<Plug>(dsh-undo)"] == await nvim.lua(mine)


async def test_options_can_be_set_at_any_time(room: NeovimRoom) -> None:
    """`setup()` goes over `vim.g.dsh`, leaves what it does not name, and paints anew what is painted."""
    room.world.file("a.txt", TEXT)
    await room.start(before="vim.g.dsh = { leader = '<leader>g', panel_size = 12 }")
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 3\n", "LINE 3\n")
    await room.painted(buffer, "#hunks == 1")
    set_up = "OPTIONS[...] = false require('dsh').setup(OPTIONS) return View.paint(vim.api.nvim_get_current_buf())"
    signs = (await room.nvim.lua(set_up, "signs"))["signs"]
    modified = (await room.nvim.lua(set_up, "paint"))["modified"]

    assert ([], []) == (signs, modified)
    assert ["<leader>g", 12] == await room.nvim.lua(
        "local options = require('dsh.config').get() return { options.leader, options.panel_size }"
    )


@pytest.mark.parametrize("operator", ["d", "c", ">", "gU"])
async def test_the_text_object_is_a_change_or_nothing(room: NeovimRoom, operator: str) -> None:
    """An operator does nothing where no change is, and what it does to the whole change where one is."""
    await edited(room, *THREE[1:2])
    await room.nvim.command("omap ih <Plug>(dsh-select)")
    await room.nvim.keys(f"gg{operator}ih<Esc>")
    nothing = await room.nvim.lines()
    await room.nvim.keys("13Gdih")

    assert TEXT.replace("line 10\n", "line 10\nnew a\nnew b\nnew c\nnew d\n").splitlines() == nothing
    assert TEXT.splitlines() == await room.nvim.lines()


async def test_commands_complete_and_say_what_is_wrong(room: NeovimRoom) -> None:
    """Subcommands, their arguments, and one that is not there."""
    await edited(room, *THREE[:1])
    complete = "return vim.fn.getcompletion(..., 'cmdline')"
    keep = await room.nvim.lua(complete, "Dsh ke")
    what = await room.nvim.lua(complete, "Dsh keep ")
    await room.nvim.command("Dsh nonsense")
    await room.nvim.until("vim.api.nvim_exec2('messages', { output = true }).output:find('no :Dsh nonsense')")

    assert (["keep"], ["file", "all"]) == (keep, what)


async def test_what_was_removed_above_the_first_line_is_in_view(room: NeovimRoom) -> None:
    """In a window that is at the top of the file, also after its size has changed; the cursor stays in its line."""
    buffer, _ = await edited(room, ("line 0\nline 1\n", ""))
    filler = "return vim.fn.winsaveview().topfill"
    at_first = await room.nvim.lua(filler)
    await room.nvim.command("split | wincmd c")
    await room.nvim.command("redraw")

    assert 2 == at_first
    assert [1, 0] == await room.nvim.call("nvim_win_get_cursor", 0)
    assert [{"before": 0, "lines": ["line 0", "line 1"]}] == (await room.painted(buffer))["removed"]


async def test_the_paint_is_what_the_hunks_say_whatever_the_user_does(room: NeovimRoom) -> None:
    """Lines deleted, moved, joined, put back and taken back, in hunks and around them."""
    buffer, agent = await edited(room, *THREE)
    for keys in (
        "4Gdd",
        "p",
        "4Gddp",
        "u",
        "12GJ",
        ":2move 20<CR>",
        ":%s/line/Line/<CR>",
        "u",
        "13Gdd",
        "5Gx",
        "ggdG",
        "u",
    ):
        await room.nvim.keys(keys)
        # As a formatter does it: all lines are replaced by themselves, and marks lose their places.
        await room.nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.api.nvim_buf_get_lines(0, 0, -1, true))")
        await room.synced()
        hunks = (await agent.request("dsh/review/list", {}))["hunks"]
        await room.painted(buffer, f"#hunks == {len(hunks)}")
        told = await room.nvim.lua(
            "local state = require('dsh.paint').of(...) return state and state.hunks or {}", buffer
        )
        paint = paint_of(told)

        assert await room.nvim.lua("return View.shows(...)", buffer, paint), (keys, paint)
