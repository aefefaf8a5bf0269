"""A scripted agent on the socket: it finds the server by its discovery file and calls tools."""

import asyncio
from pathlib import Path
from typing import Any

from dsh_lsp.discovery import Found, find
from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.framing import STREAM_LIMIT
from dsh_lsp.rpc.pump import serve
from dsh_lsp.wire import ToolRunResult

_PATIENCE = 15.0
"""Seconds to wait for the server's socket, and for an answer."""


class ScriptedAgent:
    """An agent with one session."""

    async def attach(self, workspace: Path) -> str:
        """Find the server of a workspace, connect, and open a session; the socket's address."""
        async with asyncio.timeout(_PATIENCE):
            found = await _server_of(workspace)
        reader, writer = await asyncio.open_unix_connection(str(found.socket), limit=STREAM_LIMIT)
        self._peer = agent_peer(Connection(reader, writer, name="server"), {})
        self._serving = asyncio.ensure_future(serve(self._peer))
        answer = await self._peer.request("dsh/session/open", {"agent": {"name": "scripted agent"}}, timeout=_PATIENCE)
        self._session = answer["sessionId"]
        return found.endpoint

    async def call(self, tool: str, **arguments: Any) -> ToolRunResult:
        """Run a tool."""
        answer = await self._peer.request(
            "dsh/tool/run",
            {"sessionId": self._session, "name": tool, "arguments": arguments},
            timeout=_PATIENCE,
        )
        return ToolRunResult.model_validate(answer)

    async def leave(self) -> None:
        """End the session and the connection."""
        await self._peer.request("dsh/session/close", {"sessionId": self._session}, timeout=_PATIENCE)
        self._peer.connection.close("the agent has ended")
        await self._serving


async def _server_of(workspace: Path) -> Found:
    """The server of a workspace, as soon as it has announced itself."""
    while True:
        for found in await asyncio.to_thread(find, workspace):
            return found
        await asyncio.sleep(0.02)
