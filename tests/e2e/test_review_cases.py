"""Public bug reports about decorations, review and undo, as tiny inputs with the right behaviour, named by case."""

from typing import Any

import pytest

from dsh_lsp.wire import DecidedNote
from tests.e2e.test_review import QUIET, decide, pending
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.leaving import leave
from tests.support.world import Via, World

OPENED = pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])


def lines(count: int) -> str:
    """A text of numbered lines."""
    return "".join(f"line {n}\n" for n in range(count))


async def test_D05_what_the_user_typed_inside_a_hunk_is_kept_and_told(world: World, via: Via) -> None:
    """Typing in a hunk is typing; keeping it leaves the text, and the agent hears that the user has modified it."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    uri = editor.open(world.file("a.txt", "a\nb\nc\n"))
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "agent")
    editor.type(uri, "agent", "agent and user")
    await editor.sync()

    assert [("kept", None)] == await decide(agent, "keep", all=True)
    note = DecidedNote.model_validate(await agent.next("dsh/decided"))
    assert ("kept", True) == (note.decision, note.user_modified)
    assert "a\nagent and user\nc\n" == editor.text(uri)


async def test_D06_a_replay_edits_nothing(world: World, via: Via) -> None:
    """An old session is looked at after the user went on: no edit is asked for, and the disk stays the user's."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", "a\n")
    editor.open(path)
    agent = await world.agent(via=via, sessionId="s")
    await agent.read("a.txt")
    await agent.edit("a.txt", "a", "S1")
    editor.type(path, "S1", "S2")
    editor.save(path)
    await editor.sync()
    await world.kill(editor)
    editor = await world.editor(VsCodeLike, ignore=QUIET | {"dsh/toolCall", "dsh/toolResult"})
    editor.open(path)
    agent = await world.agent(via=via, sessionId="other")
    await agent.request("dsh/session/replay", {"sessionId": "s", "notify": True})
    await editor.sync()

    assert [] == editor.take("workspace/applyEdit")
    assert ("S2\n", b"S2\n") == (editor.text(path), path.read_bytes())
    agent.take("dsh/toolCall")
    agent.take("dsh/toolResult")


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim])
async def test_D08_a_hunk_in_a_file_with_dos_line_ends_is_undone_byte_for_byte(
    world: World, via: Via, kind: Any
) -> None:
    """What the agent put in and what the undo puts back have the document's line ends."""
    editor = await world.editor(kind, ignore=QUIET)
    path = world.file("a.txt", b"a\r\nb\r\n")
    editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "a\nb", "a\nz\ny")
    await editor.until(lambda: "a\r\nz\r\ny\r\n" == editor.text(path))
    await decide(agent, "undo", all=True)
    await editor.until(lambda: "a\r\nb\r\n" == editor.text(path))
    editor.save(path)

    assert b"a\r\nb\r\n" == path.read_bytes()
    agent.take("dsh/decided")


async def test_D18_painting_edits_nothing(world: World) -> None:
    """Twenty keys near a hunk: its decoration follows, and nobody is asked for an edit."""
    editor = await world.editor(OwnClient, ignore=QUIET)
    uri = editor.open(world.file("a.txt", lines(10)))
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5\n", "LINE 5\n")
    await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    asked = len(editor.take("dsh/applyEdit"))
    for _ in range(20):
        editor.insert(uri, 0, "\n")
    await editor.decorated(uri, lambda hunks: hunks[0]["range"]["start"]["line"] == 25)

    assert 1 == asked
    assert [] == editor.take("dsh/applyEdit")
    assert "\n" * 20 + lines(10).replace("line 5", "LINE 5") == editor.text(uri)


@OPENED
async def test_E01_the_second_hunk_is_undone_where_it_is_by_now(world: World, via: Via, opened: bool) -> None:
    """Lines put in above have moved it; only it is restored."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", lines(30))
    if opened:
        editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 5\n", "LINE 5\n")
    await agent.edit("a.txt", "line 20\n", "LINE 20\n")
    _, second = await pending(agent)
    if opened:
        editor.insert(path, 0, "new\n" * 3)
        await editor.sync()
    else:
        path.write_bytes(b"new\n" * 3 + path.read_bytes())

    assert [("undone", None)] == await decide(agent, "undo", hunkIds=[second["id"]])
    expected = "new\n" * 3 + lines(30).replace("line 5\n", "LINE 5\n")
    assert expected == (editor.text(path) if opened else path.read_text())
    agent.take("dsh/decided")


async def test_E02_undoing_the_second_turn_leaves_what_was_kept_of_the_first(world: World, via: Via) -> None:
    """A file that was kept when it was created is there after the undo of a later edit."""
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via)
    await agent.write("f.txt", "a\n")
    assert [("kept", None)] == await decide(agent, "keep", all=True)
    await agent.edit("f.txt", "a", "b")

    assert [("undone", None)] == await decide(agent, "undo", all=True)
    assert b"a\n" == world.bytes("f.txt")
    agent.take("dsh/decided")


async def test_E04_undoing_all_is_one_edit_with_an_answer_for_each_hunk(world: World, via: Via) -> None:
    """Three hunks, one request to the editor, three statuses, and one step of the editor's own undo."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    uri = editor.open(world.file("a.txt", lines(30)))
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    for n in (3, 13, 23):
        await agent.edit("a.txt", f"line {n}\n", f"LINE {n}\nmore\n")
    editor.take("workspace/applyEdit")
    after = editor.text(uri)

    assert [("undone", None)] * 3 == await decide(agent, "undo", all=True)
    assert 1 == len(editor.take("workspace/applyEdit"))
    assert lines(30) == editor.text(uri)
    editor.undo(uri)
    assert after == editor.text(uri)
    agent.take("dsh/decided")
    agent.take("dsh/drift")


@OPENED
async def test_E05_an_overwritten_file_is_had_back(world: World, via: Via, opened: bool) -> None:
    """Bytes and mode are those from before."""
    editor = await world.editor(OwnClient, ignore=QUIET)
    path = world.file("f.sh", "old\n")
    path.chmod(0o755)
    if opened:
        editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("f.sh")
    await agent.write("f.sh", "new\nand more\n")
    await decide(agent, "undo", all=True)

    assert (b"old\n", 0o755) == (path.read_bytes(), path.stat().st_mode & 0o777)
    agent.take("dsh/decided")


@pytest.mark.parametrize("how", ["keep", "undo"])
async def test_E07_a_file_that_is_gone_is_not_written_again(world: World, via: Via, how: str) -> None:
    """Its hunks have no text to be decided in: nothing is decided, and nothing comes back."""
    await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("f.txt", "a\nb\n")
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    await agent.edit("f.txt", "a", "A")
    path.unlink()

    assert [] == await decide(agent, how, all=True)
    assert [] == await pending(agent)
    assert not path.exists()


async def test_E08_no_undo_of_the_editor_removes_a_created_file(world: World, via: Via) -> None:
    """The creation is not in the editor's undo stack: the file was made on the disk, and is opened after that."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via)
    await agent.write("new.txt", "agent\n")
    path = world.path("new.txt")
    editor.open(path)
    await agent.edit("new.txt", "agent", "agent 2")
    while editor.buffer(path).undo_steps:
        editor.undo(path)
    await editor.sync()

    assert ("agent\n", True) == (editor.text(path), path.exists())
    agent.take("dsh/drift")


async def test_E10_the_last_line_of_a_text_without_a_final_line_end(world: World, via: Via) -> None:
    r"""``\nz`` goes, and with it the line end before it: one line less and none more; the undo brings both back."""
    await world.editor(VsCodeLike, ignore=QUIET)
    world.file("x", b"x\ny\nz")
    agent = await world.agent(via=via)
    await agent.read("x")
    await agent.edit("x", "\nz", "")
    [hunk] = await pending(agent)

    assert ("deleted", 0, 1, "z") == (hunk["kind"], hunk["addedLines"], hunk["removedLines"], hunk["removedText"])
    assert "noNewlineAtEnd" not in hunk
    await decide(agent, "undo", all=True)
    assert b"x\ny\nz" == world.bytes("x")
    agent.take("dsh/decided")


async def test_E14_an_undo_in_the_buffer_reaches_the_disk_with_the_save(world: World, via: Via) -> None:
    """One source: the buffer; the disk has the text from before."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", "a\nb\n")
    editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    await decide(agent, "undo", all=True)
    editor.save(path)
    await editor.sync()

    assert b"a\nb\n" == path.read_bytes()
    assert [] == await pending(agent)
    agent.take("dsh/decided")


async def test_E15_neither_a_save_nor_closing_decides_anything(world: World, via: Via) -> None:
    """Only who says so decides: the hunk is pending after both."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", "a\nb\n")
    editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    [hunk] = await pending(agent)
    editor.save(path)
    await editor.sync()
    assert [hunk["id"]] == [each["id"] for each in await pending(agent)]
    editor.close(path)
    await editor.sync()

    assert [hunk["id"]] == [each["id"] for each in await pending(agent)]
    assert [] == agent.take("dsh/decided")


async def test_E15_what_was_saved_is_pending_though_the_buffer_had_it_undone(world: World, via: Via) -> None:
    """The user undoes in the buffer and closes it unsaved: the agent's change is on the disk, and not accepted."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", "a\nb\n")
    editor.open(path)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    [hunk] = await pending(agent)
    editor.save(path)
    editor.undo(path)
    await editor.sync()
    assert [] == await pending(agent)
    editor.close(path)
    await editor.sync()

    assert [hunk["id"]] == [each["id"] for each in await pending(agent)]
    assert [("undone", None)] == await decide(agent, "undo", all=True)
    assert b"a\nb\n" == path.read_bytes()
    agent.take("dsh/decided")
    agent.take("dsh/drift")


async def test_E15_what_was_saved_is_pending_after_a_restart_though_the_buffer_had_it_undone(world: World) -> None:
    """The same, and the editor ends before anybody has looked: the next one shows the agent's change as pending."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    path = world.file("a.txt", "a\nb\n")
    editor.open(path)
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "b", "B")
    [hunk] = await pending(agent)
    editor.save(path)
    editor.undo(path)
    await editor.sync()
    assert [] == await pending(agent)
    editor.close(path)
    await agent.close()
    await leave(editor)
    world.editors.remove(editor)
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent()

    assert [hunk["id"]] == [each["id"] for each in await pending(agent)]
    assert [("undone", None)] == await decide(agent, "undo", all=True)
    assert b"a\nb\n" == path.read_bytes()


async def test_E16_a_file_that_was_undone_can_be_written_again(world: World, via: Via) -> None:
    """Once the agent has seen that it is gone: twice created, twice a hunk of its own, no error."""
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via)
    first = await agent.write("n.txt", "one\n")
    [hunk] = await pending(agent)
    await decide(agent, "undo", all=True)
    assert not world.path("n.txt").exists()
    await agent.read("n.txt")
    second = await agent.write("n.txt", "one\n")
    [again] = await pending(agent)

    assert [False, False] == [first["isError"], second["isError"]]
    assert first["callId"] != second["callId"]
    assert hunk["id"] != again["id"]
    agent.take("dsh/decided")


async def test_E19_each_file_of_a_turn_has_its_own_hunk(world: World, via: Via) -> None:
    """Each with its text from before; undoing one leaves the other."""
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    for name in ("a.txt", "b.txt"):
        world.file(name, f"text of {name}\n")
    editor.open(world.path("a.txt"))
    agent = await world.agent(via=via)
    for name in ("a.txt", "b.txt"):
        await agent.read(name)
        await agent.edit(name, "text", "TEXT")

    assert {(world.uri(name), f"text of {name}") for name in ("a.txt", "b.txt")} == {
        (hunk["uri"], hunk["removedText"]) for hunk in await pending(agent)
    }
    await decide(agent, "undo", uri=world.uri("b.txt"))
    assert [world.uri("a.txt")] == [hunk["uri"] for hunk in await pending(agent)]
    assert (b"text of b.txt\n", "TEXT of a.txt\n") == (world.bytes("b.txt"), editor.text(world.path("a.txt")))
    agent.take("dsh/decided")


async def test_E21_closing_all_editors_decides_nothing(world: World, via: Via) -> None:
    """Five edits, every tab closed: all five are in the files and pending."""
    editor = await world.editor(OwnClient, ignore=QUIET)
    names = [f"{n}.txt" for n in range(5)]
    agent = await world.agent(via=via)
    for name in names:
        editor.open(world.file(name, "a\nb\n"))
        await agent.read(name)
        await agent.edit(name, "b", "B")
    for name in names:
        editor.close(world.path(name))
    await editor.sync()

    assert [b"a\nB\n"] * 5 == [world.bytes(name) for name in names]
    assert {world.uri(name) for name in names} == {hunk["uri"] for hunk in await pending(agent)}


async def test_decorations_name_the_agent_and_the_words(world: World) -> None:
    """Who made a hunk, by the name that it gave, and which words it changed."""
    editor = await world.editor(OwnClient, ignore=QUIET)
    uri = editor.open(world.file("a.txt", "x = \U0001f600 + one\nlast\n"))
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "one", "two")
    [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)

    assert "test agent" == hunk["author"]
    [word] = hunk["words"]
    first = len("x = \U0001f600 + ".encode())  # its client's positions are in UTF-8
    assert ((0, first), (0, first + 3)) == tuple((at["line"], at["character"]) for at in (word["start"], word["end"]))
