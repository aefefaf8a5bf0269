"""Two editors of one workspace: one hub, whose buffers and hunks both see; a file that both have open (G08)."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.support.applying import Rejecting
from tests.support.editor import StrictEditor
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.peer import RpcError
from tests.support.world import World


async def two(world: World, kind: Callable[..., StrictEditor] = OwnClient) -> tuple[StrictEditor, StrictEditor]:
    """Two editors of the workspace; the first one's process has the hub."""
    first = await world.editor(kind)
    await world.socket(first)
    second = await world.editor(kind)
    return first, second


async def used(editor: StrictEditor, do: Callable[[], Any]) -> None:
    """Something is done in an editor, and known to be done."""
    do()
    await editor.sync()


async def test_the_second_editor_joins_the_first_hub(world: World) -> None:
    """There is one server to be found, and a session is the same through either editor."""
    world.file("a.txt", "one\n")
    first, second = await two(world)
    found = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
    agent = await world.agent(second, sessionId="s-1")
    await agent.read("a.txt")
    listed = await second.request("dsh/session/list", {})
    again = await first.request("dsh/session/list", {})

    assert [first.process.pid] == [each.pid for each in found]
    assert ["s-1"] == [each["sessionId"] for each in listed["sessions"] if each["live"]]
    assert listed == again


async def test_each_editor_s_documents_are_seen_and_edited(world: World) -> None:
    """One agent edits what is unsaved in one editor and what is unsaved in the other."""
    first, second = await two(world, VsCodeLike)
    uris = [editor.open(world.file(name, "one\ntwo\n")) for editor, name in ((first, "a.txt"), (second, "b.txt"))]
    for editor, uri in zip((first, second), uris, strict=True):
        await used(editor, partial(editor.type, uri, "one", "typed"))
    agent = await world.agent(first)
    for name in ("a.txt", "b.txt"):
        await agent.read(name)
        assert not (await agent.edit(name, "two", "agent"))["isError"]

    assert ["typed\nagent\n"] * 2 == [first.text(uris[0]), second.text(uris[1])]
    assert {b"one\ntwo\n"} == {world.bytes("a.txt"), world.bytes("b.txt")}


@pytest.mark.parametrize("dirty", [0, 1])
async def test_G08_the_one_that_is_dirty_gets_the_edit(world: World, dirty: int) -> None:
    """Whichever was used last: unsaved text is the file's text, and the other editor is left alone (G08)."""
    path = world.file("a.txt", "one\ntwo\n")
    editors = await two(world, VsCodeLike)
    uris = [editor.open(path) for editor in editors]
    await used(editors[dirty], lambda: editors[dirty].type(uris[dirty], "one", "typed"))
    other = world.file("other.txt", "x\n")
    await used(editors[1 - dirty], lambda: editors[1 - dirty].type(editors[1 - dirty].open(other), "x", "y"))
    agent = await world.agent(editors[0])
    read = await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "agent")

    assert ("typed\ntwo\n", True) == (read["value"]["text"], read["value"]["dirty"])
    assert not edited["isError"]
    assert "typed\nagent\n" == editors[dirty].text(uris[dirty])
    assert "one\ntwo\n" == editors[1 - dirty].text(uris[1 - dirty])
    assert b"one\ntwo\n" == world.bytes("a.txt")
    _forgive_mirror(editors[1 - dirty], uris[1 - dirty])


@pytest.mark.parametrize("last", [0, 1])
async def test_G08_of_clean_ones_the_one_used_last_gets_the_edit(world: World, last: int) -> None:
    """It is saved there, and the other one reads the file again: both show the hunk (G08)."""
    path = world.file("a.txt", "one\ntwo\n")
    editors = await two(world)
    uris = [editor.open(path) for editor in editors]
    for editor in editors:
        await editor.sync()
    other = editors[last].open(world.file("other.txt", "x\n"))
    await used(editors[last], lambda: editors[last].type(other, "x", "y"))
    agent = await world.agent(editors[0])
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "agent")
    for editor, uri in zip(editors, uris, strict=True):
        await editor.until(partial(_has, editor, uri, "one\nagent\n"))
        await editor.decorated(uri, lambda hunks: len(hunks) == 1)

    assert not edited["isError"]
    assert b"one\nagent\n" == world.bytes("a.txt")
    asked = [len(editor.inbox.all("dsh/applyEdit")) for editor in editors]
    assert (1, 0) == (asked[last], asked[1 - last])
    assert editors[0].decorations(uris[0])[0]["id"] == editors[1].decorations(uris[1])[0]["id"]


async def test_G08_two_with_different_unsaved_text_are_a_conflict(world: World) -> None:
    """No edit goes anywhere; the refusal says where there is unsaved text, and what to do; a read says it too (G08)."""
    path = world.file("a.txt", "one\ntwo\n")
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    second = await world.editor(StockNeovim)
    uris = [editor.open(path) for editor in (first, second)]
    agent = await world.agent(first)
    await agent.read("a.txt")
    await used(first, lambda: first.type(uris[0], "one", "first"))
    await used(second, lambda: second.type(uris[1], "one", "second"))
    await second.request("textDocument/hover", _at(uris[1]))
    edited = await agent.edit("a.txt", "two", "agent")
    read = await agent.read("a.txt")
    again = await agent.edit("a.txt", "two", "agent")

    for refused in (edited, again):
        assert "FS_STALE_VERSION" == refused["error"]["code"]
        assert "different unsaved text in two editors" in refused["error"]["message"]
        assert {"Neovim", "Visual Studio Code"} == set(refused["error"]["details"]["unsavedIn"])
        assert "save the file in one of the two" in refused["content"][0]["text"]
    assert "second\ntwo\n" == read["value"]["text"]
    assert "different unsaved text in two editors" in read["content"][0]["text"]
    assert ["first\ntwo\n", "second\ntwo\n"] == [first.text(uris[0]), second.text(uris[1])]
    assert b"one\ntwo\n" == world.bytes("a.txt")
    # Saved in one, and read again in the other: the conflict is over.
    second.save(uris[1])
    first.close(uris[0])
    first.open(path)
    await second.sync()
    await first.sync()
    await agent.read("a.txt")
    assert not (await agent.edit("a.txt", "two", "agent"))["isError"]
    await _all_settled(first, second)


async def test_G08_nothing_is_undone_in_a_conflict(world: World) -> None:
    """The hunk stays, and the user is told which two editors are in the way (G08)."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world)
    uris = [editor.open(path) for editor in (first, second)]
    await used(second, lambda: None)
    await used(first, lambda: None)
    agent = await world.agent(first)
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    for editor, uri in zip((first, second), uris, strict=True):
        await editor.decorated(uri, lambda hunks: len(hunks) == 1)
        await used(editor, partial(editor.type, uri, "one", f"typed in {id(editor)}"))
    undone = await first.request("dsh/review/undo", {"all": True})
    listed = await first.request("dsh/review/list", {})

    assert ["conflict"] == [each["status"] for each in undone["results"]]
    assert "different unsaved text in two editors" in undone["results"][0]["reason"]
    assert 1 == len(listed["hunks"])
    assert all(editor.text(uri).endswith("TWO\n") for editor, uri in zip((first, second), uris, strict=True))
    for editor, uri in zip((first, second), uris, strict=True):
        _forgive_mirror(editor, uri)


async def test_G08_the_same_unsaved_text_in_both_is_no_conflict(world: World) -> None:
    """The one that was used last gets the edit."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world, VsCodeLike)
    uris = [editor.open(path) for editor in (first, second)]
    await used(second, lambda: second.type(uris[1], "one", "same"))
    await used(first, lambda: first.type(uris[0], "one", "same"))
    agent = await world.agent(first)
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "agent")

    assert not edited["isError"]
    assert ["same\nagent\n", "same\ntwo\n"] == [first.text(uris[0]), second.text(uris[1])]
    _forgive_mirror(second, uris[1])
    _forgive_mirror(first, uris[0])


async def test_typing_in_the_other_editor_takes_the_hunks_there(world: World) -> None:
    """Pending hunks follow the text that is the file's: with what is typed beside them, and undone there."""
    path = world.file("a.txt", "one\ntwo\nthree\n")
    first, second = await two(world)
    uris = [editor.open(path) for editor in (first, second)]
    await used(first, lambda: None)
    agent = await world.agent(first)
    await agent.read("a.txt")
    await agent.edit("a.txt", "three", "THREE")
    await first.until(lambda: first.text(uris[0]) == "one\ntwo\nTHREE\n")
    await second.until(lambda: second.text(uris[1]) == "one\ntwo\nTHREE\n")
    [hunk] = await first.decorated(uris[0], lambda hunks: len(hunks) == 1)
    await used(first, lambda: first.type(uris[0], "one", "one\nmore"))
    [moved] = await first.decorated(uris[0], lambda hunks: [h["range"]["start"]["line"] for h in hunks] == [3])
    await second.decorated(uris[1], lambda hunks: hunks == [])
    undone = await second.request("dsh/review/undo", {"hunkIds": [hunk["id"]]})

    assert hunk["id"] == moved["id"]
    assert ["undone"] == [each["status"] for each in undone["results"]]
    assert "one\nmore\ntwo\nthree\n" == first.text(uris[0])
    assert "one\ntwo\nTHREE\n" == second.text(uris[1])
    _forgive_mirror(second, uris[1])


async def test_a_hunk_that_is_kept_in_one_editor_is_gone_in_both(world: World) -> None:
    """A decision is about the file."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world)
    uris = [editor.open(path) for editor in (first, second)]
    for editor in (first, second):
        await editor.sync()
    agent = await world.agent(first)
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    for editor, uri in ((first, uris[0]), (second, uris[1])):
        await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    await first.request("dsh/review/keep", {"all": True})
    for editor, uri in ((first, uris[0]), (second, uris[1])):
        await editor.decorated(uri, lambda hunks: hunks == [])

    assert {"one\nTWO\n"} == {first.text(uris[0]), second.text(uris[1])}


async def test_cards_come_to_every_editor_that_paints_them(world: World) -> None:
    """The same ones."""
    world.file("a.txt", "one\n")
    first, second = await two(world)
    agent = await world.agent(first)
    await agent.read("a.txt")
    cards = [await editor.next("dsh/toolResult") for editor in (first, second)]

    assert cards[0] == cards[1]


@pytest.mark.parametrize("last", [0, 1])
async def test_the_user_is_asked_in_the_editor_used_last(world: World, last: int) -> None:
    """Once, and nowhere else."""
    editors = await two(world, VsCodeLike)
    for editor in editors:
        editor.answers["window/showMessageRequest"] = lambda params: params["actions"][0]
    uri = editors[last].open(world.file("a.txt", "one\n"))
    await used(editors[last], lambda: editors[last].type(uri, "one", "two"))
    agent = await world.agent(editors[0])
    result = await agent.run("bash", command="true")

    assert not result["isError"]
    asked = [len(editor.inbox.all("window/showMessageRequest")) for editor in editors]
    assert (1, 0) == (asked[last], asked[1 - last])


async def test_closing_one_editor_leaves_the_other_s_documents_alone(world: World) -> None:
    """What only the first had open is on the disk again; the second's unsaved text stays what agents see."""
    first, second = await two(world, VsCodeLike)
    world.file("a.txt", "one\n")
    world.file("b.txt", "one\n")
    mine, its = second.open(world.path("a.txt")), second.open(world.path("b.txt"))
    await used(second, lambda: second.type(mine, "one", "typed"))
    third = await world.editor(VsCodeLike)
    theirs = third.open(world.path("b.txt"))
    await used(third, lambda: third.type(theirs, "one", "other"))
    agent = await world.agent(first)
    before = await agent.read("b.txt")
    await third.shutdown()
    after = await agent.read("b.txt")
    kept = await agent.read("a.txt")

    assert ["other\n", "one\n"] == [each["value"]["text"] for each in (before, after)]
    assert "typed\n" == kept["value"]["text"]
    second.close(its)


async def test_a_rejected_edit_in_one_editor_is_not_tried_in_the_other(world: World) -> None:
    """Whose buffer it is has said no."""
    path = world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    second = await world.editor(VsCodeLike, applying=Rejecting("read-only"))
    first.open(path)
    await first.sync()
    uri = second.open(path)
    await second.sync()
    agent = await world.agent(first)
    await agent.read("a.txt")
    refused = await agent.edit("a.txt", "one", "two")

    assert "FS_APPLY_REJECTED" == refused["error"]["code"]
    assert ["one\n"] * 2 == [first.text(path.as_uri()), second.text(uri)]


async def test_the_workspace_is_the_union_of_the_editors_folders(world: World, tmp_path: Path) -> None:
    """While they are attached: when one leaves, so do the folders that only it had."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("b\n")
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    second = await world.editor(VsCodeLike, folders=[world.workspace, other])
    agent = await world.agent(first)
    read = await agent.read(other / "b.txt")
    found = await asyncio.to_thread(discovery.find, other, [world.runtime])
    await second.shutdown()
    await _eventually(lambda: asyncio.to_thread(discovery.find, other, [world.runtime]), [])
    refused = await agent.read(other / "b.txt")

    assert "b\n" == read["value"]["text"]
    assert [first.process.pid] == [each.pid for each in found]
    assert "FS_SANDBOX_DENIED" == refused["error"]["code"]


async def test_a_folder_that_another_hub_has_is_not_added_and_the_user_is_told(world: World, tmp_path: Path) -> None:
    """The editor joins the hub of its first folder, and learns what to do about the other one."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("b\n")
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    elsewhere = await world.editor(VsCodeLike, folders=[other])
    await _eventually(lambda: _pids(world, other), [elsewhere.process.pid])
    both = await world.editor(VsCodeLike, folders=[world.workspace, other])
    told = await both.next("window/showMessage")
    agent = await world.agent(first)
    refused = await agent.read(other / "b.txt")

    assert "the folder other" in told["message"]
    assert "Close it in the other window" in told["message"]
    assert "FS_SANDBOX_DENIED" == refused["error"]["code"]
    assert [elsewhere.process.pid] == await _pids(world, other)


async def test_an_agent_can_not_make_itself_an_editor(world: World) -> None:
    """It would answer the user's questions; its connection is closed."""
    await world.editor(VsCodeLike)
    agent = await world.agent(session=False)
    await agent.close()
    stranger = await Agent.connect(await world.socket())
    params = {"protocolVersion": 1, "folders": [world.workspace.as_uri()], "secret": "", "pid": 1}
    with pytest.raises(RpcError) as refusal:
        await stranger.request("dsh/editor/attach", params)
    await stranger.until_gone()
    await stranger.close()

    assert (-32600, "only a server of the same user can attach an editor") == (
        refusal.value.code,
        refusal.value.message,
    )


async def test_two_that_start_at_the_same_time_are_one_hub(world: World) -> None:
    """Whichever is faster."""
    editors = await asyncio.gather(*(world.editor(VsCodeLike) for _ in range(4)))
    await asyncio.gather(*(editor.sync() for editor in editors))
    await world.socket(editors[0])

    assert 1 == len(await _pids(world, world.workspace))


async def test_what_one_editor_s_settings_deny_is_denied_while_it_is_here(world: World) -> None:
    """The strictest of the users' answers holds, whichever editor began the hub."""
    first = await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow"}})
    await world.socket(first)
    second = await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "deny"}})
    agent = await world.agent(first)
    denied = await agent.run("bash", command="true")
    await second.shutdown()
    await _eventually(lambda: _code(agent), None)

    assert "DENIED" == denied["error"]["code"]


async def _code(agent: Any) -> str | None:
    result = await agent.run("bash", command="true")
    return None if not result["isError"] else str(result["error"]["code"])


async def _pids(world: World, folder: Path) -> list[int]:
    return [each.pid for each in await asyncio.to_thread(discovery.find, folder, [world.runtime])]


async def _eventually(look: Callable[[], Awaitable[Any]], wanted: Any) -> None:
    """Look until it is so."""
    async with asyncio.timeout(10.0):
        while await look() != wanted:
            pass


def _has(editor: StrictEditor, uri: str, text: str) -> bool:
    return editor.text(uri) == text


async def _all_settled(*editors: StrictEditor) -> None:
    for editor in editors:
        await editor.sync()
        for uri in list(editor.buffers):
            _forgive_mirror(editor, uri)


def _at(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


def _forgive_mirror(editor: StrictEditor, uri: str) -> None:
    """Close a document of which agents rightly see another editor's text."""
    editor.close(uri)
