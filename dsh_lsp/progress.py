"""Work-done progress of calls that take their time (LSP 3.17, "Work Done Progress").

A call that has not ended after `DELAY` shows in every editor that can show progress, where the user can cancel it, and
to the agent that asked for it with a ``workDoneToken``. One that is quick shows nowhere. Deliberately absent:
percentages, which nobody knows of a command, and any effect on the call but its cancellation.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pygls.exceptions import JsonRpcException

from dsh_lsp.editor import Editor, Peer
from dsh_lsp.rpc.errors import PeerGone
from dsh_tools.visible import visible

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
    _running: dict[Token, asyncio.Task[Any] | None] = field(default_factory=dict)
    _creating: set[asyncio.Task[None]] = field(default_factory=set)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @contextmanager
    def in_editors(self, call_id: str, title: str) -> Iterator[None]:
        """A block that is a call: its task is cancelled, once, when a user cancels it.

        Args:
            call_id: Its id; others may have the same one, as agents choose them.
            title: What it is doing, in a line.
        """
        token = f"dsh-{next(self._numbers)}-{call_id}"
        task = asyncio.current_task()
        bars: list[_Bar] = []

        def show() -> None:
            self._running[token] = task
            for editor in self.editors():
                if editor.traits.shows_progress:
                    bars.append(_Bar(editor.peer, token, title, cancellable=True))
                    self._create(bars[-1])

        timer = asyncio.get_running_loop().call_later(DELAY, show)
        try:
            yield
        finally:
            timer.cancel()
            self._running.pop(token, None)
            for bar in bars:
                bar.end()

    @contextmanager
    def to_agent(self, peer: Peer, token: Token | None, title: str) -> Iterator[None]:
        """A block that is a call, for the agent that asked for it and made the token; without one it hears nothing.

        A token is good until the call is answered, so all is said before that.
        """
        if token is None:
            yield
            return
        bar = _Bar(peer, token, title, cancellable=False)
        timer = asyncio.get_running_loop().call_later(DELAY, bar.begin)
        try:
            yield
        finally:
            timer.cancel()
            bar.end()

    def cancelled(self, token: Token) -> None:
        """A user has cancelled what is behind a token; one that is not known has ended meanwhile."""
        task = self._running.pop(token, None)
        if task is not None:
            task.cancel()

    def _create(self, bar: "_Bar") -> None:
        task = asyncio.ensure_future(bar.create())
        self._creating.add(task)
        task.add_done_callback(self._creating.discard)


@dataclass(slots=True)
class _Bar:
    """One progress in one place. It is begun at most once, and ended if it was begun."""

    peer: Peer
    token: Token
    title: str
    cancellable: bool
    _is_begun: bool = False
    _is_ended: bool = False

    async def create(self) -> None:
        """Have an editor accept the token, and begin; an editor that does not answer, or says no, shows nothing."""
        with suppress(JsonRpcException, PeerGone, TimeoutError):
            await self.peer.request("window/workDoneProgress/create", {"token": self.token}, timeout=_PATIENCE)
            self.begin()

    def begin(self) -> None:
        """Show it."""
        if not self._is_ended:
            self._is_begun = True
            title = visible(self.title)
            title = title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN]}…"
            self._say({"kind": "begin", "title": title, "cancellable": self.cancellable})

    def end(self) -> None:
        """Show it no longer."""
        self._is_ended = True
        if self._is_begun:
            self._say({"kind": "end"})

    def _say(self, value: dict[str, Any]) -> None:
        self.peer.notify("$/progress", {"token": self.token, "value": value})
