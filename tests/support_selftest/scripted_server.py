"""A server that a test plays: it keeps naive copies of documents, answers the little that an editor needs, and obeys.

It stands in for the real server, so that the fake editor's own behaviour is tested by itself. Its copies follow the
editor's changes strictly: a change that doesn't fit the copy is an error of the editor.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from typing import Any

from tests.support import framing
from tests.support.naive_text import Encoding, Span, content_version, offset_of, replaced
from tests.support.peer import Peer, Pending, ServerRequest


class ScriptedServer:
    """The server; ``StrictEditor(server.start)`` talks to it.

    Attributes:
        documents: The copies: text and version by URI.
        log: What the editor sent: the methods of its messages, and "answer" for each answer.
        encoding: The position encoding that it chooses.
        capabilities: More of what it answers to ``initialize``.
        peer: Its end; what the editor sent is in the inbox.
        ends_with: Its exit code.
    """

    def __init__(self) -> None:
        self.documents: dict[str, tuple[str, int]] = {}
        self.log: list[str] = []
        self.encoding: Encoding = "utf-16"
        self.capabilities: dict[str, Any] = {}
        self.peer = Peer("server", self._send, self._serve)
        self.ends_with = 0
        self.broken: str | None = None
        self.stderr = ""
        self._in = asyncio.StreamReader()
        self._out = asyncio.StreamReader()
        self._exit_code: int | None = None
        self._ended = asyncio.Event()

    async def start(self) -> "ScriptedServer":
        """Begin to listen."""
        self._pump = asyncio.create_task(self._receive_all())
        return self

    # ------------------------------------------------------------------ what the test has it do

    def text(self, uri: str) -> str:
        """Its copy of a document."""
        return self.documents[uri][0]

    def apply(self, uri: str, version: int | None, *edits: Any, **more: Any) -> Pending:
        """Ask for edits of one document by ``workspace/applyEdit``; ``more`` goes beside the edit."""
        document = {"textDocument": {"uri": uri, "version": version}, "edits": list(edits)}
        return self.peer.start("workspace/applyEdit", {"edit": {"documentChanges": [document]}, **more})

    def apply_own(self, uri: str, version: int, text: str, *edits: Any) -> Pending:
        """Ask for edits of one document by ``dsh/applyEdit``, for a version and a text."""
        params = {"uri": uri, "version": version, "contentVersion": content_version(text), "edits": list(edits)}
        return self.peer.start("dsh/applyEdit", params)

    def write_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._out.feed_data(data)

    def end_output(self) -> None:
        """Die."""
        if self._exit_code is None:
            self._exit_code = self.ends_with
            self._out.feed_eof()
            self._ended.set()

    # ------------------------------------------------------------------ what the editor sees of it: see `Server`

    @property
    def pid(self) -> int:
        """It has no process."""
        return 0

    @property
    def exit_code(self) -> int | None:
        """What it ended with."""
        return self._exit_code

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Its messages."""
        try:
            while (message := await framing.read(self._out)) is not None:
                yield message
        except framing.BrokenFrame as error:
            self.broken = str(error)

    def write(self, data: bytes) -> None:
        """Write to it."""
        self._in.feed_data(data)

    async def wait(self, seconds: float) -> int | None:
        """Its exit code."""
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            return None
        return self._exit_code

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End it."""
        self.ends_with = -number
        self.end_output()

    async def end(self) -> None:
        """Leave nothing behind."""
        self.end_output()
        self._in.feed_eof()
        await self._pump

    def epitaph(self) -> str:
        """How it is."""
        return f"the scripted server has exit code {self._exit_code}"

    # ------------------------------------------------------------------ what it does by itself

    async def _receive_all(self) -> None:
        while (message := await framing.read(self._in)) is not None:
            self.log.append(message.get("method", "answer"))
            self._follow(message)
            self.peer.receive(message)

    def _send(self, message: dict[str, Any]) -> None:
        if self._exit_code is None:
            self._out.feed_data(framing.encode(message))

    def _follow(self, message: dict[str, Any]) -> None:
        method, document = message.get("method"), message.get("params", {}) or {}
        document = document.get("textDocument", {}) if isinstance(document, dict) else {}
        if method == "textDocument/didOpen":
            self.documents[document["uri"]] = (document["text"], document["version"])
        elif method == "textDocument/didChange":
            text = self.text(document["uri"])
            for event in message["params"]["contentChanges"]:
                start, end = (offset_of(text, event["range"][edge], self.encoding) for edge in ("start", "end"))
                text = replaced(text, [Span(start, end, event["text"])])
            self.documents[document["uri"]] = (text, document["version"])
        elif method == "textDocument/didClose":
            del self.documents[document["uri"]]
        elif method == "exit":
            self.end_output()

    def _serve(self, request: ServerRequest) -> None:
        capabilities = {"positionEncoding": self.encoding, **self.capabilities}
        if request.method == "initialize":
            request.answer({"capabilities": capabilities})
        elif request.method == "dsh/session/open":
            request.answer({"sessionId": "s"})
        elif request.method == "dsh/tool/run":
            uri = request.params["arguments"]["file_path"]
            value = {"version": content_version(self.text(uri)), "via": "buffer"}
            request.answer({"callId": "c", "isError": False, "content": [], "value": value})
        elif request.method == "test/refuse":
            request.fail(-32602, "no")
        elif request.method != "test/ignore":
            request.answer(None)


def edit(line: int, start: int, end: int, new: str, *, end_line: int | None = None) -> dict[str, Any]:
    """An LSP text edit, of one line unless an end line is given."""
    last = line if end_line is None else end_line
    places = {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}}
    return {"range": places, "newText": new}
