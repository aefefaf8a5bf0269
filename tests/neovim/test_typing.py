"""A user who types and an agent that edits, both at once, in a real Neovim."""

import asyncio
from contextlib import suppress

import pytest

from tests.support.agent import Agent
from tests.support.neovim import Neovim
from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

EDITS = 60
TEXT = "".join(f"place {n}\n" for n in range(EDITS)) + "\nthe user: \n"


class Typist:
    """Types a letter every 30 ms at the end of the last line, as a terminal does.

    Attributes:
        typed: What was typed.
    """

    def __init__(self, nvim: Neovim) -> None:
        self.typed = ""
        self._nvim = nvim
        self._stop = asyncio.Event()
        self._key = asyncio.Event()
        self._typing = asyncio.create_task(self._type())

    async def next_key(self) -> None:
        """Return after the next key."""
        self._key.clear()
        await self._key.wait()

    async def stop(self) -> None:
        """Type no more."""
        self._stop.set()
        await self._typing

    async def _type(self) -> None:
        await self._nvim.input("GA")
        while not self._stop.is_set():
            letter = "abcdefghijklmnopqrstuvwxyz"[len(self.typed) % 26]
            await self._nvim.input(letter)
            self.typed += letter
            self._key.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.03):
                    await self._stop.wait()


async def edit_all(agent: Agent, typist: Typist) -> tuple[int, int]:
    """Sixty edits, each after another key; one that is refused is tried again after a read, as agents do.

    Returns:
        How many were acknowledged, and how many were refused.
    """
    await agent.read("a.txt")
    done = refused = 0
    for n in range(EDITS):
        await typist.next_key()
        for _ in range(20):
            result = await agent.edit("a.txt", f"place {n}\n", f"edited {n}\n")
            if not result["isError"]:
                done += 1
                break
            refused += 1
            assert "FS_STALE_VERSION" == result["error"]["code"], result["error"]
            await agent.read("a.txt")
    return done, refused


@pytest.mark.parametrize("on_stale", ["rebase", "refuse"])
async def test_nothing_is_lost_while_both_are_at_it(room: NeovimRoom, on_stale: str) -> None:
    """Every letter is there, every edit that was acknowledged is there, and the server's mirror is the buffer."""
    room.world.file("a.txt", TEXT)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent(onStale=on_stale)
    typist = Typist(nvim)
    done, _ = await edit_all(agent, typist)
    await typist.stop()
    last = f"the user: {typist.typed}"
    await nvim.until("vim.api.nvim_get_current_line() == ...", last, what="what was typed")
    await nvim.input("<Esc>")
    await nvim.until("vim.api.nvim_get_mode().mode == 'n'")

    assert EDITS == done
    assert len(typist.typed) >= EDITS
    assert [*(f"edited {n}" for n in range(EDITS)), "", last] == await nvim.lines()
    assert await room.same(agent, "a.txt")
    paint = await room.painted(buffer, "#hunks > 0")
    assert list(range(EDITS)) == sorted(paint["modified"])
    assert "" == await nvim.messages()


async def test_the_view_the_cursor_and_the_mode_stay(room: NeovimRoom) -> None:
    """Edits above and below somebody who types move neither the cursor from its text nor the window, nor the mode."""
    room.world.file("a.txt", "".join(f"line {n}\n" for n in range(200)))
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await nvim.keys("100Gzz")
    await nvim.input("A typed")
    await nvim.until("vim.api.nvim_get_current_line() == 'line 99 typed'")
    await room.synced()
    await agent.read("a.txt")
    seen = "return { vim.fn.line('.') - vim.fn.line('w0'), vim.fn.getline('w0'), vim.fn.winnr(), vim.fn.mode() }"
    before = await nvim.lua(seen)
    await agent.edit("a.txt", "line 3\n", "line 3\nmore\nand more\n")
    await agent.edit("a.txt", "line 150\n", "")
    await agent.edit("a.txt", "line 98\n", "line ninety-eight\n")
    await room.painted(buffer, "#hunks == 3")
    after = await nvim.lua(seen)
    await nvim.input(" on")
    await nvim.until("vim.api.nvim_get_current_line() == 'line 99 typed on'", what="the line that is typed in")

    assert before == after
    assert "i" == after[3]
    assert await room.same(agent, "a.txt")


async def test_an_edit_is_one_step_of_undo_also_in_insert_mode(room: NeovimRoom) -> None:
    """Typing, an edit, and typing in one stay in insert mode are three steps."""
    room.world.file("a.txt", "one\ntwo\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await nvim.input("A before")
    await nvim.until("vim.api.nvim_get_current_line() == 'one before'")
    await room.synced()
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    await nvim.input(" after")
    await nvim.until("vim.api.nvim_get_current_line() == 'one before after'")
    await nvim.input("<Esc>")
    states = []
    for _ in range(3):
        await nvim.command("silent undo")
        states.append(await nvim.lines())
    for _ in range(3):
        await nvim.command("silent redo")

    assert [["one before", "TWO"], ["one before", "two"], ["one", "two"]] == states
    assert ["one before after", "TWO"] == await nvim.lines()
    assert await room.same(agent, "a.txt")
