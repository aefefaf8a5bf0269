"""The workspace's folders, and documents that come, go and are spelled in many ways."""

from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.world import World


async def test_folders_come_and_go(world: World) -> None:
    """A folder that the user adds is within reach, and one that is removed is not."""
    extra = world.workspace.with_name("extra")
    extra.mkdir()
    (extra / "e.txt").write_bytes(b"e\n")
    world.file("f.txt", "f\n")
    editor = await world.editor(VsCodeLike)
    agent = await world.agent()
    folder = {"uri": extra.as_uri(), "name": "extra"}
    before = await agent.read(extra / "e.txt")
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    await editor.sync()
    during = await agent.read(extra / "e.txt")
    first = {"uri": world.workspace.as_uri(), "name": "first"}
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [first]}})
    await editor.sync()

    after = await agent.read(world.path("f.txt"))

    assert before["error"]["code"] == "FS_SANDBOX_DENIED"
    assert during["value"]["text"] == "e\n"
    assert after["error"]["code"] == "FS_SANDBOX_DENIED"


async def test_a_folder_that_can_not_be_is_passed_over(world: World) -> None:
    """A NUL is in no path; the others are within reach, at the beginning and after a change, of both editors."""
    world.file("a.txt", "one\n")
    impossible = {"uri": "file:///a%00b", "name": "impossible"}
    folders = [impossible, {"uri": world.workspace.as_uri(), "name": "workspace"}]
    for _ in range(2):
        editor = await world.editor(VsCodeLike, initialize=False)
        params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": {}}
        await editor.request("initialize", params)
        editor.notify("initialized", {})
        editor.initialized = True
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [impossible], "removed": []}})
        agent = await world.agent(editor)

        assert not (await agent.read("a.txt"))["isError"]


async def test_D12_a_document_of_another_scheme_is_another_document(world: World) -> None:
    """`git:` and `file:` documents of one path are two; an edit of the path goes to the file's."""
    file = world.file("a.txt", "a\n")
    editor = await world.editor(VsCodeLike)
    git = f"git:{file}?HEAD"
    editor.open(git, "a\n")
    uri = editor.open(file)
    agent = await world.agent()
    await agent.read("a.txt")

    result = await agent.edit("a.txt", "a", "b")

    assert result["isError"] is False
    assert (editor.text(git), editor.text(uri)) == ("a\n", "b\n")


async def test_D15_messages_about_documents_in_any_order_do_no_harm(world: World) -> None:
    """A change or close of an unknown document is ignored, and a second open replaces the first."""
    file = world.file("a.txt", "a\n")
    editor = await world.editor(VsCodeLike)
    unknown = {"uri": world.uri("unknown.txt"), "version": 2}
    editor.notify("textDocument/didChange", {"textDocument": unknown, "contentChanges": [{"text": "x"}]})
    editor.notify("textDocument/didClose", {"textDocument": {"uri": unknown["uri"]}})
    stale = {"uri": file.as_uri(), "languageId": "plaintext", "version": 1, "text": "stale\n"}
    editor.notify("textDocument/didOpen", {"textDocument": stale})
    editor.open(file)
    agent = await world.agent()

    read = await agent.read("a.txt")

    assert read["value"]["text"] == "a\n"


async def test_a_uri_in_another_spelling_is_the_same_file(world: World) -> None:
    """Lower-case escapes, escaped letters and links name one file; the editor is asked in its own spelling."""
    file = world.file("über #1.txt", "a\n")
    spelled = world.workspace.as_uri() + "/%c3%bcber%20%231%2etxt"
    editor = await world.editor(VsCodeLike)
    editor.open(spelled, "a\n")
    agent = await world.agent()
    read = await agent.read(file.name)

    await agent.edit(file.name, "a", "b")

    assert read["value"]["via"] == "buffer"
    [request] = editor.take("workspace/applyEdit")
    assert request["edit"]["documentChanges"][0]["textDocument"]["uri"] == spelled


async def test_a_document_opened_through_a_link_is_the_file_behind_it(world: World) -> None:
    """The editor has the link open, the agent names the file: the edit goes into the buffer."""
    world.file("real.txt", "a\n")
    link = world.path("link.txt")
    link.symlink_to("real.txt")
    editor = await world.editor(VsCodeLike)
    uri = editor.open(link)
    agent = await world.agent()
    await agent.read("real.txt")

    await agent.edit("real.txt", "a", "b")

    assert editor.text(uri) == "b\n"


async def test_a_file_that_opens_after_it_was_read_needs_no_second_read(world: World) -> None:
    """Opening is no edit: what was seen on the disk counts for the buffer, load normalisation included."""
    file = world.file("a.txt", "a\r\nb")
    editor = await world.editor(OwnClient)
    agent = await world.agent()
    await agent.read("a.txt")
    uri = editor.open(file, "a\r\nb\r\n")

    result = await agent.edit("a.txt", "a", "A")

    assert result["isError"] is False
    assert editor.text(uri) == "A\r\nb\r\n"


async def test_a_closed_document_is_the_disk_again(world: World) -> None:
    """What was unsaved is gone with the buffer; an agent that has seen only the buffer is stale."""
    file = world.file("a.txt", "a\n")
    editor = await world.editor(VsCodeLike)
    uri = editor.open(file)
    editor.type(uri, "a", "b")
    await editor.sync()
    agent = await world.agent()
    seen = await agent.read("a.txt")
    editor.close(uri)
    await editor.sync()

    stale = await agent.edit("a.txt", "b", "c")
    read = await agent.read("a.txt")

    assert seen["value"]["text"] == "b\n"
    assert stale["error"]["code"] == "FS_STALE_VERSION"
    assert (read["value"]["text"], read["value"]["via"]) == ("a\n", "disk")


async def test_a_new_buffer_without_a_file_can_be_written(world: World) -> None:
    """An editor's empty buffer for a file that does not exist is no obstacle to creating it, in the buffer."""
    editor = await world.editor(StockNeovim)
    uri = editor.open(world.path("new.txt"), "\n")
    agent = await world.agent()

    result = await agent.write("new.txt", "hello\n")

    assert result["isError"] is False
    assert result["value"]["via"] == "buffer"
    assert editor.text(uri) == "hello\n"


async def test_D09_an_edit_at_the_end_of_a_buffer_stays_inside_it(world: World) -> None:
    """No range goes past the last line's text, whatever the file ends with."""
    for name, before, old, new, after in [
        ("noeol.txt", "a\nb", "b", "b\nc\n", "a\nb\nc\n"),
        ("eol.txt", "a\nb\n", "b\n", "b\nc\n", "a\nb\nc\n"),
        ("crlf.txt", "a\r\nb\r\n", "b\n", "b\nc\n", "a\r\nb\r\nc\r\n"),
    ]:
        file = world.file(name, before)
        editor = world.editors[-1] if world.editors else await world.editor(OwnClient)
        uri = editor.open(file)
        agent = await world.agent()
        await agent.read(name)

        result = await agent.edit(name, old, new)

        assert result["isError"] is False
        assert editor.text(uri) == after


async def test_D11_positions_are_in_the_negotiated_encoding(world: World) -> None:
    """An astral character counts two in UTF-16: the range of the match is 0:3 to 0:6."""
    file = world.file("e.txt", 'x="😋"')
    editor = await world.editor(VsCodeLike)
    editor.open(file)
    agent = await world.agent()
    await agent.read("e.txt")

    await agent.edit("e.txt", '😋"', 'y"')

    [request] = editor.take("workspace/applyEdit")
    [edit] = request["edit"]["documentChanges"][0]["edits"]
    assert edit == {
        "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 6}},
        "newText": 'y"',
    }


async def test_a_whole_write_over_an_open_document_edits_only_what_differs(world: World) -> None:
    """The cursor and the marks of unchanged lines stay: the text edits are those of the changed lines."""
    lines = [f"line {n}\n" for n in range(50)]
    file = world.file("w.txt", "".join(lines))
    editor = await world.editor(VsCodeLike)
    uri = editor.open(file)
    agent = await world.agent()
    await agent.read("w.txt")
    lines[10], lines[40] = "LINE 10\n", "LINE 40\n"

    await agent.write("w.txt", "".join(lines))

    [request] = editor.take("workspace/applyEdit")
    edits = request["edit"]["documentChanges"][0]["edits"]
    assert [edit["range"]["start"]["line"] for edit in edits] == [10, 40]
    assert editor.text(uri) == "".join(lines)
