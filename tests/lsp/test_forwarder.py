"""An editor's process that is not the hub, between an editor and hubs that are played here."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dsh_lsp.joining.attaching import AttachResult
from dsh_lsp.joining.finding import Joined
from dsh_lsp.joining.forwarder import Forwarder
from dsh_lsp.rpc.connection import Connection
from tests.support import framing

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"rootUri": "file:///w", "capabilities": {}}}


class End:
    """The other end of a connection.

    Attributes:
        methods: Those of all messages that came; what tells a hub that all has been told is in no test's way.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self.methods: list[str | None] = []

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.writer.write(framing.encode(message))

    async def next(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(5.0):
            message = await framing.read(self._reader)
        assert message is not None, "the connection has ended"
        self.methods.append(message.get("method"))
        return message if message.get("method") != "dsh/editor/replayed" else await self.next()

    async def until_gone(self) -> None:
        """Wait until the connection has ended."""
        async with asyncio.timeout(5.0):
            while await framing.read(self._reader) is not None:
                pass


async def pair(name: str) -> tuple[Connection, End]:
    """A connection, and its other end."""
    ends = [await asyncio.open_connection(sock=each) for each in socket.socketpair()]
    return Connection(*ends[0], name=name), End(*ends[1])


class Room:
    """An editor, a forwarder, and its hubs.

    Attributes:
        editor: The editor's end.
        hub: The end of the hub that there is now.
    """

    def __init__(self) -> None:
        self.editor: End
        self.hub: End
        self.homes: list[str] = []
        self._next: asyncio.Queue[Joined] = asyncio.Queue()
        self._running: asyncio.Task[int]

    async def begin(self) -> None:
        """The editor has sent ``initialize``, and there is a hub."""
        connection, self.editor = await pair("editor")
        joined = await self._joined()
        self._running = asyncio.ensure_future(Forwarder(connection, INITIALIZE, joined, self._next_hub).run())
        assert INITIALIZE == await self.hub.next()

    async def initialized(self, **capabilities: Any) -> None:
        """The hub has answered, and the editor is ready."""
        self.hub.send(id=1, result={"capabilities": capabilities})
        assert 1 == (await self.editor.next())["id"]
        self.editor.send(method="initialized", params={})
        assert "initialized" == (await self.hub.next())["method"]

    async def hub_dies(self) -> None:
        """There is none for a while."""
        self.hub.writer.close()
        await self.hub.writer.wait_closed()

    async def next_hub(self) -> list[dict[str, Any]]:
        """There is one again; what it is told, up to the end of what the old one knew."""
        joined = await self._joined()
        self._next.put_nowait(joined)
        told = [await self.hub.next()]
        while told[-1].get("method") != "initialized":
            told.append(await self.hub.next())
        self.hub.send(id=told[0]["id"], result={"capabilities": {}})
        return told

    async def end(self) -> int:
        """The editor leaves."""
        self.editor.writer.close()
        async with asyncio.timeout(5.0):
            return await self._running

    async def code(self) -> int:
        """What the process ends with."""
        async with asyncio.timeout(5.0):
            return await self._running

    async def _joined(self) -> Joined:
        connection, self.hub = await pair("hub")
        return Joined(connection, AttachResult(home="file:///home", refused=()))

    async def _next_hub(self, said: AttachResult, _initialize: dict[str, Any]) -> Joined:
        self.homes.append(said.home)
        return await self._next.get()


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A room in which the editor is initialized."""
    made = Room()
    await made.begin()
    await made.initialized(positionEncoding="utf-8")
    yield made
    await made.end()


async def test_frames_pass_both_ways(room: Room) -> None:
    """Requests with their answers, and notifications, as they are."""
    room.editor.send(id="r", method="dsh/tool/list", params={"sessionId": "s"})
    asked = await room.hub.next()
    room.hub.send(id="r", result={"tools": []})
    room.hub.send(method="window/logMessage", params={"type": 3, "message": "\u00e4"})
    answer, note = await room.editor.next(), await room.editor.next()

    assert {"jsonrpc": "2.0", "id": "r", "method": "dsh/tool/list", "params": {"sessionId": "s"}} == asked
    assert ("r", {"tools": []}) == (answer["id"], answer["result"])
    assert "\u00e4" == note["params"]["message"]


async def test_a_hub_s_request_is_answered_under_its_own_id(room: Room) -> None:
    """The editor sees another id, and a cancellation names that one."""
    room.hub.send(id=1, method="window/showMessageRequest", params={"type": 3, "message": "?"})
    asked = await room.editor.next()
    room.hub.send(method="$/cancelRequest", params={"id": 1})
    cancelled = await room.editor.next()
    room.editor.send(id=asked["id"], result=None)
    answered = await room.hub.next()

    assert {"id": asked["id"]} == cancelled["params"]
    assert (1, None) == (answered["id"], answered["result"])


async def test_the_next_hub_is_told_all_and_the_editor_nothing(room: Room) -> None:
    """Initialize with the folders of now, initialized, the documents; the answers stop here."""
    document = {"uri": "file:///w/a", "languageId": "x", "version": 4, "text": "\u00e4b\n"}
    room.editor.send(method="textDocument/didOpen", params={"textDocument": document})
    await room.hub.next()
    event = {"added": [{"uri": "file:///v", "name": "v"}], "removed": []}
    room.editor.send(method="workspace/didChangeWorkspaceFolders", params={"event": event})
    await room.hub.next()
    await room.hub_dies()
    place = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}}
    changes = {"textDocument": {"uri": "file:///w/a", "version": 5}, "contentChanges": [{"range": place, "text": "c"}]}
    room.editor.send(method="textDocument/didChange", params=changes)
    room.editor.send(id=7, method="dsh/tool/list", params={})
    initialize, initialized = await room.next_hub()
    opened, asked = await room.hub.next(), await room.hub.next()
    room.hub.send(id=7, result={"tools": []})
    answer = await room.editor.next()

    assert ["file:///w", "file:///v"] == [each["uri"] for each in initialize["params"]["workspaceFolders"]]
    assert 1 != initialize["id"]
    assert "initialized" == initialized["method"]
    assert {**document, "version": 5, "text": "\u00e4c\n"} == opened["params"]["textDocument"]
    assert (7, "dsh/tool/list") == (asked["id"], asked["method"])
    assert 7 == answer["id"]
    told = ["initialize", "initialized", "textDocument/didOpen", "dsh/editor/replayed", "dsh/tool/list"]
    assert told == room.hub.methods
    assert ["file:///home"] == room.homes


@pytest.mark.parametrize(
    "event", [None, {"added": []}, {"added": ["x"], "removed": []}, {"added": [], "removed": [{"uri": [], "name": ""}]}]
)
async def test_folders_that_make_no_sense_are_the_hubs_to_refuse(room: Room, event: Any) -> None:
    """They end nothing here, and no later hub is told of them."""
    room.editor.send(method="workspace/didChangeWorkspaceFolders", params={"event": event})
    passed = await room.hub.next()
    await room.hub_dies()
    initialize, _ = await room.next_hub()

    assert {"event": event} == passed["params"]
    assert INITIALIZE["params"] == initialize["params"]


async def test_an_answer_to_a_hub_that_has_gone_goes_nowhere(room: Room) -> None:
    """The next hub's request may have the same id."""
    room.hub.send(id=1, method="workspace/applyEdit", params={})
    old = await room.editor.next()
    await room.hub_dies()
    await room.next_hub()
    room.hub.send(id=1, method="workspace/applyEdit", params={})
    new = await room.editor.next()
    room.editor.send(id=old["id"], result={"applied": True})
    room.editor.send(id=new["id"], result={"applied": False})

    assert {"applied": False} == (await room.hub.next())["result"]


async def test_what_the_old_hub_had_begun_is_ended(room: Room) -> None:
    """Progress ends, paint is cleared, and what was registered is taken back, once."""
    begin = {"token": "t", "value": {"kind": "begin", "title": "x"}}
    done = {"token": "u", "value": {"kind": "end"}}
    registrations = [{"id": "r", "method": "workspace/didChangeWatchedFiles"}]
    diagnostics = {"uri": "file:///w/b", "diagnostics": [{"message": "x"}]}
    room.hub.send(method="$/progress", params=begin)
    room.hub.send(method="$/progress", params={**begin, "token": "u"})
    room.hub.send(method="$/progress", params=done)
    room.hub.send(method="dsh/decorations", params={"uri": "file:///w/a", "version": 3, "hunks": [{"id": "h"}]})
    room.hub.send(method="textDocument/publishDiagnostics", params=diagnostics)
    room.hub.send(method="textDocument/publishDiagnostics", params={**diagnostics, "uri": "file:///w/c"})
    room.hub.send(method="textDocument/publishDiagnostics", params={"uri": "file:///w/c", "diagnostics": []})
    room.hub.send(id=1, method="client/registerCapability", params={"registrations": registrations})
    for _ in range(8):
        await room.editor.next()
    await room.hub_dies()
    ended = [await room.editor.next() for _ in range(4)]
    room.editor.send(id=ended[3]["id"], result=None)
    await room.next_hub()
    await room.hub_dies()
    await room.next_hub()
    room.hub.send(method="x")

    assert [
        ("$/progress", {"token": "t", "value": {"kind": "end"}}),
        ("dsh/decorations", {"uri": "file:///w/a", "hunks": [], "version": 3}),
        ("textDocument/publishDiagnostics", {"uri": "file:///w/b", "diagnostics": []}),
        ("client/unregisterCapability", {"unregisterations": registrations}),
    ] == [(each["method"], each["params"]) for each in ended]
    assert "x" == (await room.editor.next())["method"]


async def test_requests_that_may_have_been_done_are_to_be_tried_again(room: Room) -> None:
    """At once; those that change nothing, and calls with an id, are asked again."""
    call = {"sessionId": "s", "name": "edit", "arguments": {}}
    room.editor.send(id=2, method="dsh/review/undo", params={"all": True})
    room.editor.send(id=3, method="dsh/tool/run", params=call)
    room.editor.send(id=4, method="dsh/tool/run", params={**call, "callId": "c"})
    room.editor.send(id=5, method="textDocument/hover", params={})
    for _ in range(4):
        await room.hub.next()
    await room.hub_dies()
    refused = [await room.editor.next() for _ in range(2)]
    await room.next_hub()
    again = [await room.hub.next() for _ in range(2)]

    assert [(2, -32802), (3, -32802)] == [(each["id"], each["error"]["code"]) for each in refused]
    assert [4, 5] == [each["id"] for each in again]


async def test_a_request_that_no_hub_was_asked_can_be_cancelled(room: Room) -> None:
    """It is answered with that, and never asked."""
    await room.hub_dies()
    room.editor.send(id=2, method="textDocument/hover", params={})
    room.editor.send(method="$/cancelRequest", params={"id": 2})
    answer = await room.editor.next()
    await room.next_hub()
    room.editor.send(id=3, method="dsh/tool/list", params={})

    assert (2, -32800) == (answer["id"], answer["error"]["code"])
    assert 3 == (await room.hub.next())["id"]


async def test_the_editor_s_own_sessions_are_opened_before_anything_is_asked_in_them(room: Room) -> None:
    """With what they were opened with, their ids, and their subscriptions; a closed one is not."""
    for number, session in ((2, "s"), (3, "t")):
        room.editor.send(id=number, method="dsh/session/open", params={"agent": {"name": session}})
        await room.hub.next()
        room.hub.send(id=number, result={"sessionId": session, "resumed": False})
        await room.editor.next()
    for number, method, session in ((4, "dsh/subscribe", "s"), (5, "dsh/session/close", "t")):
        room.editor.send(id=number, method=method, params={"sessionId": session})
        await room.hub.next()
        room.hub.send(id=number, result={})
        await room.editor.next()
    await room.hub_dies()
    call = {"sessionId": "s", "callId": "c", "name": "read", "arguments": {}}
    room.editor.send(id=6, method="dsh/tool/run", params=call)
    await room.next_hub()
    replayed = [await room.hub.next() for _ in range(2)]
    room.editor.send(id=7, method="dsh/tool/run", params={**call, "callId": "d"})
    room.editor.send(method="x/marker", params={})
    marker = await room.hub.next()
    for each in replayed:
        room.hub.send(id=each["id"], result={"sessionId": "s"})

    assert [
        ("dsh/session/open", {"agent": {"name": "s"}, "sessionId": "s"}),
        ("dsh/subscribe", {"sessionId": "s"}),
    ] == [(each["method"], each["params"]) for each in replayed]
    assert "x/marker" == marker["method"], "the calls wait for their session"
    assert [6, 7] == [(await room.hub.next())["id"] for _ in range(2)]


async def test_frames_that_are_none_are_answered_here() -> None:
    """The hub's connection stays in step."""
    room = Room()
    await room.begin()
    await room.initialized()
    room.editor.writer.write(b"Content-Length: 3\r\n\r\n{x}")
    answer = await room.editor.next()
    room.editor.send(method="x", params={})

    assert -32700 == answer["error"]["code"]
    assert "x" == (await room.hub.next())["method"]
    assert 1 == await room.end()


async def test_it_ends_as_a_server_does() -> None:
    """0 after shutdown and exit, and the hub's connection is closed; no hub is looked for in between."""
    room = Room()
    await room.begin()
    await room.initialized()
    room.editor.send(id=2, method="shutdown")
    await room.hub.next()
    await room.hub_dies()
    answer = await room.editor.next()
    room.editor.send(method="exit")

    assert (2, None) == (answer["id"], answer["result"])
    assert 0 == await room.code()
    assert [] == room.homes


async def test_the_hub_learns_that_the_editor_has_gone() -> None:
    """At once, and without shutdown the exit code is 1."""
    room = Room()
    await room.begin()
    await room.initialized()
    room.editor.send(method="exit")
    await room.hub.until_gone()

    assert 1 == await room.code()
