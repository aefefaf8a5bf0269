"""One end of a JSON-RPC connection, as raw JSON: requests with their answers, and an inbox for the rest.

Deliberately absent: streams (its owner writes and feeds it), and types. What a test sends may be wrong on purpose, and
what it receives is what came.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.support.inbox import Inbox, Message, NeverMet, Unmet


class RpcError(Exception):
    """The other side answered a request with a JSON-RPC error."""

    def __init__(self, method: str, error: dict[str, Any]) -> None:
        super().__init__(f"{method}: {error}")
        self.method = method
        self.code: int = error.get("code", 0)
        self.message: str = error.get("message", "")
        self.data: Any = error.get("data")


Write: TypeAlias = Callable[[dict[str, Any]], None]
"""Sends one message (without its ``jsonrpc`` member)."""


class ServerRequest:
    """A request from the other side; it is answered once, or left without an answer on purpose.

    Attributes:
        method: Its method.
        params: Its params as they came.
        message: Its entry in the inbox.
        settled: It was answered, or is left.
    """

    def __init__(self, message: Message, request_id: str | int, write: Write) -> None:
        self.method = message.method
        self.params = message.params
        self.message = message
        self.settled = False
        self._id = request_id
        self._write = write

    def answer(self, result: Any) -> None:
        """Answer with a result."""
        self._settle()
        self._write({"id": self._id, "result": result})

    def fail(self, code: int, message: str) -> None:
        """Answer with an error."""
        self._settle()
        self._write({"id": self._id, "error": {"code": code, "message": message}})

    def leave(self) -> None:
        """Never answer, and say so: only a request that was forgotten is an error."""
        self._settle()

    def _settle(self) -> None:
        if self.settled:
            raise AssertionError(f"{self.method} was answered already")
        self.settled = True


class Pending:
    """A request of ours that is under way."""

    def __init__(self, peer: "Peer", request_id: str | int, method: str, answer: asyncio.Future[Any]) -> None:
        self.id = request_id
        self._peer = peer
        self._method = method
        self._answer = answer

    @property
    def done(self) -> bool:
        """The answer has come, or can't come any more."""
        return self._answer.done()

    async def result(self, within: float = 10.0) -> Any:
        """The result, once it is there.

        Raises:
            RpcError: The answer is an error.
            Unmet: There is no answer in time (seconds).
            NeverMet: The other side is gone.
        """
        try:
            async with asyncio.timeout(within):
                return await asyncio.shield(self._answer)
        except TimeoutError:
            raise Unmet(f"{self._method} was not answered in {within} s. {self._peer.inbox.seen()}") from None

    def cancel(self) -> None:
        """Tell the other side that the answer is not wanted (``$/cancelRequest``); one still comes."""
        self._peer.notify("$/cancelRequest", {"id": self.id})


class Peer:
    """Our end.

    Args:
        name: Who we are, for the messages of failures; also the beginning of our request ids.
        write: Sends a message.
        on_request: Called with each request of theirs, after it was put into the inbox.

    Attributes:
        inbox: What came, answers apart.
        requests: Every request of theirs.
        stray: Answers that belong to no request of ours, such as an error with the id null.
    """

    def __init__(self, name: str, write: Write, on_request: Callable[[ServerRequest], None]) -> None:
        self.inbox = Inbox(name)
        self.requests: list[ServerRequest] = []
        self.stray: list[dict[str, Any]] = []
        self._name = name
        self._write = write
        self._on_request = on_request
        self._asked: dict[str | int, Pending] = {}
        self._count = 0

    def start(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer is waited for with the result."""
        self._count += 1
        request_id = f"{self._name}-{self._count}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # A request whose answer nobody wants may fail without a warning from the loop.
        answer.add_done_callback(lambda future: future.exception())
        pending = self._asked[request_id] = Pending(self, request_id, method, answer)
        if self.inbox.gone is not None:
            self._fail(pending, self.inbox.gone)
        else:
            self._write({"id": request_id, "method": method, **_params(params)})
        return pending

    async def request(self, method: str, params: Any = None, within: float = 10.0) -> Any:
        """Send a request and return its result; see `Pending.result` for what is raised."""
        return await self.start(method, params).result(within)

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self._write({"method": method, **_params(params)})

    def receive(self, message: dict[str, Any]) -> None:
        """Take in a message that came."""
        if "method" not in message:
            self._answered(message)
        elif "id" in message:
            entry = self.inbox.add(message["method"], message.get("params"))
            request = ServerRequest(entry, message["id"], self._write)
            self.requests.append(request)
            self._on_request(request)
        else:
            self.inbox.add(message["method"], message.get("params"))
        self.inbox.happened()

    def close(self, reason: str) -> None:
        """Nothing will come any more: whatever waits learns of it."""
        self.inbox.close(reason)
        for pending in list(self._asked.values()):
            self._fail(pending, reason)

    def unanswered(self) -> list[ServerRequest]:
        """Their requests that we forgot to answer."""
        return [request for request in self.requests if not request.settled]

    def _answered(self, message: dict[str, Any]) -> None:
        pending = self._asked.pop(message.get("id", ""), None)
        if pending is None or ("result" in message) == ("error" in message):
            self.stray.append(message)
        elif not pending.done:
            error = message.get("error")
            if error is None:
                pending._answer.set_result(message["result"])
            else:
                pending._answer.set_exception(RpcError(pending._method, error))

    def _fail(self, pending: Pending, reason: str) -> None:
        if not pending.done:
            pending._answer.set_exception(NeverMet(f"{self._name} waits for {pending._method} in vain: {reason}"))


def _params(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}
