"""Public bug reports about open buffers, as tiny inputs with the right behaviour; each test is named by its case."""

import re

import pytest

from tests.support.applying import AnswersLate, Exactly, LikeVsCode, Lying, Rejecting, Silent, UserTypesDuringApply
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import EglotLike, NoApplyEdit, OwnClient, StockNeovim, VsCodeLike
from tests.support.sending import DelayedChange
from tests.support.world import Via, World

QUICK = {"timing": {"answer": 0.6, "confirm": 0.5, "settle": 0.25}}
"""Deadlines for editors that never answer, so that the tests are short."""

COURTESY = IGNORED | {"dsh/drift"}
"""Messages that a test reads only where they are what it is about."""


def code(result: dict[str, object]) -> object:
    """The code of a failed result."""
    error = result.get("error")
    return error["code"] if isinstance(error, dict) else None


async def test_C06_the_second_of_two_writers_is_stale(world: World, via: Via) -> None:
    """Observations are per session: what one agent wrote, the other has not seen."""
    file = world.file("f.txt", "old\n")
    await world.editor(OwnClient, ignore=COURTESY)
    first, second = await world.agent(via=via), await world.agent(via="socket")
    await first.read("f.txt")
    await second.read("f.txt")

    wrote = await first.write("f.txt", "A\n")
    refused = await second.write("f.txt", "B\n")

    assert wrote["isError"] is False
    assert code(refused) == "FS_STALE_VERSION"
    assert file.read_bytes() == b"A\n"


async def test_C07_what_the_user_typed_while_the_edit_was_on_its_way_is_kept(world: World, via: Via) -> None:
    """The editor refuses by version; the text is no longer what the agent saw: FS_STALE_VERSION, and nothing lost."""
    file = world.file("f.txt", "one\ntwo\n")
    types = UserTypesDuringApply(lambda editor, uri: editor.type(uri, "one", "ONE"), LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=types)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "two", "TWO")

    assert code(result) == "FS_STALE_VERSION"
    assert editor.text(uri) == "ONE\ntwo\n"
    assert file.read_bytes() == b"one\ntwo\n"


async def test_C07_a_new_version_of_the_same_text_does_not_make_an_edit_stale(world: World, via: Via) -> None:
    """A refusal whose cause left the observed text intact is retried inside the call."""
    file = world.file("f.txt", "one\ntwo\n")
    types = UserTypesDuringApply(lambda editor, uri: editor.replace(uri, 0, 1, "o"), LikeVsCode(), times=2)
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=types)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "two", "TWO")

    assert result["isError"] is False
    assert len(editor.take("workspace/applyEdit")) == 3
    assert editor.text(uri) == "one\nTWO\n"


async def test_C13_typing_between_read_and_edit_is_stale_before_any_matching(world: World, via: Via) -> None:
    """The version is checked before the text is searched: never "not found" for a file that has moved on."""
    file = world.file("f.txt", "a\nb\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    editor.type(uri, "a", "a!")
    await editor.sync()

    stale = await agent.edit("f.txt", "b", "c")
    nowhere = await agent.edit("f.txt", "not in the file", "c")

    assert [code(stale), code(nowhere)] == ["FS_STALE_VERSION", "FS_STALE_VERSION"]
    assert editor.text(uri) == "a!\nb\n"


async def test_D01_unsaved_typing_and_an_edit_live_together(world: World, via: Via) -> None:
    """The buffer is the truth: it is read, it is edited, and the disk is left alone."""
    file = world.file("f.txt", "a\nb\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    editor.type(uri, "a", "USER")
    await editor.sync()
    agent = await world.agent(via=via)

    read = await agent.read("f.txt")
    edited = await agent.edit("f.txt", "b", "B")

    assert read["value"]["text"] == "USER\nb\n"
    assert edited["value"]["saved"] is False
    assert editor.text(uri) == "USER\nB\n"
    assert file.read_bytes() == b"a\nb\n"


async def test_D02_what_is_read_of_an_open_file_is_the_buffer(world: World, via: Via) -> None:
    """A read of an open document says that it is the buffer, and that the disk has not got it."""
    file = world.file("f.txt", "x\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    clean = await agent.read("f.txt")
    editor.type(uri, "x", "y")
    await editor.sync()

    dirty = await agent.read("f.txt")

    assert (clean["value"]["via"], clean["value"]["dirty"], clean["value"]["text"]) == ("buffer", False, "x\n")
    assert (dirty["value"]["via"], dirty["value"]["dirty"], dirty["value"]["text"]) == ("buffer", True, "y\n")


async def test_D16_the_editors_undo_takes_the_hunks_away(world: World, via: Via) -> None:
    """One call is one undo step; undone, its hunks are gone, and the agent's knowledge is out of date."""
    text = "".join(f"line {n}\n" for n in range(20))
    file = world.file("f.txt", text)
    editor = await world.editor(OwnClient, ignore=COURTESY, dsh={"decorations": True})
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    edited = await agent.run("edit", file_path="f.txt", old_string="line 1", new_string="LINE 1", replace_all=True)
    assert edited["value"]["replacements"] == 11
    assert len(await editor.decorated(uri, lambda hunks: len(hunks) == 2)) == 2

    editor.undo(uri)

    assert await editor.decorated(uri, lambda hunks: not hunks) == []
    assert editor.text(uri) == text
    assert code(await agent.edit("f.txt", "line 3", "x")) == "FS_STALE_VERSION"
    await agent.next("dsh/drift")


@pytest.mark.parametrize("reason", ["the buffer is read-only", None])
async def test_D21_a_refusal_is_told_with_its_reason_and_the_disk_is_left_alone(
    world: World, via: Via, reason: str | None
) -> None:
    """`applied: false` is FS_APPLY_REJECTED with the editor's reason, or that it gave none; the disk is not written."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=Rejecting(reason), initialization_options=QUICK)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "a", "b")

    assert code(result) == "FS_APPLY_REJECTED"
    assert (reason or "gave no reason") in result["error"]["message"]
    assert editor.text(uri) == "a\n"
    assert file.read_bytes() == b"a\n"


async def test_D24_version_zero_is_sent_as_it_is(world: World, via: Via) -> None:
    """An edit names the exact version that the document was opened with, also 0, and is applied."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file, version=0)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "a", "b")

    assert result["isError"] is False
    [request] = editor.take("workspace/applyEdit")
    [change] = request["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 0}
    assert editor.text(uri) == "b\n"


async def test_G09_an_editor_that_can_not_be_asked_is_not_written_behind(world: World, via: Via) -> None:
    """Without `workspace.applyEdit` an edit of an open document is refused, with no silent way around by the disk."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(NoApplyEdit, ignore=COURTESY)
    editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "a", "b")

    assert code(result) == "FS_APPLY_REJECTED"
    assert "workspace/applyEdit" in result["error"]["message"]
    assert file.read_bytes() == b"a\n"


async def test_G11_a_change_that_is_late_wins_over_the_edit(world: World, via: Via) -> None:
    """The editor knows of typing that the server has not heard of: it refuses by version, and the call is stale."""
    file = world.file("f.txt", "a\nb\n")
    sending = DelayedChange()
    late = UserTypesDuringApply(lambda _editor, _uri: sending.release(), Exactly(), times=0)
    editor = await world.editor(OwnClient, ignore=COURTESY, dsh={}, sending=sending, applying=late)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    editor.type(uri, "a", "a!")

    running = agent.start("edit", file_path="f.txt", old_string="b", new_string="c")
    await editor.next("workspace/applyEdit")
    sending.release()
    result = await running.result()

    assert code(result) == "FS_STALE_VERSION"
    assert editor.text(uri) == "a!\nb\n"


async def test_G12_an_edit_has_one_form(world: World, via: Via) -> None:
    """An edit is sent as `documentChanges` of one document and never as `changes` beside it."""
    file = world.file("f.txt", "a\nb\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    await agent.edit("f.txt", "a", "A")

    [request] = editor.take("workspace/applyEdit")

    assert set(request) == {"edit"}
    assert set(request["edit"]) == {"documentChanges"}
    assert len(request["edit"]["documentChanges"]) == 1


async def test_a_yes_without_the_text_is_unconfirmed(world: World, via: Via) -> None:
    """`applied: true` proves nothing: without the text the outcome is open, and the agent is told to read."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=Lying(), initialization_options=QUICK)
    editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "a", "b")

    assert code(result) == "FS_APPLY_UNCONFIRMED"
    assert result["error"]["details"]["answered"] is True
    assert file.read_bytes() == b"a\n"


async def test_silence_is_unconfirmed_and_not_a_refusal(world: World, via: Via) -> None:
    """An editor that never answers leaves the outcome open; other calls go on."""
    file = world.file("f.txt", "a\n")
    world.file("g.txt", "g\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=Silent(), initialization_options=QUICK)
    editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    running = agent.start("edit", file_path="f.txt", old_string="a", new_string="b")
    other = await agent.read("g.txt")
    result = await running.result()

    assert other["isError"] is False
    assert code(result) == "FS_APPLY_UNCONFIRMED"
    assert result["error"]["details"]["answered"] is False


async def test_an_edit_that_arrives_after_the_time_out_is_seen(world: World, via: Via) -> None:
    """A time-out is not "not applied": the late edit is in the mirror, and the next edit from old memory is stale."""
    file = world.file("f.txt", "a\nb\n")
    late = AnswersLate(LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=late, initialization_options=QUICK)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    assert code(await agent.edit("f.txt", "a", "A")) == "FS_APPLY_UNCONFIRMED"

    late.release()
    await editor.until(lambda: editor.text(uri) == "A\nb\n")
    await agent.next("dsh/drift")

    assert code(await agent.edit("f.txt", "b", "B")) == "FS_STALE_VERSION"
    assert (await agent.read("f.txt"))["value"]["text"] == "A\nb\n"


async def test_an_edit_that_arrives_after_the_time_out_is_pending(world: World) -> None:
    """A blocked editor applies it when the user presses a key: it is painted and can be undone like any other."""
    file = world.file("f.txt", "a\nb\n")
    late = AnswersLate(LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=late, initialization_options=QUICK)
    uri = editor.open(file)
    agent = await world.agent()
    await agent.read("f.txt")
    assert code(await agent.edit("f.txt", "a", "A")) == "FS_APPLY_UNCONFIRMED"
    assert (await agent.request("dsh/review/list", {}))["hunks"] == []

    editor.applying = LikeVsCode()
    late.release()
    await editor.until(lambda: editor.text(uri) == "A\nb\n")
    await agent.next("dsh/drift")

    [hunk] = (await agent.request("dsh/review/list", {}))["hunks"]
    assert ("modified", "a") == (hunk["kind"], hunk["removedText"])
    await agent.request("dsh/review/undo", {"all": True})
    assert editor.text(uri) == "a\nb\n"
    [note] = agent.take("dsh/decided")
    assert note["userModified"] is False


async def test_an_editor_that_refuses_with_an_error_is_understood(world: World, via: Via) -> None:
    """A JSON-RPC error for an edit of another version (eglot) is a refusal like any other."""
    file = world.file("f.txt", "one\ntwo\n")
    editor = await world.editor(EglotLike, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    editor.type(uri, "one", "ONE")

    assert code(await agent.edit("f.txt", "two", "TWO")) == "FS_STALE_VERSION"
    await agent.read("f.txt")
    assert (await agent.edit("f.txt", "two", "TWO"))["isError"] is False
    assert editor.text(uri) == "ONE\nTWO\n"


async def test_a_stock_neovim_is_not_believed(world: World, via: Via) -> None:
    """It says yes to an edit that it skips; the text that comes back shows it, and the call is stale."""
    file = world.file("f.txt", "one\ntwo\n")
    editor = await world.editor(StockNeovim, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    editor.type(uri, "one", "ONE")

    stale = await agent.edit("f.txt", "two", "TWO")

    assert code(stale) == "FS_STALE_VERSION"
    assert editor.text(uri) == "ONE\ntwo\n"
    await agent.read("f.txt")
    assert (await agent.edit("f.txt", "two", "TWO"))["isError"] is False
    assert editor.text(uri) == "ONE\nTWO\n"


async def test_typing_and_an_edit_in_one_message_are_told_apart(world: World, via: Via) -> None:
    """Neovim sends what happened in 150 ms as one range; an edit in it is found, and the typing is the user's."""
    text = "".join(f"line {n}\n" for n in range(20))
    file = world.file("f.txt", text)

    class TypesAfterwards:
        def __call__(self, editor: StrictEditor, request: object) -> None:
            usual(editor, request)  # type: ignore[arg-type]
            editor.type(uri, "line 15", "line fifteen")

    editor = await world.editor(StockNeovim, ignore=COURTESY, dsh={"decorations": True}, applying=TypesAfterwards())
    usual = editor.usual_applying()
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    result = await agent.edit("f.txt", "line 3\n", "line three\n")

    assert result["isError"] is False
    expected = text.replace("line 3\n", "line three\n").replace("line 15", "line fifteen")
    assert editor.text(uri) == expected
    [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    assert hunk["removedText"] == "line 3"
    assert code(await agent.edit("f.txt", "line 4", "x")) == "FS_STALE_VERSION"


async def test_a_clean_document_is_saved_with_the_edit_and_what_a_formatter_does_belongs_to_it(
    world: World, via: Via
) -> None:
    """A client of ours saves what was clean; the outcome, its hunks and the observation are those after the save."""
    file = world.file("f.py", "x=1\ny=2\n")
    editor = await world.editor(OwnClient, ignore=COURTESY, formatter=lambda text: re.sub(" *= *", " = ", text))
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.py")

    edited = await agent.edit("f.py", "x=1", "x=3")
    again = await agent.edit("f.py", "y = 2", "y = 4")

    assert edited["value"]["saved"] is True
    assert (edited["value"]["added"], edited["value"]["removed"]) == (2, 2)
    assert again["isError"] is False
    assert file.read_bytes() == editor.text(uri).encode() == b"x = 3\ny = 4\n"


async def test_unsaved_typing_is_never_saved_for_the_user(world: World, via: Via) -> None:
    """A document with unsaved typing is edited and not saved, and the result says that the disk has the old text."""
    file = world.file("f.txt", "a\nb\n")
    editor = await world.editor(OwnClient, ignore=COURTESY)
    uri = editor.open(file)
    editor.type(uri, "a", "mine")
    agent = await world.agent(via=via)
    await agent.read("f.txt")

    edited = await agent.edit("f.txt", "b", "B")

    assert edited["value"]["saved"] is False
    assert "disk still has the old text" in edited["content"][0]["text"]
    assert editor.take("dsh/saveDocument") == []
    assert file.read_bytes() == b"a\nb\n"


async def test_C10_a_clean_buffer_older_than_the_disk_is_reloaded_or_said(world: World, via: Via) -> None:
    """A client of ours reloads when asked; of another the disk's text is read, with a note, and edits are refused."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(OwnClient, ignore=COURTESY)
    uri = editor.open(file)
    await editor.sync()
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    file.write_bytes(b"b\n")

    read = await agent.read("f.txt")

    assert (read["value"]["text"], read["value"]["via"]) == ("b\n", "buffer")
    assert (read["value"]["dirty"], read["value"]["notes"]) == (False, [])
    assert editor.text(uri) == "b\n"
    assert (await agent.edit("f.txt", "b", "c"))["isError"] is False


async def test_C10_a_stock_editor_that_has_not_reloaded_is_not_edited(world: World, via: Via) -> None:
    """The disk's text is served with a note; an edit would land on the old text, and is refused with the reason."""
    file = world.file("f.txt", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    file.write_bytes(b"b\n")

    read = await agent.read("f.txt")
    refused = await agent.edit("f.txt", "b", "c")

    assert (read["value"]["text"], read["value"]["via"]) == ("b\n", "disk")
    assert "not been reloaded" in read["value"]["notes"][0]
    assert code(refused) == "FS_APPLY_REJECTED"
    assert file.read_bytes() == b"b\n"


async def test_a_large_open_document_is_edited_like_any_other(world: World, via: Via) -> None:
    """5 MB in the buffer: one line is edited, the rest is not sent, and a text that is not there is explained."""
    text = "".join(f"{n:_>49}\n" for n in range(100_000))
    file = world.file("large.txt", text)
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("large.txt", within=30)

    edited = await agent.edit("large.txt", "_50000\n", "_50000 and more\n")
    missing = await agent.edit("large.txt", "_50001 and\n\tmore", "x")

    assert edited["isError"] is False
    assert code(missing) == "FS_EDIT_NOT_FOUND"
    assert editor.text(uri) == text.replace("_50000\n", "_50000 and more\n")
    [request] = editor.take("workspace/applyEdit")
    [edit] = request["edit"]["documentChanges"][0]["edits"]
    assert len(edit["newText"]) < 100


async def test_a_save_that_is_told_of_at_once_after_the_opening_counts(world: World, via: Via) -> None:
    """The document is clean then, also when the server had not yet looked at which file it is."""
    path = world.file("a.txt", "one\n")
    editor = await world.editor(VsCodeLike)
    uri = editor.open(path)
    editor.type(uri, "one", "typed")
    editor.save(uri)
    agent = await world.agent(via=via)
    read = await agent.read("a.txt")

    assert ("typed\n", False) == (read["value"]["text"], read["value"]["dirty"])
