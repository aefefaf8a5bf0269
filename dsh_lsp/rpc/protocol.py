"""What every peer does: take messages in order, answer each request once, ask and be answered.

:class:`PeerProtocol` keeps pygls' way of registering handlers (``server.feature``, ``server.command``), its built-in
handlers and its typed senders, and replaces everything between those and the wire. It was written because pygls 2.1.1
leaves a request without any answer when its params don't validate, when its result can't be serialised or after
``shutdown``; takes nested objects with a ``jsonrpc`` member for messages; makes named tuples of untyped params (four
seconds for a megabyte); keeps the futures of notifications, and of requests nobody answered, for ever; shows the
person a popup for each malformed message; and logs whole messages.

Held: one peer's two tables (``incoming``, ``outgoing``) and its own methods with their models. Absent: what is shared
between peers, and any timing: a handler begins when its message arrives.

What of pygls this package relies on beyond its public interface, all of it:

- ``JsonRPCProtocol._server``, ``_converter``: as its constructor sets them.
- ``JsonRPCProtocol._shutdown``: set by the built-in handler of ``shutdown`` (``editor`` reads it).
- Built-in handlers are generator functions that yield ``(handler, args, kwargs)`` (``incoming`` runs them), and are
  found by their constructor among all attributes (``editor`` overrides two and removes some afterwards).

Its ``writer``, ``handle_message``, ``structure_message``, ``msg_id`` and ``thread()`` have no part in this.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from cattrs import BaseValidationError
from lsprotocol import types
from pydantic import BaseModel, ValidationError
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
)
from pygls.protocol import JsonRPCProtocol

from dsh_lsp.rpc.converter import jsonable
from dsh_lsp.rpc.errors import MsgId, PeerGone, error_answer, internal_error, is_message_id
from dsh_lsp.rpc.framing import encode
from dsh_lsp.rpc.incoming import RunningCalls
from dsh_lsp.rpc.outgoing import PendingRequests
from dsh_lsp.rpc.validation import FieldError, InvalidParams, cattrs_errors, not_an_object, pydantic_errors
from dsh_tools.reporting import log_failure, shown

if TYPE_CHECKING:
    from cattrs import Converter

    from dsh_lsp.rpc.connection import Connection

logger = logging.getLogger(__name__)

P = TypeVar("P", bound=BaseModel)
Handler: TypeAlias = Callable[[Any, Any], object]
"""``handler(peer, params)``: returns a model, plain JSON or None, or is a coroutine function that does."""
MethodTable: TypeAlias = Mapping[str, tuple[type[BaseModel], Handler]]
"""Methods by name, each with the model of its params and its handler."""

_WITHDRAWN: Final = frozenset({types.WINDOW_SHOW_MESSAGE_REQUEST})
"""Requests that are cancelled when nobody waits any more: they change nothing, whenever the cancellation arrives."""


class PeerProtocol(JsonRPCProtocol):
    """A mixin over pygls' protocols: ``class AgentProtocol(PeerProtocol, JsonRPCProtocol)``.

    Everything here runs on the event loop's thread.

    Args:
        server: The pygls server of this one peer; it has a ``connection``.
        converter: For lsprotocol's types.

    Attributes:
        connection: The peer's connection.
        context: Whatever the owner of the peer wants its handlers to find; never looked at here.
        on_malformed: Called with the method and the errors when a notification was dropped because its params don't
            validate: whoever keeps state by notifications then knows that it has missed one.
    """

    def __init__(self, server: Any, converter: Converter) -> None:
        # All of it before pygls' constructor, which reads every attribute that dir() lists.
        self.connection: Connection = server.connection
        self.context: Any = None
        self.on_malformed: Callable[[str, list[FieldError]], None] | None = None
        self._methods: dict[str, tuple[type[BaseModel], Handler]] = {}
        self._incoming = RunningCalls(self._answer)
        self._outgoing = PendingRequests()
        super().__init__(server, converter)
        self.connection.on_closed(self._gone)

    # Registration

    def method(self, name: str, params: type[P], handler: Callable[[Any, P], object]) -> None:
        """Register one of our own methods, request or notification.

        Args:
            name: As on the wire.
            params: Reads the params object, by its own rules: strict and by alias, if it says so. Missing or null
                params are an empty object.
            handler: ``handler(peer, params)``. A plain function runs before the next message is looked at; a coroutine
                function takes its first step before that and may be cancelled. What it returns is the result.

        Raises:
            ValueError: The method has a handler.
        """
        if name in self._methods or name == types.CANCEL_REQUEST:
            raise ValueError(f"{name} has a handler already")
        self._methods[name] = (params, handler)

    def install(self, table: MethodTable) -> None:
        """Register all methods of a table, as :meth:`method` does each."""
        for name, (params, handler) in table.items():
            self.method(name, params, handler)

    # What the peer sends

    def receive(self, message: dict[str, Any]) -> None:
        """Handle one message. Never raises and never waits; a request among them is answered now or by its task."""
        method = message.get("method")
        if method is None and ("result" in message or "error" in message or message.get("id") in self._outgoing):
            self._outgoing.resolve(message)  # a null result that an encoder left out is a result too
            return
        request_id = message.get("id")
        if "id" in message and not is_message_id(request_id):
            self._refuse(None, JsonRpcInvalidRequest("id must be an integer or a string"))
        elif not isinstance(method, str):
            self._refuse(request_id, JsonRpcInvalidRequest("method must be a string"))
        elif message.get("jsonrpc") != self.VERSION:
            self._refuse(request_id, JsonRpcInvalidRequest(f'jsonrpc must be "{self.VERSION}"'))
        elif "id" in message:
            self._receive_request(request_id, method, message.get("params"))
        else:
            self._receive_notification(method, message.get("params"))

    def refusal(self, method: str, *, is_request: bool) -> JsonRpcException | None:  # noqa: ARG002 - for subclasses
        """Return why a message of this method is not taken now; None if it is. A refused notification is dropped."""
        return None

    def params_type(self, method: str) -> type[Any] | None:  # noqa: ARG002 - for subclasses
        """Return the attrs class of a method's params, for methods registered with pygls; None for plain JSON."""
        return None

    def result_type(self, method: str) -> type[Any] | None:  # noqa: ARG002 - for subclasses
        """Return the attrs class of the response to a request of ours; None for plain JSON."""
        return None

    # What we send

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; to a peer that has gone, it is dropped.

        Args:
            method: As on the wire.
            params: A JSON object, an lsprotocol or other attrs object, or a pydantic model; nested ones are fine.

        Raises:
            TypeError: The params are not JSON; nothing was sent.
            ValueError: The same, for NaN and circular values.
        """
        self._write(_call(method, params))

    async def request(self, method: str, params: Any | None = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - giving up forgets the id
        """Send a request and return the result as plain JSON.

        However the wait ends, nothing is kept of it: an answer that comes later is dropped. A peer that still shows a
        question to a person is told that nobody waits for the answer.

        Args:
            method: As on the wire.
            params: As for :meth:`notify`.
            timeout: Seconds to wait for the answer; None waits as long as the peer is there.

        Raises:
            JsonRpcException: The peer answered with an error; it has the code, message and data.
            TimeoutError: No answer came in time.
            PeerGone: The peer has disconnected.
            TypeError: The params are not JSON; nothing was sent.
            ValueError: The same, for NaN and circular values.
        """
        request_id, answer = self._ask(method, params)
        try:
            async with asyncio.timeout(timeout):
                return await answer
        except (asyncio.CancelledError, TimeoutError):
            if method in _WITHDRAWN:
                self._write(_call(types.CANCEL_REQUEST, {"id": request_id}))
            raise
        finally:
            self._outgoing.forget(request_id)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MsgId | None = None,
    ) -> concurrent.futures.Future[Any]:
        """Send a request the way pygls' typed senders do; :meth:`request` is the one to use elsewhere.

        The future has the result in lsprotocol's type, or the errors that :meth:`request` raises. Cancelling it gives
        up the wait. ``callback`` is called with a result, and with nothing else.
        """
        typed: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            request_id, answer = self._ask(method, params, msg_id)
        except PeerGone as error:
            typed.set_exception(error)
            return typed
        typed.add_done_callback(lambda _: self._outgoing.forget(request_id))
        answer.add_done_callback(partial(self._settle, typed, method, callback))
        return typed

    # Inside

    def _receive_request(self, request_id: Any, method: str, params: Any) -> None:
        if request_id in self._incoming:
            self._refuse(request_id, JsonRpcInvalidRequest("a request with this id is still running"))
        elif (refused := self.refusal(method, is_request=True)) is not None:
            self._refuse(request_id, refused)
        else:
            try:
                handler, args = self._resolve(method, params)
            except JsonRpcException as error:
                self._refuse(request_id, error)
            except Exception as error:  # noqa: BLE001 - a model's own validator may raise anything
                log_failure(logger, f"reading the params of {shown(method)} failed", error)
                self._refuse(request_id, internal_error(method))
            else:
                self._incoming.start(request_id, method, handler, *args)

    def _receive_notification(self, method: str, params: Any) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(params)
        elif self.refusal(method, is_request=False) is not None:
            logger.debug("dropped %s, which is not allowed now", shown(method))
        else:
            try:
                handler, args = self._resolve(method, params)
            except JsonRpcMethodNotFound:
                logger.debug("ignored %s, an unknown notification", shown(method))
            except InvalidParams as error:
                self._malformed(method, error.errors)
            except Exception as error:  # noqa: BLE001 - a model's own validator may raise anything
                log_failure(logger, f"reading the params of {shown(method)} failed", error)
            else:
                self._incoming.start(None, method, handler, *args)

    def _resolve(self, method: str, params: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the handler of a method, and what to call it with."""
        if (ours := self._methods.get(method)) is not None:
            model, handler = ours
            return handler, (self, _validated(model, params))
        builtin = self.fm.builtin_features.get(method) or self.fm.features.get(method)
        if builtin is None:
            raise JsonRpcMethodNotFound(f"method not found: {shown(method)}")
        return builtin, (self._structured(method, params),)

    def _structured(self, method: str, params: Any) -> Any:
        expected = self.params_type(method)
        if expected is None:
            return params
        if params is not None and not isinstance(params, dict):
            raise InvalidParams(not_an_object())
        try:
            return self._converter.structure(params or {}, expected)
        except (BaseValidationError, TypeError, ValueError, KeyError) as error:
            raise InvalidParams(cattrs_errors(error)) from error

    def _cancel(self, params: Any) -> None:
        request_id = params.get("id") if isinstance(params, dict) else None
        if is_message_id(request_id):
            self._incoming.cancel(request_id)
        else:
            logger.warning("dropped %s, which names no request", types.CANCEL_REQUEST)

    def _malformed(self, method: str, errors: list[FieldError]) -> None:
        fields = ", ".join(error["path"] for error in errors)
        logger.warning("dropped %s, which is malformed at %s", shown(method), fields)
        if self.on_malformed is not None:
            try:
                self.on_malformed(method, errors)
            except Exception as failure:  # noqa: BLE001 - the owner's bug is not the next message's trouble
                log_failure(logger, "the callback for malformed notifications failed", failure)

    def _answer(self, request_id: MsgId, method: str, outcome: object) -> None:
        if isinstance(outcome, JsonRpcException):
            message = error_answer(request_id, outcome)
        else:
            message = {"jsonrpc": self.VERSION, "id": request_id, "result": outcome}
        try:
            self._write(message)
        except Exception as error:  # noqa: BLE001 - a model's own serialiser may raise anything
            log_failure(logger, f"the answer to {shown(method)} has no JSON form", error)
            self._write(error_answer(request_id, internal_error(method)))

    def _refuse(self, request_id: MsgId | None, error: JsonRpcException) -> None:
        logger.debug("refused a message with code %d", error.code)
        self._write(error_answer(request_id, error))

    def _write(self, message: dict[str, Any]) -> bool:
        return not self.connection.is_closed and self.connection.write(encode(message, jsonable))

    def _ask(self, method: str, params: Any, msg_id: MsgId | None = None) -> tuple[MsgId, asyncio.Future[Any]]:
        request_id, answer = self._outgoing.open(msg_id)
        try:
            if not self._write({**_call(method, params), "id": request_id}):
                raise PeerGone(self.connection.reason)
        except BaseException:
            self._outgoing.forget(request_id)
            raise
        return request_id, answer

    def _settle(
        self,
        typed: concurrent.futures.Future[Any],
        method: str,
        callback: Callable[[Any], None] | None,
        answer: asyncio.Future[Any],
    ) -> None:
        """Copy the answer to a typed sender's future, in the type that it expects."""
        error = answer.exception()
        if typed.done():
            return
        if error is not None:
            typed.set_exception(error)
            return
        result, expected = answer.result(), self.result_type(method)
        try:
            if expected is not None:
                wire = {"jsonrpc": self.VERSION, "id": 0, "result": result}
                result = self._converter.structure(wire, expected).result
        except Exception:  # noqa: BLE001 - whatever cattrs makes of it, it is not what was expected
            typed.set_exception(JsonRpcInternalError(f"the peer's answer to {shown(method)} is malformed"))
            return
        typed.set_result(result)
        if callback is not None:
            callback(result)

    def _gone(self, reason: str) -> None:
        self._outgoing.fail_all(reason)
        self._incoming.cancel_all()


def _call(method: str, params: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": JsonRPCProtocol.VERSION, "method": method}
    if params is not None:
        message["params"] = params
    return message


def _validated(model: type[BaseModel], params: Any) -> BaseModel:
    if params is not None and not isinstance(params, dict):
        raise InvalidParams(not_an_object())
    try:
        return model.model_validate({} if params is None else params)
    except ValidationError as error:
        raise InvalidParams(pydantic_errors(error)) from error
