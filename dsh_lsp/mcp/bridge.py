"""The one session of a process that bridges to the Model Context Protocol, and the hub that it needs.

A hub that has the folder is joined, an editor's or another agent's. Where there is none, this process becomes one
itself, without an editor, and others may join it; also when the hub that it had joined ends and nobody else takes over.
The session's id stays the same all the time, so that what the agent has read counts with the next hub too.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from dsh_lsp.client.agent import Agent, SessionOptions
from dsh_lsp.client.errors import NoServer
from dsh_lsp.client.notes import OnProgress
from dsh_lsp.discovery import find
from dsh_lsp.wire import ToolInfo, ToolRunResult

_log = logging.getLogger(__name__)

_GRACE: Final = 0.5
"""Seconds that others, editors above all, have to take over before this process does."""

_PATIENCE: Final = 20.0
"""Seconds to look for a hub, or to become one, before a request fails."""


class Bridge:
    """An agent, and its hub. Made by `start`; to be closed at the end.

    Attributes:
        agent: The agent.
    """

    def __init__(self, workspace: Path, folders: Sequence[Path], name: str) -> None:
        self._workspace = workspace
        self._folders = [workspace, *(folder for folder in folders if folder != workspace)]
        self._own_hub = AsyncExitStack()
        self._is_hub = False
        self._becoming: asyncio.Task[None] | None = None
        self._absence = _Absence()
        options = SessionOptions(attachments=True)
        self.agent = Agent(
            workspace, name=name, session_id=None, options=options, patience=_PATIENCE, absent=self._absent
        )

    @classmethod
    async def start(cls, folders: Sequence[Path], name: str) -> "Bridge":
        """Find a hub that has one of the folders, or be the hub of all of them, and open a session.

        Args:
            folders: The folders of the workspace, see `workspaces.chosen`.
            name: Who the agent is; people see it beside its changes.

        Raises:
            ClientError: That can't be done. The message says why.
        """
        served = await asyncio.to_thread(lambda: [folder for folder in folders if find(folder)])
        bridge = cls((served or folders)[0], folders, name)
        try:
            if not served:
                await bridge._become_hub()
            await bridge.agent.open()
        except BaseException:
            await bridge.close()
            raise
        return bridge

    async def tools(self) -> tuple[ToolInfo, ...]:
        """What the agent may call; errors as for `start`."""
        return await self.agent.described_tools()

    async def call(self, tool: str, arguments: dict[str, Any], progress: OnProgress | None) -> ToolRunResult:
        """Run a tool. Giving up on it cancels it; errors as for `start`."""
        return await self.agent.result(tool, arguments, progress=progress)

    async def close(self) -> None:
        """End the session, and the hub if it is ours."""
        try:
            await self.agent.close()
        finally:
            if self._becoming is not None:
                await asyncio.wait({self._becoming})
            await self._own_hub.aclose()

    async def _absent(self) -> None:
        """There is no hub: be one, if nobody else takes over."""
        if self._is_hub or self._absence.seconds(asyncio.get_running_loop().time()) < _GRACE:
            return
        if self._becoming is None or self._becoming.done():
            self._becoming = asyncio.create_task(self._become_hub(), name="dsh-lsp mcp hub")
        # Whoever called may give up; a hub that is on its way stays on it.
        await asyncio.shield(self._becoming)

    async def _become_hub(self) -> None:
        from dsh_lsp.headless import (
            FolderTaken,
            NoDoor,
            headless,
        )  # most processes never need it, and it takes its time

        for folders in (self._folders, [self._workspace]):
            try:
                await self._own_hub.enter_async_context(headless(folders))
            except FolderTaken as taken:
                _log.debug("%s", taken)
            except NoDoor as refusal:
                raise NoServer(str(refusal)) from None
            else:
                self._is_hub = True
                return


class _Absence:
    """How long there has been no hub, as somebody knows who is told of it again and again while it lasts."""

    _PAUSE: Final = 2.0
    """Seconds after which it is another absence."""

    def __init__(self) -> None:
        self._since = self._last = float("-inf")

    def seconds(self, now: float) -> float:
        """How long it has lasted."""
        if now - self._last > self._PAUSE:
            self._since = now
        self._last = now
        return now - self._since
