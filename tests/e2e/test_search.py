"""Searches through a running server: what a person types is found before it is saved."""

import os

from tests.support.editor import IGNORED
from tests.support.editors import VsCodeLike
from tests.support.world import Via, World

COURTESY = IGNORED | {"dsh/drift"}
"""Messages that are beside the point here."""


async def test_D02_what_is_typed_is_found_by_read_and_grep(world: World, via: Via) -> None:
    """Both see the buffer, say that it is one and that it is unsaved; the disk's text is nowhere to be found."""
    file = world.file("f.txt", "x\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    editor.type(uri, "x", "y")
    agent = await world.agent(via=via)

    read = await agent.read("f.txt")
    new = await agent.run("grep", pattern="y")
    old = await agent.run("grep", pattern="x")

    assert ("y\n", "buffer", True) == tuple(read["value"][member] for member in ("text", "via", "dirty"))
    [found] = new["value"]["files"]
    assert ("f.txt", "buffer", True) == tuple(found[member] for member in ("path", "via", "dirty"))
    assert ["Searched as unsaved text in the editor, not as on the disk: f.txt."] == new["value"]["notes"]
    assert 0 == old["value"]["total"]
    assert b"x\n" == world.bytes("f.txt")


async def test_a_new_document_is_listed_and_searched(world: World, via: Via) -> None:
    """An editor's document that has no file yet is one of the workspace's files."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(world.path("new/f.py"), "\n")
    editor.insert(uri, 0, "needle")
    agent = await world.agent(via=via)

    listed = await agent.run("glob", pattern="**/*.py")
    found = await agent.run("grep", pattern="needle", type="py")

    assert [("new/f.py", "buffer")] == [(file["path"], file["via"]) for file in listed["value"]["files"]]
    assert "new/f.py (unsaved text in the editor)" in found["content"][0]["text"]


async def test_a_saved_document_is_the_disks(world: World, via: Via) -> None:
    """Once it is saved, the file is searched, and nothing is said of an editor."""
    file = world.file("f.txt", "x\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f.txt")
    editor.type(uri, "x", "y")
    editor.save(uri)
    await editor.sync()

    found = await agent.run("grep", pattern="y")

    assert (1, []) == (found["value"]["total"], found["value"]["notes"])
    assert "disk" == found["value"]["files"][0]["via"]


async def test_a_hit_is_no_read(world: World, via: Via) -> None:
    """A file that was only searched can't be edited."""
    world.file("f.txt", "x\n")
    await world.editor(VsCodeLike, ignore=COURTESY)
    agent = await world.agent(via=via)
    await agent.run("grep", pattern="x")

    refused = await agent.edit("f.txt", "x", "y")

    assert "FS_NOT_OBSERVED" == refused["error"]["code"]


async def test_F12_names_that_are_no_utf8_are_found_and_read(world: World, via: Via) -> None:
    """They go over the wire as URIs, and are read by them."""
    (world.workspace / os.fsdecode(b"\xff\xfe.txt")).write_bytes(b"hello\n")
    await world.editor(VsCodeLike, ignore=COURTESY)
    agent = await world.agent(via=via)

    listed = await agent.run("glob", pattern="*")
    [file] = listed["value"]["files"]
    read = await agent.read(file["path"])

    assert f"{world.workspace.as_uri()}/%FF%FE.txt" == file["path"]
    assert "hello\n" == read["value"]["text"]


async def test_I07_a_search_goes_no_further_than_a_read(world: World, via: Via) -> None:
    """The same decision for the same place, whichever tool asks."""
    world.path("out").symlink_to("/etc")
    await world.editor(VsCodeLike, ignore=COURTESY)
    agent = await world.agent(via=via)

    asked = [
        await agent.read("../x"),
        await agent.run("glob", pattern="../*"),
        await agent.run("grep", pattern="root", path=".."),
        await agent.run("grep", pattern="root", path="out/passwd"),
    ]

    assert {"FS_SANDBOX_DENIED"} == {each["error"]["code"] for each in asked}


async def test_both_tools_are_cards_of_a_search(world: World, via: Via) -> None:
    """An editor is told of them as of every search: query, hits, total, and whether that is all."""
    world.file("f.txt", "x\nx\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, dsh={"cards": True})
    agent = await world.agent(via=via)
    await agent.run("grep", pattern="x", limit=1)

    told = await editor.next("dsh/toolResult")

    hit = {"path": "f.txt", "line": 1, "column": 1, "text": "x"}
    card = told["view"]
    assert ("search", "x", [hit], 2, True) == tuple(
        card[key] for key in ("card", "query", "hits", "total", "truncated")
    )
    assert "atLeast" not in card


async def test_A12_a_search_finds_what_a_read_shows(world: World, via: Via) -> None:
    """In the encoding that is declared for a file, whether or not an editor has it open."""
    for name in ("open.cpp", "closed.cpp"):
        world.file(name, "// \u4f60\u597d\nint x;\n".encode("gbk"))
    editor = await world.editor(VsCodeLike, ignore=COURTESY, initialization_options={"encodings": {"*.cpp": "gbk"}})
    editor.open(world.path("open.cpp"), codec="gbk")
    agent = await world.agent(via=via)

    read = await agent.read("closed.cpp")
    found = await agent.run("grep", pattern="\u597d")

    assert "// \u4f60\u597d\nint x;\n" == read["value"]["text"]
    assert [("closed.cpp", 1), ("open.cpp", 1)] == [(file["path"], file["hits"]) for file in found["value"]["files"]]
    assert "     1| // \u4f60\u597d" in found["content"][0]["text"]
