"""A headless editor: an LSP client without a screen, which really holds buffers and applies edits with versions."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.framing import STREAM_LIMIT
from dsh_lsp.rpc.pump import serve
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DecorationsNote

_ENDING = 10.0
"""Seconds that the server may take to leave."""


class _Params(BaseModel):
    """Whatever the server sends, as it is."""

    model_config = ConfigDict(extra="allow")


class HeadlessEditor:
    """An editor that starts the server as every editor does, and declares that it paints decorations.

    Args:
        workspace: The folder that it has open.
        environment: The server's environment.

    Attributes:
        buffers: Open documents by URI.
        decorations: What is painted, by URI.
    """

    def __init__(self, workspace: Path, environment: Mapping[str, str]) -> None:
        self.buffers: dict[str, Document] = {}
        self.decorations: dict[str, DecorationsNote] = {}
        self._workspace = workspace
        self._environment = dict(environment)
        self._painted = asyncio.Event()
        self._process: Process | None = None

    async def start(self) -> None:
        """Start the server and introduce the editor to it."""
        command = (sys.executable, "-m", "dsh_lsp", "--stdio")
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=self._environment, limit=STREAM_LIMIT
        )
        if self._process.stdout is None or self._process.stdin is None:
            raise RuntimeError("the server has no pipes")
        connection = Connection(self._process.stdout, self._process.stdin, name="server")
        self._peer = agent_peer(
            connection,
            {
                "workspace/applyEdit": (_Params, self._apply_edit),
                "dsh/decorations": (DecorationsNote, self._paint),
            },
        )
        self._serving = asyncio.ensure_future(serve(self._peer))
        await self._peer.request(
            "initialize",
            {
                "processId": None,
                "clientInfo": {"name": "dsh-lsp demo"},
                "rootUri": self._workspace.as_uri(),
                "workspaceFolders": [{"uri": self._workspace.as_uri(), "name": self._workspace.name}],
                "capabilities": {
                    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
                    "experimental": {"dsh": {"decorations": True}},
                },
            },
        )
        self._peer.notify("initialized", {})

    @property
    def pid(self) -> int:
        """The server's process id.

        Raises:
            RuntimeError: It was not started.
        """
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process.pid

    async def stop(self) -> int:
        """Leave as LSP asks for, and return the server's exit code."""
        if self._process is None:
            return 0
        await self._peer.request("shutdown", None, timeout=_ENDING)
        self._peer.notify("exit")
        try:
            async with asyncio.timeout(_ENDING):
                return await self._process.wait()
        finally:
            self._peer.connection.close("the editor has ended")
            await self._serving

    def kill(self) -> None:
        """End the server by force, if it is still there."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    def open(self, path: Path) -> str:
        """Open a file; its URI."""
        uri, text = path.as_uri(), path.read_bytes().decode("utf-8")
        self.buffers[uri] = Document(uri, text, language_id="plaintext", version=1, epoch=1, encoding="utf-16")
        self._peer.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "plaintext", "version": 1, "text": text}},
        )
        return uri

    def type_line(self, uri: str, line: int, text: str) -> None:
        """Type a line of text above a line (0-based). It is not saved."""
        end = "\r\n" if self.buffers[uri].line(0).endswith("\r\n") else "\n"
        self._change(uri, [(line, 0, line, 0, text + end)])

    async def repainted(self, uri: str, hunks: int) -> DecorationsNote:
        """Wait until so many hunks are painted in a document."""
        while uri not in self.decorations or len(self.decorations[uri].hunks) != hunks:
            self._painted.clear()
            await self._painted.wait()
        return self.decorations[uri]

    def _apply_edit(self, _peer: Any, params: _Params) -> dict[str, Any]:
        [change] = (params.model_extra or {})["edit"]["documentChanges"]
        uri, wanted = change["textDocument"]["uri"], change["textDocument"]["version"]
        buffer = self.buffers.get(uri)
        if buffer is None or buffer.version != wanted:
            return {"applied": False, "failureReason": "the document has changed"}
        ranges = [(e["range"]["start"], e["range"]["end"], e["newText"]) for e in change["edits"]]
        # Bottom up, so that every range is still where it was.
        self._change(
            uri,
            [(a["line"], a["character"], b["line"], b["character"], text) for a, b, text in reversed(ranges)],
        )
        return {"applied": True}

    def _change(self, uri: str, changes: list[tuple[int, int, int, int, str]]) -> None:
        buffer = self.buffers[uri]
        for change in changes:
            buffer.apply(*change)
        buffer.version += 1
        content = [
            {
                "range": {"start": {"line": a, "character": b}, "end": {"line": c, "character": d}},
                "text": text,
            }
            for a, b, c, d, text in changes
        ]
        self._peer.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": buffer.version}, "contentChanges": content},
        )

    def _paint(self, _peer: Any, note: DecorationsNote) -> None:
        self.decorations[note.uri] = note
        self._painted.set()
