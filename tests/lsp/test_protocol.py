"""Every request is answered exactly once, with the right code and nothing that it shouldn't say."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator
from pygls.exceptions import JsonRpcException

from dsh_lsp.rpc.framing import encode
from tests.support.raw_peer import agent_session, frame

if TYPE_CHECKING:
    from dsh_lsp.rpc.agent import AgentProtocol


class Wire(BaseModel):
    """What our own params are like: strict, by alias, closed."""

    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=lambda name: name.replace("_id", "Id"))


class Span(Wire):
    """A nested object."""

    start: int = Field(ge=0)
    end: int


class Run(Wire):
    """Params of the method under test."""

    session_id: str
    spans: list[Span] = []
    arguments: dict[str, Any] = {}


class Ran(Wire):
    """Its result."""

    call_id: str
    note: str | None = None


def echo(peer: AgentProtocol, params: Run) -> dict[str, Any]:
    """Return what came."""
    return {"id": params.session_id, "arguments": params.arguments}


async def aecho(peer: AgentProtocol, params: Run) -> dict[str, Any]:
    """Return what came, later."""
    await asyncio.sleep(0)
    return {"id": params.session_id, "arguments": params.arguments}


SECRET = "sec" + "ret"  # not as such in any line of source that a traceback could show
METHODS = {"dsh/echo": (Run, echo), "dsh/aecho": (Run, aecho)}
EACH_KIND = pytest.mark.parametrize("method", ["dsh/echo", "dsh/aecho"])


def answering(outcome: object) -> dict[str, Any]:
    """Return a table whose methods return or raise ``outcome``, inline and in a task."""

    def now(peer: object, params: Run) -> object:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def later(peer: object, params: Run) -> object:
        await asyncio.sleep(0)
        return now(peer, params)

    return {"dsh/echo": (Run, now), "dsh/aecho": (Run, later)}


# Params


@EACH_KIND
async def test_params_are_read_by_alias_and_the_result_sent(method: str) -> None:
    """The plain course of a request."""
    async with agent_session(METHODS) as (client, _):
        params = {"sessionId": "s", "arguments": {"a": [1, None, "本\U0001f600"]}}

        assert {"id": "s", "arguments": params["arguments"]} == await client.result(1, method, params)


async def test_a_lone_surrogate_survives() -> None:
    """Text that is not Unicode, as an editor may have it, comes back as it was."""
    async with agent_session(METHODS) as (client, _):
        client.send_bytes(
            encode(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "dsh/echo",
                    "params": {"sessionId": "s", "arguments": {"a": "\ud800"}},
                }
            )
        )

        assert {"a": "\ud800"} == (await client.receive())["result"]["arguments"]


@EACH_KIND
async def test_invalid_params_are_answered_by_field(method: str) -> None:
    """Each wrong field is named by its path on the wire, and its value is not repeated."""
    async with agent_session(METHODS) as (client, _):
        spans = [{"start": 0, "end": 1}, {"start": -1, "end": "secret"}]
        error = await client.error(1, method, {"sessionId": 3, "spans": spans, "extra": "secret"})

    assert (-32602, "invalid params") == (error["code"], error["message"])
    assert ["params.sessionId", "params.spans[1].start", "params.spans[1].end", "params.extra"] == [
        each["path"] for each in error["data"]["errors"]
    ]
    assert "Input should be greater than or equal to 0" == error["data"]["errors"][1]["message"]
    assert "secret" not in str(error)


@pytest.mark.parametrize("message", [{}, {"params": None}, {"params": {}}])
async def test_missing_params_are_an_empty_object(message: dict[str, Any]) -> None:
    """A method that needs fields says which; it doesn't matter how there came to be none."""
    async with agent_session(METHODS) as (client, _):
        client.send({"jsonrpc": "2.0", "id": 1, "method": "dsh/echo", **message})

        assert [{"path": "params.sessionId", "message": "Field required"}] == (await client.receive())["error"]["data"][
            "errors"
        ]


@pytest.mark.parametrize("params", [[], [1, 2], "text", 7, True])
async def test_params_that_are_no_object_are_refused(params: object) -> None:
    """Params by position are JSON-RPC's, and not ours."""
    async with agent_session(METHODS) as (client, _):
        error = await client.error(1, "dsh/echo", params)

    assert (-32602, [{"path": "params", "message": "must be an object"}]) == (error["code"], error["data"]["errors"])


async def test_a_list_of_errors_is_bounded() -> None:
    """Thousands of bad items make a short answer, with long names cut."""
    async with agent_session(METHODS) as (client, _):
        bad = {"sessionId": "s", "spans": [{}] * 5000, "x" * 100_000: 1}
        error = await client.error(1, "dsh/echo", bad)

    assert 50 == len(error["data"]["errors"])
    assert len(str(error)) < 10_000


async def test_a_validator_that_breaks_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    """A bug in a model is not the sender's fault, and is answered too."""

    class Broken(BaseModel):
        @model_validator(mode="before")
        @classmethod
        def explode(cls, value: Any) -> Any:
            raise KeyError(SECRET)

    async with agent_session({"dsh/echo": (Broken, echo)}) as (client, _):
        error = await client.error(1, "dsh/echo", {})
        client.tell("dsh/echo", {})
        assert -32601 == (await client.error(2, "none"))["code"]

    assert {"code": -32603, "message": "internal error while handling dsh/echo"} == error
    assert ("KeyError" in caplog.text, "secret" in caplog.text) == (True, False)


# Envelopes


async def test_extra_members_are_tolerated() -> None:
    """A message may carry members that nobody asked for."""
    async with agent_session(METHODS) as (client, _):
        client.send({"jsonrpc": "2.0", "id": 1, "method": "dsh/echo", "params": {"sessionId": "s"}, "trace": {"a": 1}})

        assert {"id": "s", "arguments": {}} == (await client.receive())["result"]


async def test_nested_objects_with_a_jsonrpc_member_are_data() -> None:
    """Only the outermost object is a message."""
    inner = {"jsonrpc": "2.0", "id": 9, "method": "dsh/echo", "params": {"jsonrpc": "2.0", "result": 1, "id": 2}}
    async with agent_session(METHODS) as (client, _):
        assert inner == (await client.result(1, "dsh/echo", {"sessionId": "s", "arguments": inner}))["arguments"]


@pytest.mark.parametrize("request_id", [0, -1, 2**40, "", "a b", "本"])
@EACH_KIND
async def test_ids_are_integers_or_strings(request_id: int | str, method: str) -> None:
    """The answer has the request's own id."""
    async with agent_session(METHODS) as (client, _):
        assert "result" in await client.request(request_id, method, {"sessionId": "s"})


@pytest.mark.parametrize("request_id", [None, 1.5, True, [1], {"a": 1}])
async def test_other_ids_are_refused_with_a_null_id(request_id: object) -> None:
    """An id that can't be an id gets an answer all the same."""
    async with agent_session(METHODS) as (client, _):
        client.send({"jsonrpc": "2.0", "id": request_id, "method": "dsh/echo", "params": {"sessionId": "s"}})
        answer = await client.receive()

        assert (None, -32600) == (answer["id"], answer["error"]["code"])


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "method": "dsh/echo", "params": {"sessionId": "s"}},
        {"jsonrpc": "1.0", "id": 1, "method": "dsh/echo", "params": {"sessionId": "s"}},
        {"jsonrpc": 2.0, "id": 1, "method": "dsh/echo", "params": {"sessionId": "s"}},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": None},
        {"jsonrpc": "2.0", "id": 1, "method": ["dsh/echo"]},
    ],
)
async def test_what_is_no_message_of_json_rpc_is_refused(message: dict[str, Any]) -> None:
    """-32600, with the id, for everything that has one."""
    async with agent_session(METHODS) as (client, _):
        client.send(message)
        answer = await client.receive()

        assert (1, -32600) == (answer["id"], answer["error"]["code"])


async def test_unknown_methods_are_named() -> None:
    """-32601 says which method is not there, and a very long one is cut."""
    async with agent_session(METHODS) as (client, _):
        assert {"code": -32601, "message": "method not found: dsh/nothing"} == await client.error(1, "dsh/nothing", {})
        assert len((await client.error(2, "x" * 100_000))["message"]) < 300


async def test_a_batch_and_broken_bodies_are_answered_and_the_session_goes_on() -> None:
    """-32600 and -32700 with a null id; the next request is served."""
    async with agent_session(METHODS) as (client, _):
        client.send_bytes(frame([{"jsonrpc": "2.0", "id": 1, "method": "dsh/echo"}]))
        client.send_bytes(b"Content-Length: 3\r\n\r\n\xff{}")
        client.send_bytes(b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000)
        answers = [await client.receive() for _ in range(3)]

        assert [(None, -32600), (None, -32700), (None, -32700)] == [(a["id"], a["error"]["code"]) for a in answers]
        assert "result" in await client.request(5, "dsh/echo", {"sessionId": "s"})


async def test_a_message_that_is_too_deep_is_answered_by_its_id() -> None:
    """Depth that still could be parsed costs the request, not the id."""
    arguments: dict[str, Any] = {}
    for _ in range(300):
        arguments = {"a": arguments}
    async with agent_session(METHODS) as (client, _):
        assert -32700 == (await client.error(4, "dsh/echo", {"sessionId": "s", "arguments": arguments}))["code"]


@pytest.mark.parametrize(
    "stream", [b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"nonsense\r\n"]
)
async def test_G04_a_stream_out_of_step_is_answered_and_closed(stream: bytes) -> None:
    """After a header that can't be trusted, one answer and the end."""
    async with agent_session(METHODS) as (client, peer):
        client.send_bytes(stream)
        answer = await client.receive()

        assert (None, True) == (answer["id"], answer["error"]["code"] in (-32700, -32600))
        assert b"" == await client.ended()
        assert peer.connection.is_closed


# Results


@EACH_KIND
async def test_results_in_all_their_forms(method: str) -> None:
    """Models by alias, attrs objects in camelCase, plain JSON, and nothing."""

    @attrs.define
    class Place:
        start_line: int
        note: str | None = None

    class Short(Wire):
        a: int | None = None

        @model_serializer(mode="wrap")
        def leave_out(self, handler: Any) -> dict[str, Any]:
            return {name: value for name, value in handler(self).items() if value is not None}

    for outcome, expected in (
        (None, None),
        ({}, {}),
        ([], []),
        (Ran(callId="c"), {"callId": "c", "note": None}),
        ({"list": [Ran(callId="c"), Place(3)]}, {"list": [{"callId": "c", "note": None}, {"startLine": 3}]}),
        (Short(), {}),
    ):
        async with agent_session(answering(outcome)) as (client, _):
            assert expected == await client.result(1, method, {"sessionId": "s"})


@pytest.mark.parametrize("outcome", [{1}, object(), b"bytes", {"a": {1}}, float("nan"), {(1,): 2}])
@EACH_KIND
async def test_a_result_without_a_json_form_is_an_internal_error(method: str, outcome: object) -> None:
    """The request is answered, and the session goes on."""
    async with agent_session(answering(outcome)) as (client, _):
        assert {"code": -32603, "message": f"internal error while handling {method}"} == await client.error(
            1, method, {"sessionId": "s"}
        )
        assert -32601 == (await client.error(2, "none"))["code"]


async def test_a_result_that_contains_itself_or_is_too_deep_is_an_internal_error() -> None:
    """Neither circles nor depth take the answer away."""
    circle: list[Any] = []
    circle.append(circle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for outcome in (circle, deep):
        async with agent_session(answering(outcome)) as (client, _):
            assert -32603 == (await client.error(1, "dsh/echo", {"sessionId": "s"}))["code"]


@EACH_KIND
async def test_a_failing_handler_says_nothing_on_the_wire_nor_its_message_in_the_log(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """No traceback, no text, no path for the peer; type and place for the log."""
    caplog.set_level(logging.DEBUG)
    failure = RuntimeError(SECRET)
    failure.__cause__ = FileNotFoundError(2, SECRET, f"/nowhere/{SECRET}")
    async with agent_session(answering(failure)) as (client, _):
        error = await client.error(1, method, {"sessionId": "secret"})

    assert {"code": -32603, "message": f"internal error while handling {method}"} == error
    assert f"{method} failed: RuntimeError" in caplog.text
    assert "caused by FileNotFoundError" in caplog.text
    assert "test_protocol.py" in caplog.text
    assert SECRET not in caplog.text


@EACH_KIND
async def test_a_handler_chooses_its_error(method: str) -> None:
    """Code, message and data of a JsonRpcException are the answer's."""
    refused = JsonRpcException("unknown session", code=-32050, data={"sessionId": "s"})
    async with agent_session(answering(refused)) as (client, _):
        assert {"code": -32050, "message": "unknown session", "data": {"sessionId": "s"}} == await client.error(
            1, method, {"sessionId": "s"}
        )


@EACH_KIND
async def test_error_data_without_a_json_form_is_an_internal_error(method: str) -> None:
    """An error that can't be sent is answered by one that can."""
    async with agent_session(answering(JsonRpcException("m", code=-32050, data=object()))) as (client, _):
        assert -32603 == (await client.error(1, method, {"sessionId": "s"}))["code"]
