"""Characters at the edge of what a text is, in buffers: marks, lone carriage returns, halves of characters, NULs.

An open file is to give what a closed one gives: the same result for the agent, and nothing lost on the way.
"""

import pytest

from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, StockNeovim
from tests.support.world import Via, World

BOM = "\ufeff"
NUL_NOTE = "The text contains NUL characters."


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


async def test_typing_in_the_first_line_of_a_buffer_that_holds_its_byte_order_mark(world: World) -> None:
    """The mark is none of the text: the hunk there goes on, and its undo leaves the mark."""
    file = world.file("a.txt", f"{BOM}one two\nthree\n")
    editor = await world.editor(OwnClient, dsh={"decorations": True}, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(file, f"{BOM}one two\nthree\n")
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "2")
    [hunk] = await editor.decorated(uri, bool)
    editor.type(uri, "one", "ONE")
    done = await editor.request("dsh/review/undo", {"hunkIds": [hunk["id"]]})

    assert "one two" == hunk["removedText"]
    # The mark takes three units, as this client counts.
    assert [{"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 8}}] == hunk["words"]
    assert [(hunk["id"], "undone")] == [(each["id"], each["status"]) for each in done["results"]]
    assert f"{BOM}one two\nthree\n" == editor.text(uri)


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [(0, 0, "zero\n"), (0, 1, ""), (1, 1, "zero\n"), (0, 7, ""), (1, 7, ""), (0, 7, BOM), (0, 0, BOM)],
    ids=["above the mark", "the mark", "below the mark", "line and mark", "line", "line to a mark", "a second mark"],
)
async def test_a_byte_order_mark_that_comes_and_goes_under_hunks(world: World, start: int, end: int, text: str) -> None:
    """However the first line and its mark are changed, the hunks there go on and can be taken back."""
    file = world.file("a.txt", f"{BOM}one two\nthree\n")
    editor = await world.editor(OwnClient, dsh={"decorations": True}, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(file, f"{BOM}one two\nthree\n")
    agent = await world.agent()
    await agent.read("a.txt")
    await agent.edit("a.txt", "three", "3")
    await agent.edit("a.txt", "one two", "1 two")
    editor.replace(uri, start, end, text)
    read = await agent.read("a.txt")
    done = await editor.request("dsh/review/undo", {"uri": uri})

    assert editor.text(uri).removeprefix(BOM).endswith("three\n")
    assert {"undone"} == {each["status"] for each in done["results"]}
    assert [] == await editor.decorated(uri, lambda hunks: not hunks)
    assert read["value"]["text"].endswith("3\n")


async def test_half_of_a_character_is_refused_in_a_buffer_too(world: World, via: Via) -> None:
    """What a file can't hold is no edit of its buffer: the editor could not save it. What the user has typed stays."""
    closed, opened = world.file("closed.txt", "one\n"), world.file("open.txt", "one\n")
    editor = await world.editor(OwnClient, dsh={}, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(opened)
    agent = await world.agent(via=via)
    results = []
    for file in (closed, opened):
        await agent.read(file.name)
        results += [await agent.edit(file.name, "one", "1\ud83d"), await agent.write(file.name, "\ud83d\n")]
    untouched = editor.text(uri)
    editor.insert(uri, 0, "\udc00 ")
    await agent.read("open.txt")
    beside = await agent.edit("open.txt", "one", "\u00e9")

    assert ["FS_NOT_TEXT"] * 4 == [result["error"]["code"] for result in results]
    assert results[0]["error"]["message"] == results[2]["error"]["message"].replace("open.txt", "closed.txt")
    assert "one\n" == untouched
    assert (False, "\udc00 \u00e9\n") == (beside["isError"], editor.text(uri))
    editor.replace(uri, 0, 2, "")


async def test_A20_nul_is_said_of_a_buffer_too(world: World, via: Via) -> None:
    """Read, edited and only tried, with the same note as for a closed file."""
    file = world.file("z.ts", b"k='a'\0'b'\n")
    editor = await world.editor(OwnClient)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    read = await agent.read("z.ts")
    tried = await agent.run("edit", file_path="z.ts", old_string="k=", new_string="key=", dry_run=True)
    edit = await agent.edit("z.ts", "k=", "key=")
    gone = await agent.edit("z.ts", "\0", "+")

    assert [[NUL_NOTE]] * 3 == [result["value"]["notes"] for result in (read, tried, edit)]
    assert ([], "key='a'+'b'\n") == (gone["value"]["notes"], editor.text(uri))


@pytest.mark.parametrize("where", ["closed", "open"])
async def test_A19_signs_of_lost_characters_are_said(world: World, via: Via, where: str) -> None:
    """Where a text gets a replacement character that it did not have, the result says so; the character is kept."""
    file = world.file("a.txt", "one\n")
    editor = await world.editor(OwnClient)
    if where == "open":
        editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    first = await agent.edit("a.txt", "one", "\ufffd\ufffd")
    second = await agent.edit("a.txt", "\ufffd\ufffd", "\ufffd two")
    made = await agent.write("b.txt", "\ufffd")

    notes = [" ".join(result["value"]["notes"]) for result in (first, second, made)]
    assert ["U+FFFD" in note for note in notes] == [True, False, True]
    assert "U+FFFD" in first["content"][0]["text"]
    assert "\ufffd two\n" == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        ("one\ntwo\n", "1\ntwo", "1\ntwo\n"),
        ("one\r\ntwo\r\n", "1\ntwo", "1\r\ntwo\r\n"),
        ("one\ntwo", "1\ntwo\n", "1\ntwo"),
        ("one\n", "", "\n"),
        ("", "1", "1\n"),
        ("one\n", "one", "one\n"),
    ],
)
async def test_a_stock_neovim_keeps_the_end_of_the_last_line(
    world: World, via: Via, before: str, content: str, after: str
) -> None:
    """Its edits can't change whether there is one: the rest is done, the result says so, the next edit is not stale."""
    file = world.file("a.txt", before)
    editor = await world.editor(StockNeovim)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    written = await agent.write("a.txt", content)
    read = await agent.read("a.txt")
    again = await agent.run("str_replace_editor", command="insert", path="a.txt", insert_line=0, new_str="zero")

    assert (False, False) == (written["isError"], again["isError"])
    assert "Whether the last line has a line end stayed as it was" in written["content"][0]["text"]
    assert read["value"]["version"] == written["value"]["version"]
    eol = "\r\n" if "\r" in before else "\n"
    assert f"zero{eol}{after}" == editor.text(uri)
