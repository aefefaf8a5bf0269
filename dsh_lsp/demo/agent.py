"""A scripted agent: the client, with a tool's arguments by name."""

import asyncio
from pathlib import Path
from typing import Any

from dsh_lsp.client import Agent, SessionOptions
from dsh_lsp.discovery import find
from dsh_lsp.wire import ToolRunResult

_PATIENCE = 15.0
"""Seconds to wait for the server's socket."""


class ScriptedAgent:
    """An agent with one session."""

    async def attach(self, workspace: Path) -> str:
        """Find the server of a workspace, connect, and open a session; the socket's address."""
        options = SessionOptions()
        self._agent = Agent(workspace, name="scripted agent", session_id=None, options=options, patience=_PATIENCE)
        await self._agent.open()
        found = await asyncio.to_thread(find, workspace)
        return found[0].endpoint

    async def call(self, tool: str, **arguments: Any) -> ToolRunResult:
        """Run a tool."""
        return await self._agent.result(tool, arguments)

    async def leave(self) -> None:
        """End the session and the connection."""
        await self._agent.close()
