"""The agent against a server that the test plays, over a Unix socket and over an editor's connection."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import framing
from tests.support.agent import Agent, EditorAgent, ToolUser
from tests.support.editor import StrictEditor
from tests.support.inbox import NeverMet
from tests.support.peer import Peer, ServerRequest
from tests.support.world import Via
from tests.support_selftest.scripted_server import ScriptedServer


class SocketServer:
    """A server with a socket; it answers tools with what it was asked, and keeps what it was told.

    Attributes:
        peer: Its end of the connection.
    """

    def __init__(self) -> None:
        self.peer = Peer("server", self._write, self.serve)
        self._writers: list[asyncio.StreamWriter] = []

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection until it ends."""
        self._writers.append(writer)
        while (message := await framing.read(reader)) is not None:
            self.peer.receive(message)
        writer.close()

    def hang_up(self) -> None:
        """Close the connection."""
        self._writers[-1].close()

    def _write(self, message: dict[str, Any]) -> None:
        self._writers[-1].write(framing.encode(message))

    @staticmethod
    def serve(request: ServerRequest) -> None:
        """Answer."""
        if request.method == "dsh/session/open":
            request.answer({"sessionId": "s7", "asked": request.params})
        elif request.method == "dsh/tool/run" and request.params["name"] != "slow":
            request.answer({"isError": False, "asked": request.params})
        elif request.method == "dsh/session/close":
            request.answer({})


@pytest.fixture
async def pair(via: Via) -> AsyncIterator[tuple[ToolUser, Peer]]:
    """An agent, and the server's end of its connection."""
    if via == "editor":
        scripted = ScriptedServer()
        scripted.peer = Peer("server", scripted.peer._write, answer_as_both(scripted))
        async with StrictEditor(scripted.start) as editor:
            await editor.initialize()
            yield EditorAgent(editor), scripted.peer
        return
    served = SocketServer()
    with tempfile.TemporaryDirectory(prefix="dsh-", dir="/tmp") as directory:
        path = Path(directory) / "s"
        listening = await asyncio.start_unix_server(served.accept, path)
        async with listening:
            agent = await Agent.connect(path)
            yield agent, served.peer
            await agent.close()


def answer_as_both(scripted: ScriptedServer) -> Any:
    """Answer what an agent asks as the socket's server does, and the rest as the scripted one."""

    def serve(request: ServerRequest) -> None:
        if request.method in ("dsh/session/open", "dsh/tool/run", "dsh/session/close"):
            SocketServer.serve(request)
        else:
            scripted._serve(request)

    return serve


async def test_tools_run_in_the_session(pair: tuple[ToolUser, Peer]) -> None:
    """A session's params go under their names on the wire; tools run in the session with their arguments."""
    agent, _ = pair
    opened = await agent.open_session(onStale="rebase")
    asked = [
        (await agent.read("a.txt", offset=2))["asked"],
        (await agent.edit(Path("/w/a.txt"), "old", "new", replace_all=True))["asked"],
        (await agent.write("a.txt", "text"))["asked"],
        (await agent.run("edit", call_id="c1", name="no confusion"))["asked"],
    ]

    assert {"agent": {"name": "test agent"}, "onStale": "rebase"} == opened["asked"]
    edited = {"file_path": "/w/a.txt", "old_string": "old", "new_string": "new", "replace_all": True}
    assert [
        {"sessionId": "s7", "name": "read", "arguments": {"file_path": "a.txt", "offset": 2}},
        {"sessionId": "s7", "name": "edit", "arguments": edited},
        {"sessionId": "s7", "name": "write", "arguments": {"file_path": "a.txt", "content": "text"}},
        {"sessionId": "s7", "name": "edit", "arguments": {"name": "no confusion"}, "callId": "c1"},
    ] == asked


async def test_notifications_and_cancelling(pair: tuple[ToolUser, Peer]) -> None:
    """Notifications are waited for and taken; a call is cancelled by its id and still has its answer."""
    agent, server = pair
    await agent.open_session()
    call = agent.start("slow")
    await server.inbox.next("dsh/tool/run")
    server.notify("dsh/decided", {"n": 1})
    server.notify("dsh/decided", {"n": 2})
    assert {"n": 2} == await agent.next("dsh/decided", where=lambda params: params["n"] == 2)
    assert [{"n": 1}] == agent.take("dsh/decided")
    call.cancel()

    assert {"id": call.id} == await server.inbox.next("$/cancelRequest")
    server.unanswered()[0].answer({"isError": True})
    assert {"isError": True} == await call.result()


async def test_agent_learns_that_the_server_hung_up() -> None:
    """A connection that ends is known at once, and ends what was asked."""
    served = SocketServer()
    with tempfile.TemporaryDirectory(prefix="dsh-", dir="/tmp") as directory:
        path = Path(directory) / "s"
        async with await asyncio.start_unix_server(served.accept, path):
            agent = await Agent.connect(path)
            await agent.open_session()
            call = agent.start("slow")
            await served.peer.inbox.next("dsh/tool/run")
            served.hang_up()

            assert "the connection ended" == await agent.until_gone()
            with pytest.raises(NeverMet, match="the connection ended"):
                await call.result()
            await agent.close()
