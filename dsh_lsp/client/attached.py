"""What every client has, an agent or somebody who looks on: a connection, notes, and a say in reviews."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dsh_lsp.client.errors import Disconnected, RequestRefused
from dsh_lsp.client.link import Link
from dsh_lsp.client.notes import HEARD, Note, Notes, Reconnected
from dsh_lsp.status_wire import StatusResult
from dsh_lsp.wire import (
    DecisionInfo,
    ReviewedHunk,
    ReviewListResult,
    ReviewResult,
    SessionInfo,
    SessionListResult,
    SessionReplayResult,
)


class Attached(ABC):
    """A client of one server, and of the next one when that ends.

    Args:
        workspace: A folder of the workspace, or one in it.
        patience: Seconds to look for a server, at first and each time the connection has ended.
        absent: Called, again and again, while there is no server; it may start one.
    """

    def __init__(
        self, workspace: Path, *, patience: float, absent: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._notes = Notes()
        self._subscriptions: list[dict[str, Any]] = []
        self._link = Link(
            workspace, patience=patience, heard=HEARD, hear=self._notes.hear, renewed=self._renewed, absent=absent
        )
        self._has_begun = False

    async def open(self) -> None:
        """Connect.

        Raises:
            NoServer: No server has the workspace.
            RequestRefused: The server does not let it begin: another server has the session, say.
            Unsupported: The server speaks another version of the protocol.
        """
        await self._link.open()

    async def status(self) -> StatusResult:
        """Which server this is, and who else is attached to it.

        Raises:
            RequestRefused: The server is an older one, and can't tell.
        """
        return StatusResult.model_validate(await self._link.request("dsh/status", {}, again=True))

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """The sessions of the workspace, the latest first."""
        return SessionListResult.model_validate(await self._link.request("dsh/session/list", {}, again=True)).sessions

    async def replay(self, session_id: str, *, notify: bool = False) -> SessionReplayResult:
        """The cards of a session; with ``notify``, its calls and results come as notes first."""
        params = {"sessionId": session_id, "notify": notify}
        return SessionReplayResult.model_validate(await self._link.request("dsh/session/replay", params, again=True))

    # Reviews

    async def keep(self, hunk_ids: Sequence[str]) -> tuple[DecisionInfo, ...]:
        """Accept hunks."""
        return await self._decide("dsh/review/keep", hunk_ids)

    async def undo(self, hunk_ids: Sequence[str]) -> tuple[DecisionInfo, ...]:
        """Take hunks back."""
        return await self._decide("dsh/review/undo", hunk_ids)

    # What it hears

    async def subscribe(self, session_id: str | None = None) -> None:
        """Be told of the cards of a session, or of all, from now on; also after a reconnection."""
        params = {} if session_id is None else {"sessionId": session_id}
        await self._link.request("dsh/subscribe", params, again=True)
        self._subscriptions.append(params)

    async def notes(self) -> AsyncIterator[Note]:
        """What it is told, as it comes; it ends with the client. For one reader; unread ones wait, up to 1,000.

        Whoever waits here keeps the connection: one that has ended is made again.

        Raises:
            NoServer: The connection has ended, and no server was found.
        """
        while True:
            for note in self._notes.take():
                yield note
            try:
                await self._link.wait(self._notes.more)
            except Disconnected:
                return

    def take_notes(self) -> list[Note]:
        """What it was told and has not read; does not wait."""
        return self._notes.take()

    async def _decide(self, method: str, hunk_ids: Sequence[str]) -> tuple[DecisionInfo, ...]:
        # A hunk's id is never another's: deciding on it twice is deciding on it once.
        answer = await self._link.request(method, {"hunkIds": list(hunk_ids)}, again=True)
        return ReviewResult.model_validate(answer).results

    async def _listed(self, params: dict[str, Any]) -> tuple[ReviewedHunk, ...]:
        return ReviewListResult.model_validate(await self._link.request("dsh/review/list", params, again=True)).hunks

    async def _renewed(self, link: Link) -> None:
        await self._begin(link)
        if (peer := link.current) is not None:
            for subscription in self._subscriptions:
                with suppress(RequestRefused):  # a server without records does not know a session before it is back
                    await link.ask(peer, "dsh/subscribe", subscription)
        if self._has_begun:
            self._notes.add(Reconnected())
        self._has_begun = True

    @abstractmethod
    async def _begin(self, link: Link) -> None:
        """What is to be said first on a new connection."""
