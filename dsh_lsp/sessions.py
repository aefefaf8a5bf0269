"""Sessions: one agent's conversation, its calls, and where its notes go.

A session outlives its connection. An agent that comes back with the session's id goes on where it was, and a call that
was running has its outcome. What is forgotten here can be had again from the session's journal.
"""

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from dsh_ledger.json_values import JsonObject
from dsh_lsp.editor import Peer
from dsh_lsp.journals.session_journal import SessionJournal
from dsh_lsp.turns import Turns
from dsh_lsp.wire import SessionOpenParams, ToolRunResult
from dsh_tools.contract import SessionTraits

_KEPT_CALLS = 64
"""Outcomes that a session remembers as they were, their values included."""

_KEPT_SESSIONS = 64
"""Sessions without a connection that are remembered, the most recently used. Each has its journal open."""


@dataclass(slots=True)
class Call:
    """One call: running, or with its outcome. ``task`` outlives the request that asked for it."""

    id: str
    name: str
    task: asyncio.Task[ToolRunResult]


@dataclass(slots=True)
class Session:
    """One session.

    Attributes:
        id: Its id.
        options: What it was opened with.
        journal: What happened in it.
        peer: The connection that opened or resumed it last; None once that has gone.
        turns: Whose turn it is.
        calls: Its calls by id, the oldest first.
        untold: Decisions that the agent has not been told of in a result.
        is_closed: It is being closed.
        gone: Set when it has been closed, and its id may be used again.
    """

    id: str
    options: SessionOpenParams
    journal: SessionJournal
    peer: Peer | None = None
    turns: Turns = field(default_factory=Turns)
    calls: OrderedDict[str, Call] = field(default_factory=OrderedDict)
    untold: list[JsonObject] = field(default_factory=list)
    is_closed: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    _call_ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def agent(self) -> str | None:
        """Who the agent says it is."""
        return self.options.agent.name if self.options.agent else None

    @property
    def traits(self) -> SessionTraits:
        """What decides which tools it gets."""
        capabilities = self.options.capabilities
        return SessionTraits(attachments=capabilities is not None and capabilities.attachments)

    @property
    def is_running(self) -> bool:
        """A call of it has not ended."""
        return any(not call.task.done() for call in self.calls.values())

    def new_call_id(self) -> str:
        """An id for a call that came without one."""
        return next(
            found
            for n in self._call_ids
            if (found := f"call-{n}") not in self.calls and not self.journal.has_result(found)
        )

    def remember(self, call: Call) -> None:
        """Keep a call, and drop the oldest ones that have ended when there are too many."""
        self.calls[call.id] = call
        excess = len(self.calls) - _KEPT_CALLS
        if excess > 0:
            for old in [each for each in self.calls.values() if each.task.done()][:excess]:
                del self.calls[old.id]


class Sessions:
    """The sessions by id."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def add(self, session: Session) -> list[Session]:
        """Take a session in; the ones that had to be dropped for it."""
        self._sessions[session.id] = session
        idle = [each for each in self._sessions.values() if each.peer is None and not each.is_running]
        dropped = idle[: max(0, len(idle) - _KEPT_SESSIONS)]
        for each in dropped:
            del self._sessions[each.id]
        return dropped

    def rejoin(self, session: Session, params: SessionOpenParams) -> None:
        """An agent has come back to its session, with the options that it names now; the others stay."""
        session.options = rejoined(session.options, params)
        self._sessions.move_to_end(session.id)

    def get(self, session_id: str) -> Session | None:
        """The session of that id."""
        return self._sessions.get(session_id)

    def __iter__(self) -> Iterator[Session]:
        return iter(self._sessions.values())

    def close(self, session_id: str) -> Session | None:
        """Forget a session; it is returned if there was one."""
        return self._sessions.pop(session_id, None)

    def peer_gone(self, peer: Peer) -> None:
        """A connection has ended; its sessions stay."""
        for session in self._sessions.values():
            if session.peer is peer:
                session.peer = None


def rejoined(before: SessionOpenParams, now: SessionOpenParams) -> SessionOpenParams:
    """The options of a session that is opened again: what is not named now stays as it was."""
    return before.model_copy(update={name: getattr(now, name) for name in now.model_fields_set})
