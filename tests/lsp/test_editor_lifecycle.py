"""The editor's life cycle, and the capabilities that the two sides tell each other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pydantic import BaseModel

from tests.support.raw_peer import editor_session, initialize

if TYPE_CHECKING:
    from dsh_lsp.rpc.editor import EditorProtocol
    from tests.support.raw_peer import RawClient


class Nothing(BaseModel):
    """No params."""


SYNC: dict[str, Any] = {"dsh/sync": (Nothing, lambda peer, params: "synced")}
INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


async def settled(client: RawClient) -> None:
    """Wait until all that was sent has been handled."""
    assert "synced" == await client.result("barrier", "dsh/sync")


# Life cycle


@pytest.mark.parametrize("method", ["dsh/sync", "textDocument/hover", "shutdown", "nothing"])
async def test_requests_before_initialize_are_refused(method: str) -> None:
    """-32002, whatever the method, and the connection goes on."""
    async with editor_session(SYNC) as (client, _):
        assert -32002 == (await client.error(1, method, {}))["code"]
        await initialize(client)
        await settled(client)


async def test_notifications_before_initialize_are_dropped() -> None:
    """Except exit."""
    opens: list[object] = []
    async with editor_session(SYNC) as (client, peer):
        peer.feature(types.INITIALIZED, lambda peer, params: opens.append(params))
        client.tell("initialized", {})
        client.tell("initialize", INITIALIZE)
        await initialize(client)
        await settled(client)

    assert 1 == len(opens)


async def test_a_second_initialize_is_refused() -> None:
    """And nothing is lost by it."""
    async with editor_session(SYNC) as (client, peer):
        await initialize(client, {"experimental": {"dsh": {"cards": True}}})

        assert -32600 == (await client.error(2, "initialize", INITIALIZE))["code"]
        assert {"dsh": {"cards": True}} == peer.client_capabilities.experimental
        await settled(client)


async def test_while_initialize_runs_nothing_else_is_served() -> None:
    """Not a second one, nor anything that needs the first."""
    release = asyncio.Event()
    async with editor_session(SYNC) as (client, peer):

        async def wait(peer: EditorProtocol, params: types.InitializeParams) -> None:
            await release.wait()

        peer.feature(types.INITIALIZE, wait)
        client.call(1, "initialize", INITIALIZE)
        assert -32600 == (await client.error(2, "initialize", INITIALIZE))["code"]
        assert -32002 == (await client.error(3, "dsh/sync"))["code"]
        release.set()
        assert 1 == (await client.receive())["id"]
        await settled(client)


async def test_a_failed_initialize_may_be_repeated() -> None:
    """Params that don't validate, and a handler that fails, leave the server as it was."""
    failures = [ValueError()]

    def fail_once(params: object, result: object) -> None:
        if failures:
            raise failures.pop()

    async with editor_session(SYNC, on_initialize=fail_once) as (client, peer):
        error = await client.error(1, "initialize", {**INITIALIZE, "processId": "x"})
        assert (-32602, ["params.processId"]) == (error["code"], [each["path"] for each in error["data"]["errors"]])
        assert (
            -32603
            == (await client.error(2, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}))["code"]
        )
        assert not peer.is_initialized
        await initialize(client)
        await settled(client)


async def test_initialize_and_what_follows_in_one_burst() -> None:
    """A client that doesn't wait for the answer is served in order."""
    async with editor_session(SYNC) as (client, _):
        client.send(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
            {"jsonrpc": "2.0", "method": "initialized", "params": {}},
            {"jsonrpc": "2.0", "id": 2, "method": "dsh/sync"},
        )

        assert [1, 2] == [(await client.receive())["id"] for _ in range(2)]


@pytest.mark.parametrize("params", [{}, {"params": None}])
async def test_shutdown_and_exit(params: dict[str, Any]) -> None:
    """After shutdown requests are refused, exit closes, and the code is 0."""
    async with editor_session(SYNC) as (client, peer):
        await initialize(client)
        client.send({"jsonrpc": "2.0", "id": 1, "method": "shutdown", **params})
        assert {"jsonrpc": "2.0", "id": 1, "result": None} == await client.receive()
        assert -32600 == (await client.error(2, "dsh/sync"))["code"]
        assert -32600 == (await client.error(3, "shutdown"))["code"]
        assert -32600 == (await client.error(4, "initialize", {}))["code"]
        client.tell("exit")
        assert b"" == await client.ended()

    assert (0, "exit", False) == (peer.exit_code, peer.connection.reason, peer.is_initialized)


async def test_exit_without_shutdown() -> None:
    """The code is 1, before initialize as well; as a request it is refused."""
    async with editor_session() as (client, peer):
        assert -32600 == (await client.error(1, "exit"))["code"]
        client.tell("exit")
        assert b"" == await client.ended()

    assert 1 == peer.exit_code


async def test_our_handlers_of_the_life_cycle_run() -> None:
    """initialize, initialized, shutdown and exit reach the handlers registered for them, plain or not."""
    seen: list[str] = []
    async with editor_session(SYNC) as (client, peer):

        async def initialized(peer: EditorProtocol, params: types.InitializedParams) -> None:
            await asyncio.sleep(0)
            seen.append(f"initialized {type(params).__name__}")

        peer.feature(types.INITIALIZED, initialized)

        async def shutdown(peer: EditorProtocol, params: None) -> None:
            await asyncio.sleep(0)
            seen.append("shutdown")

        peer.feature(types.SHUTDOWN, shutdown)
        peer.feature(types.EXIT, lambda *_: seen.append("exit"))
        await initialize(client)
        await settled(client)
        await client.result(1, "shutdown")
        client.tell("exit")
        await client.ended()

    assert ["initialized InitializedParams", "shutdown", "exit"] == seen


# Capabilities


async def test_capabilities_come_from_the_registered_features() -> None:
    """They are built by pygls, and the owner adds what pygls does not know."""

    def extend(params: types.InitializeParams, result: types.InitializeResult) -> None:
        result.capabilities.experimental = {"dsh": {"protocolVersion": 1}}

    async with editor_session(SYNC, on_initialize=extend) as (client, peer):
        peer.feature(types.TEXT_DOCUMENT_HOVER, lambda peer, params: None)
        peer.feature(types.TEXT_DOCUMENT_DID_OPEN, lambda peer, params: None)
        peer.command("dsh.keep", lambda peer, arguments: None)
        capabilities = await initialize(client)

    assert (True, True, 2) == (
        capabilities["hoverProvider"],
        capabilities["textDocumentSync"]["openClose"],
        capabilities["textDocumentSync"]["change"],
    )
    assert ["dsh.keep"] == capabilities["executeCommandProvider"]["commands"]
    assert {"dsh": {"protocolVersion": 1}} == capabilities["experimental"]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-7", "utf-32"], "utf-32"),
        (["utf-7"], "utf-16"),
    ],
)
async def test_the_position_encoding_is_the_clients_first_that_we_know(offered: list[str] | None, chosen: str) -> None:
    """With UTF-16 where there is none."""
    async with editor_session() as (client, peer):
        assert "utf-16" == peer.position_encoding
        capabilities = await initialize(
            client, {"general": {"positionEncodings": offered}} if offered is not None else {}
        )

    assert (chosen, chosen) == (capabilities["positionEncoding"], peer.position_encoding)


async def test_the_owner_may_choose_the_position_encoding() -> None:
    """What the hook puts into the capabilities is what holds."""

    def choose(params: types.InitializeParams, result: types.InitializeResult) -> None:
        result.capabilities.position_encoding = types.PositionEncodingKind.Utf32

    async with editor_session(on_initialize=choose) as (client, peer):
        await initialize(client, {"general": {"positionEncodings": ["utf-8", "utf-32"]}})

    assert "utf-32" == peer.position_encoding


async def test_unknown_enumeration_members_do_not_refuse_initialize() -> None:
    """What a client of tomorrow can do is kept as it was said."""
    capabilities = {
        "workspace": {"workspaceEdit": {"resourceOperations": ["create", "weird"], "failureHandling": "newKind"}},
        "textDocument": {
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "new.kind"]}}},
            "completion": {
                "completionItemKind": {"valueSet": [1, 99]},
                "completionItem": {"tagSupport": {"valueSet": [7]}},
            },
            "hover": {"contentFormat": ["markdown", "html"]},
            "future": {"unheardOf": True},
        },
    }
    async with editor_session(SYNC) as (client, peer):
        await initialize(client, capabilities)
        assert peer.client_capabilities.workspace is not None
        edits = peer.client_capabilities.workspace.workspace_edit
        assert edits is not None

        assert ((types.ResourceOperationKind.Create, "weird"), "newKind") == (
            edits.resource_operations,
            edits.failure_handling,
        )
        assert [types.ResourceOperationKind, str] == [type(kind) for kind in edits.resource_operations or ()]
        await settled(client)
