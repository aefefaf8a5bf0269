"""What goes on in a workspace, as events: for a terminal that draws them, and for one that prints them.

A server that ends is waited for, and so is the first one. What was missed meanwhile is caught up on from the records of
the sessions that are live; a card is told of once. Deliberately absent: how anything looks.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from dsh_lsp.client import Disconnected, NoServer, Note, Observer, Reconnected, RequestRefused, observe
from dsh_lsp.replaying.session_cards import ReplayedCard
from dsh_lsp.replaying.summary import ShownCard
from dsh_lsp.replaying.views import view_of
from dsh_lsp.status_wire import StatusResult
from dsh_lsp.wire import DecisionInfo, ReviewedHunk, ToolCallNote, ToolResultNote

_EVERY: Final = 1.0
"""Seconds between two looks at what is pending: nobody tells of what others decide, or of what the user types."""
_RARELY: Final = 10
"""Of how many such looks one is also at who is there, if nothing else has happened."""
_AGAIN: Final = 0.5
"""Seconds between two looks for a server."""
_SEEN: Final = 10_000
"""Cards that are remembered as told."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that has not ended.

    Attributes:
        note: What was told of it.
        at: When that was, in the loop's seconds; None for one that was under way before.
        started_at: The same, ISO 8601 in UTC.
    """

    note: ToolCallNote
    at: float | None
    started_at: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """A call has ended, or had ended before anybody watched.

    Attributes:
        session: Its session.
        agent: What the session's agent calls itself.
        shown: The card.
    """

    session: str
    agent: str | None
    shown: ShownCard


@dataclass(frozen=True, slots=True)
class Running:
    """The calls that run now."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """What nobody has decided on now."""

    hunks: tuple[ReviewedHunk, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The server, and who is attached to it."""

    status: StatusResult


@dataclass(frozen=True, slots=True)
class Gone:
    """There is no server; it is looked for."""

    why: str


Event: TypeAlias = Card | Running | Pending | Present | Gone


class Follower:
    """Follows a workspace.

    Args:
        workspace: A folder of it, or one in it.
        history: How many cards from before to tell of.
    """

    def __init__(self, workspace: Path, *, history: int) -> None:
        self._workspace = workspace
        self._history = history
        self._has_caught_up = False
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._observer: Observer | None = None
        self._look = asyncio.Event()
        self._calls: dict[tuple[str, str], Call] = {}
        self._agents: dict[str, str | None] = {}
        self._numbers: Counter[str] = Counter()
        self._seen: dict[tuple[str, str], None] = {}

    async def events(self) -> AsyncGenerator[Event, None]:
        """What goes on, as it comes; it does not end by itself.

        Raises:
            Unsupported: The server speaks another version of the protocol.
        """
        following = asyncio.create_task(self._follow(), name="follow the workspace")
        following.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while (event := await self._events.get()) is not None:
                yield event
            await following
        finally:
            following.cancel()
            await asyncio.wait({following})

    async def keep(self, hunk_ids: Sequence[str]) -> tuple[DecisionInfo, ...]:
        """Accept hunks; errors as for `undo`."""
        decided = await self._connected().keep(hunk_ids)
        self._look.set()
        return decided

    async def undo(self, hunk_ids: Sequence[str]) -> tuple[DecisionInfo, ...]:
        """Take hunks back.

        Raises:
            ClientError: There is no server.
        """
        decided = await self._connected().undo(hunk_ids)
        self._look.set()
        return decided

    def _connected(self) -> Observer:
        if self._observer is None:
            raise NoServer("there is no server now")
        return self._observer

    async def _follow(self) -> None:
        while True:
            try:
                async with observe(self._workspace, patience=_AGAIN) as observer:
                    self._observer = observer
                    await self._with(observer)
            except (NoServer, Disconnected) as error:
                self._put(Gone(str(error)))
            finally:
                self._observer = None
            await asyncio.sleep(_AGAIN)

    async def _with(self, observer: Observer) -> None:
        await observer.subscribe()
        await self._catch_up(observer)
        looking = asyncio.create_task(self._keep_looking(observer), name="look at what is pending")
        try:
            async for note in observer.notes():
                if isinstance(note, Reconnected):
                    await self._catch_up(observer)
                elif (card := await self._card(observer, note)) is not None:
                    self._put(card)
        finally:
            looking.cancel()
            await asyncio.wait({looking})

    async def _catch_up(self, observer: Observer) -> None:
        """Tell of what happened before the connection was made: at first of a little of it."""
        self._calls.clear()
        cards: list[Card] = []
        for session in await observer.sessions():
            if session.live:
                with suppress(RequestRefused):  # it was closed meanwhile
                    await observer.replay(session.session_id, notify=True)
        for note in observer.take_notes():
            card = await self._card(observer, note, is_live=False)
            if card is not None:
                cards.append(card)
        first = 0 if self._has_caught_up else max(len(cards) - self._history, 0)
        self._has_caught_up = True
        for card in cards[first:]:
            self._put(card)
        self._look.set()

    async def _card(self, observer: Observer, note: Note, *, is_live: bool = True) -> Card | None:
        """Take in a note; the card that it completes."""
        if not isinstance(note, ToolCallNote | ToolResultNote):
            return None
        key = (note.session_id, note.call_id)
        if key in self._seen:
            return None
        if isinstance(note, ToolCallNote):
            self._calls[key] = (
                Call(note, asyncio.get_running_loop().time(), _now()) if is_live else Call(note, None, None)
            )
            self._put(Running(tuple(self._calls.values())))
            return None
        call = self._calls.pop(key, None)
        self._put(Running(tuple(self._calls.values())))
        self._seen[key] = None
        if len(self._seen) > _SEEN:
            del self._seen[next(iter(self._seen))]
        if call is None:
            return None  # its beginning was lost with a connection
        self._look.set()
        return await self._completed(observer, call, note, is_live=is_live)

    async def _completed(self, observer: Observer, call: Call, note: ToolResultNote, *, is_live: bool) -> Card:
        session = note.session_id
        if session not in self._agents:
            for each in await observer.sessions():
                self._agents[each.session_id] = each.agent.name if each.agent else None
        self._numbers[session] += 1
        card = ReplayedCard(
            call_id=note.call_id,
            seq=call.note.seq,
            name=note.name,
            call=call.note.view.to_wire(),
            result=note.view.to_wire(),
            is_error=note.is_error,
            started_at=call.started_at,
            ended_at=_now() if is_live and call.started_at else None,
        )
        shown = ShownCard(self._numbers[session], card, view_of(card.call), view_of(card.result or {}))
        return Card(session, self._agents.get(session), shown)

    async def _keep_looking(self, observer: Observer) -> None:
        last: dict[type[Pending | Present], Pending | Present] = {}
        for number in itertools.count():
            found: list[Pending | Present] = []
            with suppress(NoServer, Disconnected):  # whoever reads the notes finds out as well
                if self._look.is_set() or not number % _RARELY:
                    with suppress(RequestRefused):  # an older server can't tell
                        found.append(Present(await observer.status()))
                self._look.clear()
                found.append(Pending(await observer.pending()))
            for each in found:
                if each != last.get(type(each)):
                    last[type(each)] = each
                    self._put(each)
            with suppress(TimeoutError):
                async with asyncio.timeout(_EVERY):
                    await self._look.wait()

    def _put(self, event: Event) -> None:
        self._events.put_nowait(event)


def _now() -> str:
    return datetime.now(UTC).isoformat()
