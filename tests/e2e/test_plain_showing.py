"""What an editor that has plain LSP and nothing of ours is shown of what agents changed."""

from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import NoApplyEdit, OwnClient, StockNeovim, VsCodeLike
from tests.support.naive_text import ranges_in
from tests.support.peer import RpcError
from tests.support.world import World

TEXT = "".join(f"line {n}\n" for n in range(30))

THREE = (("line 3\n", "LINE 3\n"), ("line 10\n", "line 10\nnew\n"), ("line 20\n", ""))
"""A modification, an addition and a deletion."""

PULLS = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
OPENS = {"workspace": {"textDocumentContent": {}}, "window": {"showDocument": {"support": True}}}
PROVIDERS = ("codeActionProvider", "codeLensProvider", "diagnosticProvider", "executeCommandProvider", "hoverProvider")


async def edited(
    world: World, kind: type[StrictEditor], *edits: tuple[str, str], text: str = TEXT, **how: Any
) -> tuple[Any, str, ToolUser]:
    """An editor with a.txt open, in which an agent has made these edits."""
    editor = await world.editor(kind, ignore=IGNORED | {"dsh/decided"}, **how)
    uri = editor.open(world.file("a.txt", text))
    agent = await world.agent()
    await agent.read("a.txt")
    for old, new in edits:
        assert not (await agent.edit("a.txt", old, new))["isError"]
    return editor, uri, agent


async def hover(editor: StrictEditor, uri: str, line: int) -> dict[str, Any] | None:
    """The contents of a hover."""
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}}
    found = await editor.request("textDocument/hover", params)
    return None if found is None else found["contents"]


async def command(editor: StrictEditor, name: str, **argument: Any) -> None:
    """Execute a command."""
    params = {"command": name, "arguments": [argument]}
    assert None is await editor.request("workspace/executeCommand", params)


def lines(found: list[Any]) -> list[tuple[int, int]]:
    """First and last line of each range."""
    return [(each["range"]["start"]["line"], each["range"]["end"]["line"]) for each in found]


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim])
async def test_each_change_is_a_diagnostic_that_moves_and_goes(world: World, kind: type[StrictEditor]) -> None:
    """One each, for information; typing above moves them, undoing in the editor and closing clears them."""
    editor, uri, agent = await edited(world, kind, *THREE)
    told = await editor.diagnosed(uri, lambda found: len(found) == 3)
    editor.insert(uri, 0, "typed\n")
    await editor.diagnosed(uri, lambda found: lines(found) == [(4, 5), (12, 13), (22, 22)])
    editor.undo(uri)
    await editor.diagnosed(uri, lambda found: lines(found) == lines(told))
    editor.undo(uri)
    await editor.diagnosed(uri, lambda found: len(found) == 2)
    editor.close(uri)
    await editor.diagnosed(uri, lambda found: found == [])
    editor.open(world.path("a.txt"))

    assert [(3, 4), (11, 12), (21, 21)] == lines(told)
    assert ["modified", "added", "deleted"] == [each["code"] for each in told]
    assert {(3, "dsh")} == {(each["severity"], each["source"]) for each in told}
    assert [
        "agent test agent changed 1 line here (+1 -1)",
        "agent test agent added 1 line here (+1 -0)",
        "agent test agent deleted 1 line here (+0 -1)",
    ] == [each["message"] for each in told]
    listed = await agent.request("dsh/review/list", {})
    assert {each["data"]["hunkId"] for each in told} >= {hunk["id"] for hunk in listed["hunks"]}
    agent.take("dsh/drift")


async def test_nothing_is_published_twice(world: World) -> None:
    """Typing below all changes moves none of them: there is nothing new to be told."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    await editor.diagnosed(uri, lambda found: len(found) == 1)
    editor.type(uri, "line 29\n", "typed\n")
    await editor.sync()
    editor.insert(uri, 0, "above\n")
    await editor.diagnosed(uri, lambda found: lines(found) == [(4, 5)])

    assert 2 == len(editor.take("textDocument/publishDiagnostics"))
    agent.take("dsh/drift")


async def test_what_is_pending_in_a_file_is_shown_when_it_is_opened(world: World) -> None:
    """An agent has changed it while it was closed: at once, and after a restart, when its author is known no more."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent()
    world.file("a.txt", TEXT)
    await agent.read("a.txt")
    await agent.edit("a.txt", "line 3\n", "LINE 3\n")
    uri = editor.open(world.path("a.txt"))
    lenses = await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    await world.kill(editor)
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.path("a.txt"))
    [told] = await editor.diagnosed(uri, lambda found: len(found) == 1)

    assert [3, 3, 3] == [lens["range"]["start"]["line"] for lens in lenses]
    assert ("an agent changed 1 line here (+1 -1)", 3) == (told["message"], told["range"]["start"]["line"])


async def test_a_client_that_asks_for_diagnostics_is_published_none(world: World) -> None:
    """The same ones; an answer that it has already is unchanged; it is told to ask again when a decision was made."""
    editor, uri, agent = await edited(world, VsCodeLike, *THREE, capabilities=PULLS)

    async def pull(**more: Any) -> dict[str, Any]:
        report: dict[str, Any] = await editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}, **more})
        return report

    first = await pull()
    again = await pull(previousResultId=first["resultId"])
    await editor.next("workspace/diagnostic/refresh")
    editor.take("workspace/diagnostic/refresh")
    await agent.request("dsh/review/keep", {"hunkIds": [first["items"][0]["data"]["hunkId"]]})
    await editor.next("workspace/diagnostic/refresh")
    later = await pull(previousResultId=first["resultId"])

    assert ("full", ["modified", "added", "deleted"]) == (first["kind"], [each["code"] for each in first["items"]])
    assert {"kind": "unchanged", "resultId": first["resultId"]} == again
    assert ("full", 2) == (later["kind"], len(later["items"]))
    assert [] == editor.inbox.all("textDocument/publishDiagnostics")


async def test_a_client_that_can_not_be_told_to_ask_again_is_published_to(world: World) -> None:
    """Stock Neovim asks when the text changes, and at no other time: a kept change would stay on its screen."""
    editor, uri, agent = await edited(world, StockNeovim, ("line 3\n", "LINE 3\n"))
    await editor.diagnosed(uri, lambda found: len(found) == 1)
    await agent.request("dsh/review/keep", {"all": True})
    await editor.diagnosed(uri, lambda found: found == [])

    assert "diagnostic" in editor.capabilities["textDocument"]
    assert "diagnosticProvider" not in editor.server_capabilities


async def test_lenses_are_asked_for_again_when_the_changes_are_others(world: World) -> None:
    """Not when they have merely moved: a client asks again by itself when the text changes."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    await editor.next("workspace/codeLens/refresh")
    editor.insert(uri, 0, "above\n")
    await editor.diagnosed(uri, lambda found: lines(found) == [(4, 5)])
    await editor.sync()
    moved = editor.take("workspace/codeLens/refresh")
    await agent.request("dsh/review/keep", {"all": True})
    await editor.next("workspace/codeLens/refresh")

    assert [] == moved
    agent.take("dsh/drift")


async def test_a_hover_says_what_was_there_and_who_changed_it(world: World) -> None:
    """In Markdown, fenced so that nothing in the text ends the fence; only on the lines of a change."""
    text = "one\n```\ntwo ````` three\n```\nfour\n"
    editor, uri, _ = await edited(world, VsCodeLike, ("```\ntwo ````` three\n```\n", "new\n"), text=text)
    told = await hover(editor, uri, 1)

    assert told is not None
    assert "markdown" == told["kind"]
    assert "``````diff\n-```\n-two ````` three\n-```\n``````" in told["value"]
    assert told["value"].startswith("Agent `test agent` changed 1 line here (+1 -3).")
    assert "Made by `edit` (call `call-2`)." in told["value"]
    assert [None, None] == [await hover(editor, uri, line) for line in (0, 2)]


async def test_a_hover_is_plain_text_for_a_client_that_reads_no_markdown(world: World) -> None:
    """Without a fence; and what is too long is cut, with its numbers."""
    text = "top\n" + "".join(f"old {n}\n" for n in range(100)) + "end\n"
    plain = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    editor, uri, _ = await edited(
        world, VsCodeLike, (text.removeprefix("top\n").removesuffix("end\n"), ""), text=text, capabilities=plain
    )
    told = await hover(editor, uri, 1)

    assert told is not None
    assert "plaintext" == told["kind"]
    assert "`" not in told["value"]
    assert "-old 59\n" in told["value"] + "\n"
    assert "-old 60" not in told["value"]
    assert "(40 of 100 lines from before are not shown, 240 characters in all)" in told["value"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_ranges_lie_inside_a_text_of_wide_characters(world: World, encoding: str) -> None:
    """Deletions are as wide as the line that they stand before, in the client's units; at the end, as the last line."""
    text = "𝄞𝄞 one\n𝄞 two\n😀é three\n𝄞𝄞𝄞 four\nlast 😀"
    edits = (("𝄞 two\n", ""), ("\nlast 😀", ""), ("𝄞𝄞 one", "𝄞 ONE"))
    editor, uri, _ = await edited(world, VsCodeLike, *edits, text=text, position_encodings=[encoding])
    found = await editor.diagnosed(uri, lambda found: len(found) == 3)
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 1}}
    asked: list[Any] = [
        await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}}),
        await editor.request(
            "textDocument/codeAction",
            {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": found}},
        ),
        await editor.request(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 0}}
        ),
    ]

    assert encoding == editor.encoding
    assert "𝄞 ONE\n😀é three\n𝄞𝄞𝄞 four" == editor.text(uri)
    width = {"utf-8": 17, "utf-16": 11, "utf-32": 8}[encoding]
    assert {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": width}} == found[-1]["range"]
    assert all(list(ranges_in(each)) for each in asked)


async def test_the_text_from_before_opens_as_a_document(world: World) -> None:
    """Where the client can: the whole of it, with the change in view, and told of when it is another."""
    editor, uri, agent = await edited(world, VsCodeLike, *THREE, capabilities=OPENS)
    [hunk] = [h for h in (await agent.request("dsh/review/list", {}))["hunks"] if h["kind"] == "deleted"]
    await command(editor, "dsh.showBefore", uri=uri, hunkIds=[hunk["id"]])
    shown = await editor.next("window/showDocument")
    before = await editor.request("workspace/textDocumentContent", {"uri": shown["uri"]})
    await agent.request("dsh/review/keep", {"hunkIds": [hunk["id"]]})
    refreshed = await editor.next("workspace/textDocumentContent/refresh")
    after = await editor.request("workspace/textDocumentContent", {"uri": refreshed["uri"]})
    with pytest.raises(RpcError) as refusal:
        await editor.request("workspace/textDocumentContent", {"uri": shown["uri"] + ".missing"})

    assert {"schemes": ["dsh-before"]} == editor.server_capabilities["workspace"]["textDocumentContent"]
    assert shown["uri"].startswith("dsh-before:file%3A///")
    assert shown["uri"].endswith("/a.txt")
    assert (20, True) == (shown["selection"]["start"]["line"], shown["takeFocus"])
    assert TEXT == before["text"]
    assert shown["uri"] == refreshed["uri"]
    assert TEXT.replace("line 20\n", "") == after["text"]
    assert -32602 == refusal.value.code


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim])
async def test_the_text_from_before_is_told_where_no_document_of_ours_opens(
    world: World, kind: type[StrictEditor]
) -> None:
    """In a message, which the user has asked for."""
    editor, uri, _ = await edited(world, kind, ("line 3\nline 4\n", "new\n"))
    await command(editor, "dsh.showBefore", uri=uri)
    said = await editor.next("window/showMessage")

    assert (3, "dsh-lsp: before, at line 4 of a.txt:\n-line 3\n-line 4") == (said["type"], said["message"])


async def test_a_client_that_declares_nothing_gets_nothing(world: World) -> None:
    """No provider, no command, no message: the agent's edits are all that it sees."""
    editor, uri, agent = await edited(world, NoApplyEdit)
    edit = await agent.write("b.txt", "new\n")
    opened = editor.open(world.path("b.txt"))
    await agent.request("dsh/review/keep", {"all": True})
    await editor.sync()

    assert not edit["isError"]
    assert not any(editor.server_capabilities.get(provider) for provider in PROVIDERS)
    assert "textDocumentContent" not in editor.server_capabilities["workspace"]
    assert [] == editor.inbox.messages
    with pytest.raises(RpcError) as refusal:
        await hover(editor, opened, 0)
    assert -32601 == refusal.value.code
    assert uri != opened


async def test_a_client_that_paints_is_told_by_decorations_alone(world: World) -> None:
    """It may be able to do all the rest: nothing of it is announced or sent, not even commands."""
    capabilities = {
        "textDocument": {"diagnostic": {}, "publishDiagnostics": {}, "codeLens": {}, "codeAction": {}, "hover": {}},
        "workspace": {
            "codeLens": {"refreshSupport": True},
            "diagnostics": {"refreshSupport": True},
            "executeCommand": {},
            "textDocumentContent": {},
        },
    }
    editor, uri, agent = await edited(world, OwnClient, *THREE, capabilities=capabilities)
    hunks = await editor.decorated(uri, lambda found: len(found) == 3)
    await agent.request("dsh/review/keep", {"hunkIds": [hunks[0]["id"]]})
    await editor.decorated(uri, lambda found: len(found) == 2)
    await agent.request("dsh/review/undo", {"all": True})
    await editor.decorated(uri, lambda found: not found)

    assert not any(editor.server_capabilities.get(provider) for provider in PROVIDERS)
    assert "textDocumentContent" not in editor.server_capabilities["workspace"]
    sent = {message.method for message in editor.inbox.messages}
    assert sent <= {"dsh/applyEdit", "dsh/decorations", "dsh/saveDocument", "dsh/toolCall", "dsh/toolResult"}
    with pytest.raises(RpcError) as refusal:
        await editor.request("workspace/executeCommand", {"command": "dsh.keep", "arguments": [{"all": True}]})
    assert -32602 == refusal.value.code
    agent.take("dsh/drift")
