"""Work-done progress of calls that take their time (LSP 3.17, "Work Done Progress").

A call that has not ended after `DELAY` shows in every editor that can show progress, where the user can cancel it, and
to the agent that asked for it with a ``workDoneToken``. One that is quick shows nowhere. Deliberately absent:
percentages, which nobody knows of a command, and any effect on the call but its cancellation.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pygls.exceptions import JsonRpcException

from dsh_lsp.editor import Editor, Peer
from dsh_lsp.rpc.errors import PeerGone
from dsh_tools.visible import visible

_log = logging.getLogger(__name__)

DELAY: Final = 0.3
"""Seconds after which a call is one that takes its time."""

_PATIENCE: Final = 10.0
"""Seconds that an editor has to accept a token."""

_TITLE_SHOWN: Final = 200

Token: TypeAlias = str | int


@dataclass(slots=True)
class Progress:
    """The progress of all calls.

    Attributes:
        editors: The editors, at the time of asking.
    """

    editors: Callable[[], Iterable[Editor]]
    _cancel: dict[Token, Callable[[], object]] = field(default_factory=dict)
    _ending: set[asyncio.Task[None]] = field(default_factory=set)

    @contextmanager
    def in_editors(self, call_id: str, title: str, cancel: Callable[[], object]) -> Iterator[None]:
        """A block that is a call.

        Args:
            call_id: Its id, which nothing else that runs has.
            title: What it is doing, in a line.
            cancel: Called, once, when a user cancels it.
        """
        showing = asyncio.ensure_future(self._show_all(f"dsh-{call_id}", title, cancel))
        try:
            yield
        finally:
            showing.cancel()

    @contextmanager
    def to_agent(self, peer: Peer, token: Token | None, title: str) -> Iterator[None]:
        """A block that is a call, for the agent that asked for it and made the token; without one it hears nothing."""
        if token is None:
            yield
            return
        showing = asyncio.ensure_future(_after_delay(_Shown(peer, token, title, cancellable=False)))
        try:
            yield
        finally:
            showing.cancel()

    def cancelled(self, token: Token) -> None:
        """A user has cancelled what is behind a token; one that is not known has ended meanwhile."""
        cancel = self._cancel.pop(token, None)
        if cancel is not None:
            cancel()

    async def _show_all(self, token: str, title: str, cancel: Callable[[], object]) -> None:
        await asyncio.sleep(DELAY)
        self._cancel[token] = cancel
        try:
            async with asyncio.TaskGroup() as group:
                for editor in self.editors():
                    if editor.traits.shows_progress:
                        group.create_task(self._show(editor.peer, token, title))
                await asyncio.Event().wait()
        finally:
            self._cancel.pop(token, None)

    async def _show(self, peer: Peer, token: str, title: str) -> None:
        creating = asyncio.ensure_future(
            peer.request("window/workDoneProgress/create", {"token": token}, timeout=_PATIENCE)
        )
        shown = _Shown(peer, token, title, cancellable=True)
        try:
            await asyncio.shield(creating)
        except asyncio.CancelledError:
            self._finish(self._created_late(creating))
            raise
        except (JsonRpcException, PeerGone, TimeoutError):
            return  # it does not want to show it
        await shown.until_cancelled()

    async def _created_late(self, creating: "asyncio.Future[Any]") -> None:
        # The call ended before the editor had answered: nothing was begun under the token, and nothing is to end.
        await asyncio.wait([creating])
        if not creating.cancelled() and (error := creating.exception()) is not None:
            _log.debug("a progress was not created: %s", type(error).__name__)

    def _finish(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


@dataclass(frozen=True, slots=True)
class _Shown:
    """One progress in one place."""

    peer: Peer
    token: Token
    title: str
    cancellable: bool

    async def until_cancelled(self) -> None:
        """Show it until the task is cancelled."""
        title = visible(self.title)
        title = title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN]}…"
        self._say({"kind": "begin", "title": title, "cancellable": self.cancellable})
        try:
            await asyncio.Event().wait()
        finally:
            self._say({"kind": "end"})

    def _say(self, value: dict[str, Any]) -> None:
        self.peer.notify("$/progress", {"token": self.token, "value": value})


async def _after_delay(shown: _Shown) -> None:
    await asyncio.sleep(DELAY)
    await shown.until_cancelled()
