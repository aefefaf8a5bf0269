"""Somebody who looks on: without a session and without calls, but with a say in reviews."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dsh_lsp.client.attached import Attached
from dsh_lsp.client.link import Link
from dsh_lsp.wire import ReviewedHunk, ToolInfo, ToolListResult


class Observer(Attached):
    """A person's tool, say; made by `observe`."""

    async def pending(self, uri: str | None = None, *, session_id: str | None = None) -> tuple[ReviewedHunk, ...]:
        """What nobody has decided on: of one file, of one session, or in all."""
        named: dict[str, Any] = {"uri": uri, "sessionId": session_id}
        return await self._listed({name: value for name, value in named.items() if value is not None})

    async def tools(self) -> tuple[ToolInfo, ...]:
        """The tools that every session has."""
        return ToolListResult.model_validate(await self._link.request("dsh/tool/list", {}, again=True)).tools

    async def close(self) -> None:
        """Leave."""
        await self._link.close()

    async def _begin(self, link: Link) -> None:
        """Nothing: it has no session."""


@asynccontextmanager
async def observe(workspace: str | Path = ".", *, patience: float = 15.0) -> AsyncIterator[Observer]:
    """Attach to the server of a workspace without being an agent.

    Args:
        workspace: A folder of the workspace, or one in it.
        patience: Seconds to look for a server, at first and each time the connection has ended.

    Raises:
        NoServer: No server has the workspace.
        Unsupported: The server speaks another version of the protocol.
    """
    observer = Observer(Path(workspace), patience=patience)
    try:
        await observer.open()
        yield observer
    finally:
        await observer.close()
