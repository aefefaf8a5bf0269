"""Our requests to a peer end in one of five ways, and leave nothing behind in any of them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pydantic import BaseModel
from pygls.exceptions import JsonRpcException

from dsh_lsp.rpc.errors import PeerGone
from tests.support.raw_peer import PATIENCE, agent_session, editor_session

if TYPE_CHECKING:
    from dsh_lsp.rpc.protocol import PeerProtocol
    from tests.support.raw_peer import RawClient

EDIT = types.WorkspaceEdit(
    changes={"file:///a": [types.TextEdit(types.Range(types.Position(0, 0), types.Position(0, 1)), "x")]}
)
EDIT_ON_THE_WIRE = {
    "changes": {
        "file:///a": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "newText": "x"}
        ]
    }
}


def asking(peer: PeerProtocol, timeout: float | None = None) -> asyncio.Task[Any]:
    """Begin a request."""
    return asyncio.create_task(peer.request("dsh/ask", {"a": 1}, timeout=timeout))


async def asked(client: RawClient) -> Any:
    """Return the id of the request that the peer sent."""
    message = await client.receive()
    assert ("2.0", "dsh/ask", {"a": 1}) == (message["jsonrpc"], message["method"], message["params"])
    return message["id"]


async def settled(client: RawClient) -> None:
    """Wait until all that was sent has been handled."""
    assert -32601 == (await client.error("barrier", "none"))["code"]


async def test_the_result_is_plain_json() -> None:
    """Nothing is made of a result but what JSON makes of it."""
    async with agent_session() as (client, peer):
        for result in ({"applied": True, "jsonrpc": "2.0"}, None, [1], "text", False):
            asking_now = asking(peer)
            client.send({"jsonrpc": "2.0", "id": await asked(client), "result": result})

            assert result == await asking_now
        assert 0 == len(peer._outgoing)


async def test_a_result_that_was_left_out_is_null() -> None:
    """Encoders that drop null members do so with results, too."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        client.send({"jsonrpc": "2.0", "id": await asked(client)})

        assert await asyncio.wait_for(asking_now, PATIENCE) is None


async def test_an_error_answer_is_raised() -> None:
    """With its code, message and data."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        error = {"code": -32042, "message": "no", "data": [1]}
        client.send({"jsonrpc": "2.0", "id": await asked(client), "result": None, "error": error})

        with pytest.raises(JsonRpcException) as raised:
            await asking_now
        assert (-32042, "no", [1]) == (raised.value.code, raised.value.message, raised.value.data)
        assert 0 == len(peer._outgoing)


@pytest.mark.parametrize("error", ["text", 7, [], {}, {"code": "x"}, {"code": None, "message": None}])
async def test_a_malformed_error_is_an_error(error: object) -> None:
    """Whatever is in the error member, the wait is over."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        client.send({"jsonrpc": "2.0", "id": await asked(client), "error": error})

        with pytest.raises(JsonRpcException) as raised:
            await asyncio.wait_for(asking_now, PATIENCE)
        assert -32603 == raised.value.code


@pytest.mark.parametrize("answer", [{"result": 1}, {"error": {"code": 1, "message": "late"}}])
async def test_a_late_answer_is_dropped(answer: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    """After a timeout the id is forgotten, and what comes for it is a line in the debug log and nothing else."""
    caplog.set_level(logging.DEBUG)
    async with agent_session() as (client, peer):
        asking_now = asking(peer, timeout=0.01)
        request_id = await asked(client)
        with pytest.raises(TimeoutError):
            await asking_now
        assert 0 == len(peer._outgoing)
        client.send({"jsonrpc": "2.0", "id": request_id, **answer})
        await settled(client)

    assert [logging.DEBUG] == [record.levelno for record in caplog.records if "nobody waits for" in record.message]


async def test_a_repeated_answer_is_dropped() -> None:
    """The first one counts."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        request_id = await asked(client)
        client.send(*({"jsonrpc": "2.0", "id": request_id, "result": number} for number in range(3)))

        assert 0 == await asking_now
        await settled(client)


@pytest.mark.parametrize("request_id", [None, 99, "1", True, 1.0, 1.5, [1], {"a": 1}])
async def test_an_answer_nobody_asked_for_is_dropped(request_id: object) -> None:
    """Of whatever id, without an answer to the answer, and without being taken for another's."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        assert 1 == await asked(client)
        client.send({"jsonrpc": "2.0", "id": request_id, "result": 1})
        client.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": 1, "message": "x"}})
        client.send({"jsonrpc": "2.0", "result": 1})
        await settled(client)
        assert not asking_now.done()
        client.send({"jsonrpc": "2.0", "id": 1, "result": "the answer"})
        assert "the answer" == await asking_now


async def test_an_answer_and_a_cancellation_at_the_same_time() -> None:
    """Whichever the waiting one gets, the other is dropped without an error."""
    errors: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(context))
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        request_id = await asked(client)
        asking_now.cancel()
        peer.receive({"jsonrpc": "2.0", "id": request_id, "result": 1})
        typed = peer.send_request("dsh/ask", {"a": 1})
        peer.receive({"jsonrpc": "2.0", "id": await asked(client), "result": 1})
        typed.cancel()
        await settled(client)

        assert ([], True, 0) == (errors, asking_now.cancelled(), len(peer._outgoing))


async def test_a_cancelled_wait_is_forgotten() -> None:
    """Cancelling whoever waits gives up the id, and a late answer is dropped."""
    async with agent_session() as (client, peer):
        asking_now = asking(peer)
        request_id = await asked(client)
        asking_now.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking_now
        assert 0 == len(peer._outgoing)
        client.send({"jsonrpc": "2.0", "id": request_id, "result": 1})
        await settled(client)


async def test_a_disconnect_fails_all_that_is_pending() -> None:
    """At once, with the reason; and so does asking afterwards."""
    async with agent_session() as (client, peer):
        pending = [asking(peer) for _ in range(3)]
        await asked(client)
        client.writer.transport.abort()
        async with asyncio.timeout(PATIENCE):
            results = await asyncio.gather(*pending, return_exceptions=True)

        assert [PeerGone] * 3 == [type(result) for result in results]
        with pytest.raises(PeerGone):
            await peer.request("dsh/ask")
        assert 0 == len(peer._outgoing)


async def test_a_peer_dropped_for_not_reading_fails_what_is_pending() -> None:
    """The end that we make ourselves is an end as well."""
    async with agent_session(write_limit=1000) as (client, peer):
        pending = asking(peer)
        await asked(client)
        for _ in range(100):
            peer.notify("dsh/told", {"text": "x" * 100_000})

        with pytest.raises(PeerGone, match="does not read"):
            await asyncio.wait_for(pending, PATIENCE)


async def test_params_that_are_not_json_fail_before_anything_is_sent() -> None:
    """The error is the caller's, and no id is kept."""
    async with agent_session() as (client, peer):
        with pytest.raises(TypeError, match="object has no JSON form"):
            await peer.request("dsh/ask", {"a": object()})
        with pytest.raises(ValueError, match="not JSON compliant"):
            peer.notify("dsh/told", {"a": float("nan")})
        with pytest.raises(TypeError):
            peer.send_request("dsh/ask", {"a": {1}})
        assert 0 == len(peer._outgoing)
        await settled(client)


async def test_params_in_all_their_forms() -> None:
    """Plain dicts for LSP's own methods, lsprotocol objects, pydantic models, and both inside plain JSON."""

    class Note(BaseModel):
        text: str

    async with editor_session() as (client, peer):
        for params, expected in (
            ({"edit": EDIT_ON_THE_WIRE}, {"edit": EDIT_ON_THE_WIRE}),
            (types.ApplyWorkspaceEditParams(edit=EDIT), {"edit": EDIT_ON_THE_WIRE}),
            ({"edit": EDIT, "notes": [Note(text="n")]}, {"edit": EDIT_ON_THE_WIRE, "notes": [{"text": "n"}]}),
            (Note(text="n"), {"text": "n"}),
            ({"kind": types.MarkupKind.Markdown, "n": types.MessageType.Error}, {"kind": "markdown", "n": 1}),
        ):
            peer.notify("workspace/applyEdit", params)

            assert expected == (await client.receive())["params"]
        peer.notify("workspace/codeLens/refresh")
        assert {"jsonrpc": "2.0", "method": "workspace/codeLens/refresh"} == await client.receive()


async def test_requests_of_lsp_methods_with_plain_params_are_answered() -> None:
    """With pygls' own way of sending a dict for a typed method, they never were."""
    async with editor_session() as (client, peer):
        asking_now = asyncio.create_task(peer.request("workspace/applyEdit", {"edit": EDIT_ON_THE_WIRE}))
        message = await client.receive()
        assert {"edit": EDIT_ON_THE_WIRE} == message["params"]
        client.send({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": False, "failureReason": "typed"}})

        assert {"applied": False, "failureReason": "typed"} == await asyncio.wait_for(asking_now, PATIENCE)


async def test_the_typed_senders_of_pygls_give_typed_results() -> None:
    """And they are sent in the order of the calls."""
    async with editor_session() as (client, peer):
        typed = asyncio.ensure_future(peer.server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=EDIT)))
        await asyncio.sleep(0)
        peer.server.window_log_message(types.LogMessageParams(types.MessageType.Info, "after"))
        request, note = await client.receive(), await client.receive()
        assert ("workspace/applyEdit", "window/logMessage") == (request["method"], note["method"])
        client.send({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": True}})

        assert types.ApplyWorkspaceEditResult(applied=True) == await asyncio.wait_for(typed, PATIENCE)
        assert 0 == len(peer._outgoing)


async def test_the_typed_senders_end_in_every_way_too() -> None:
    """Errors, malformed results, timeouts, late answers and disconnects."""
    async with editor_session() as (client, peer):
        params = types.ApplyWorkspaceEditParams(edit=EDIT)

        failing = peer.server.workspace_apply_edit(params)
        request = await client.receive()
        client.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32042, "message": "no"}})
        with pytest.raises(JsonRpcException, match="no"):
            await asyncio.wait_for(asyncio.wrap_future(failing), PATIENCE)

        malformed = peer.server.workspace_apply_edit(params)
        request = await client.receive()
        client.send({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": {}, "failedChange": "x"}})
        with pytest.raises(JsonRpcException, match="malformed"):
            await asyncio.wait_for(asyncio.wrap_future(malformed), PATIENCE)

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(peer.server.workspace_apply_edit_async(params), 0.01)
        request = await client.receive()
        await asyncio.sleep(0)
        assert 0 == len(peer._outgoing)
        client.send({"jsonrpc": "2.0", "id": request["id"], "result": {"applied": True}})
        assert -32002 == (await client.error("barrier", "none"))["code"]

        called: list[object] = []
        pending = peer.server.workspace_apply_edit(params, called.append)
        client.writer.transport.abort()
        with pytest.raises(PeerGone):
            await asyncio.wait_for(asyncio.wrap_future(pending), PATIENCE)
        with pytest.raises(PeerGone):
            await peer.server.workspace_apply_edit_async(params)
        assert ([], 0) == (called, len(peer._outgoing))


async def test_the_callback_of_a_typed_sender_gets_the_result() -> None:
    """As pygls' progress tokens need it."""
    async with editor_session() as (client, peer):
        creating = asyncio.ensure_future(peer.server.work_done_progress.create_async("t"))
        request = await client.receive()
        client.send({"jsonrpc": "2.0", "id": request["id"], "result": None})
        await asyncio.wait_for(creating, PATIENCE)
        called: list[object] = []
        peer.send_request("dsh/ask", None, called.append, "own id")
        request = await client.receive()
        client.send({"jsonrpc": "2.0", "id": request["id"], "result": {"a": 1}})
        assert -32002 == (await client.error("barrier", "none"))["code"]

    assert ("own id", [{"a": 1}]) == (request["id"], called)
