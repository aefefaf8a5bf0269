"""Leaving the fake editor fails for everything that is wrong, and for nothing else."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import framing
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import OwnClient
from tests.support.leaving import NotStrict
from tests.support_selftest.scripted_server import ScriptedServer, edit

HUNK = {
    "id": "h",
    "sessionId": "s1",
    "callId": "c",
    "kind": "added",
    "removedText": "",
    "addedLines": 1,
    "removedLines": 0,
}


async def fault(make: Callable[[ScriptedServer, StrictEditor, str], Any], path: Path, **how: Any) -> str:
    """What leaving complains of, after a server and an editor did something; empty if of nothing."""
    server = ScriptedServer()
    editor = OwnClient(server.start, **how)
    try:
        async with editor:
            await editor.initialize()
            uri = editor.open(path, "a\nb\n")
            outcome = make(server, editor, uri)
            if outcome is not None:
                await outcome
    except NotStrict as error:
        return str(error)
    return ""


def decorations(uri: str, version: int, end: tuple[int, int]) -> dict[str, Any]:
    """A note with one hunk from the document's beginning up to an end."""
    span = {"start": {"line": 0, "character": 0}, "end": {"line": end[0], "character": end[1]}}
    return {"uri": uri, "version": version, "hunks": [{**HUNK, "range": span}]}


async def test_nothing_is_wrong(tmp_path: Path) -> None:
    """An edit, typing and a save with their usual messages leave nothing to complain of."""

    async def story(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        await server.apply_own(uri, 1, "a\nb\n", edit(0, 0, 1, "A")).result()
        server.peer.notify("dsh/decorations", decorations(uri, 2, (1, 0)))
        server.peer.notify("window/logMessage", {"type": 4, "message": "hello"})
        editor.type(uri, "b", "c")
        await editor.decorated(uri, lambda hunks: len(hunks) == 1)
        assert "A\nc\n" == server.text(uri)

    assert "" == await fault(story, tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("window/showMessage", {"type": 1, "message": "Error in server"}),
        ("dsh/unheard/of", {"a": 1}),
        ("dsh/decorations", {"uri": "file:///x", "version": 1, "hunks": []}),
    ],
)
async def test_unread_message(tmp_path: Path, method: str, params: Any) -> None:
    """A message nobody read is a fault, unless its method is ignored or it was taken."""

    def send(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.peer.notify(method, params)

    async def take(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.peer.notify(method, params)
        assert params == await editor.next(method)

    strict = IGNORED - {"dsh/decorations"}
    assert f"nobody read {method}" in await fault(send, tmp_path / "a.txt", ignore=strict)
    assert "" == await fault(send, tmp_path / "a.txt", ignore=strict | {method})
    assert "" == await fault(take, tmp_path / "a.txt", ignore=strict)


async def test_question_to_the_person(tmp_path: Path) -> None:
    """A question must be read, or the test must have said what to answer; unasked, no answer is chosen."""
    params = {"type": 3, "message": "Allow?", "actions": [{"title": "Yes"}]}
    answers: list[Any] = []

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        answers.append(await server.peer.request("window/showMessageRequest", params))

    async def say(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        editor.answers["window/showMessageRequest"] = lambda asked: asked["actions"][0]
        await ask(server, editor, uri)

    assert "nobody read window/showMessageRequest" in await fault(ask, tmp_path / "a.txt")
    assert "" == await fault(say, tmp_path / "a.txt")
    assert [None, {"title": "Yes"}] == answers


async def test_forgotten_request(tmp_path: Path) -> None:
    """A request that the editor has neither answered nor left on purpose is a fault."""

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        editor.applying = lambda editor, request: None
        server.apply_own(uri, 1, "a\nb\n", edit(0, 0, 1, "A"))
        await editor.next("dsh/applyEdit")

    assert "nobody answered dsh/applyEdit" in await fault(ask, tmp_path / "a.txt")


async def test_unknown_request(tmp_path: Path) -> None:
    """A request for something that no editor has is refused, and a fault."""

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        await editor.inbox.until(lambda: server.peer.start("dsh/makeCoffee") is not None)
        await editor.next("dsh/makeCoffee")

    assert "the editor was asked for dsh/makeCoffee" in await fault(ask, tmp_path / "a.txt")


async def test_error_that_nobody_asked_for(tmp_path: Path) -> None:
    """A JSON-RPC error that answers nothing is a fault; one that a test has asked for is the test's."""

    def send(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.write_raw(framing.encode({"id": None, "error": {"code": -32700, "message": "Parse error"}}))

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        with pytest.raises(Exception, match="no"):
            await editor.request("test/refuse")

    assert "an answer came to nothing that was asked" in await fault(send, tmp_path / "a.txt")
    assert "" == await fault(ask, tmp_path / "a.txt")


async def test_other_text_in_the_mirror(tmp_path: Path) -> None:
    """A document of which the server has another text is a fault, whoever is wrong."""

    async def lose(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        editor.type(uri, "a", "x")
        await editor.sync()
        server.documents[uri] = ("y\nb\n", 2)

    assert "the server has another text" in await fault(lose, tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("version", "end", "words"),
    [
        (1, (2, 1), "1 past the end of the line"),
        (1, (3, 0), "line 3 of 3"),
        (4, (1, 0), "which the server was never sent"),
        (2, (0, 3), ""),
    ],
)
async def test_range_outside_the_text(tmp_path: Path, version: int, end: tuple[int, int], words: str) -> None:
    """Decorations must lie in the text of their version, which must be one that the server was sent."""

    async def send(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        editor.type(uri, "a", "xyz")
        editor.type(uri, "xyz", "a")
        await editor.sync()
        server.peer.notify("dsh/decorations", decorations(uri, version, end))

    found = await fault(send, tmp_path / "a.txt")
    assert (words in found) if words else (found == "")


async def test_range_outside_in_an_answer(tmp_path: Path) -> None:
    """Ranges in the answer to a request about a document must lie in it."""

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        question = asyncio.create_task(editor.request("test/ignore", {"textDocument": {"uri": uri}}))
        await server.peer.inbox.next("test/ignore")
        server.peer.unanswered()[0].answer([edit(7, 0, 1, "")])
        await question

    assert "is not inside" in await fault(ask, tmp_path / "a.txt")


async def test_shape_of_a_custom_method(tmp_path: Path) -> None:
    """A custom notification that has not the protocol's shape is a fault."""

    def send(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.peer.notify("dsh/decorations", {"uri": uri, "hunks": []})

    assert "dsh/decorations has not the shape of the protocol" in await fault(send, tmp_path / "a.txt")


async def test_shape_of_an_lsp_method(tmp_path: Path) -> None:
    """A notification of LSP's own that is not what LSP says is a fault."""

    def send(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.peer.notify("window/logMessage", {"type": "loud"})

    assert "window/logMessage is not what LSP says" in await fault(send, tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"edit": {"documentChanges": [], "changes": {}}}, "both changes and documentChanges"),
        ({"edit": {"documentChanges": []}, "label": "x"}, "has a label"),
        ({"edit": {"changes": {"file:///a": [], "file:///b": []}}}, "not of one document"),
        ({"edit": {"documentChanges": [{"textDocument": {"uri": "file:///a"}, "edits": []}]}}, "names no version"),
    ],
)
async def test_way_of_asking_for_an_edit(tmp_path: Path, params: Any, words: str) -> None:
    """An edit has one form, one document, a version and no label."""

    async def ask(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        await server.peer.request("workspace/applyEdit", params)

    assert words in await fault(ask, tmp_path / "a.txt")


async def test_dead_server(tmp_path: Path) -> None:
    """A server that is gone is a fault, unless the test has killed it."""

    async def die(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.ends_with = 3
        server.end_output()
        await editor.until(lambda: editor.inbox.gone is not None)

    async def kill(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        await editor.kill()

    assert "the server is gone: the scripted server has exit code 3" in await fault(die, tmp_path / "a.txt")
    assert "" == await fault(kill, tmp_path / "a.txt")


async def test_exit_code(tmp_path: Path) -> None:
    """A server that does not end with 0 after shutdown and exit is a fault."""

    def spoil(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.ends_with = 1

    assert "did not end the server with 0" in await fault(spoil, tmp_path / "a.txt")


async def test_server_that_was_never_initialized() -> None:
    """A server that was started and no more is told to go, and may do so with 1."""
    server = ScriptedServer()
    server.ends_with = 1
    async with StrictEditor(server.start):
        pass

    assert ["exit"] == server.log


async def test_traceback(tmp_path: Path) -> None:
    """A traceback on standard error is a fault, unless the test provokes it."""

    def crash(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.stderr = "Traceback (most recent call last):\n"

    def provoke(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        crash(server, editor, uri)
        editor.stderr_may_hold_tracebacks = True

    assert "the server wrote a traceback" in await fault(crash, tmp_path / "a.txt")
    assert "" == await fault(provoke, tmp_path / "a.txt")


async def test_failed_test_is_not_covered_up(tmp_path: Path) -> None:
    """A test that fails keeps its own error, to which the server's state is added."""

    async def fail(server: ScriptedServer, editor: StrictEditor, uri: str) -> None:
        server.peer.notify("dsh/unread")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed:
        await fault(fail, tmp_path / "a.txt")

    assert ["the scripted server has exit code None"] == failed.value.__notes__
