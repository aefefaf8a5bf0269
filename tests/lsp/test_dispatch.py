"""Messages are handled in their order, by the handlers that were registered, and leave no trace in the log."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pygls.exceptions import JsonRpcException

from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.framing import encode
from dsh_lsp.rpc.pump import serve
from tests.support.raw_peer import PATIENCE, agent_session, stream_pair

if TYPE_CHECKING:
    from collections.abc import Generator

    from dsh_lsp.rpc.agent import AgentProtocol


class Run(BaseModel):
    """Params of every method here."""

    model_config = ConfigDict(strict=True, extra="forbid")

    session_id: str = Field(alias="sessionId")
    arguments: dict[str, Any] = {}


def echo(peer: AgentProtocol, params: Run) -> str:
    """Return what came."""
    return params.session_id


METHODS = {"dsh/echo": (Run, echo)}


# Order


async def test_a_second_request_with_a_running_id_is_refused() -> None:
    """The first is answered as if nothing had happened, and then the id is free again."""
    release = asyncio.Event()

    async def wait(peer: object, params: Run) -> str:
        await release.wait()
        return params.session_id

    async with agent_session({"dsh/wait": (Run, wait)}) as (client, _):
        client.call(1, "dsh/wait", {"sessionId": "first"})
        assert -32600 == (await client.error(1, "dsh/wait", {"sessionId": "second"}))["code"]
        client.call("1", "dsh/wait", {"sessionId": "a string"})
        release.set()
        answers = [await client.receive(), await client.receive()]

        assert [(1, "first"), ("1", "a string")] == [(answer["id"], answer["result"]) for answer in answers]
        assert "third" == await client.result(1, "dsh/wait", {"sessionId": "third"})


async def test_handlers_begin_in_the_order_of_their_messages() -> None:
    """A coroutine's first step sees the state as of its own message, in a burst of any size."""
    seen: list[str] = []
    state = [0]

    def change(peer: object, params: Run) -> None:
        state[0] += 1

    async def read(peer: object, params: Run) -> int:
        now = state[0]
        seen.append(params.session_id)
        await asyncio.sleep(0.001)
        return now

    async with agent_session({"dsh/change": (Run, change), "dsh/read": (Run, read)}) as (client, _):
        burst: list[dict[str, Any]] = []
        for number in range(1, 51):
            params = {"sessionId": str(number)}
            burst.append({"jsonrpc": "2.0", "method": "dsh/change", "params": params})
            burst.append({"jsonrpc": "2.0", "id": number, "method": "dsh/read", "params": params})
        client.send(*burst)
        answers = [await client.receive() for _ in range(50)]

    assert {number: number for number in range(1, 51)} == {a["id"]: a["result"] for a in answers}
    assert [str(number) for number in range(1, 51)] == seen


async def test_a_burst_from_one_peer_does_not_keep_another_waiting() -> None:
    """The loop gets a turn after each message, so the other's request is served among the first of the burst."""
    before: list[str] = []

    def note(peer: AgentProtocol, params: Run) -> None:
        before.append(params.session_id)

    table = {"dsh/note": (Run, note)}
    async with agent_session(table) as (busy, _), agent_session(table) as (client, _):
        request = {"jsonrpc": "2.0", "method": "dsh/note", "params": {"sessionId": "busy"}}
        busy.send(*({**request, "id": number} for number in range(1500)))
        client.call(1, "dsh/note", {"sessionId": "quick"})
        for _ in range(1500):
            await busy.receive()
        await client.receive()

    assert before.index("quick") < 300


async def test_serving_ends_after_what_was_queued_has_been_handed_over() -> None:
    """Whoever waits for the end of serving may end the process then."""
    streams, client = await stream_pair()
    peer = agent_peer(Connection(*streams), {"dsh/big": (Run, lambda peer, params: "x" * 4_000_000)})
    told: list[str] = []
    peer.connection.on_closed(told.append)
    serving = asyncio.create_task(serve(peer))
    client.call(1, "dsh/big", {"sessionId": "s"})
    client.writer.write_eof()
    async with asyncio.timeout(PATIENCE):
        await peer.connection.closed.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        assert (["end of stream"], False) == (told, serving.done())
        assert 4_000_000 == len((await client.receive())["result"])
        assert "end of stream" == await serving
    client.writer.close()


async def test_a_built_in_handler_gets_the_results_and_the_errors_of_what_it_calls() -> None:
    """As pygls' generators do, of plain functions and of coroutine functions."""

    def now(value: object) -> object:
        if isinstance(value, Exception):
            raise value
        return value

    async def later(value: object) -> object:
        await asyncio.sleep(0)
        return now(value)

    def steps(params: Any) -> Generator[Any, Any, list[str]]:
        seen: list[str] = []
        for handler in (now, later, now, later):
            for value in ("result", ValueError("error")):
                try:
                    seen.append((yield handler, (value,), None))
                except ValueError as error:
                    seen.append(str(error))
        return seen

    async with agent_session() as (client, peer):
        peer.fm.add_builtin_feature("dsh/steps", steps)

        assert ["result", "error"] * 4 == await client.result(1, "dsh/steps", {})


# Notifications


async def test_malformed_notifications_are_logged_by_field_and_told_to_the_owner(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The peer hears nothing; the log has the method and the fields; the owner learns that it missed one."""
    missed: list[Any] = []
    async with agent_session(METHODS) as (client, peer):
        peer.on_malformed = lambda method, errors: missed.append((method, errors))
        client.tell("dsh/echo", {"sessionId": 3, "arguments": {"text": "secret"}})
        assert -32601 == (await client.error(1, "none"))["code"]

    assert [("dsh/echo", [{"path": "params.sessionId", "message": "Input should be a valid string"}])] == missed
    assert "dropped dsh/echo, which is malformed at params.sessionId" in caplog.text
    assert "secret" not in caplog.text


async def test_failing_and_unknown_notifications_are_told_to_nobody() -> None:
    """No answer, no message to the person; the next request is served."""

    def fail(peer: AgentProtocol, params: Run) -> None:
        raise ValueError

    async def fail_later(peer: AgentProtocol, params: Run) -> None:
        await asyncio.sleep(0)
        raise JsonRpcException

    async with agent_session({"dsh/now": (Run, fail), "dsh/later": (Run, fail_later)}) as (client, _):
        client.tell("dsh/now", {"sessionId": "s"})
        client.tell("dsh/later", {"sessionId": "s"})
        client.tell("dsh/unknown", {})
        assert -32601 == (await client.error(1, "none"))["code"]
        client.writer.write_eof()
        assert b"" == await client.ended()


async def test_names_that_a_peer_made_up_can_not_forge_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Line ends, escape sequences and lone surrogates in a method's name are not repeated."""
    caplog.set_level(logging.DEBUG)
    async with agent_session() as (client, _):
        client.send_bytes(encode({"jsonrpc": "2.0", "method": "a\nERROR b\x1b[2J\ud800"}))
        error = await client.error(1, "a\r\nb")

    assert "ignored a\N{REPLACEMENT CHARACTER}ERROR b" in caplog.text
    assert "method not found: a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b" == error["message"]


# Registration


async def test_a_method_is_registered_once() -> None:
    """A second handler is a mistake, and cancelling is not for taking."""
    async with agent_session(METHODS) as (_, peer):
        for name in ("dsh/echo", "$/cancelRequest"):
            with pytest.raises(ValueError, match="has a handler already"):
                peer.method(name, Run, echo)


async def test_handlers_get_the_peer_and_what_its_owner_hung_on_it() -> None:
    """One table of methods serves any number of peers."""

    def who(peer: AgentProtocol, params: Run) -> object:
        return peer.context

    table = {"dsh/who": (Run, who)}
    async with agent_session(table) as (one, first), agent_session(table) as (two, second):
        first.context, second.context = "one", "two"

        assert "one" == await one.result(1, "dsh/who", {"sessionId": "s"})
        assert "two" == await two.result(1, "dsh/who", {"sessionId": "s"})


async def test_untyped_features_get_plain_objects() -> None:
    """A handler registered with pygls alone gets the params as they came, keys and all."""
    async with agent_session() as (client, peer):
        peer.fm.feature("dsh/raw")(lambda params: params)
        params = {"type_name": 1, "a-b": [{"class": None}], "jsonrpc": "2.0"}

        assert params == await client.result(1, "dsh/raw", params)


async def test_no_message_is_ever_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of what is sent in either direction is in the log at any level."""
    caplog.set_level(logging.DEBUG)

    async def talk(peer: AgentProtocol, params: Run) -> object:
        peer.notify("dsh/told", {"text": "secret"})
        return await peer.request("dsh/ask", {"text": "secret"})

    async with agent_session({"dsh/talk": (Run, talk)}) as (client, _):
        client.call(1, "dsh/talk", {"sessionId": "secret", "arguments": {"a": "secret"}})
        await client.receive()
        asked = await client.receive()
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"text": "secret"}})
        assert {"text": "secret"} == (await client.receive())["result"]
        client.call(2, "dsh/talk", {"sessionId": 2, "arguments": "secret"})
        await client.receive()

    assert "secret" not in caplog.text
