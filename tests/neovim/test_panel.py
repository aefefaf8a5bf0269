"""The panel, questions and the statusline in a real Neovim: what agents do, shown without taking anything away."""

import json

import pytest

from dsh_lsp.wire import ToolCallNote, ToolResultNote
from tests.support.neovim_room import NeovimRoom
from tests.support.replayed_session import story

pytestmark = pytest.mark.slow

PERMISSIONS = "init_options = { watch = false, permissions = { bash = 'allow' } },"


async def test_every_kind_of_card_can_be_read(room: NeovimRoom) -> None:
    """The session that the documents show: titles, texts, numbers of lines, what was cut, codes of errors."""
    room.world.file("a.txt", "a\n")
    nvim = await room.start()
    await room.open("a.txt")
    await nvim.command("Dsh panel")
    recorded = story()
    for number, card in enumerate(recorded.cards):
        call = {"sessionId": recorded.session_id, "callId": f"call-{number}", "seq": card.seq, "name": card.name}
        ToolCallNote.model_validate_json(json.dumps({**call, "view": card.call}))
        await nvim.lua("require('dsh.cards').call(...)", {**call, "view": card.call})
        if card.result is not None:
            result = {**call, "isError": card.is_error, "view": card.result}
            ToolResultNote.model_validate_json(json.dumps(result))
            await nvim.lua("require('dsh.cards').result(...)", result)
    await nvim.until("View.panel():find('make docs')", what="the last card")
    panel = await nvim.lua("return View.panel()")

    for text in (
        "● Search for total(",
        "  shop/basket.py:41          return total(self.items, self.rate)",
        "  … 4 of 9 are shown",
        "  shop/prices.py: lines 1-20 of 23, with unsaved typing",
        "  11     return result * rate",
        "  … not all of the file is shown",
        "  shop/prices.py: edited +4 -2, in the buffer, not saved",
        '  +CENT = Decimal("0.01")',
        "  -    return result * rate",
        "  The buffer had unsaved typing, which is untouched.",
        "✗ edit  FS_STALE_VERSION",
        "  https://docs.python.org/3/library/decimal.html  200",
        "  … the text is cut",
        "  tests/test_prices.py: created +7 -0",
        "  $ python -m pytest -v",
        "  1 failed, 37 passed in 0.41s",
        "  exit code 1",
        "✗ bash  DENIED",
        "◌ make docs",
    ):
        assert any(line.startswith(text) for line in panel.splitlines()), f"{text} is not in:\n{panel}"
    assert "  +from decimal import Decimal\n  +\n  +from shop.prices import total\n" in panel
    assert "\x1b" not in panel


async def test_the_panel_follows_and_takes_no_focus(room: NeovimRoom) -> None:
    """It grows while the user types elsewhere; the window that has the cursor, its mode and its view stay."""
    room.world.file("a.txt", "".join(f"line {n}\n" for n in range(100)))
    nvim = await room.start(options=PERMISSIONS)
    buffer = await room.open("a.txt")
    agent = await room.agent()
    window = await nvim.call("nvim_get_current_win")
    await nvim.command("Dsh panel")
    await nvim.input("50GA typed")
    await nvim.until("vim.api.nvim_get_current_line() == 'line 49 typed'")
    await agent.read("a.txt", offset=10, limit=3)
    await agent.run("bash", command="seq 1 100")
    await nvim.until("View.panel():find('exit code 0') or View.panel():find('more lines')", what="the second card")
    panel = await nvim.lua("return View.panel()")
    win = await nvim.lua("return vim.fn.bufwinid('dsh://panel')")
    at_end = await nvim.lua("return vim.api.nvim_win_get_cursor(...)[1]", win)

    assert window == await nvim.call("nvim_get_current_win")
    assert "i" == (await nvim.call("nvim_get_mode"))["mode"]
    assert "  11 line 10" in panel
    assert "more lines: <CR> shows them" in panel
    assert panel.count("\n") + 1 == at_end
    assert buffer == await nvim.call("nvim_get_current_buf")
    assert "" == await nvim.messages()


async def test_a_panel_whose_buffer_was_deleted_is_made_anew(room: NeovimRoom) -> None:
    """`:bdelete` in it, and `:Dsh panel`: all cards are there again, and its keys."""
    room.world.file("a.txt", "a\nb\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.command("Dsh panel")
    await nvim.until("View.panel():find('lines 1%-2 of 2')", what="the card")
    await nvim.lua("vim.cmd.bdelete({ args = { vim.fn.bufnr('dsh://panel') } })")
    await nvim.command("Dsh panel")
    await agent.edit("a.txt", "b", "B")
    await nvim.until("View.panel():find('+B', 1, true)", what="the next card")

    assert "lines 1-2 of 2" in await nvim.lua("return View.panel()")
    await nvim.command("wincmd l")
    assert "nofile" == await nvim.lua("return vim.bo.buftype")
    await nvim.keys("q")
    assert 1 == await nvim.lua("return #vim.api.nvim_tabpage_list_wins(0)")


async def test_a_line_of_the_panel_leads_to_its_place(room: NeovimRoom) -> None:
    """`<CR>` on a hit of a search opens the file in the window of the files, at the place; on the rest, shows it."""
    room.world.file("a.txt", "a\n")
    room.world.file("b.txt", "one\n  needle\n" + "needle too\n" * 80)
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await nvim.command("Dsh panel")
    await agent.run("grep", pattern="needle")
    await nvim.until("View.panel():find('more lines: <CR>')", what="the hits")
    files = await nvim.call("nvim_get_current_win")
    await nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('dsh://panel'))")
    await nvim.keys("gg/more lines<CR><CR>")
    everything = await nvim.lua("return View.panel()")
    await nvim.keys("gg/needle<CR>/b.txt:2<CR><CR>")

    assert "more lines: <CR>" not in everything
    assert "b.txt:82" in everything
    assert files == await nvim.call("nvim_get_current_win")
    assert [2, 3] == await nvim.lua("return { vim.fn.line('.'), vim.fn.col('.') }")
    assert "b.txt" == await nvim.lua("return vim.fn.expand('%:t')")


@pytest.mark.parametrize("name", ["a b.txt", "[id].txt", "$HOME.txt", "it's%.txt", "#x.txt", "`w`.txt", "\u00fc*.txt"])
async def test_a_place_in_a_file_of_any_name_is_gone_to(room: NeovimRoom, name: str) -> None:
    """The file that the card is of, and not another whose name is spelled with escapes."""
    room.world.file(name, "one\ntwo\n")
    room.world.file("other.txt", "other\n")
    nvim = await room.start()
    await room.open("other.txt")
    agent = await room.agent()
    await nvim.command("Dsh panel")
    await agent.read(name)
    await nvim.until("View.panel():find('2 two', 1, true)", what="the card")
    await nvim.command("wincmd l")
    await nvim.lua("vim.fn.search('2 two')")
    await nvim.keys("<CR>")

    assert [name, 2] == await nvim.lua("return { vim.fs.basename(vim.api.nvim_buf_get_name(0)), vim.fn.line('.') }")
    assert ["one", "two"] == await nvim.lines()


async def test_a_question_waits_in_a_corner_and_takes_no_key(room: NeovimRoom) -> None:
    """Typing goes on under it; `:Dsh answer Allow` lets the call run, `Deny` doesn't."""
    room.world.file("a.txt", "a\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    first = agent.start("bash", command="printf asked")
    second = agent.start("bash", command="printf again")
    await nvim.until("require('dsh').status().questions >= 1", what="the question")
    await nvim.input("A typed<Esc>")
    await nvim.until("vim.api.nvim_get_current_line() == 'a typed'")
    shown = await nvim.lua("""
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= '' then
            local buf = vim.api.nvim_win_get_buf(win)
            return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), '\\n')
          end
        end
    """)
    status = await nvim.lua("return require('dsh').statusline()")
    await nvim.command("Dsh answer Allow")
    allowed = await first.result()
    await nvim.until("require('dsh').status().questions == 1", what="the second question")
    await nvim.command("Dsh answer deny")
    denied = await second.result()

    assert "test agent wants to use bash" in shown
    assert "printf asked" in shown
    assert "?" in status
    assert "asked" in allowed["content"][0]["text"]
    assert "DENIED" == denied["error"]["code"]
    assert 1 == await nvim.lua("return #vim.api.nvim_list_wins()")


async def test_a_question_goes_with_the_server_that_asked(room: NeovimRoom) -> None:
    """The other workspace's server lives on, and so does its question."""
    calls = []
    nvim = await room.start()
    for name in ("one", "two"):
        room.world.file(f"{name}/.git/HEAD", "")
        room.world.file(f"{name}/a.txt", "a\n")
        await room.open(f"{name}/a.txt")
        calls.append((await room.agent(folder=name)).start("bash", command=f"echo {name}", description=""))
        await nvim.until("require('dsh.ask').count() == ...", len(room.servers), what="the question")
    room.servers[0].kill()
    await nvim.until("#vim.lsp.get_clients() == 1", what="the end of the client")
    await nvim.until("require('dsh.ask').count() == 1", what="the end of its question")
    await nvim.command("Dsh answer Deny")

    assert "DENIED" == (await calls[1].result())["error"]["code"]


async def test_an_answer_is_not_taken_for_the_next_question(room: NeovimRoom) -> None:
    """The one that it was typed for has gone in that moment; a second later it is what the user means."""
    room.world.file("a.txt", "a\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    first = agent.start("bash", command="echo first", description="")
    await nvim.until("require('dsh.ask').count() == 1", what="the question")
    left = await nvim.lua("""
        local ask = require('dsh.ask')
        coroutine.wrap(function()
          ask.ask({ message = 'another one', actions = { { title = 'Allow' }, { title = 'Deny' } } }, -1)
        end)()
        ask.drop(vim.lsp.get_clients()[1].id)
        vim.cmd('Dsh answer Allow')
        return ask.count()
    """)
    await nvim.until("vim.uv.hrtime() > ...", (await nvim.lua("return vim.uv.hrtime()")) + 1_000_000_000)
    await nvim.command("Dsh answer Allow")

    assert 1 == left
    assert "the question has just gone" in await nvim.lua("return vim.fn.execute('messages')")
    assert 0 == await nvim.lua("return require('dsh.ask').count()")
    assert "DENIED" == (await first.result())["error"]["code"]


async def test_the_statusline_tells_of_agents_changes_and_their_age(room: NeovimRoom) -> None:
    """How many agents and changes; a mark while what is painted is about an older text; nothing elsewhere."""
    room.world.file("a.txt", "one\ntwo\n")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    await room.painted(buffer, "#hunks == 1")
    await nvim.until("require('dsh').statusline() == 'dsh 1 agent ±1'", what="the statusline")
    stale = await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'x' }) return require('dsh').statusline()")
    await room.painted(buffer, "#hunks == 1")
    fresh = await nvim.lua("return require('dsh').statusline()")
    await nvim.command("enew")

    assert ("dsh 1 agent ±1*", "dsh 1 agent ±1") == (stale, fresh)
    assert "" == await nvim.lua("return require('dsh').statusline()")


async def test_the_statusline_forgets_agents_that_have_left(room: NeovimRoom) -> None:
    """Nobody says so: it is asked for when the user pauses."""
    room.world.file("a.txt", "a\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.until("require('dsh').statusline() == 'dsh 1 agent'", what="the agent")
    await agent.request("dsh/session/close", {"sessionId": agent.session_id})
    await nvim.command("doautocmd CursorHold")

    await nvim.until("require('dsh').statusline() == 'dsh'", what="nobody")


async def test_a_recorded_session_is_shown_again(room: NeovimRoom) -> None:
    """`:Dsh replay` shows it, and nothing is edited by it; `:Dsh panel` is what runs again."""
    room.world.file("a.txt", "one\ntwo\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent(sessionId="recorded")
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    before = await nvim.lines()
    await nvim.command("Dsh replay recorded")
    await nvim.until("View.panel():find('Recorded session test agent recorded')", what="the panel")
    panel = await nvim.lua("return View.panel()")
    await nvim.command("Dsh summary recorded")
    await nvim.until("#vim.api.nvim_list_wins() == 3", what="the summary")

    assert "● Edited a.txt" in panel
    assert "  +TWO" in panel
    assert before == await nvim.lines()


async def test_messages_are_one_line_each(room: NeovimRoom) -> None:
    """A long message of the server takes one line, without a key; all of it is in `:Dsh messages`."""
    room.world.file("a.txt", "one\n")
    nvim = await room.start()
    await room.open("a.txt")
    message = "first line " + "long " * 60 + "\nsecond line"
    await nvim.lua(
        "require('dsh.handlers').handlers['window/showMessage'](nil, { type = 3, message = ... }, {})", message
    )
    await nvim.until("vim.api.nvim_exec2('messages', { output = true }).output ~= ''")
    said = await nvim.messages()

    assert 1 == len(said.splitlines())
    assert len(said) <= 80 - 20
    assert [message] == await nvim.lua("return require('dsh.say').said")
