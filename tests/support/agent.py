"""An agent: the same few methods over the server's local endpoint, or over the editor's own connection.

A test that is written for a `ToolUser` runs over both. Everything that waits has a time limit. Deliberately absent: any
use of the server's own client code; what is sent may be wrong on purpose.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support import expectations, framing
from tests.support.editor import StrictEditor
from tests.support.peer import Peer, Pending, ServerRequest


class ToolUser(ABC):
    """What an agent does, whatever it is connected by.

    Attributes:
        session_id: The session that calls are made in; the last one opened.
    """

    def __init__(self) -> None:
        self.session_id = ""

    @abstractmethod
    def start_request(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer can be waited for later."""

    @abstractmethod
    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""

    @abstractmethod
    async def next(self, method: str, within: float = 5.0, where: Callable[[Any], bool] | None = None) -> Any:
        """Take the next notification of a method: see `Inbox.next`."""

    @abstractmethod
    def take(self, method: str, where: Callable[[Any], bool] | None = None) -> list[Any]:
        """Take every notification of a method that has come."""

    @abstractmethod
    async def close(self) -> None:
        """End the connection, or the session where the connection is the editor's."""

    async def request(self, method: str, params: Any = None, within: float = 10.0) -> Any:
        """Send a request and return the result; see `Pending.result` for what is raised."""
        return await self.start_request(method, params).result(within)

    async def open_session(self, **params: Any) -> dict[str, Any]:
        """``dsh/session/open``, its params under their names on the wire: ``open_session(onStale="rebase")``."""
        answer: dict[str, Any] = await self.request("dsh/session/open", {"agent": {"name": "test agent"}, **params})
        self.session_id = answer["sessionId"]
        return answer

    def start(self, tool: str, /, *, call_id: str | None = None, **arguments: Any) -> Pending:
        """Start a tool; ``await call.result()`` gives what `run` gives, ``call.cancel()`` cancels it."""
        params = {"sessionId": self.session_id, "name": tool, "arguments": arguments}
        return self.start_request("dsh/tool/run", params if call_id is None else {**params, "callId": call_id})

    async def start_told(self, tool: str, /, *, call_id: str, **arguments: Any) -> Pending:
        """Start a tool, and return once its call is recorded and told: it runs, or waits its turn."""
        await self.request("dsh/subscribe", {"sessionId": self.session_id})
        call = self.start(tool, call_id=call_id, **arguments)
        await self.next("dsh/toolCall", where=lambda note: call_id == note["callId"])
        return call

    async def run(
        self, tool: str, /, *, call_id: str | None = None, within: float = 10.0, **arguments: Any
    ) -> dict[str, Any]:
        """Run a tool: ``{callId, isError, content, error?, meta?, value?}``."""
        result: dict[str, Any] = await self.start(tool, call_id=call_id, **arguments).result(within)
        return result

    async def read(self, path: str | Path, **arguments: Any) -> dict[str, Any]:
        """Run ``read``."""
        return await self.run("read", file_path=str(path), **arguments)

    async def edit(self, path: str | Path, old: str, new: str, *, replace_all: bool = False) -> dict[str, Any]:
        """Run ``edit``."""
        return await self.run("edit", file_path=str(path), old_string=old, new_string=new, replace_all=replace_all)

    async def write(self, path: str | Path, content: str) -> dict[str, Any]:
        """Run ``write``."""
        return await self.run("write", file_path=str(path), content=content)


class Agent(ToolUser):
    """An agent on a stream of its own; made by `connect`.

    Attributes:
        problems: What the server did wrong so far, in words.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.peer = Peer("agent", self._write, self._refuse)
        self._writer = writer
        self._pump = asyncio.create_task(self._receive_all(reader))

    @classmethod
    async def connect(cls, path: str | Path) -> "Agent":
        """Connect to a Unix socket."""
        async with asyncio.timeout(10.0):
            return cls(*await asyncio.open_unix_connection(path))

    def start_request(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer can be waited for later."""
        return self.peer.start(method, params)

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.peer.notify(method, params)

    def write_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    async def next(self, method: str, within: float = 5.0, where: Callable[[Any], bool] | None = None) -> Any:
        """Take the next notification of a method: see `Inbox.next`."""
        return await self.peer.inbox.next(method, within, where)

    def take(self, method: str, where: Callable[[Any], bool] | None = None) -> list[Any]:
        """Take every notification of a method that has come."""
        return self.peer.inbox.take(method, where)

    async def until_gone(self, within: float = 5.0) -> str:
        """Wait until the server has closed the connection; the reason, as far as it can be seen."""
        await self.peer.inbox.until(lambda: self.peer.inbox.gone is not None, within, "the end of the connection")
        return self.peer.inbox.gone or ""

    async def close(self) -> None:
        """Close the connection."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
        await self._pump

    async def _receive_all(self, reader: asyncio.StreamReader) -> None:
        reason = "the connection ended"
        try:
            while (message := await framing.read(reader)) is not None:
                self.peer.receive(message)
                if "method" in message:
                    self.problems += expectations.wrong_shape(message["method"], message.get("params"))
        except (framing.BrokenFrame, OSError) as error:
            reason = f"the connection broke: {error}"
        self.peer.close(reason)

    def _write(self, message: dict[str, Any]) -> None:
        self._writer.write(framing.encode(message))

    def _refuse(self, request: ServerRequest) -> None:
        self.problems.append(f"an agent was asked for {request.method}")
        request.fail(-32601, f"Method Not Found: {request.method}")


class EditorAgent(ToolUser):
    """An agent inside the editor, on the editor's connection: what it is told comes into the editor's inbox."""

    def __init__(self, editor: StrictEditor) -> None:
        super().__init__()
        self._editor = editor

    def start_request(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer can be waited for later."""
        return self._editor.start_request(method, params)

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self._editor.notify(method, params)

    async def next(self, method: str, within: float = 5.0, where: Callable[[Any], bool] | None = None) -> Any:
        """Take the next notification of a method from the editor's inbox."""
        return await self._editor.next(method, within, where)

    def take(self, method: str, where: Callable[[Any], bool] | None = None) -> list[Any]:
        """Take every notification of a method that has come to the editor."""
        return self._editor.take(method, where)

    async def close(self) -> None:
        """Close the session; the connection is the editor's."""
        if self.session_id and self._editor.inbox.gone is None:
            await self.request("dsh/session/close", {"sessionId": self.session_id})
