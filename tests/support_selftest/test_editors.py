"""What each kind of fake editor does, against a server that the test plays."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.support.applying import (
    AnswersLate,
    Exactly,
    LikeVsCode,
    Lying,
    Rejecting,
    Silent,
    UserTypesDuringApply,
)
from tests.support.editor import StrictEditor
from tests.support.editors import EglotLike, NoApplyEdit, OwnClient, StockNeovim, VsCodeLike
from tests.support.peer import RpcError
from tests.support.sending import Coalesced, DelayedChange
from tests.support_selftest.scripted_server import ScriptedServer, edit

CHANGE = "textDocument/didChange"


def on_disk(path: Path) -> bytes:
    """A file's bytes."""
    return path.read_bytes()


def put(path: Path, data: bytes) -> None:
    """Write a file, as another program does."""
    path.write_bytes(data)


@pytest.fixture
async def server() -> ScriptedServer:
    """A server for the test to play."""
    return ScriptedServer()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two lines."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"a\nb\n")
    return file


@pytest.fixture
async def started(server: ScriptedServer) -> AsyncIterator[Callable[[StrictEditor], Any]]:
    """Starts and initializes an editor; leaves it strictly in the end."""
    editors: list[StrictEditor] = []

    async def start(editor: StrictEditor) -> StrictEditor:
        await editor.__aenter__()
        editors.append(editor)
        await editor.initialize()
        return editor

    yield start
    for editor in editors:
        await editor.__aexit__(None, None, None)


async def test_plain_editor_tells_before_it_answers(started: Any, server: ScriptedServer, path: Path) -> None:
    """An edit of the exact version is applied, told in one change, and then answered."""
    editor = await started(StrictEditor(server.start))
    uri = editor.open(path)
    await server.peer.inbox.next("textDocument/didOpen")
    answer = await server.apply(uri, 1, edit(0, 0, 1, "A"), edit(1, 1, 1, "!")).result()

    assert {"applied": True} == answer
    assert ("A\nb!\n", 2) == server.documents[uri] == (editor.text(uri), editor.version(uri))
    assert [CHANGE, "answer"] == server.log[-2:]
    assert editor.is_dirty(uri)
    assert b"a\nb\n" == on_disk(path)


@pytest.mark.parametrize("version", [0, 2])
async def test_plain_editor_refuses_another_version(
    started: Any, server: ScriptedServer, path: Path, version: int
) -> None:
    """A stale and a future version are refused with a reason."""
    editor = await started(StrictEditor(server.start))
    uri = editor.open(path)
    answer = await server.apply(uri, version, edit(0, 0, 1, "A")).result()

    assert {"applied": False, "failureReason": f"the edit is for version {version}, the document is at 1"} == answer
    assert "a\nb\n" == editor.text(uri)


async def test_edit_that_does_not_fit_is_the_servers_fault(started: Any, server: ScriptedServer, path: Path) -> None:
    """A range outside the text of its own version is a problem, and the plain editor refuses it."""
    editor = await started(StrictEditor(server.start))
    uri = editor.open(path)
    answer = await server.apply(uri, 1, edit(0, 0, 7, "A")).result()

    reason = "{'line': 0, 'character': 7} is 6 past the end of the line"
    assert {"applied": False, "failureReason": reason} == answer
    assert [f"an edit of {uri} does not fit its text: {reason}"] == editor.take_problems()


async def test_typing_is_told_with_the_negotiated_encoding(started: Any, server: ScriptedServer, path: Path) -> None:
    """Typing, inserting and replacing are one change each, with positions that the server's copy can follow."""
    editor = await started(StrictEditor(server.start))
    uri = editor.open(path, "😋a\r\nb a\n")
    editor.type(uri, "a", "ä", occurrence=1)
    editor.insert(uri, {"line": 0, "character": 2}, "|")
    editor.insert(uri, 0, "^")
    editor.replace(uri, 1, 2, "")
    await editor.sync()

    assert "^|a\r\nb ä\n" == server.text(uri) == editor.text(uri)
    assert 4 == server.log.count(CHANGE)
    assert 5 == editor.version(uri)


async def test_undo_takes_back_what_was_last(started: Any, server: ScriptedServer, path: Path) -> None:
    """Undo takes back typing of one go, then an agent's edit, each as one change with a new version."""
    editor = await started(VsCodeLike(server.start))
    uri = editor.open(path)
    await editor.sync()
    await server.apply(uri, 1, edit(0, 0, 1, "A"), edit(1, 0, 1, "B")).result()
    editor.type(uri, "A", "xyz")
    authors = [editor.undo(uri), editor.undo(uri)]
    await editor.sync()

    assert ["user", "agent"] == authors
    assert ("a\nb\n", 7) == server.documents[uri]
    assert not editor.is_dirty(uri)


async def test_vs_code_answers_before_it_tells(started: Any, server: ScriptedServer, path: Path) -> None:
    """VS Code's answer comes before the change that the edit has caused."""
    editor = await started(VsCodeLike(server.start))
    uri = editor.open(path)
    answer = await server.apply(uri, 1, edit(0, 0, 1, "A")).result()
    await server.peer.inbox.next(CHANGE)

    assert {"applied": True} == answer
    assert ["answer", CHANGE] == server.log[-2:]
    assert "A\nb\n" == server.text(uri)


@pytest.mark.parametrize("version", [0, 2])
async def test_vs_code_refuses_without_a_reason(started: Any, server: ScriptedServer, path: Path, version: int) -> None:
    """VS Code refuses a stale and a future version, and says no more than that."""
    editor = await started(VsCodeLike(server.start))
    uri = editor.open(path)

    assert {"applied": False} == await server.apply(uri, version, edit(0, 0, 1, "A")).result()
    assert "a\nb\n" == editor.text(uri)


async def test_vs_code_does_not_check_null_nor_closed_files(started: Any, server: ScriptedServer, path: Path) -> None:
    """VS Code applies an edit without a version, and opens a file that is not open, whatever the version."""
    editor = await started(VsCodeLike(server.start))
    uri = path.as_uri()
    first = await server.apply(uri, 5, edit(0, 0, 1, "A")).result()
    second = await server.apply(uri, None, edit(0, 0, 1, "AA")).result()

    assert [{"applied": True}] * 2 == [first, second]
    assert "AA\nb\n" == editor.text(uri)
    assert editor.is_dirty(uri)
    assert b"a\nb\n" == on_disk(path)
    assert ["an edit names no version, so that no editor checks it"] == editor.take_problems()


async def test_vs_code_has_a_version_for_each_key(started: Any, server: ScriptedServer, path: Path) -> None:
    """Each key press is a change with a version of its own; a line end is one key."""
    editor = await started(VsCodeLike(server.start))
    uri = editor.open(path)
    editor.type(uri, "a", "x\r\ny")
    await editor.sync()

    assert ("x\r\ny\nb\n", 4) == server.documents[uri]
    assert 3 == server.log.count(CHANGE)


async def test_neovim_skips_a_stale_edit_and_says_yes(started: Any, server: ScriptedServer, path: Path) -> None:
    """Neovim says yes to an edit of a version below its own, and does nothing."""
    editor = await started(StockNeovim(server.start))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    answer = await server.apply(uri, 1, edit(1, 0, 1, "B")).result()

    assert {"applied": True} == answer
    assert ("x\nb\n", 3) == (editor.text(uri), editor.version(uri))


@pytest.mark.parametrize("version", [0, 1, 9, None])
async def test_neovim_applies_what_it_does_not_check(
    started: Any, server: ScriptedServer, path: Path, version: int | None
) -> None:
    """Neovim applies an edit of a fresh document at version 0, and of no version or a future one at any time."""
    editor = await started(StockNeovim(server.start))
    uri = editor.open(path)
    assert 0 == editor.version(uri)
    if version != 1:
        editor.type(uri, "a", "x")
    await server.apply(uri, version, edit(1, 0, 1, "B")).result()

    assert "B" == editor.text(uri)[2]
    editor.take_problems()


async def test_neovim_tells_typing_and_edit_in_one_lump(started: Any, server: ScriptedServer, path: Path) -> None:
    """What was typed and what an agent has edited meanwhile come as one range, and only before another message."""
    server.encoding = "utf-8"
    editor = await started(StockNeovim(server.start, sending=Coalesced(None)))
    uri = editor.open(path, "ä\nb\nc\n")
    editor.type(uri, "ä", "äx")
    await server.apply(uri, 9, edit(2, 0, 1, "C")).result()
    assert 0 == server.log.count(CHANGE)
    await editor.sync()

    assert ("äx\nb\nC\n", editor.version(uri)) == server.documents[uri]
    (told,) = server.peer.inbox.all(CHANGE)
    whole = {"start": {"line": 0, "character": 2}, "end": {"line": 2, "character": 1}}
    assert [{"range": whole, "text": "x\nb\nC"}] == told["contentChanges"]
    assert [CHANGE, "dsh/tool/list"] == server.log[-2:]


async def test_neovim_tells_after_a_while(started: Any, server: ScriptedServer, path: Path) -> None:
    """Left alone, a change is told by itself, after the answer."""
    editor = await started(StockNeovim(server.start, sending=Coalesced(0.02)))
    uri = editor.open(path)
    await server.apply(uri, 1, edit(0, 0, 1, "A")).result()
    await server.peer.inbox.next(CHANGE)

    assert ["answer", CHANGE] == server.log[-2:]
    assert "A\nb\n" == server.text(uri)


@pytest.mark.parametrize("has_tokens", [True, False])
async def test_neovim_flushes_for_tokens(started: Any, server: ScriptedServer, path: Path, has_tokens: bool) -> None:
    """A refresh of semantic tokens brings the changes before its answer, if the server has any tokens to ask for."""
    if has_tokens:
        server.capabilities["semanticTokensProvider"] = {"full": True}
    editor = await started(StockNeovim(server.start, sending=Coalesced(None)))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    await server.peer.request("workspace/semanticTokens/refresh")

    flushed = [CHANGE, "textDocument/semanticTokens/full"] if has_tokens else []
    assert ["textDocument/didOpen", *flushed, "answer"] == server.log[-2 - len(flushed) :]


async def test_neovim_reloads_by_opening_again(started: Any, server: ScriptedServer, path: Path) -> None:
    """A file that is read again is closed and opened, its version back at 0."""
    editor = await started(StockNeovim(server.start))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    editor.save(uri)
    put(path, b"new\n")
    assert editor.reload(uri)
    await editor.sync()

    assert ("new\n", 0) == server.documents[uri] == (editor.text(uri), editor.version(uri))
    assert ["textDocument/didClose", "textDocument/didOpen"] == server.log[-3:-1]


async def test_neovim_adds_the_final_newline_on_the_disk_alone(
    started: Any, server: ScriptedServer, path: Path
) -> None:
    """A saved file has a final newline that neither the buffer nor the server has."""
    put(path, b"a\r\nb")
    editor = await started(StockNeovim(server.start))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    editor.save(uri)
    await editor.sync()

    assert b"x\r\nb\r\n" == on_disk(path)
    assert "x\r\nb" == editor.text(uri) == server.text(uri)


async def test_neovim_loads_a_closed_file(started: Any, server: ScriptedServer, path: Path) -> None:
    """A file that is not open is loaded into a hidden buffer, changed there, and stays as it is on the disk."""
    editor = await started(StockNeovim(server.start, sending=Coalesced(None)))
    uri = path.as_uri()
    await server.apply(uri, 7, edit(0, 0, 1, "A")).result()

    assert ["textDocument/didOpen", "answer"] == server.log[-2:]
    assert ("A\nb\n", True) == (editor.text(uri), editor.is_dirty(uri))
    assert b"a\nb\n" == on_disk(path)


async def test_eglot_answers_a_stale_edit_with_an_error(started: Any, server: ScriptedServer, path: Path) -> None:
    """Eglot answers an edit of another version with a JSON-RPC error."""
    editor = await started(EglotLike(server.start))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    with pytest.raises(RpcError) as refused:
        await server.apply(uri, 0, edit(1, 0, 1, "B")).result()

    assert (32603, "require version 0, you have 1") == (refused.value.code, refused.value.message)
    assert "x\nb\n" == editor.text(uri)


async def test_own_client_checks_the_content(started: Any, server: ScriptedServer, path: Path) -> None:
    """A client of ours refuses an edit for another content, though the version is right, and applies the right one."""
    editor = await started(OwnClient(server.start))
    uri = editor.open(path)
    wrong = await server.apply_own(uri, 1, "other\n", edit(0, 0, 1, "A")).result()
    right = await server.apply_own(uri, 1, "a\nb\n", edit(0, 0, 1, "A")).result()

    assert [{"applied": False, "reason": "the document has another content"}, {"applied": True}] == [wrong, right]
    assert [CHANGE, "answer"] == server.log[-2:]
    assert "A\nb\n" == server.text(uri)


async def test_own_client_formats_and_saves(started: Any, server: ScriptedServer, path: Path) -> None:
    """A save at the right version formats, tells, writes and answers; one at another version does nothing."""
    editor = await started(OwnClient(server.start, formatter=str.upper))
    uri = editor.open(path)
    early = await server.peer.request("dsh/saveDocument", {"uri": uri, "version": 2})
    saved = await server.peer.request("dsh/saveDocument", {"uri": uri, "version": 1})

    assert [{"saved": False, "reason": "the document is at version 1"}, {"saved": True}] == [early, saved]
    assert [CHANGE, "textDocument/didSave", "answer"] == server.log[-3:]
    assert b"A\nB\n" == on_disk(path)
    assert not editor.is_dirty(uri)


async def test_saving_what_was_typed_is_the_servers_fault(started: Any, server: ScriptedServer, path: Path) -> None:
    """A server that has unsaved typing saved is at fault; one that has an agent's edit saved is not."""
    editor = await started(OwnClient(server.start))
    uri = editor.open(path)
    await server.apply_own(uri, 1, "a\nb\n", edit(0, 0, 1, "A")).result()
    await server.peer.request("dsh/saveDocument", {"uri": uri, "version": 2})
    assert [] == editor.problems
    editor.type(uri, "A", "x")
    await server.peer.request("dsh/saveDocument", {"uri": uri, "version": 3})

    assert [f"the server had {uri} saved, in which there was unsaved typing"] == editor.take_problems()


async def test_save_does_not_go_over_another_programs_file(started: Any, server: ScriptedServer, path: Path) -> None:
    """A file that has changed on the disk is not saved over unless forced."""
    editor = await started(OwnClient(server.start))
    uri = editor.open(path)
    put(path, b"other\n")
    answer = await server.peer.request("dsh/saveDocument", {"uri": uri, "version": 1})
    assert ({"saved": False, "reason": "the file was changed on disk"}, b"other\n") == (answer, on_disk(path))

    assert editor.save(uri, force=True)
    assert b"a\nb\n" == on_disk(path)


async def test_reload_takes_the_disk_unless_dirty(started: Any, server: ScriptedServer, path: Path) -> None:
    """A reload of a clean document is told before the answer; a dirty one is not reloaded."""
    editor = await started(OwnClient(server.start))
    uri = editor.open(path)
    put(path, b"\xef\xbb\xbfa\nnew\n")
    reloaded = await server.peer.request("dsh/reloadDocument", {"uri": uri})
    assert ["a\nnew\n", CHANGE, "answer"] == [server.text(uri), *server.log[-2:]]
    editor.type(uri, "a", "x")
    put(path, b"a\n")
    kept = await server.peer.request("dsh/reloadDocument", {"uri": uri})

    assert [{"reloaded": True}, {"reloaded": False}] == [reloaded, kept]
    assert "x\nnew\n" == editor.text(uri)
    assert editor.save(uri, force=True)
    assert b"\xef\xbb\xbfx\nnew\n" == on_disk(path)


@pytest.mark.parametrize("reason", [None, "read-only"])
async def test_rejecting(started: Any, server: ScriptedServer, path: Path, reason: str | None) -> None:
    """The edit is refused, with a reason or without one."""
    editor = await started(StrictEditor(server.start, applying=Rejecting(reason)))
    uri = editor.open(path)
    answer = await server.apply(uri, 1, edit(0, 0, 1, "A")).result()

    assert ({"applied": False} if reason is None else {"applied": False, "failureReason": reason}) == answer
    assert "a\nb\n" == editor.text(uri)


async def test_lying(started: Any, server: ScriptedServer, path: Path) -> None:
    """The answer is yes, and nothing happens."""
    editor = await started(StrictEditor(server.start, applying=Lying()))
    uri = editor.open(path)

    assert {"applied": True} == await server.apply(uri, 1, edit(0, 0, 1, "A")).result()
    assert "a\nb\n" == editor.text(uri)


async def test_silent(started: Any, server: ScriptedServer, path: Path) -> None:
    """There is no answer, nothing happens, and leaving does not complain of it."""
    editor = await started(StrictEditor(server.start, applying=Silent()))
    uri = editor.open(path)
    call = server.apply(uri, 1, edit(0, 0, 1, "A"))
    await editor.next("workspace/applyEdit")
    await editor.sync()

    assert not call.done
    assert "a\nb\n" == editor.text(uri)


async def test_answers_late(started: Any, server: ScriptedServer, path: Path) -> None:
    """Nothing happens until the test says so; then the edit is applied by what the buffer is at by then."""
    late = AnswersLate(LikeVsCode())
    editor = await started(VsCodeLike(server.start, applying=late))
    uri = editor.open(path)
    one, other = server.apply(uri, 1, edit(0, 0, 1, "A")), server.apply(uri, 2, edit(0, 0, 1, "B"))
    await editor.until(lambda: len(late.waiting) == 2)
    assert (False, "a\nb\n") == (one.done, editor.text(uri))
    late.release()

    assert [{"applied": True}, {"applied": True}] == [await one.result(), await other.result()]
    assert "B\nb\n" == editor.text(uri)


async def test_delayed_change_is_rejected_by_version(started: Any, server: ScriptedServer, path: Path) -> None:
    """The buffer has changed, the server has not heard of it, and its edit is refused by the version."""
    held = DelayedChange()
    editor = await started(StrictEditor(server.start, sending=held))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    await editor.sync()
    answer = await server.apply(uri, 1, edit(1, 0, 1, "B")).result()
    assert (False, "a\nb\n") == (answer["applied"], server.text(uri))
    held.release()
    await editor.sync()

    assert "x\nb\n" == server.text(uri) == editor.text(uri)


async def test_user_types_during_apply(started: Any, server: ScriptedServer, path: Path) -> None:
    """The person types once before the edit is looked at; the next edit finds no typing in its way."""
    typing = UserTypesDuringApply(lambda editor, uri: editor.type(uri, "b", "user"), Exactly())
    editor = await started(StrictEditor(server.start, applying=typing))
    uri = editor.open(path)
    first = await server.apply(uri, 1, edit(0, 0, 1, "A")).result()
    second = await server.apply(uri, 2, edit(0, 0, 1, "A")).result()

    assert [False, True] == [first["applied"], second["applied"]]
    assert "A\nuser\n" == editor.text(uri)


async def test_no_apply_edit(started: Any, server: ScriptedServer, path: Path) -> None:
    """A client that did not declare ``workspace.applyEdit`` is not to be asked."""
    editor = await started(NoApplyEdit(server.start))
    uri = editor.open(path)
    await server.apply(uri, 1, edit(0, 0, 1, "A")).result()

    assert ["workspace/applyEdit came, and the client did not declare workspace.applyEdit"] == editor.take_problems()


async def test_typed_requests_send_held_changes_first(started: Any, server: ScriptedServer, path: Path) -> None:
    """LSP's typed requests go through the same door: what was typed is told before them."""
    editor = await started(StockNeovim(server.start, sending=Coalesced(None)))
    uri = editor.open(path)
    editor.type(uri, "a", "x")
    where = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 0))

    assert await editor.lsp.text_document_hover_async(where) is None
    assert [CHANGE, "textDocument/hover"] == server.log[-2:]
