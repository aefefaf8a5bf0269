"""Files of every kind in a real Neovim with the plug-in: not a byte is other than it must be."""

import pytest

from tests.support.neovim_room import NeovimRoom

pytestmark = pytest.mark.slow

FILES = {
    "unix": (b"one\ntwo\nthree\n", b"one\nTWO\nadded\nthree\n"),
    "dos": (b"one\r\ntwo\r\nthree\r\n", b"one\r\nTWO\r\nadded\r\nthree\r\n"),
    "noeol": (b"one\ntwo\nthree", b"one\nTWO\nadded\nthree"),
    "dos-noeol": (b"one\r\ntwo\r\nthree", b"one\r\nTWO\r\nadded\r\nthree"),
    "bom": (b"\xef\xbb\xbfone\ntwo\nthree\n", b"\xef\xbb\xbfone\nTWO\nadded\nthree\n"),
    "latin-1": (b"\xe4ne\ntwo\nthree\n", b"\xe4ne\nTWO\nadded\nthree\n"),
    "mixed": (b"one\r\ntwo\nthree\r\n", b"one\r\nTWO\nadded\nthree\r\n"),
    "lone-return": (b"o\rne\ntwo\nthree\n", b"o\rne\nTWO\nadded\nthree\n"),
    "separators": ("o\x0bn\x85e\u2028\ntwo\nthree\n".encode(), "o\x0bn\x85e\u2028\nTWO\nadded\nthree\n".encode()),
    "wide": ("öne 😀\ntwo\nthree\n".encode(), "öne 😀\nTWO\nadded\nthree\n".encode()),
    "tabs": (b"\tone\ntwo\nthree\n", b"\tone\nTWO\nadded\nthree\n"),
}

DECLARED = "init_options = { watch = false, encodings = { ['*.txt'] = 'latin-1' } },"
"""Without it the server can't know that the buffer is what is on the disk, and does not have it saved."""


@pytest.mark.parametrize("kind", FILES)
async def test_an_edit_changes_its_lines_alone(room: NeovimRoom, kind: str) -> None:
    """The edit is in the buffer and, saved by the plug-in, on the disk, where all other bytes are as they were."""
    before, after = FILES[kind]
    room.world.file("a.txt", before)
    nvim = await room.start(options=DECLARED if kind == "latin-1" else "")
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two\n", "TWO\nadded\n")
    paint = await room.painted(buffer, "#hunks == 1")

    assert (False, True) == (edited["isError"], edited["value"].get("saved")), edited
    assert after == room.world.bytes("a.txt")
    assert [1, 2] == paint["modified"]
    assert [{"before": 1, "lines": ["two"]}] == paint["removed"]
    assert await room.same(agent, "a.txt")
    assert "" == await nvim.messages()


@pytest.mark.parametrize("kind", FILES)
async def test_undoing_a_hunk_brings_every_byte_back(room: NeovimRoom, kind: str) -> None:
    """`:Dsh undo file` and a save."""
    before, _ = FILES[kind]
    room.world.file("a.txt", before)
    nvim = await room.start(options=DECLARED if kind == "latin-1" else "")
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "two\n", "TWO\nadded\n")
    await room.painted(buffer, "#hunks == 1")
    await nvim.command("Dsh undo file")
    await room.painted(buffer, "#hunks == 0")
    await nvim.until("not vim.bo[...].modified", buffer, what="the save")

    assert before == room.world.bytes("a.txt")
    assert await room.same(agent, "a.txt")


async def test_an_empty_file_is_filled_and_emptied_again(room: NeovimRoom) -> None:
    """Its one empty line is no line of the file."""
    room.world.file("a.txt", b"")
    nvim = await room.start()
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    filled = await agent.write("a.txt", "one\ntwo\n")
    await room.painted(buffer, "#hunks == 1")
    full = room.world.bytes("a.txt"), await nvim.lines()
    emptied = await agent.write("a.txt", "")

    assert not filled["isError"]
    assert not emptied["isError"]
    assert (b"one\ntwo\n", ["one", "two"]) == full
    assert b"" == room.world.bytes("a.txt")
    assert await room.same(agent, "a.txt")


async def test_a_final_line_end_that_the_user_sets_by_hand_is_known(room: NeovimRoom) -> None:
    """`:set noeol` and `:set ff=dos` are told to the server, though no text has changed; edits go on."""
    room.world.file("a.txt", b"one\ntwo\n")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    await nvim.command("set noeol nofixeol")
    without = await room.same(agent, "a.txt")
    await nvim.command("set ff=dos")
    dos = await room.same(agent, "a.txt")
    edited = await agent.edit("a.txt", "one", "ONE\nmore")
    await nvim.command("silent write")

    assert (True, True) == (without, dos)
    assert not edited["isError"]
    assert b"ONE\r\nmore\r\ntwo" == room.world.bytes("a.txt")
    assert await room.same(agent, "a.txt")


async def test_the_last_line_of_a_file_without_final_line_end_is_deleted_and_added_to(room: NeovimRoom) -> None:
    """What Neovim's own incremental changes get wrong."""
    room.world.file("a.txt", b"one\ntwo\nthree")
    nvim = await room.start()
    await room.open("a.txt")
    agent = await room.agent()
    steps = []
    for keys in ("Gdd", "Gonew<Esc>", "ggdG", "itext<Esc>", "u", "u"):
        await nvim.keys(keys)
        steps.append(await room.same(agent, "a.txt"))

    assert [True] * 6 == steps


@pytest.mark.parametrize("options", ["", DECLARED], ids=["undeclared", "declared"])
async def test_a_character_that_the_encoding_has_not_is_not_written(room: NeovimRoom, options: str) -> None:
    """A latin-1 file gets no question mark for what it can't hold; the buffer is what the server thinks it is."""
    room.world.file("a.txt", b"\xe4ne\ntwo\n")
    nvim = await room.start(options=options)
    buffer = await room.open("a.txt")
    agent = await room.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "two €")
    save = "local saved, reason = require('dsh.disk').save(1, vim.lsp.util.buf_versions[...]) return { saved, reason }"
    saved, reason = await nvim.lua(save, buffer)

    assert b"\xe4ne\ntwo\n" == room.world.bytes("a.txt")
    assert not saved or await nvim.lines() == ["äne", "two"]
    assert saved or "the encoding 'latin1' of the file has not all characters" in reason
    assert await room.same(agent, "a.txt")
