"""What a session may ask for: stale edits rebased, a second try; and dry runs, in the buffer and on the disk."""

import pytest

from tests.support.applying import LikeVsCode, UserTypesDuringApply
from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.world import Via, World

COURTESY = IGNORED | {"dsh/drift"}
"""Messages that a test reads only where they are what it is about."""

TEXT = "".join(f"line {n}\n" for n in range(1, 10))


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim, OwnClient])
async def test_a_stale_edit_is_rebased_in_the_buffer(world: World, via: Via, kind: type[VsCodeLike]) -> None:
    """The user has typed elsewhere since the read: both are there, and the agent is told what the user did."""
    editor = await world.editor(kind, ignore=COURTESY)
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent(via=via, onStale="rebase")
    await agent.read("a.txt")
    editor.type(uri, "line 2", "typed")
    await editor.sync()
    edited = await agent.edit("a.txt", "line 8", "edited")

    assert TEXT.replace("line 2", "typed").replace("line 8", "edited") == editor.text(uri)
    assert [{"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 1}] == edited["value"]["rebased"]["changes"]
    assert "elsewhere (changed lines: 2); the edit was applied" in edited["content"][0]["text"]
    assert (await agent.edit("a.txt", "typed", "again"))["value"].get("rebased") is None


async def test_an_edit_is_rebased_over_what_is_typed_while_it_is_on_its_way(world: World, via: Via) -> None:
    """The editor refuses it by version; it is made anew for the text that there is then."""
    types = UserTypesDuringApply(lambda editor, uri: editor.type(uri, "line 2", "typed"), LikeVsCode())
    editor = await world.editor(VsCodeLike, ignore=COURTESY, applying=types)
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent(via=via, onStale="rebase")
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "line 8", "edited")

    assert not edited["isError"]
    assert TEXT.replace("line 2", "typed").replace("line 8", "edited") == editor.text(uri)
    assert len(editor.take("workspace/applyEdit")) > 1


async def test_a_stale_edit_is_rebased_on_the_disk(world: World, via: Via) -> None:
    """Somebody else has written the file; their bytes stay as they are."""
    await world.editor(VsCodeLike, ignore=COURTESY)
    file = world.file("a.txt", TEXT)
    agent = await world.agent(via=via, onStale="rebase")
    await agent.read("a.txt")
    file.write_bytes(TEXT.replace("line 2", "other").replace("\n", "\r\n").encode())
    edited = await agent.edit("a.txt", "line 8", "edited")

    expected = TEXT.replace("line 2", "other").replace("line 8", "edited").replace("\n", "\r\n")
    assert expected.encode() == file.read_bytes()
    assert edited["value"]["rebased"]["total"] == 1


async def test_a_session_that_does_not_ask_is_refused(world: World) -> None:
    """Of two sessions over the same file only the one that asked for it is rebased; an overlap is refused to both."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(world.file("a.txt", TEXT))
    plain, rebasing = await world.agent(), await world.agent(onStale="rebase")
    await plain.read("a.txt")
    await rebasing.read("a.txt")
    editor.type(uri, "line 2", "typed")
    await editor.sync()
    refused = await plain.edit("a.txt", "line 8", "edited")
    overlap = await rebasing.edit("a.txt", "line 2\nline 3", "edited")

    assert ["FS_STALE_VERSION"] * 2 == [refused["error"]["code"], overlap["error"]["code"]]
    assert "Changed lines: 2." in overlap["error"]["message"]
    assert TEXT.replace("line 2", "typed") == editor.text(uri)


class AddsFinalLineEnd(VsCodeLike):
    """An editor that shows every file with an end of its last line."""

    def loaded(self, text: str) -> str:
        """With one."""
        return text if text.endswith("\n") else f"{text}\n"


@pytest.mark.parametrize("typed", [False, True])
async def test_a_file_that_was_opened_since_is_not_called_changed(world: World, *, typed: bool) -> None:
    """What loading does to a text (a final line end) is no drift; typing after it is, and alone."""
    editor = await world.editor(AddsFinalLineEnd, ignore=COURTESY)
    file = world.file("a.txt", TEXT.removesuffix("\n"))
    agent = await world.agent(onStale="rebase")
    await agent.read("a.txt")
    uri = editor.open(file)
    await editor.sync()
    await agent.request("dsh/ledger/query", {"sessionId": agent.session_id})
    if typed:
        editor.type(uri, "line 2", "typed")
        await editor.sync()
    edited = await agent.edit("a.txt", "line 8", "edited")

    assert (1 if typed else 0) == edited["value"].get("rebased", {"total": 0})["total"]
    expected = TEXT.replace("line 8", "edited")
    assert (expected.replace("line 2", "typed") if typed else expected) == editor.text(uri)


async def test_a_second_try_in_the_buffer(world: World, via: Via) -> None:
    """The file's own characters are replaced, and the result says which they were."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(world.file("a.md", "it’s\nit‘s — ok\n"))
    agent = await world.agent(via=via, unicodeFallback=True)
    await agent.read("a.md")
    ambiguous = await agent.edit("a.md", "it's", "x")
    edited = await agent.edit("a.md", "it's - ok", "fine")

    assert "FS_AMBIGUOUS_EDIT" == ambiguous["error"]["code"]
    assert "it’s\nfine\n" == editor.text(uri)
    assert [2] == edited["value"]["secondTries"][0]["lines"]


async def test_B13_a_dry_run_leaves_buffer_disk_and_hunks_alone(world: World, via: Via) -> None:
    """No edit is sent, nothing is painted, nothing was observed: the next edit is as if it had not been."""
    editor = await world.editor(OwnClient, ignore=COURTESY)
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent(via=via)
    read = await agent.read("a.txt")
    about = {"file_path": "a.txt", "old_string": "line", "new_string": "row", "replace_all": True}
    dry = await agent.run("edit", **about, dry_run=True)
    await editor.sync()

    assert ("buffer", 9, False) == (dry["value"]["via"], dry["value"]["replacements"], dry["value"]["saved"])
    assert TEXT == editor.text(uri)
    assert [] == editor.take("dsh/applyEdit") == editor.take("dsh/decorations")
    observed = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id, "uri": uri})
    assert read["value"]["version"] == observed["observations"][0]["version"]
    wet = await agent.run("edit", **about)
    assert wet["value"]["hunks"] == dry["value"]["hunks"]
    assert ["generic", "diff"] == [note["view"]["card"] for note in editor.take("dsh/toolResult")[1:]]


async def test_B18_a_thousand_edits_that_fail_are_a_thousand_typed_errors(world: World, via: Via) -> None:
    """The server is the same process afterwards, and the next call works."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    world.file("a.txt", TEXT)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    pid = editor.process.pid
    codes = [(await agent.edit("a.txt", f"nothing {n}", "x"))["error"]["code"] for n in range(1_000)]

    assert ["FS_EDIT_NOT_FOUND"] * 1_000 == codes
    assert not (await agent.edit("a.txt", "line 1\n", "x\n"))["isError"]
    assert pid == editor.process.pid
