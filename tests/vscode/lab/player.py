"""Plays a conformance transcript to the extension: the server's part, and what the person does."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.support import framing
from tests.support.transcript import FOLDER
from tests.vscode.lab.shown import Shown
from tests.vscode.lab.window import Window, eventually

_SYNC = {"openClose": True, "change": 2, "save": {"includeText": False}}
_ANSWERS: dict[str, Any] = {
    "dsh/session/list": {"sessions": []},
    "dsh/ledger/query": {"observations": []},
    "shutdown": None,
}


class Relayed:
    """One connection of the extension to the server that it takes this for."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.came: list[dict[str, Any]] = []
        self.versions: dict[str, list[int]] = {}
        self.hunks: dict[str, list[Any]] = {}
        self.problems: list[str] = []
        self._edits: dict[Any, tuple[str, int]] = {}

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, whatever it is."""
        if message.get("method") == "dsh/applyEdit":
            uri = message["params"]["uri"]
            self._edits[message["id"]] = uri, len(self.versions.get(uri, ()))
        self._writer.write(framing.encode({"jsonrpc": "2.0", **message}))

    def take(self, message: dict[str, Any]) -> None:
        """Answer what is no part of any story; keep the rest."""
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            capabilities = {"textDocumentSync": _SYNC, "positionEncoding": "utf-16"}
            experimental = {"experimental": {"dsh": {"protocolVersion": 1}}}
            self.send({"id": message["id"], "result": {"capabilities": {**capabilities, **experimental}}})
        elif method == "dsh/review/list":
            hunks = [{**hunk, "uri": uri} for uri, each in self.hunks.items() for hunk in each]
            self.send({"id": message["id"], "result": {"hunks": hunks}})
        elif method in _ANSWERS:
            self.send({"id": message["id"], "result": _ANSWERS[method]})
        else:
            self._check_order(message)
            if method == "textDocument/didOpen":
                self.versions[params["textDocument"]["uri"]] = [params["textDocument"]["version"]]
            if method == "textDocument/didChange":
                self.versions[params["textDocument"]["uri"]].append(params["textDocument"]["version"])
            self.came.append(message)

    def _check_order(self, message: dict[str, Any]) -> None:
        """What an edit changed is told before the answer to it."""
        uri, before = self._edits.pop(message.get("id"), ("", 0)) if "result" in message else ("", 0)
        if uri and message["result"]["applied"] and len(self.versions[uri]) == before:
            self.problems.append(f"the answer to an edit of {uri} came before its didChange")

    async def next(self, what: str, ok: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Take the first message that is right."""

        async def look() -> dict[str, Any] | None:
            return next(filter(ok, self.came), None)

        found = await eventually(look, what)
        assert found is not None
        self.came.remove(found)
        return found


class RelayDoor:
    """Where the extension's connections come in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._came: asyncio.Queue[Relayed] = asyncio.Queue()

    async def open(self) -> None:
        """Wait for connections."""
        self._server = await asyncio.start_unix_server(self._serve, self.path, limit=1 << 26)

    async def next(self) -> Relayed:
        """The next connection."""
        return await asyncio.wait_for(self._came.get(), 20)

    def close(self) -> None:
        """No more."""
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        relayed = Relayed(writer)
        await self._came.put(relayed)
        try:
            while (message := await framing.read(reader)) is not None:
                relayed.take(message)
        except (framing.BrokenFrame, OSError):
            pass
        writer.close()


class Player:
    """Plays one transcript in a folder of its own."""

    def __init__(self, window: Window, relayed: Relayed, name: str) -> None:
        self._window = window
        self._relayed = relayed
        self._shown = Shown(window)
        self._name = name
        self._ids: dict[str, Any] = {}
        (window.folder / name).mkdir()

    async def play(self, line: str) -> None:
        """One line."""
        own = f"{self._window.folder.as_uri()}/{self._name}"
        step: dict[str, Any] = json.loads(line.replace(FOLDER, own))
        (kind, value), *_ = step.items()
        await getattr(self, f"_{kind}")(value)

    async def _about(self, _about: dict[str, Any]) -> None:
        pass

    async def _file(self, file: dict[str, Any]) -> None:
        self._window.file(self._path(file["uri"]), file["text"])

    async def _open(self, opened: dict[str, Any]) -> None:
        await self._window.show(self._path(opened["uri"]))
        await self._told("textDocument/didOpen", opened["uri"])

    async def _close(self, closed: dict[str, Any]) -> None:
        await self._window.command("workbench.action.closeActiveEditor")
        await self._told("textDocument/didClose", closed["uri"])

    async def _user(self, typed: dict[str, Any]) -> None:
        versions = self._relayed.versions[typed["uri"]]
        before = len(versions)
        await self._window.host.run(
            """const editor = vscode.window.visibleTextEditors.find(each => each.document.uri.toString() === args[0]);
            const [start, end] = [args[1].start, args[1].end];
            const range = new vscode.Range(start.line, start.character, end.line, end.character);
            await editor.edit(builder => builder.replace(range, args[2]));""",
            typed["uri"],
            typed["range"],
            typed["text"],
        )

        async def told() -> bool:
            return len(versions) > before

        await eventually(told, "didChange")

    async def _decides(self, decided: dict[str, Any]) -> None:
        how = decided["how"]
        if "range" in decided:
            start, end = decided["range"]["start"], decided["range"]["end"]
            await self._window.cursor(start["line"], start["character"], to=(end["line"], end["character"]))
            await self._start(f"dsh.{how}Selection")
        elif "uri" in decided:
            await self._start(f"dsh.{how}File")
        for hunk in decided.get("hunkIds", ()):
            await self._start(f"dsh.{how}Hunk", hunk)

    async def _server(self, message: dict[str, Any]) -> None:
        message = {**message}
        params = message.get("params", {})
        if message.get("method") == "dsh/decorations":
            self._relayed.hunks[params["uri"]] = params["hunks"]
        if "version" in params:
            message["params"] = {**params, "version": self._version(params)}
        if "id" in message:
            name = message["id"]
            # Requests of ours have numbers that no other connection has had: an answer is to one of them.
            message["id"] = (
                self._ids[name] if "method" not in message else self._ids.setdefault(name, f"{id(self)} {name}")
            )
        self._relayed.send(message)

    async def _client(self, wanted: dict[str, Any]) -> None:
        if "method" in wanted:
            got = await self._relayed.next(wanted["method"], lambda message: message.get("method") == wanted["method"])
            self._ids[wanted["id"]] = got["id"]
            assert wanted["params"] == got["params"]
            return
        number = self._ids[wanted["id"]]
        got = await self._relayed.next(wanted["id"], lambda each: each.get("id") == number and "method" not in each)
        assert wanted["result"].items() <= got["result"].items(), got

    async def _shows(self, wanted: dict[str, Any]) -> None:
        await self._shown.document(self._path(wanted["uri"]), wanted)

    async def _card(self, wanted: dict[str, Any]) -> None:
        await self._shown.card(wanted["callId"], wanted["state"], wanted["contains"])

    async def _told(self, method: str, uri: str) -> None:
        await self._relayed.next(
            method,
            lambda each: (
                each.get("method") == method and unquote(each["params"]["textDocument"]["uri"]) == unquote(uri)
            ),
        )

    async def _start(self, command: str, *args: Any) -> None:
        await self._window.host.run("void vscode.commands.executeCommand(...args)", command, *args)

    def _version(self, params: dict[str, Any]) -> int:
        known = self._relayed.versions.get(params["uri"], [])
        number = params["version"]
        return known[number - 1] if 0 < number <= len(known) else 9_999

    def _path(self, uri: str) -> str:
        prefix = f"{self._window.folder.as_uri()}/"
        assert uri.startswith(prefix)
        return f"{self._name}/{unquote(uri.rpartition('/')[2])}"
