"""Public bug reports about text, matching and paths, as tiny inputs; each test is named by its case.

Each runs on a closed file and on one that is open in an editor, over the socket and over the editor's connection: the
result and the bytes must be the same.
"""

import os
from typing import Any, Literal

import pytest

from tests.support.agent import ToolUser
from tests.support.editor import IGNORED
from tests.support.editors import OwnClient
from tests.support.world import Via, World

Where = Literal["closed", "open"]


@pytest.fixture(params=["closed", "open"])
def where(request: pytest.FixtureRequest) -> Where:
    """Whether the file is open in the editor."""
    place: Where = request.param
    return place


class Bench:
    """One file under an agent."""

    def __init__(self, world: World, via: Via, where: Where) -> None:
        self._world = world
        self._via = via
        self._where = where
        self.agent: ToolUser

    async def read(self, name: str, content: bytes) -> dict[str, Any]:
        """Make the file, open it if it is to be open, attach the agent and read."""
        file = self._world.file(name, content)
        self._editor = await self._world.editor(OwnClient)
        if self._where == "open":
            self._editor.open(file)
        self.agent = await self._world.agent(via=self._via)
        self._file = file
        return await self.agent.read(name)

    async def edit(self, old: str, new: str, **more: Any) -> dict[str, Any]:
        """Edit the file."""
        name = self._file.name
        return await self.agent.run("edit", file_path=name, old_string=old, new_string=new, **more)

    @property
    def bytes(self) -> bytes:
        """What is on the disk; a client of ours has saved what it had open."""
        return self._file.read_bytes()


@pytest.fixture
def bench(world: World, via: Via, where: Where) -> Bench:
    """A file under an agent."""
    return Bench(world, via, where)


async def test_A01_a_two_line_match_in_a_crlf_file(bench: Bench) -> None:
    r"""The agent sees and sends `\n`; the file keeps its `\r\n` everywhere."""
    read = await bench.read("p.txt", b"alpha\r\nbeta\r\ngamma\r\n")
    result = await bench.edit("alpha\nbeta", "alpha\nBETA")

    assert read["value"]["text"] == "alpha\nbeta\ngamma\n"
    assert result["isError"] is False
    assert bench.bytes == b"alpha\r\nBETA\r\ngamma\r\n"


async def test_A02_one_line_of_a_crlf_file_is_one_changed_line(bench: Bench) -> None:
    """Only the touched line changes, and the diff says so."""
    await bench.read("q.pas", b"a;\r\nb;\r\nc;\r\n")
    result = await bench.edit("b;", "B;")

    assert (result["value"]["added"], result["value"]["removed"]) == (1, 1)
    assert bench.bytes == b"a;\r\nB;\r\nc;\r\n"


async def test_A04_inserted_lines_take_the_line_end_of_their_neighbour(bench: Bench) -> None:
    r"""Lines inserted into a file with `\r\n` end with `\r\n`."""
    await bench.read("v.vb", b"A\r\nB\r\n")
    await bench.edit("A", "A\nA2\nA3")

    assert bench.bytes == b"A\r\nA2\r\nA3\r\nB\r\n"


async def test_A08_a_byte_order_mark_is_hidden_and_kept(bench: Bench) -> None:
    """The mark is no part of what is read, and is there after the edit."""
    read = await bench.read("b.cs", b"\xef\xbb\xbfclass A{}\n")
    await bench.edit("A", "B")

    assert read["value"]["text"] == "class A{}\n"
    assert bench.bytes == b"\xef\xbb\xbfclass B{}\n"


async def test_A15_a_file_without_a_final_newline_stays_so(bench: Bench) -> None:
    """The final newline is untouched unless it is edited, and the hunk says that there is none."""
    await bench.read("n.json", b"{\n 'a':1\n}")
    result = await bench.edit("1", "2")

    assert bench.bytes == b"{\n 'a':2\n}"
    [hunk] = result["value"]["hunks"]
    assert (hunk["oldNoNewline"], hunk["newNoNewline"]) == (True, True)


async def test_A24_exactly_the_match_is_replaced(bench: Bench) -> None:
    """Nothing outside the matched span changes."""
    await bench.read("p.json", b"a,\nb,\n")
    await bench.edit("a,", "a,\nx,")

    assert bench.bytes == b"a,\nx,\nb,\n"


async def test_B01_a_text_that_occurs_twice_is_ambiguous(bench: Bench) -> None:
    """The refusal counts the places and names their lines."""
    await bench.read("a.py", b"x=1\ny\nx=1\n")
    result = await bench.edit("x=1", "x=2")

    assert result["error"]["code"] == "FS_AMBIGUOUS_EDIT"
    assert (result["error"]["details"]["count"], result["error"]["details"]["lines"]) == (2, [1, 3])
    assert bench.bytes == b"x=1\ny\nx=1\n"


async def test_B03_replace_all_goes_left_to_right_without_overlap(bench: Bench) -> None:
    """`aaaa aa` with `aa` by `b` is `bb b`, three replacements."""
    await bench.read("d.txt", b"aaaa aa\n")
    result = await bench.edit("aa", "b", replace_all=True)

    assert result["value"]["replacements"] == 3
    assert bench.bytes == b"bb b\n"


@pytest.mark.parametrize("replace_all", [False, True])
async def test_B04_an_empty_old_string_is_an_argument_error(bench: Bench, replace_all: bool) -> None:
    """Nothing is inserted anywhere."""
    await bench.read("e.txt", b"abc")
    result = await bench.edit("", "X", replace_all=replace_all)

    assert result["error"]["code"] == "INVALID_ARGS"
    assert result["error"]["details"]["errors"][0]["path"] == "old_string"
    assert bench.bytes == b"abc"


async def test_B05_an_empty_new_string_deletes_and_a_missing_one_is_an_error(bench: Bench) -> None:
    """Deleting is asked for in so many words."""
    await bench.read("w.txt", b"Hello World\n")
    missing = await bench.agent.run("edit", file_path="w.txt", old_string=" World")
    await bench.edit(" World", "")

    assert missing["error"]["code"] == "INVALID_ARGS"
    assert [error["path"] for error in missing["error"]["details"]["errors"]] == ["new_string"]
    assert bench.bytes == b"Hello\n"


async def test_B06_a_new_string_is_literal(bench: Bench) -> None:
    """No pattern, group or snippet in it means anything."""
    literal = r"$& $$ $1 \1 \g<0> ${x}"
    await bench.read("s.sh", b'log("done")\n')
    await bench.edit("done", literal)

    assert bench.bytes == f'log("{literal}")\n'.encode()


async def test_B19_an_edit_that_changes_nothing_is_an_argument_error(bench: Bench) -> None:
    """Equal strings are refused: no hunk, no new version, no dirty flag."""
    await bench.read("a.txt", b"a\n")
    result = await bench.edit("a", "a")

    assert result["error"]["code"] == "INVALID_ARGS"
    assert bench.bytes == b"a\n"


async def test_B16_several_edits_are_one_change_or_none(bench: Bench) -> None:
    """The one that does not match is named by its index and nothing is applied; else each sees what the last left."""
    await bench.read("x.ts", b"a\r\nb\r\n")

    async def edits(*pairs: tuple[str, str]) -> dict[str, Any]:
        listed = [{"old_string": old, "new_string": new} for old, new in pairs]
        return await bench.agent.run("multi_edit", file_path="x.ts", edits=listed)

    refused = await edits(("a", "A"), ("zz", "Z"), ("b", "B"))
    ambiguous = await edits(("a", "b"), ("b", "B"))
    untouched = bench.bytes
    applied = await edits(("a", "A\nA2"), ("A2\nb", "B2"))

    assert (refused["error"]["code"], refused["error"]["details"]["index"]) == ("FS_EDIT_NOT_FOUND", 1)
    assert (ambiguous["error"]["code"], ambiguous["error"]["details"]["index"]) == ("FS_AMBIGUOUS_EDIT", 1)
    assert untouched == b"a\r\nb\r\n"
    assert applied["value"]["replacements"] == 2
    assert bench.bytes == b"A\r\nB2\r\n"


async def test_B08_the_same_miss_twice_says_that_the_file_is_the_same(bench: Bench) -> None:
    """To read again would show nothing new: it is the string that is wrong."""
    await bench.read("c.js", b"  foo( 1 )\n")
    first, second = await bench.edit("foo(1)", "bar"), await bench.edit("foo(1)", "bar")

    assert first["error"] == second["error"]
    assert first["error"]["code"] == "FS_EDIT_NOT_FOUND"
    assert first["error"]["message"].endswith(" The file has not changed since you read it.")


async def test_several_edits_of_a_buffer_are_one_request_and_one_undo_step(world: World, via: Via) -> None:
    """The editor is asked once, and its undo takes all of them back."""
    file = world.file("m.txt", "one\ntwo\nthree\n")
    editor = await world.editor(OwnClient, dsh={"decorations": True}, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("m.txt")
    listed = [{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}]
    await agent.run("multi_edit", file_path="m.txt", edits=listed)

    assert editor.text(uri) == "1\ntwo\n3\n"
    assert len(editor.take("workspace/applyEdit")) == 1
    editor.undo(uri)
    assert editor.text(uri) == "one\ntwo\nthree\n"
    assert await editor.decorated(uri, lambda hunks: not hunks) == []


async def test_D23_open_and_closed_give_the_same_result(world: World, via: Via) -> None:
    """The hunks of an edit do not depend on whether the file is open; only `via` does."""
    closed, opened = world.file("closed.txt", "a\nb\n"), world.file("open.txt", "a\nb\n")
    editor = await world.editor(OwnClient)
    editor.open(opened)
    agent = await world.agent(via=via)
    values = []
    for file in (closed, opened):
        await agent.read(file.name)
        values.append((await agent.edit(file.name, "b", "B\nC"))["value"])

    assert [value.pop("via") for value in values] == ["disk", "buffer"]
    assert [value.pop("path") for value in values] == ["closed.txt", "open.txt"]
    for value in values:
        value.pop("uri")
    assert values[0] == values[1]


async def test_F01_an_edit_through_a_link_leaves_the_link(world: World, via: Via, where: Where) -> None:
    """The file behind the link is edited; the link is still one, and both names are one target."""
    real = world.file("real.txt", "a\n")
    world.path("link.txt").symlink_to("real.txt")
    editor = await world.editor(OwnClient)
    if where == "open":
        editor.open(real)
    agent = await world.agent(via=via)
    await agent.read("link.txt")

    result = await agent.edit("real.txt", "a", "b")

    assert result["isError"] is False
    assert world.path("link.txt").is_symlink()
    assert real.read_bytes() == b"b\n"


@pytest.mark.parametrize("path", ["~/t.txt", "$HOME/t.txt", ""])
async def test_F13_nothing_is_expanded_in_a_path(world: World, via: Via, path: str) -> None:
    """A leading `~` or `$NAME` is an argument error, and no file of that name is made."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    result = await agent.write(path, "x")

    assert result["error"]["code"] == "INVALID_ARGS"
    assert list(world.workspace.iterdir()) == []


async def test_F18_a_path_outside_the_workspace_is_refused(world: World, via: Via) -> None:
    """`..`, absolute paths and a folder whose name only begins alike are outside; nothing about them is told."""
    twin = world.workspace.with_name("workspace-evil")
    twin.mkdir()
    (twin / "s").write_text("secret", encoding="utf-8")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    results = [
        await agent.read(path) for path in ("../workspace-evil/s", str(twin / "s"), "sub/../../workspace-evil/s")
    ]

    assert [result["error"]["code"] for result in results] == ["FS_SANDBOX_DENIED"] * 3
    assert all("secret" not in str(result) for result in results)


async def test_F12_a_name_that_is_no_utf_8_can_be_read_and_edited(world: World, via: Via) -> None:
    """A file is reachable by its percent-encoded URI, byte for byte."""
    path = os.fsencode(world.workspace) + b"/\xff\xfe.txt"
    with open(path, "wb") as file:  # noqa: PTH123, ASYNC230 - the name is bytes
        file.write(b"a\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    uri = f"{world.workspace.as_uri()}/%FF%FE.txt"

    read = await agent.read(uri)
    result = await agent.edit(uri, "a", "b")

    assert read["value"]["text"] == "a\n"
    assert result["isError"] is False
    with open(path, "rb") as file:  # noqa: PTH123, ASYNC230 - the name is bytes
        assert file.read() == b"b\n"


async def test_B15_all_of_a_long_line_can_be_seen(world: World, via: Via) -> None:
    """What was left out is said with how it is had; a column that there is not is refused; the line can be edited."""
    line = f"{'a' * 2000}{'b' * 1000};"
    world.file("m.js", f"{line}\nnext\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    first = await agent.read("m.js")
    rest = await agent.read("m.js", offset=1, column=2001)
    beyond = await agent.read("m.js", offset=1, column=3002)
    edited = await agent.edit("m.js", "b;", "c;")

    assert [{"line": 1, "shown": 2000, "total": 3001}] == first["value"]["cutLines"]
    assert "1 long line is shown in part: read on with offset=1 and column=2001;" in first["content"][0]["text"]
    assert ("column" in first["value"], rest["value"]["column"]) == (False, 2001)
    assert f"{line[2000:]}\nnext\n" == rest["value"]["text"]
    assert "1 long line is shown in part; an edit" in rest["content"][0]["text"]
    assert rest["value"]["truncated"]
    assert "Line 1 of m.js has 3001 characters; there is no column 3002." in beyond["content"][0]["text"]
    assert not edited["isError"]
    assert f"{line[:-2]}c;\nnext\n".encode() == world.bytes("m.js")
