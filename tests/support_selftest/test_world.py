"""A world of the real server: one edit, with every kind of editor and both ways to connect."""

import pytest

from tests.support.agent import EditorAgent
from tests.support.editor import StrictEditor
from tests.support.editors import EglotLike, OwnClient, StockNeovim, VsCodeLike
from tests.support.world import Via, World


@pytest.mark.parametrize("kind", [StrictEditor, OwnClient, VsCodeLike, StockNeovim, EglotLike])
async def test_edit_goes_into_the_buffer(world: World, via: Via, kind: type[StrictEditor]) -> None:
    """An agent's edit arrives in the editor's buffer beside what was typed, and the disk keeps what it had."""
    path = world.file("a.txt", "one\ntwo\n")
    editor = await world.editor(kind)
    uri = editor.open(path)
    editor.type(uri, "one", "typed")
    await editor.sync()
    agent = await world.agent(via=via)
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "agent")

    assert ("typed\ntwo\n", "buffer", True) == tuple(read["value"][name] for name in ("text", "via", "dirty"))
    assert not edited["isError"], edited
    assert "typed\nagent\n" == editor.text(uri)
    assert b"one\ntwo\n" == world.bytes("a.txt")
    assert isinstance(agent, EditorAgent) == (via == "editor")
