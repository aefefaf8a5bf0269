"""LSP's own messages: their types, who keeps documents, and what is left when a peer has gone."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pydantic import BaseModel

from tests.support.raw_peer import PATIENCE, editor_session, initialize

if TYPE_CHECKING:
    from dsh_lsp.rpc.editor import EditorProtocol
    from tests.support.raw_peer import RawClient

URI = "file:///w/a.txt"


class Nothing(BaseModel):
    """No params."""


SYNC: dict[str, Any] = {"dsh/sync": (Nothing, lambda peer, params: "synced")}


def opened(text: str = "one\n", version: int = 1) -> dict[str, Any]:
    """Return the params of didOpen."""
    return {"textDocument": {"uri": URI, "languageId": "text", "version": version, "text": text}}


def changed(version: int, *changes: Any) -> dict[str, Any]:
    """Return the params of didChange."""
    return {"textDocument": {"uri": URI, "version": version}, "contentChanges": list(changes)}


async def settled(client: RawClient) -> None:
    """Wait until all that was sent has been handled."""
    assert "synced" == await client.result("barrier", "dsh/sync")


# Typed params


@pytest.mark.parametrize(
    ("params", "paths"),
    [
        ({"textDocument": {"uri": URI}, "position": {"line": "one", "character": 0}}, ["params.position.line"]),
        ({"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}}, ["params.position"]),
        (
            {"textDocument": {"uri": 7}, "position": None},
            ["params.textDocument.uri", "params.position.line", "params.position.character"],
        ),
        (
            {"textDocument": {}, "position": {"line": 0, "character": True}},
            ["params.textDocument.uri", "params.position.character"],
        ),
        ({}, ["params.textDocument", "params.position"]),
        (None, ["params.textDocument", "params.position"]),
        ([1], ["params"]),
    ],
)
async def test_typed_params_that_do_not_validate_are_answered_by_field(params: object, paths: list[str]) -> None:
    """As for our own methods."""
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_HOVER, lambda peer, params: None)
        await initialize(client)
        error = await client.error(1, "textDocument/hover", params)

    assert -32602 == error["code"]
    assert paths == list(dict.fromkeys(each["path"] for each in error["data"]["errors"]))


async def test_list_indices_are_in_the_path() -> None:
    """Of an element that is wrong, its place is said; what is wrong is said without its value."""
    actions = {
        "textDocument": {"uri": URI},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "context": {"diagnostics": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": "secret"}}}]},
    }
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_CODE_ACTION, lambda peer, params: [])
        await initialize(client)
        errors = (await client.error(1, "textDocument/codeAction", actions))["data"]["errors"]

    assert [
        {"path": "params.context.diagnostics[0].range.end.line", "message": "is not a valid int"},
        {"path": "params.context.diagnostics[0].range.end.character", "message": "is required"},
        {"path": "params.context.diagnostics[0].message", "message": "is required"},
    ] == errors


async def test_null_is_not_the_text_none() -> None:
    """A document whose text is not text is refused, and its owner learns that it missed it."""
    opens: list[object] = []
    missed: list[str] = []
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_DID_OPEN, lambda peer, params: opens.append(params))
        peer.on_malformed = lambda method, errors: missed.append(f"{method} {errors[0]['path']}")
        await initialize(client)
        params = opened()
        params["textDocument"]["text"] = None
        client.tell("textDocument/didOpen", params)
        await settled(client)

    assert ([], ["textDocument/didOpen params.textDocument.text"]) == (opens, missed)


@pytest.mark.parametrize("far", [2**31, 2**32 - 1, 1.7976931348623157e308])
async def test_a_position_beyond_all_numbers_is_the_last_one(far: float) -> None:
    """Clients say "to the end" like that."""
    async with editor_session(SYNC) as (client, peer):
        seen: list[types.Position] = []
        peer.feature(types.TEXT_DOCUMENT_HOVER, lambda peer, params: seen.append(params.position))
        await initialize(client)
        await client.result(
            1, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 1.0, "character": far}}
        )

    assert [types.Position(1, 2**31 - 1)] == seen


async def test_typed_results_are_sent_in_camel_case() -> None:
    """Lists of lsprotocol's objects too, null members left out."""
    async with editor_session(SYNC) as (client, peer):
        lens = types.CodeLens(
            types.Range(types.Position(0, 0), types.Position(0, 1)), types.Command("keep", "dsh.keep")
        )
        peer.feature(types.TEXT_DOCUMENT_CODE_LENS, lambda peer, params: [lens])
        await initialize(client)

        assert [
            {
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                "command": {"title": "keep", "command": "dsh.keep"},
            }
        ] == await client.result(1, "textDocument/codeLens", {"textDocument": {"uri": URI}})


async def test_commands_are_run_and_unknown_ones_are_invalid_params() -> None:
    """A command gets its arguments as plain JSON, and there may be none."""

    async def keep(peer: EditorProtocol, arguments: tuple[Any, ...]) -> object:
        await asyncio.sleep(0)
        return {"got": arguments}

    def fail(peer: EditorProtocol, arguments: tuple[Any, ...]) -> object:
        raise ValueError

    async with editor_session(SYNC) as (client, peer):
        peer.command("dsh.keep", keep)
        peer.command("dsh.fail", fail)
        await initialize(client)
        execute, arguments = "workspace/executeCommand", [["h"], {"type_name": 1, "a-b": None}, "text"]

        assert {"got": arguments} == await client.result(1, execute, {"command": "dsh.keep", "arguments": arguments})
        assert {"got": []} == await client.result(2, execute, {"command": "dsh.keep"})
        assert -32603 == (await client.error(3, execute, {"command": "dsh.fail"}))["code"]
        assert -32602 == (await client.error(4, execute, {"command": "dsh.none"}))["code"]


async def test_bound_methods_are_handlers_too_and_several_editors_share_them() -> None:
    """Neither is taken by pygls itself."""

    class Hub:
        def hover(self, peer: EditorProtocol, params: types.HoverParams) -> str:
            return f"{peer.context} {params.position.line}"

    hub = Hub()
    async with editor_session() as (one, first), editor_session() as (two, second):
        for name, client, peer in (("first", one, first), ("second", two, second)):
            peer.context = name
            peer.feature(types.TEXT_DOCUMENT_HOVER, hub.hover)
            await initialize(client)
            params = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": 0}}

            assert f"{name} 3" == await client.result(1, "textDocument/hover", params)


# Documents


async def test_documents_are_kept_by_nobody_else() -> None:
    """Only our handlers run, in the order of the messages; pygls' workspace stays empty."""
    seen: list[str] = []
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_DID_OPEN, lambda peer, params: seen.append("open"))
        peer.feature(types.TEXT_DOCUMENT_DID_CHANGE, lambda peer, params: seen.append("change"))
        peer.feature(types.TEXT_DOCUMENT_DID_CLOSE, lambda peer, params: seen.append("close"))
        await initialize(client)
        client.tell("textDocument/didChange", changed(2, {"text": "never opened"}))
        client.tell("textDocument/didOpen", opened())
        client.tell("textDocument/didChange", changed(3, {"text": "two\n"}))
        client.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
        client.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
        folder = {"uri": "file:///gone", "name": "gone"}
        client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        await settled(client)

        assert {} == dict(peer.server.workspace.text_documents)
    assert ["change", "open", "change", "close", "close"] == seen


async def test_a_keystroke_in_a_large_document_costs_no_copy_of_it() -> None:
    """A hundred changes of a 5 MB document take less time than pygls' own copy takes for ten (15 ms each)."""
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_DID_OPEN, lambda peer, params: None)
        peer.feature(types.TEXT_DOCUMENT_DID_CHANGE, lambda peer, params: None)
        await initialize(client)
        client.tell("textDocument/didOpen", opened("x" * 49 + "\n" + ("y" * 49 + "\n") * 100_000))
        await settled(client)
        edit = {"range": {"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 0}}, "text": "z"}
        started = time.perf_counter()
        for version in range(2, 102):
            client.tell("textDocument/didChange", changed(version, edit))
        await settled(client)

        assert time.perf_counter() - started < 0.5


async def test_a_failing_notification_handler_shows_the_person_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """No window/showMessage; an error in the log, without params."""
    caplog.set_level(logging.DEBUG)

    def fail(peer: EditorProtocol, params: object) -> None:
        raise RuntimeError(str(params))

    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_DID_OPEN, fail)
        peer.feature(types.TEXT_DOCUMENT_DID_CHANGE, fail)
        await initialize(client, {"experimental": "secret"})
        client.tell("textDocument/didOpen", opened("secret"))
        client.tell("textDocument/didChange", changed(2, {"range": 7, "text": "secret"}))
        client.tell("textDocument/didChange", {"contentChanges": "secret"})
        await settled(client)

    assert 1 == caplog.text.count("textDocument/didOpen failed: RuntimeError")
    assert "dropped textDocument/didChange, which is malformed at params.textDocument" in caplog.text
    assert "secret" not in caplog.text


async def test_nothing_grows() -> None:
    """After a thousand changes, requests answered, refused, late, timed out and cancelled, both tables are empty."""

    async def wait(peer: EditorProtocol, params: Nothing) -> None:
        await asyncio.sleep(60)

    async with editor_session({**SYNC, "dsh/wait": (Nothing, wait)}) as (client, peer):
        seen: list[int] = []

        async def did_change(peer: EditorProtocol, params: types.DidChangeTextDocumentParams) -> None:
            await asyncio.sleep(0)
            seen.append(params.text_document.version)

        peer.feature(types.TEXT_DOCUMENT_DID_CHANGE, did_change)
        await initialize(client)
        for version in range(1000):
            client.tell("textDocument/didChange", changed(version, {"text": "x"}))
        for number in range(50):
            client.call(f"w{number}", "dsh/wait")
            client.tell("$/cancelRequest", {"id": f"w{number}"})
            assert -32800 == (await client.receive())["error"]["code"]
            asking = asyncio.create_task(peer.request("workspace/applyEdit", {"edit": {}}, timeout=0.002))
            request = await client.receive()
            if number % 3 == 0:
                client.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": 1, "message": "x"}})
            elif number % 3 == 1:
                await asyncio.wait([asking])
                client.send({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": True}})
            await asyncio.wait([asking])
            asking.exception()
        await settled(client)

        assert list(range(1000)) == seen
        assert (0, 0) == (len(peer._incoming), len(peer._outgoing))
        assert ({}, {}) == (peer._request_futures, peer._result_types)


async def test_a_peer_that_has_gone_is_collected() -> None:
    """Nothing keeps an editor's protocol, as pygls' caches on its methods would."""
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_HOVER, lambda peer, params: None)
        await initialize(client)
        await client.result(
            1, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        )
        remembered = weakref.ref(peer)
    del peer
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while remembered() is not None and asyncio.get_running_loop().time() < deadline:
        gc.collect()
        await asyncio.sleep(0)

    assert remembered() is None
