"""Deciding on what agents changed in an editor that has plain LSP and nothing of ours."""

from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.applying import Rejecting
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import EglotLike, StockNeovim, VsCodeLike
from tests.support.peer import RpcError
from tests.support.world import World

TEXT = "".join(f"line {n}\n" for n in range(30))

THREE = (("line 3\n", "LINE 3\n"), ("line 10\n", "line 10\nnew\n"), ("line 20\n", ""))
"""A modification, an addition and a deletion."""


async def edited(
    world: World, kind: type[StrictEditor], *edits: tuple[str, str], **how: Any
) -> tuple[Any, str, ToolUser]:
    """An editor with a.txt open, in which an agent has made these edits."""
    editor = await world.editor(kind, ignore=IGNORED | {"dsh/decided"}, **how)
    uri = editor.open(world.file("a.txt", TEXT))
    agent = await world.agent()
    await agent.read("a.txt")
    for old, new in edits:
        assert not (await agent.edit("a.txt", old, new))["isError"]
    return editor, uri, agent


async def lenses(editor: StrictEditor, uri: str) -> list[tuple[int, str, dict[str, Any]]]:
    """The lenses of a document: line, title, command."""
    found = await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [(lens["range"]["start"]["line"], lens["command"]["title"], lens["command"]) for lens in found]


async def actions(editor: StrictEditor, uri: str, *lines: int, end: int = 0, **context: Any) -> list[dict[str, Any]]:
    """The code actions of a line, or of a selection from the start of one to the ``end`` of another."""
    first, last = lines[0], lines[-1]
    place = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": end}}
    params = {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": [], **context}}
    found: list[dict[str, Any]] = await editor.request("textDocument/codeAction", params)
    return found


async def run(editor: StrictEditor, command: dict[str, Any]) -> None:
    """Execute a command as editors do."""
    wanted = {"command": command["command"], "arguments": command["arguments"]}
    assert None is await editor.request("workspace/executeCommand", wanted)


def named(found: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The command of the one action of a kind."""
    [action] = [action for action in found if action["kind"] == kind]
    command: dict[str, Any] = action["command"]
    return command


async def pending(agent: ToolUser) -> int:
    """How many hunks are pending."""
    return len((await agent.request("dsh/review/list", {}))["hunks"])


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim, EglotLike])
async def test_each_change_has_lenses_that_keep_and_undo_it(world: World, kind: type[StrictEditor]) -> None:
    """They stand on its first line; keeping writes nothing, undoing restores the old lines; the agent hears of it."""
    declared: dict[str, Any] = {"textDocument": {"codeLens": {}, "publishDiagnostics": {}}}
    editor, uri, agent = await edited(world, kind, *THREE, capabilities=declared)
    shown = await lenses(editor, uri)
    [keep] = [command for line, title, command in shown if (line, title) == (3, "Keep")]
    [undo] = [command for line, title, command in shown if (line, title) == (21, "Undo")]
    await run(editor, keep)
    await run(editor, undo)
    left = await editor.diagnosed(uri, lambda found: ["added"] == [each["code"] for each in found])

    assert [3, 3, 3, 11, 11, 21, 21, 21] == [line for line, _, _ in shown]
    assert ["Keep", "Undo", "Show before", "Keep", "Undo"] == [title for _, title, _ in shown][:5]
    assert TEXT.replace("line 3\n", "LINE 3\n").replace("line 10\n", "line 10\nnew\n") == editor.text(uri)
    assert ("added", 11) == (left[0]["code"], left[0]["range"]["start"]["line"])
    decisions = {(await agent.next("dsh/decided"))["decision"] for _ in range(2)}
    assert {"kept", "undone"} == decisions
    agent.take("dsh/drift")


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim])
async def test_code_actions_by_hunk_by_file_and_all(world: World, kind: type[StrictEditor]) -> None:
    """A quick fix settles its diagnostic; source actions take the file, and all files once there are several."""
    editor, uri, agent = await edited(world, kind, *THREE)
    told = await editor.diagnosed(uri, lambda found: len(found) == 3)
    at_first = await actions(editor, uri, 3, diagnostics=told[:1])
    elsewhere = await actions(editor, uri, 5)
    await run(editor, named(at_first, "quickfix.dsh.undo"))
    await editor.diagnosed(uri, lambda found: len(found) == 2)
    await agent.write("b.txt", "new\n")
    with_others = await actions(editor, uri, 5)
    await run(editor, named(with_others, "source.dsh.undoFile"))
    await editor.diagnosed(uri, lambda found: not found)
    others = await pending(agent)
    await run(editor, named(await actions(editor, uri, 5), "source.dsh.keepAll"))
    await editor.sync()

    assert ["quickfix.dsh.keep", "quickfix.dsh.undo", "source.dsh.keepFile", "source.dsh.undoFile"] == [
        action["kind"] for action in at_first
    ]
    assert "Keep this change by agent test agent (+1 -1)" == at_first[0]["title"]
    assert told[:1] == at_first[0]["diagnostics"]
    assert ["source.dsh.keepFile", "source.dsh.undoFile"] == [action["kind"] for action in elsewhere]
    assert "Undo all changes by agents in the workspace (2 files)" == with_others[-1]["title"]
    assert TEXT == editor.text(uri)
    assert 1 == others
    await agent.next("dsh/decided", where=lambda note: note["uri"].endswith("b.txt"))
    assert 0 == await pending(agent)
    agent.take("dsh/decided")
    agent.take("dsh/drift")


async def test_only_the_kinds_that_are_asked_for(world: World) -> None:
    """``only`` is a kind or one above it; nothing for files where no person has asked; nothing is preferred."""
    editor, uri, _ = await edited(world, VsCodeLike, *THREE)

    async def kinds(**context: Any) -> list[str]:
        return [action["kind"] for action in await actions(editor, uri, 3, **context)]

    everything = await actions(editor, uri, 3)
    assert ["quickfix.dsh.keep", "quickfix.dsh.undo"] == await kinds(only=["quickfix"])
    assert ["source.dsh.keepFile", "source.dsh.undoFile"] == await kinds(only=["source"])
    assert ["source.dsh.undoFile"] == await kinds(only=["refactor", "source.dsh.undoFile"])
    assert 4 == len(await kinds(only=[""]))
    assert [] == await kinds(only=["source.dsh.keepFileX", "quick", "source.fixAll"])
    assert ["quickfix.dsh.keep", "quickfix.dsh.undo"] == await kinds(triggerKind=2)
    assert not any("isPreferred" in action for action in everything)
    assert set(editor.server_capabilities["codeActionProvider"]["codeActionKinds"]) >= {
        action["kind"] for action in everything
    }


async def test_a_client_without_literals_gets_commands(world: World) -> None:
    """LSP before 3.8: the same actions, each a bare command."""
    without = {"textDocument": {"codeAction": {"codeActionLiteralSupport": None}}}
    editor, uri, _ = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"), capabilities=without)
    found = await actions(editor, uri, 3)
    await run(editor, found[1])
    await editor.until(lambda: editor.text(uri) == TEXT)

    assert ["dsh.keep", "dsh.undo", "dsh.keep", "dsh.undo"] == [command["command"] for command in found]
    assert True is editor.server_capabilities["codeActionProvider"]


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim])
async def test_selected_lines_of_a_change(world: World, kind: type[StrictEditor]) -> None:
    """Some of its lines are kept or undone, the rest stays pending; a selection of all of it is the hunk."""
    editor, uri, agent = await edited(world, kind, ("line 3\n", "line 3\na\nb\nc\nd\n"))
    whole = await actions(editor, uri, 3, 9)
    cursor = await actions(editor, uri, 5)
    await run(editor, named(await actions(editor, uri, 4, 4, end=1), "quickfix.dsh.keepLines"))
    await editor.diagnosed(uri, lambda found: [each["message"][-7:] for each in found] == ["(+3 -0)"])
    some = await actions(editor, uri, 5, 7)
    await run(editor, named(some, "quickfix.dsh.undoLines"))
    await editor.until(lambda: editor.text(uri) == TEXT.replace("line 3\n", "line 3\na\nd\n"))
    [left] = await editor.diagnosed(uri, lambda found: found[0]["message"].endswith("(+1 -0)"))

    assert ["quickfix.dsh.keepLines", "quickfix.dsh.undoLines", "quickfix.dsh.keep", "quickfix.dsh.undo"] == [
        action["kind"] for action in some[:4]
    ]
    assert "Undo the selected lines of this change by agent test agent" == some[1]["title"]
    for others in (whole, cursor):
        assert not any("Lines" in action["kind"] for action in others)
    assert 5 == left["range"]["start"]["line"]
    await agent.next("dsh/decided")
    agent.take("dsh/decided")
    agent.take("dsh/drift")


async def test_selected_lines_of_another_text_are_refused(world: World) -> None:
    """Somebody has typed above between the menu and the choice: the lines are others now, and nothing is done."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "line 3\na\nb\nc\n"))
    undo = named(await actions(editor, uri, 5, 6), "quickfix.dsh.undoLines")
    editor.insert(uri, 0, "above\n")
    await run(editor, undo)
    said = await editor.next("window/showMessage")

    assert "the text has changed" in said["message"]
    assert "above\n" + TEXT.replace("line 3\n", "line 3\na\nb\nc\n") == editor.text(uri)
    assert 1 == await pending(agent)
    agent.take("dsh/drift")


async def test_a_command_is_answered_before_the_editor_is_asked_for_anything(world: World) -> None:
    """An editor that does nothing else until its command is answered is not kept waiting for its own answer."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    editor.hold("workspace/applyEdit")
    await run(editor, named(await actions(editor, uri, 3), "quickfix.dsh.undo"))
    request = await editor.held_request("workspace/applyEdit")
    request.answer({"applied": False})
    said = await editor.next("window/showMessage")

    assert (2, True) == (said["type"], "could not be undone" in said["message"])
    assert 1 == await pending(agent)


async def test_what_goes_wrong_is_said_once_and_nothing_else_is(world: World) -> None:
    """An edit that is refused and a hunk that is gone are told of; decisions that work are seen, not said."""
    editor, uri, _ = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    keep = named(await actions(editor, uri, 3), "quickfix.dsh.keep")
    await run(editor, keep)
    await editor.diagnosed(uri, lambda found: not found)
    silent = editor.take("window/showMessage")
    await run(editor, keep)
    said = await editor.next("window/showMessage")

    assert [] == silent
    assert (3, "dsh-lsp: that change is not pending any more") == (said["type"], said["message"])


async def test_an_edit_that_the_editor_refuses_is_told_with_its_reason(world: World) -> None:
    """The hunk stays pending, and the user reads why."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    editor.applying = Rejecting("read-only")
    await run(editor, named(await actions(editor, uri, 3), "quickfix.dsh.undo"))
    said = await editor.next("window/showMessage")

    assert "a change of a.txt could not be undone" in said["message"]
    assert "read-only" in said["message"]
    assert 1 == await pending(agent)


MEANINGLESS: list[tuple[str, Any, str]] = [
    ("dsh.keep", None, "params.arguments[0]"),
    ("dsh.keep", [{}], "params.arguments[0]"),
    ("dsh.keep", [{"all": True}, {"all": True}], "params.arguments"),
    ("dsh.undo", [{"all": True, "range": {"start": {"line": 0, "character": 0}}}], "params.arguments[0].range.end"),
    ("dsh.undo", [{"callId": "c"}], "params.arguments[0].callId"),
    ("dsh.undo", [{"all": True, "everything": True}], "params.arguments[0].everything"),
    ("dsh.showBefore", [{"hunkIds": ["h"]}], "params.arguments[0].uri"),
    ("dsh.showBefore", ["text"], "params.arguments[0]"),
]
"""Commands, their arguments, and the field that is not right."""


async def test_arguments_that_mean_nothing_are_refused(world: World) -> None:
    """Invalid params, with the way to the field; nothing is decided."""
    editor, uri, agent = await edited(world, VsCodeLike, ("line 3\n", "LINE 3\n"))
    for command, arguments, path in MEANINGLESS:
        params = {"command": command} if arguments is None else {"command": command, "arguments": arguments}
        with pytest.raises(RpcError) as refusal:
            await editor.request("workspace/executeCommand", params)

        assert (-32602, path) == (refusal.value.code, refusal.value.data["errors"][0]["path"])
    assert 1 == await pending(agent)
    assert TEXT.replace("line 3\n", "LINE 3\n") == editor.text(uri)
