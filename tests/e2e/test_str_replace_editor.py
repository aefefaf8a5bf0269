"""str_replace_editor: a face on the same primitives, with the same guards and cards."""

from typing import Any

import pytest

from tests.support.editors import OwnClient
from tests.support.world import Via, World


async def test_the_four_commands_on_an_open_document(world: World, via: Via) -> None:
    """View, replace, insert and create go into the buffer, keep the file's line ends, and show the same cards."""
    file = world.file("a.txt", b"one\r\ntwo\r\nthree")
    editor = await world.editor(OwnClient)
    uri = editor.open(file)
    agent = await world.agent(via=via)

    async def run(command: str, **arguments: Any) -> dict[str, Any]:
        return await agent.run("str_replace_editor", command=command, **arguments)

    viewed = await run("view", path="a.txt", view_range=[2, 3])
    replaced = await run("str_replace", path="a.txt", old_str="two\nthree", new_str="2\n3")
    top = await run("insert", path="a.txt", insert_line=0, new_str="zero\n")
    end = await run("insert", path="a.txt", insert_line=4, new_str="four")
    created = await run("create", path="b.txt", file_text="new\n")

    assert viewed["value"]["read"]["text"] == "two\nthree"
    assert [each["isError"] for each in (replaced, top, end, created)] == [False] * 4
    assert editor.text(uri) == "zero\r\none\r\n2\r\n3\r\nfour"
    assert file.read_bytes() == b"zero\r\none\r\n2\r\n3\r\nfour"
    assert world.path("b.txt").read_bytes() == b"new\n"
    cards = [(await editor.next("dsh/toolResult"))["view"] for _ in range(5)]
    assert [card["card"] for card in cards] == ["read", "diff", "diff", "diff", "diff"]
    assert cards[4]["diffs"] == [{"path": "b.txt", "oldText": None, "newText": "new\n", "hunks": []}]


async def test_the_same_guards_hold(world: World, via: Via) -> None:
    """What was not viewed is not changed, and what changed since is stale."""
    file = world.file("a.txt", "one\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    replace = {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1"}

    unseen = await agent.run("str_replace_editor", **replace)
    over = await agent.run("str_replace_editor", command="create", path="a.txt", file_text="x")
    await agent.run("str_replace_editor", command="view", path="a.txt")
    file.write_bytes(b"one \n")
    stale = await agent.run("str_replace_editor", command="insert", path="a.txt", insert_line=0, new_str="x")

    codes = [each["error"]["code"] for each in (unseen, over, stale)]
    assert codes == ["FS_NOT_OBSERVED", "FS_NOT_OBSERVED", "FS_STALE_VERSION"]
    assert file.read_bytes() == b"one \n"


async def test_a_directory_is_listed(world: World, via: Via) -> None:
    """Names, directories marked as such; no guard follows from it."""
    world.file("sub/inner.txt", "x")
    world.file("a.txt", "x")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    listed = await agent.run("str_replace_editor", command="view", path=".")

    assert listed["value"]["listing"] == [{"name": "a.txt", "kind": "file"}, {"name": "sub", "kind": "directory"}]
    assert listed["content"][0]["text"] == ". holds 2 names.\na.txt\nsub/"


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "create"},
        {"command": "str_replace", "new_str": "x"},
        {"command": "str_replace", "old_str": "x", "new_str": "x"},
        {"command": "str_replace", "old_str": "x\r\n", "new_str": "x\n"},
        {"command": "insert", "new_str": "x"},
        {"command": "view", "view_range": [3, 2]},
        {"command": "view", "view_range": [1]},
        {"command": "undo_edit"},
    ],
)
async def test_a_command_without_what_it_needs_is_refused(world: World, arguments: dict[str, Any]) -> None:
    """INVALID_ARGS, and nothing is done."""
    file = world.file("a.txt", "x\n")
    await world.editor(OwnClient)
    agent = await world.agent()
    await agent.read("a.txt")

    result = await agent.run("str_replace_editor", path="a.txt", **arguments)

    assert result["error"]["code"] == "INVALID_ARGS"
    assert file.read_bytes() == b"x\n"


async def test_a_line_that_is_not_there_is_not_found(world: World) -> None:
    """An insertion past the end names how many lines there are."""
    world.file("a.txt", "x\ny\n")
    await world.editor(OwnClient)
    agent = await world.agent()
    await agent.read("a.txt")

    result = await agent.run("str_replace_editor", command="insert", path="a.txt", insert_line=3, new_str="z")

    assert result["error"]["code"] == "FS_NOT_FOUND"
    assert result["error"]["details"]["totalLines"] == 2
