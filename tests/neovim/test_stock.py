"""A stock Neovim, with the README's few lines and nothing of ours: the same story is safe."""

import json
from typing import Any

import pytest

from tests.support.neovim import Neovim
from tests.support.neovim_room import NeovimRoom
from tests.support.repository import fenced_lines, read

pytestmark = pytest.mark.slow

TEXT = "".join(f"line {n}\n" for n in range(1, 31))


def readme_lua() -> str:
    """The configuration that the README gives."""
    lines = fenced_lines(read("README.md"))
    start = next(n for n, line in enumerate(lines) if line.startswith("vim.api.nvim_create_autocmd({ 'BufReadPost'"))
    end = next(n for n, line in enumerate(lines) if n > start and line == "})")
    return "\n".join(lines[start : end + 1])


async def stock(room: NeovimRoom) -> Neovim:
    """A Neovim that is configured so; its server is one of ours."""
    lua = readme_lua()
    command = "cmd = { 'dsh-lsp', '--stdio' }"
    assert command in lua
    return await room.start(plugin=False, before=lua.replace(command, "cmd = vim.lsp.rpc.connect(SOCKET)"))


async def test_the_same_story_is_safe(room: NeovimRoom) -> None:
    """Typing and edits are both there, a stale edit is refused, the mirror is the buffer, nothing is written."""
    file = room.world.file("a.txt", TEXT)
    nvim = await stock(room)
    buffer = await room.open("a.txt")
    await nvim.keys("3Gothe user types<Esc>")
    await room.synced()
    agent = await room.agent()
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 5\n", "line five\nand a half\n")
    await nvim.keys("ggOtyped above<Esc>")
    await room.synced()
    stale = await agent.edit("a.txt", "no such text", "x")
    await agent.read("a.txt")
    again = await agent.edit("a.txt", "line 20", "line twenty")
    marks = "return #vim.diagnostic.get(...) >= 2 and vim.diagnostic.get(...) or nil"
    await nvim.until("#vim.diagnostic.get(...) >= 2", buffer, what="diagnostics")
    diagnostics: list[dict[str, Any]] = await nvim.lua(marks, buffer)

    wanted = ["typed above", *TEXT.splitlines()]
    wanted[4:4] = ["the user types"]
    wanted[6:7] = ["line five", "and a half"]
    wanted[wanted.index("line 20")] = "line twenty"
    assert read["value"]["dirty"] is True
    assert (False, False) == (edited["isError"], again["isError"])
    assert "FS_STALE_VERSION" == stale["error"]["code"]
    assert wanted == await nvim.lines()
    assert TEXT == file.read_text(encoding="utf-8")
    assert [6, 22] == sorted(each["lnum"] for each in diagnostics)
    assert await room.same(agent, "a.txt")


async def test_D04_stock_the_new_text_is_in_a_buffer_that_nobody_looks_at(room: NeovimRoom) -> None:
    """A loaded buffer that is in no window shows the edit without any action of the user."""
    room.world.file("a.txt", "a\nb\n")
    room.world.file("other.txt", "other\n")
    nvim = await stock(room)
    buffer = await room.open("a.txt")
    await room.open("other.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "b", "B")

    assert not edited["isError"]
    assert ["a", "B"] == await nvim.lines(buffer)
    assert b"a\nb\n" == room.world.bytes("a.txt")


async def test_hover_and_code_actions_review(room: NeovimRoom) -> None:
    """`K` shows the old text, `gra` undoes the change; what the stock client does with them is enough."""
    room.world.file("a.txt", TEXT)
    nvim = await stock(room)
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5\n", "line five\n")
    await nvim.until("#vim.diagnostic.get(...) == 1", buffer, what="the diagnostic")
    await nvim.command("5")
    hover = await nvim.lua("""
        local params = vim.lsp.util.make_position_params(0, 'utf-8')
        local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 5000)
        return vim.json.encode(vim.tbl_values(answers)[1].result)
    """)
    await nvim.lua("""
        vim.lsp.buf.code_action({
          filter = function(action) return action.kind == 'quickfix.dsh.undo' end,
          apply = true,
        })
    """)
    await nvim.until("vim.api.nvim_buf_get_lines(..., 4, 5, true)[1] == 'line 5'", buffer, what="the old line")

    assert "line 5" in json.loads(hover)["contents"]["value"]
    assert TEXT.splitlines() == await nvim.lines()
    assert await room.same(agent, "a.txt")


async def test_a_carriage_return_in_a_line_makes_no_edit_go_wrong(room: NeovimRoom) -> None:
    """Neovim counts lines otherwise there: what is typed is known as it is, an edit is refused, and nothing moves."""
    room.world.file("a.txt", "o\rne\ntwo\nthree\nfour\n")
    nvim = await stock(room)
    await room.open("a.txt")
    await nvim.keys("3Gothe user types<Esc>")
    await room.synced()
    agent = await room.agent()
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "TWO")

    assert "the user types" in read["content"][0]["text"]
    assert ["o\rne", "two", "three", "the user types", "four"] == await nvim.lines()
    assert "FS_APPLY_REJECTED" == edited["error"]["code"]
    assert "carriage returns" in edited["content"][0]["text"]
    ours = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id})
    assert not ours["observations"][0]["stale"]


@pytest.mark.parametrize(
    ("before", "content", "lines", "saved"),
    [
        ("one\ntwo\n", "1\ntwo", ["1", "two"], "1\ntwo\n"),
        ("one\ntwo", "1\ntwo\n", ["1", "two"], "1\ntwo\n"),
        ("", "1", ["1"], "1\n"),
        ("one\n", "", [""], "\n"),
    ],
)
async def test_stock_the_end_of_the_last_line_stays(
    room: NeovimRoom, before: str, content: str, lines: list[str], saved: str
) -> None:
    """An edit can't change whether there is one: the rest is done, what was written is known, no line comes to it."""
    room.world.file("a.txt", before)
    nvim = await stock(room)
    await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    written = await agent.write("a.txt", content)
    read = await agent.read("a.txt")

    assert not written["isError"]
    assert read["value"]["version"] == written["value"]["version"]
    assert lines == await nvim.lines()
    assert await room.same(agent, "a.txt")
    await nvim.command("write")
    assert saved.encode() == room.world.bytes("a.txt")


async def test_stock_all_lines_but_an_empty_one_can_go(room: NeovimRoom) -> None:
    """The buffer that is left has one empty line, for the server too."""
    room.world.file("a.txt", "one\ntwo\n")
    nvim = await stock(room)
    await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    written = await agent.write("a.txt", "\n")

    assert not written["isError"]
    assert [""] == await nvim.lines()
    assert "\n" == (await agent.read("a.txt"))["value"]["text"]
