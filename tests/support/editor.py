"""The strict fake editor: a language client that talks to a real server, edits real buffers, and forgives nothing.

What it does by itself is what the specification says; what stock editors do instead is put into it as a `Profile`, a
way of applying and a way of sending (see `editors`). Whatever a person does is a plain method and happens at once;
whatever waits for the server is a coroutine with a time limit. Leaving it checks everything (see `leaving`).
Deliberately absent: sleeping, and any sharing of code with the server's own mirror of a document.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

from tests.support import expectations, framing
from tests.support.applying import Applying, Exactly
from tests.support.buffers import Buffer, uri_of
from tests.support.desk import Desk
from tests.support.edit_request import DocumentEdit
from tests.support.inbox import Inbox
from tests.support.leaving import leave
from tests.support.naive_text import Encoding, Outside, spans_of
from tests.support.peer import Peer, Pending, ServerRequest
from tests.support.process import Server, ServerProcess
from tests.support.profile import merged
from tests.support.sending import Sending
from tests.support.serving import serve
from tests.support.typed_client import TypedClient

COMMAND: Final = (sys.executable, "-m", "dsh_lsp", "--stdio")
"""The command of the server."""

IGNORED: Final = frozenset(
    {
        "$/cancelRequest",
        "$/progress",
        "dsh/decorations",
        "dsh/toolCall",
        "dsh/toolResult",
        "textDocument/publishDiagnostics",
        "window/logMessage",
    }
)
"""What a test need not read: logs, and what says a state that can be looked at."""


class StrictEditor(Desk):
    """A fake editor.

    Args:
        server: Starts the server; without it, the real one, in this process's environment.
        ignore: Methods of messages that the test need not read.
        applying: What it makes of requests to apply an edit.
        sending: When it sends ``didChange``.
        formatter: What a save does to the text first; returns the new text.

    Attributes:
        lsp: LSP's own requests with types: ``await editor.lsp.text_document_hover_async(…)``.
        answers: What is answered to a request, by method, for those that have no answer of their own or another one
            than usual: ``editor.answers["window/showMessageRequest"] = lambda params: params["actions"][0]``.
        held: Requests that are left open, by method: see `hold`.
        folders: The workspace folders.
        capabilities: What the client declared, as JSON.
        server_capabilities: What the server answered to it, as JSON.
        problems: What the server did wrong so far, in words.
        stderr_may_hold_tracebacks: Set by a test that provokes one.
        ended: The test ended the server itself.
        initialized: The server has answered ``initialize``.
    """

    def __init__(
        self,
        server: Callable[[], Awaitable[Server]] | None = None,
        *,
        ignore: frozenset[str] | set[str] = IGNORED,
        applying: Applying | None = None,
        sending: Sending | None = None,
        formatter: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(sending, formatter)
        self.applying = applying or self.usual_applying()
        self.ignore = frozenset(ignore)
        self.answers: dict[str, Callable[[Any], Any]] = {}
        self.held: dict[str, asyncio.Queue[ServerRequest]] = {}
        self.folders: list[dict[str, str]] = []
        self.capabilities: dict[str, Any] = {}
        self.server_capabilities: dict[str, Any] = {}
        self.problems: list[str] = []
        self.stderr_may_hold_tracebacks = False
        self.ended = False
        self.initialized = False
        self.peer = Peer("editor", self._write, self._serve)
        self.lsp = TypedClient(self._write_bytes, self.flush, self.problem)
        self._start = server or partial(ServerProcess.start, COMMAND)
        self._process: Server | None = None
        self._pump: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ what kinds of editor differ in

    def usual_applying(self) -> Applying:
        """How this kind of editor applies edits."""
        return Exactly()

    def refresh_tokens(self, request: ServerRequest) -> None:
        """Answer ``workspace/semanticTokens/refresh``."""
        request.answer(None)

    # ------------------------------------------------------------------ the server's life

    async def __aenter__(self) -> Self:
        """Start the server."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave, with all the checks unless the test has failed already."""
        if error is None:
            await leave(self)
        else:
            error.add_note(self.process.epitaph())
            await self.abandon()

    @property
    def process(self) -> Server:
        """The server's process."""
        if self._process is None:
            raise AssertionError("the server was not started")
        return self._process

    @property
    def inbox(self) -> Inbox:
        """What the server has sent."""
        return self.peer.inbox

    async def start(self) -> None:
        """Start the server; nothing is sent yet."""
        self._process = await self._start()
        self._pump = asyncio.create_task(self._receive_all(self._process))

    async def initialize(
        self,
        *,
        folders: Sequence[Path] = (),
        capabilities: Mapping[str, Any] | None = None,
        dsh: Mapping[str, bool] | None = None,
        position_encodings: Sequence[str] | None = None,
        client_info: Mapping[str, str] | None = None,
        initialization_options: Any = None,
        within: float = 30.0,
    ) -> dict[str, Any]:
        """Send ``initialize`` and ``initialized``; what is not given is as this kind of editor has it.

        Args:
            folders: The workspace folders.
            capabilities: JSON to put over the usual capabilities, member by member.
            dsh: ``experimental.dsh``, in place of the usual one.
            position_encodings: ``general.positionEncodings``, in place of the usual one.
            client_info: In place of the usual one.
            initialization_options: Passed on.
            within: Seconds; generous, as the server's start is in it.

        Returns:
            The server's answer.
        """
        profile = self.profile
        encodings = list(position_encodings or profile.position_encodings or ())
        mine: dict[str, Any] = {"general": {"positionEncodings": encodings}} if encodings else {}
        declared = dsh if dsh is not None else profile.dsh
        if declared is not None:
            mine["experimental"] = {"dsh": dict(declared)}
        self.capabilities = merged(merged(profile.capabilities, mine), capabilities or {})
        self.lsp.declare(self.capabilities)
        self.folders = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        params = {
            "processId": os.getpid(),
            "clientInfo": client_info or profile.client_info,
            "rootUri": self.folders[0]["uri"] if self.folders else None,
            "workspaceFolders": self.folders or None,
            "capabilities": self.capabilities,
            "initializationOptions": initialization_options,
        }
        wanted = {
            name: value for name, value in params.items() if value is not None or name in ("processId", "rootUri")
        }
        answer: dict[str, Any] = await self.request("initialize", wanted, within)
        self.server_capabilities = answer["capabilities"]
        chosen = self.server_capabilities.get("positionEncoding", "utf-16")
        if chosen not in (encodings or ["utf-16"]):
            self.problem(f"the server chose the position encoding {chosen} out of {encodings}")
        for fault in expectations.overannounced(self.server_capabilities, self.capabilities):
            self.problem(fault)
        self.encoding = cast("Encoding", chosen)
        self.initialized = True
        self.notify("initialized", {})
        return answer

    async def shutdown(self, within: float = 10.0) -> int | None:
        """Send ``shutdown`` and ``exit``; the exit code, or None if the server runs on (seconds)."""
        self.ended = True
        if self.process.exit_code is None:
            if self.initialized:
                await self.request("shutdown", within=within)
            self.notify("exit")
        code = await self.process.wait(within)
        if code is not None:
            await self._stop_pump()
        return code

    async def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill the server, as part of the story: leaving does not complain of it."""
        self.ended = True
        self.process.kill(number)
        await self.process.wait(10.0)
        await self._stop_pump()

    async def abandon(self) -> None:
        """End the server without any check."""
        if self._process is not None:
            await self._process.end()
            await self._stop_pump()

    def hold(self, method: str) -> None:
        """Leave requests of a method open, as a dialog does, until the test answers what `held_request` gives."""
        self.held[method] = asyncio.Queue()

    async def held_request(self, method: str, within: float = 5.0) -> ServerRequest:
        """The next request of a method that is held (seconds)."""
        async with asyncio.timeout(within):
            return await self.held[method].get()

    # ------------------------------------------------------------------ what can be seen

    def decorations(self, place: str | Path) -> list[Any]:
        """The hunks of the last ``dsh/decorations`` of a document; empty if there was none."""
        uri = uri_of(place)
        return next((note["hunks"] for note in reversed(self.inbox.all("dsh/decorations")) if note["uri"] == uri), [])

    async def decorated(self, place: str | Path, where: Callable[[list[Any]], bool], within: float = 5.0) -> list[Any]:
        """Wait until the last decorations of a document are as wanted, and return them."""
        await self.until(lambda: where(self.decorations(place)), within, "decorations of a certain kind")
        return self.decorations(place)

    def diagnostics(self, place: str | Path) -> list[Any]:
        """The diagnostics of a document that were published last; empty if there were none."""
        uri, method = uri_of(place), "textDocument/publishDiagnostics"
        return next((note["diagnostics"] for note in reversed(self.inbox.all(method)) if note["uri"] == uri), [])

    async def diagnosed(self, place: str | Path, where: Callable[[list[Any]], bool], within: float = 5.0) -> list[Any]:
        """Wait until the last published diagnostics of a document are as wanted, and return them."""
        await self.until(lambda: where(self.diagnostics(place)), within, "diagnostics of a certain kind")
        return self.diagnostics(place)

    # ------------------------------------------------------------------ messages

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, right or wrong."""
        self.flush()
        self.peer.notify(method, params)

    def start_request(self, method: str, params: Any = None) -> Pending:
        """Send a request, right or wrong; its answer can be waited for later."""
        self.flush()
        return self.peer.start(method, params)

    async def request(self, method: str, params: Any = None, within: float = 10.0) -> Any:
        """Send a request, right or wrong, and return the result; ranges in it must be in the document asked about.

        Raises:
            RpcError: The answer is an error.
            Unmet: There is no answer in time (seconds).
            NeverMet: The server is gone.
        """
        result = await self.start_request(method, params).result(within)
        document = params.get("textDocument") if isinstance(params, dict) else None
        if isinstance(document, dict) and document.get("uri") in self.told:
            self._check_ranges(document["uri"], None, result)
        return result

    async def sync(self) -> None:
        """Return when the server has dealt with everything that was sent before."""
        await self.request("dsh/tool/list", {})

    async def next(self, method: str, within: float = 5.0, where: Callable[[Any], bool] | None = None) -> Any:
        """Take the next message of a method: see `Inbox.next`."""
        return await self.inbox.next(method, within, where)

    def take(self, method: str, where: Callable[[Any], bool] | None = None) -> list[Any]:
        """Take every message of a method that has come: see `Inbox.take`."""
        return self.inbox.take(method, where)

    async def until(self, condition: Callable[[], bool], within: float = 5.0, what: str = "a condition") -> None:
        """Wait for a condition on what was received or on a buffer: see `Inbox.until`."""
        await self.inbox.until(condition, within, what)

    def write_raw(self, data: bytes) -> None:
        """Send bytes as they are, for frames that are broken on purpose."""
        self._write_bytes(data)

    # ------------------------------------------------------------------ for the ways of applying and of serving

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification as it is."""
        self.peer.notify(method, params)

    def happened(self) -> None:
        """Have those who wait look again."""
        self.inbox.happened()

    def check_edit(self, document: DocumentEdit, buffer: Buffer) -> str | None:
        """Take note of edits that don't fit the version that they are for, and return why they don't."""
        if document.version in (None, buffer.version, max(1, buffer.version)):
            try:
                spans_of(buffer.text, document.edits, buffer.encoding)
            except Outside as error:
                self.problem(f"an edit of {buffer.uri} does not fit its text: {error}")
                return str(error)
        return None

    def problem(self, words: str) -> None:
        """Take note of something that the server did wrong; leaving fails for it."""
        self.problems.append(words)
        self.happened()

    def take_problems(self) -> list[str]:
        """What the server did wrong so far; it is forgiven."""
        problems, self.problems = self.problems, []
        return problems

    async def _receive_all(self, process: Server) -> None:
        async for message in process.messages():
            if not self.lsp.feed(message):
                self.peer.receive(message)
                for fault in self._faults(message):
                    self.problem(fault)
            self.inbox.happened()
        if process.broken is not None:
            self.problem(f"the server's output broke: {process.broken}")
        await process.wait(5.0)
        self.peer.close(process.epitaph())
        self.lsp.end(process.epitaph())

    def _serve(self, request: ServerRequest) -> None:
        try:
            serve(self, request)
        except Exception as error:  # noqa: BLE001 - whatever the request was like, the test shall hear of it
            self.problem(f"{request.message} could not be dealt with: {error!r}")
            if not request.settled:
                request.fail(-32603, "the editor failed")

    def _faults(self, message: dict[str, Any]) -> Iterator[str]:
        method, params = message.get("method"), message.get("params")
        if method is None:
            return
        yield from expectations.wrong_shape(method, params)
        yield from expectations.undeclared(method, self.capabilities)
        if method == "workspace/applyEdit" and isinstance(params, dict):
            yield from expectations.wrong_edit(params)
        if method in ("dsh/decorations", "textDocument/publishDiagnostics") and isinstance(params, dict):
            uri = params.get("uri", "")
            if ranges := params.get("hunks") or params.get("diagnostics"):
                told = self.told.get(uri, [])
                yield from expectations.outside(uri, params.get("version"), ranges, told, self.encoding)

    def _check_ranges(self, uri: str, version: int | None, value: Any) -> None:
        for fault in expectations.outside(uri, version, value, self.told[uri], self.encoding):
            self.problem(fault)

    def _write(self, message: dict[str, Any]) -> None:
        self._write_bytes(framing.encode(message))

    def _write_bytes(self, data: bytes) -> None:
        self.process.write(data)

    async def _stop_pump(self) -> None:
        if self._pump is not None:
            await self._pump
