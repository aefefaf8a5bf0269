"""Transcripts of what a server and a client of ours say to each other, and what a person must see after it.

A transcript is JSON lines; `editor-clients/conformance/README.md` says what each is. They are made by telling a story
to the real server through the strict fake editor; sessions, hunks and requests get names that are the same each time.

Held: recording, and what painting must show of a note (`paint_of`), the one place that clients are compared with.
Deliberately absent: the stories, which are in `tests/e2e/test_conformance.py`.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tests.support.editors import OwnClient
from tests.support.naive_text import Encoding, Span, offset_of
from tests.support.peer import Peer

FOLDER: Final = "file:///workspace"
"""The workspace folder in all transcripts; who plays one puts its own in its place."""

_ASKED: Final = frozenset({"dsh/applyEdit", "dsh/saveDocument", "dsh/reloadDocument"})
_TOLD: Final = frozenset({"dsh/toolCall", "dsh/toolResult"})
_DECIDES: Final = frozenset({"dsh/review/keep", "dsh/review/undo"})


def paint_of(hunks: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """What must be seen of these hunks, whatever it looks like.

    Returns:
        ``added`` and ``modified``: numbers of painted lines. ``words``: ``[line, start, end]``. ``removed``: the lines
        that are not there any more, and the line before which they are shown (it may be the one behind the last).
        ``authors``: ``[line, name]``. ``finalNewline``: ``"added"`` or ``"removed"``, where that is all or part of it.
    """
    paint: dict[str, list[Any]] = {
        name: [] for name in ("added", "modified", "words", "removed", "authors", "finalNewline")
    }
    for hunk in hunks:
        start, count = hunk["range"]["start"], hunk["addedLines"]
        # Where no line is behind the place it is the end of the text, in its last line.
        first = start["line"] + (start["character"] > 0)
        if count:
            paint["added" if hunk["kind"] == "added" else "modified"] += range(first, first + count)
            if "author" in hunk:
                paint["authors"].append([first, hunk["author"]])
        if hunk["removedLines"]:
            paint["removed"].append({"before": first, "lines": hunk["removedText"].split("\n")})
        for each in hunk.get("words", ()):
            paint["words"].append([each["start"]["line"], each["start"]["character"], each["end"]["character"]])
        if "noNewlineAtEnd" in hunk:
            paint["finalNewline"].append("added" if hunk["noNewlineAtEnd"]["old"] else "removed")
    return paint


@dataclass(slots=True)
class Transcript:
    """The lines of a transcript, as they come.

    Args:
        name: The name of its file, without the suffix.
        says: What a client must do, in a sentence.
        encodings: The position encodings that it may be played in.
    """

    name: str
    says: str
    encodings: tuple[Encoding, ...] = ("utf-8", "utf-16")
    steps: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, /, **members: Any) -> None:
        """One more line."""
        self.steps.append({kind: members})

    def text(self) -> str:
        """The file, with names that are the same each time."""
        about = {
            "name": self.name,
            "says": self.says,
            "protocolVersion": 1,
            "positionEncodings": list(self.encodings),
            "folder": FOLDER,
        }
        named = _named([{"about": about}, *self.steps])
        return "".join(json.dumps(step, ensure_ascii=False, sort_keys=True) + "\n" for step in named)


class RecordedClient(OwnClient):
    """A client of ours whose part of the conversation is written down.

    Attributes:
        transcript: Where, once the story has begun.
        workspace: The URI of the workspace folder.
        cards: Whether what must be seen of running calls is written down too.
    """

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.transcript: Transcript | None = None
        self.workspace = ""
        self.cards = False
        self._asked: dict[Any, str] = {}
        self.peer = _RecordedPeer(self)

    def heard(self, message: dict[str, Any]) -> None:
        """A message of the server."""
        method, number = message.get("method"), message.get("id")
        if method in _ASKED | _TOLD:
            self._asked[number] = method
            self._write_down("server", message)
            if method == "dsh/toolCall" and self.cards and self.transcript is not None:
                call = message["params"]
                self.transcript.add("card", callId=call["callId"], state="running", contains=[call["view"]["title"]])
        elif method is None and self._asked.pop(number, None) in _DECIDES:
            self._write_down("server", message)

    def said(self, message: dict[str, Any]) -> None:
        """A message of the client."""
        method, number = message.get("method"), message.get("id")
        if method in _DECIDES:
            self._asked[number] = method
            self._write_down("client", message)
        elif method is None and self._asked.pop(number, None) in _ASKED:
            # Why it says no is for people, in its own words.
            result = {name: value for name, value in message["result"].items() if name != "reason"}
            self._write_down("client", {**message, "result": result})

    def _write_down(self, who: str, message: dict[str, Any]) -> None:
        if self.transcript is not None:
            text = json.dumps({name: value for name, value in message.items() if name != "jsonrpc"})
            self.transcript.add(who, **json.loads(text.replace(self.workspace, FOLDER)))


class _RecordedPeer(Peer):
    def __init__(self, client: RecordedClient) -> None:
        super().__init__("editor", self._send, client._serve)
        self._client = client

    def receive(self, message: dict[str, Any]) -> None:
        self._client.heard(message)
        super().receive(message)

    def _send(self, message: dict[str, Any]) -> None:
        self._client.said(message)
        self._client._write(message)


class Scene:
    """A story that is written down while it is told to a server.

    Args:
        client: The editor, initialized.
        transcript: Where it is written.
        workspace: The workspace folder.
    """

    def __init__(self, client: RecordedClient, transcript: Transcript, workspace: Path) -> None:
        self.client = client
        self.transcript = transcript
        self._workspace = workspace
        client.workspace = workspace.as_uri()
        client.transcript = transcript

    def file(self, name: str, content: str) -> None:
        """A file on the disk."""
        (self._workspace / name).write_bytes(content.encode())
        self.transcript.add("file", uri=f"{FOLDER}/{quote(name)}", text=content)

    def written(self, name: str) -> None:
        """A file has become another one, by an agent."""
        text = (self._workspace / name).read_bytes().decode()
        self.transcript.add("file", uri=f"{FOLDER}/{quote(name)}", text=text)

    def open(self, name: str) -> None:
        """The user opens a file."""
        self.client.open(self._workspace / name)
        self.transcript.add("open", uri=f"{FOLDER}/{quote(name)}")

    def close(self, name: str) -> None:
        """The user closes it."""
        self.client.close(self._workspace / name)
        self.transcript.add("close", uri=f"{FOLDER}/{quote(name)}")

    def type(self, name: str, line: int, text: str, old: str = "") -> None:
        """The user replaces ``old``, which the line begins with, by ``text``."""
        place = self._workspace / name
        start = {"line": line, "character": 0}
        at = offset_of(self.client.text(place), start, self.client.encoding)
        assert self.client.text(place)[at:].startswith(old)
        end_line = line + old.count("\n")
        end = {"line": end_line, "character": 0 if old.endswith("\n") else len(old)}
        buffer = self.client.buffer(place)
        self.client.changed(buffer, buffer.change([Span(at, at + len(old), text)], "user"))
        self.transcript.add("user", uri=f"{FOLDER}/{quote(name)}", range={"start": start, "end": end}, text=text)

    async def decide(self, how: str, **params: Any) -> None:
        """The user keeps or undoes something: the params of ``dsh/review/keep`` and ``undo``."""
        self.transcript.add("decides", how=how, **json.loads(json.dumps(params).replace(self.client.workspace, FOLDER)))
        await self.client.request(f"dsh/review/{how}", params)

    async def painted(self, name: str, where: Callable[[list[Any]], bool]) -> list[Any]:
        """Wait for decorations of the text as it is; they and what must be seen are written down."""
        place = self._workspace / name
        version = self.client.version(place)

        def current(note: dict[str, Any]) -> bool:
            return bool(note["uri"] == place.as_uri() and note["version"] == version and where(note["hunks"]))

        notes = self.client.inbox
        await self.client.until(lambda: any(map(current, notes.all("dsh/decorations"))), 5.0, f"decorations of {name}")
        note = next(filter(current, reversed(notes.all("dsh/decorations"))))
        self.client.take("dsh/decorations")
        params = json.loads(json.dumps(note).replace(self.client.workspace, FOLDER))
        self.transcript.add("server", method="dsh/decorations", params=params)
        self.shows(name, note["hunks"])
        return list(note["hunks"])

    def shows(self, name: str, hunks: Iterable[dict[str, Any]] = ()) -> None:
        """What must be seen now: the text, and these hunks in it."""
        buffer = self.client.buffer(self._workspace / name)
        self.transcript.add(
            "shows",
            uri=f"{FOLDER}/{quote(name)}",
            version=buffer.version,
            text=buffer.text,
            saved=not buffer.is_dirty,
            paint=paint_of(hunks),
        )

    def card(self, call_id: str, state: str, *contains: str) -> None:
        """What must be seen of a call: the state (``running``, ``done``, ``failed``), and these texts."""
        self.transcript.add("card", callId=call_id, state=state, contains=list(contains))


def shifted(hunks: Iterable[dict[str, Any]], lines: int) -> list[dict[str, Any]]:
    """The hunks, so many lines further down."""

    def down(place: Any) -> Any:
        return {edge: {**place[edge], "line": place[edge]["line"] + lines} for edge in ("start", "end")}

    return [
        {**hunk, "range": down(hunk["range"])} | ({"words": list(map(down, hunk["words"]))} if "words" in hunk else {})
        for hunk in hunks
    ]


def _named(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps with ids that are counted in the order in which they appear."""
    names: dict[tuple[str, Any], str] = {}
    counts: dict[str, int] = {}

    def name(kind: str, value: Any) -> str:
        if (kind, value) not in names:
            counts[kind] = counts.get(kind, 0) + 1
            names[kind, value] = f"{kind}-{counts[kind]}"
        return names[kind, value]

    def walk(value: Any, key: str, inside: str) -> Any:
        if isinstance(value, dict):
            return {each: walk(item, each, key) for each, item in value.items()}
        if key == "hunkIds":
            return [name("hunk", each) for each in value]
        if isinstance(value, list):
            return [walk(item, "", key) for item in value]
        kind = {"sessionId": "session", "hunkId": "hunk"}.get(key)
        if key == "id":
            kind = "request" if inside in ("server", "client") else "hunk"
        return name(kind, value) if kind else value

    named: list[dict[str, Any]] = [walk(step, "", "") for step in steps]
    for seq, note in enumerate((step["server"] for step in named if _is_card(step)), start=1):
        note["params"]["seq"] = seq
    return named


def _is_card(step: dict[str, Any]) -> bool:
    return step.get("server", {}).get("method") in _TOLD
