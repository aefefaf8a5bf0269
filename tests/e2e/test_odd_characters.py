"""Characters at the edge of what a text is, in buffers: marks, lone carriage returns, halves of characters, NULs.

An open file is to give what a closed one gives: the same result for the agent, and nothing lost on the way.
"""

import pytest

from tests.support.editors import OwnClient
from tests.support.world import Via, World

BOM = "\ufeff"


@pytest.mark.parametrize(
    ("old", "new", "physical", "logical"),
    [
        ("one", f"{BOM}{BOM}1", "1\ntwo\n", "1\ntwo\n"),  # a mark is never added
        ("one", f"x\n{BOM}one", f"x\n{BOM}one\ntwo\n", f"x\n{BOM}one\ntwo\n"),  # elsewhere it is a character
        ("one", "1\r", "1\r\ntwo\n", "1\ntwo\n"),  # what was a character is half of a line end now
        ("one\n", "one\n\r\r\n", "one\n\ntwo\n", "one\n\ntwo\n"),
    ],
)
async def test_an_edit_that_is_read_back_otherwise_is_seen_to_arrive(
    world: World, via: Via, old: str, new: str, physical: str, logical: str
) -> None:
    """Where the new text means something else once it is in its place, the result is what a reader gets."""
    closed, opened = world.file("closed.txt", "one\ntwo\n"), world.file("open.txt", "one\ntwo\n")
    editor = await world.editor(OwnClient)
    uri = editor.open(opened)
    agent = await world.agent(via=via)

    results = []
    for file in (closed, opened):
        await agent.read(file.name)
        results.append(await agent.edit(file.name, old, new))
    again = [await agent.read(file.name) for file in (closed, opened)]
    more = [await agent.edit(file.name, "two", "2") for file in (closed, opened)]

    assert [False, False] == [result["isError"] for result in results]
    assert results[0]["value"]["version"] == results[1]["value"]["version"]
    assert results[0]["value"]["hunks"] == results[1]["value"]["hunks"]
    assert [logical, logical] == [read["value"]["text"] for read in again]
    assert [False, False] == [result["isError"] for result in more]
    assert physical.replace("two", "2") == editor.text(uri) == closed.read_bytes().decode()
