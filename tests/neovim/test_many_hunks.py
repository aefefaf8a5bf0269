"""Five thousand hunks in a real Neovim: painted all, and no lag for who types."""

import time

import pytest

from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

HUNKS = 5000


async def test_five_thousand_hunks(room: NeovimRoom) -> None:
    """All are painted; a key is dealt with within a blink; undoing all of them brings the text back."""
    text = "".join(f"line {n}\n" for n in range(3 * HUNKS))
    room.world.file("a.txt", text)
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    new = "".join(f"LINE {n}\n" if n % 3 == 0 else f"line {n}\n" for n in range(3 * HUNKS))
    assert not (await agent.run("write", file_path="a.txt", content=new, within=60.0))["isError"]
    await room.painted(buffer, f"#hunks == {HUNKS}", within=30.0)
    await nvim.until(f"#View.paint(...).modified == {HUNKS}", buffer, within=30.0, what="all of the paint")
    took = []
    for n in range(20):
        await nvim.command(f"{(n * 700 + 2) % (3 * HUNKS)}")
        began = time.perf_counter()
        await nvim.input("ix<Esc>")
        await nvim.call("nvim_get_mode")
        took.append(time.perf_counter() - began)
    await room.painted(buffer, f"#hunks == {HUNKS}", within=30.0)
    moved = await nvim.lua("return #View.paint(...).removed", buffer)
    await nvim.command("normal! gg")
    await nvim.keys("]a]a")
    row = await nvim.lua("return vim.fn.line('.') - 1")
    for _ in range(20):
        await nvim.command("silent undo")
    await nvim.command("Dsh undo file")
    await room.painted(buffer, "#hunks == 0", within=60.0)

    assert HUNKS == moved
    assert 6 == row
    assert text == await room.text()
    assert sorted(took)[10] < 0.1
    assert await room.same(agent, "a.txt")
