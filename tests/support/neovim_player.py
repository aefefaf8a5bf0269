"""Plays the transcripts of `editor-clients/conformance` to a Neovim: the test is the server, on a Unix socket.

What each line is, and what is compared, is in `editor-clients/conformance/README.md`.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from tests.support import framing
from tests.support.naive_text import offset_of, position_of
from tests.support.neovim import Neovim
from tests.support.transcript import FOLDER

_CAPABILITIES: Final[dict[str, Any]] = {
    "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
    "experimental": {"dsh": {"protocolVersion": 1}},
}

_NEVER_HAD: Final = 1_000_000
"""Added to versions that the client never had."""


class NeovimPlayer:
    """One transcript.

    Args:
        steps: Its lines.
        workspace: The folder that it is played in.
    """

    def __init__(self, steps: list[dict[str, Any]], workspace: Path) -> None:
        self._about = steps[0]["about"]
        self._steps = steps[1:]
        self._uri = workspace.as_uri()
        self._encoding = self._about["positionEncodings"][0]
        self._neovim: Neovim | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._notes: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._ids: dict[str, int | str] = {}
        self._about_document: dict[str, str] = {}
        self._buffers: dict[str, int] = {}
        self._versions: dict[str, list[int]] = {}
        self._changes = 0
        self._changes_told: dict[str, int] = {}
        self._kinds: dict[str, Callable[[dict[str, Any]], Awaitable[None]]] = {
            "file": self._file,
            "open": self._open,
            "close": self._close,
            "user": self._user,
            "decides": self._decides,
            "server": self._server,
            "client": self._client,
            "shows": self._shows,
            "card": self._card,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Be the server of a connection."""
        self._writer = writer
        while (message := await framing.read(reader)) is not None:
            self._receive(message)

    async def play(self, nvim: Neovim) -> None:
        """Lead the client through all of it."""
        self._neovim = nvim
        for number, step in enumerate(self._steps, start=2):
            [(kind, value)] = step.items()
            try:
                await self._kinds[kind](value)
            except AssertionError as error:
                error.add_note(f"at line {number} of {self._about['name']}: {json.dumps(step)[:1000]}")
                raise

    # ------------------------------------------------------------------ the kinds of lines

    async def _file(self, step: dict[str, Any]) -> None:
        await asyncio.to_thread(self._path(step["uri"]).write_bytes, step["text"].encode())

    async def _open(self, step: dict[str, Any]) -> None:
        await self._nvim.command(f"edit {self._path(step['uri'])}")
        self._buffers[step["uri"]] = await self._nvim.call("nvim_get_current_buf")
        await self._told("textDocument/didOpen")
        self._versions[step["uri"]] = []
        await self._changed(step["uri"])

    async def _close(self, step: dict[str, Any]) -> None:
        await self._nvim.command(f"bwipeout! {self._buffers.pop(step['uri'])}")
        await self._told("textDocument/didClose")

    async def _user(self, step: dict[str, Any]) -> None:
        # What persons type in transcripts is typed into lines of ASCII, where columns are bytes in every encoding.
        start, end = step["range"]["start"], step["range"]["end"]
        places = start["line"], start["character"], end["line"], end["character"]
        await self._nvim.call("nvim_buf_set_text", self._buffers[step["uri"]], *places, step["text"].split("\n"))
        await self._changed(step["uri"])

    async def _decides(self, step: dict[str, Any]) -> None:
        how = step["how"]
        if "range" in step:
            first, last = step["range"]["start"]["line"], step["range"]["end"]["line"] - 1
            await self._nvim.lua("require('dsh.review').lines(...)", how, first, last)
        elif "uri" in step:
            await self._nvim.lua("require('dsh.review').file(...)", how)
        else:
            await self._nvim.lua("View.decide(...)", how, step["hunkIds"][0])

    async def _server(self, message: dict[str, Any]) -> None:
        sent = self._ours(message)
        if "method" not in sent:
            sent["id"] = self._ids[sent["id"]]
        params = sent.get("params", {})
        if "version" in params:
            params["version"] = self._version(message["params"]["uri"], params["version"])
        if "id" in sent and "uri" in params:
            self._about_document[sent["id"]] = message["params"]["uri"]
            self._changes = 0
        self._send(sent)

    async def _client(self, wanted: dict[str, Any]) -> None:
        came = self._theirs(await self._next(self._inbox, "a message of the client"))
        if "method" in wanted:
            self._ids[wanted["id"]] = came["id"]
            _same((wanted["method"], wanted["params"]), (came.get("method"), came.get("params")), came)
            return
        result = came.get("result") or {}
        _same(
            (wanted["id"], wanted["result"]), (came["id"], {name: result.get(name) for name in wanted["result"]}), came
        )
        if result.get("applied") and self._changes_told[wanted["id"]] == 0:
            raise AssertionError("the client must tell of the change before it says that it has applied the edit")
        if result.get("applied") or result.get("reloaded"):
            await self._changed(self._about_document[wanted["id"]])

    async def _shows(self, step: dict[str, Any]) -> None:
        buffer, text = self._buffers[step["uri"]], step["text"]
        await self._nvim.until("View.text((...)) == select(2, ...)", buffer, text, what="the text")
        paint = self._in_bytes(step["paint"], text)
        await self._nvim.until("View.shows(...)", buffer, paint, what=f"the paint {paint}")
        assert step["saved"] is not await self._nvim.lua("return vim.bo[...].modified", buffer)
        if step["saved"]:
            assert text.encode() == await asyncio.to_thread(self._path(step["uri"]).read_bytes)

    async def _card(self, step: dict[str, Any]) -> None:
        await self._nvim.lua("require('dsh.panel').open()")
        await self._nvim.until("View.card(...)", step["callId"], step["state"], step["contains"], what="the card")

    # ------------------------------------------------------------------ how it is done

    @property
    def _nvim(self) -> Neovim:
        if self._neovim is None:
            raise AssertionError("nothing is played yet")
        return self._neovim

    def _path(self, uri: str) -> Path:
        return Path(unquote(self._ours(uri).removeprefix("file://")))

    def _ours(self, value: Any) -> Any:
        return json.loads(json.dumps(value).replace(FOLDER, self._uri))

    def _theirs(self, value: Any) -> Any:
        return json.loads(json.dumps(value).replace(self._uri, FOLDER))

    def _in_bytes(self, paint: dict[str, Any], text: str) -> dict[str, Any]:
        """The paint with columns in bytes, as marks have them, and tabs as the spaces that are shown for them."""

        def byte(line: int, character: int) -> int:
            offset = offset_of(text, {"line": line, "character": character}, self._encoding)
            return position_of(text, offset, "utf-8")["character"]

        words = [[line, byte(line, start), byte(line, end)] for line, start, end in paint["words"]]
        removed = [{**each, "lines": [line.expandtabs(8) for line in each["lines"]]} for each in paint["removed"]]
        return {**paint, "words": words, "removed": removed}

    async def _changed(self, uri: str) -> None:
        """A document has one more version."""
        version = await self._nvim.lua("return vim.lsp.util.buf_versions[...]", self._buffers[uri])
        self._versions[uri].append(version)

    def _version(self, uri: str, number: int) -> int:
        known = self._versions.get(uri, [])
        return known[number - 1] if 0 < number <= len(known) else _NEVER_HAD + number

    async def _told(self, method: str) -> None:
        while (await self._next(self._notes, method))["method"] != method:
            pass

    async def _next(self, queue: asyncio.Queue[dict[str, Any]], what: str) -> dict[str, Any]:
        try:
            async with asyncio.timeout(10.0):
                return await queue.get()
        except TimeoutError:
            raise AssertionError(f"{what} did not come; {await self._nvim.messages()}") from None

    def _receive(self, message: dict[str, Any]) -> None:
        method, is_request = message.get("method"), "method" in message and "id" in message
        if method == "initialize":
            assert self._encoding in message["params"]["capabilities"]["general"]["positionEncodings"]
            capabilities = {**_CAPABILITIES, "positionEncoding": self._encoding}
            self._send({"id": message["id"], "result": {"capabilities": capabilities}})
        elif method == "shutdown":
            self._send({"id": message["id"], "result": None})
        elif method is None or method in ("dsh/review/keep", "dsh/review/undo"):
            if method is None:
                self._changes_told[message["id"]] = self._changes
            self._inbox.put_nowait(message)
        elif is_request:
            self._send({"id": message["id"], "error": {"code": -32601, "message": "not in the transcript"}})
        else:
            self._changes += method == "textDocument/didChange"
            self._notes.put_nowait(message)

    def _send(self, message: dict[str, Any]) -> None:
        if self._writer is None:
            raise AssertionError("nobody has connected")
        self._writer.write(framing.encode(message))


def _same(wanted: object, came: object, message: dict[str, Any]) -> None:
    if wanted != came:
        raise AssertionError(f"the client must send {wanted}, and sent {message}")
