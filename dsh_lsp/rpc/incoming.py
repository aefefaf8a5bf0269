"""A peer's requests and notifications that are being handled.

Held: the rule that every request is answered exactly once, whatever its handler does, and that a handler is cancelled
at most once. Absent: which handler a method has, what its params are, and how an answer is sent.

A plain function runs to its end in :meth:`RunningCalls.start`. A coroutine function becomes a task. A generator
function is one of pygls' own handlers: it yields ``(handler, args, kwargs)`` where a handler of ours belongs, and gets
its result sent in.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeAlias

from pygls.exceptions import JsonRpcException

from dsh_lsp.rpc.errors import MsgId, internal_error, request_cancelled
from dsh_tools.reporting import log_failure, shown

if TYPE_CHECKING:
    from collections.abc import Awaitable

logger = logging.getLogger(__name__)

Answer: TypeAlias = Callable[[MsgId, str, object], None]
_Step: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any] | None]
_Steps: TypeAlias = Generator[_Step, Any, Any]


@dataclass(slots=True, eq=False)
class _Call:
    """One message that is being handled; a notification has no id, and its answer goes nowhere."""

    id: MsgId | None
    method: str
    answered: bool = False
    cancelled: bool = False


class RunningCalls:
    """The calls of one peer that have begun and not ended.

    Args:
        answer: Called with the id, the method, and the result (or the ``JsonRpcException`` in its place), once for each
            request.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._requests: dict[MsgId, tuple[_Call, asyncio.Task[None]]] = {}
        self._notifications: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._requests) + len(self._notifications)

    def __contains__(self, request_id: MsgId) -> bool:
        return request_id in self._requests

    def start(self, request_id: MsgId | None, method: str, handler: Callable[..., Any], *args: Any) -> None:
        """Run a handler, or begin to; the first step of a coroutine comes on the loop's next turn.

        Args:
            request_id: What to answer to; None for a notification, whose failures are logged and told to nobody.
            method: For the log and the answer.
            handler: As the module says.
            args: Its arguments.
        """
        call = _Call(request_id, method)
        try:
            outcome = _begin(handler, args)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is an answer
            self._failed(call, error)
            return
        if not inspect.isawaitable(outcome):
            self._finish(call, outcome)
            return
        task = asyncio.get_running_loop().create_task(self._run(call, outcome), name=f"handle {shown(method)}")
        if request_id is None:
            self._notifications.add(task)
            task.add_done_callback(self._notifications.discard)
        else:
            self._requests[request_id] = (call, task)
        task.add_done_callback(lambda task: self._ended(call, task, outcome))

    def cancel(self, request_id: MsgId) -> None:
        """Cancel a request that is running; an id that is not known is no error, since answers and cancels cross."""
        if (running := self._requests.get(request_id)) is not None:
            _cancel(*running)

    def cancel_all(self) -> None:
        """Cancel whatever is running and was not cancelled before."""
        for call, task in list(self._requests.values()):
            _cancel(call, task)
        for task in list(self._notifications):
            task.cancel()

    async def _run(self, call: _Call, outcome: Awaitable[Any]) -> None:
        try:
            result = await outcome
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is an answer
            self._failed(call, error)
        else:
            self._finish(call, result)

    def _ended(self, call: _Call, task: asyncio.Task[None], outcome: Awaitable[Any]) -> None:
        if call.answered:
            return
        # Cancelled, before its first step perhaps, or ended by an exception that ends the process.
        if inspect.iscoroutine(outcome):
            outcome.close()
        self._finish(call, request_cancelled(call.method) if task.cancelled() else internal_error(call.method))

    def _failed(self, call: _Call, error: Exception) -> None:
        if isinstance(error, JsonRpcException):
            # Refusing is a request's ordinary course; a notification has no answer to put it in.
            level = logging.WARNING if call.id is None else logging.DEBUG
            logger.log(level, "%s refused with code %d", shown(call.method), error.code)
            self._finish(call, error)
        else:
            log_failure(logger, f"{shown(call.method)} failed", error)
            self._finish(call, internal_error(call.method))

    def _finish(self, call: _Call, outcome: object) -> None:
        call.answered = True
        if call.id is not None:
            self._requests.pop(call.id, None)
            self._answer(call.id, call.method, outcome)


def _cancel(call: _Call, task: asyncio.Task[None]) -> None:
    # Once: a handler that is putting things in order after the first must not be torn out of that by a second.
    if not call.cancelled:
        call.cancelled = True
        task.cancel()


def _begin(handler: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Return a handler's result, or an awaitable of it."""
    outcome = handler(*args)
    return _drive(outcome, partial(next, outcome)) if isinstance(outcome, GeneratorType) else outcome


def _drive(steps: _Steps, resume: Callable[[], _Step]) -> Any:
    """Run a handler of pygls to its end, or to the first handler of ours that has to be awaited.

    Args:
        steps: The generator.
        resume: Makes it go on, from where it is, to the next thing it wants to have called.
    """
    while True:
        try:
            handler, args, kwargs = resume()
        except StopIteration as end:
            return end.value
        try:
            value = handler(*args, **(kwargs or {}))
        except Exception as error:  # noqa: BLE001 - the generator's to handle
            resume = partial(steps.throw, error)
            continue
        if inspect.isawaitable(value):
            return _drive_on(steps, value)
        resume = partial(steps.send, value)


async def _drive_on(steps: _Steps, pending: Awaitable[Any]) -> Any:
    """Wait for a handler of ours, and run the rest of the handler of pygls that asked for it."""
    try:
        resume: Callable[[], _Step] = partial(steps.send, await pending)
    except BaseException as error:  # noqa: BLE001 - the generator's to handle, cancellation too
        resume = partial(steps.throw, error)
    outcome = _drive(steps, resume)
    return await outcome if inspect.isawaitable(outcome) else outcome
