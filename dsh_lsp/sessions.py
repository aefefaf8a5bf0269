"""Sessions: one agent's conversation, its calls, and where its notes go.

A session outlives its connection. An agent that comes back with the session's id goes on where it was, and a call that
was running has its outcome.
"""

import asyncio
import itertools
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field

from dsh_lsp.editor import Peer
from dsh_lsp.wire import SessionOpenParams
from dsh_tools.contract import ToolResult

_KEPT_CALLS = 1_000
"""Outcomes that a session remembers, to answer a call id that is sent again."""

_KEPT_SESSIONS = 1_000
"""Sessions without a connection that are remembered, the most recently used."""


@dataclass(slots=True)
class Call:
    """One call: running, or with its outcome. ``task`` outlives the request that asked for it."""

    id: str
    name: str
    task: asyncio.Task[ToolResult]


@dataclass(slots=True)
class Session:
    """One session.

    Attributes:
        id: Its id.
        options: What it was opened with.
        peer: The connection that opened or resumed it last; None once that has gone.
        calls: Its calls by id, the oldest first.
    """

    id: str
    options: SessionOpenParams
    peer: Peer | None
    calls: OrderedDict[str, Call] = field(default_factory=OrderedDict)
    _seq: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _call_ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def agent(self) -> str | None:
        """Who the agent says it is."""
        return self.options.agent.name if self.options.agent else None

    def next_seq(self) -> int:
        """The next number in the session's order of events, from 1."""
        return next(self._seq)

    def new_call_id(self) -> str:
        """An id for a call that came without one."""
        return next(found for n in self._call_ids if (found := f"call-{n}") not in self.calls)

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

    def open(self, params: SessionOpenParams, peer: Peer) -> tuple[Session, bool, list[str]]:
        """Open a session, or resume the one that is named.

        Returns:
            The session, whether it was resumed, and the ids of sessions that had to be forgotten for it.
        """
        known = self._sessions.get(params.session_id) if params.session_id else None
        if known is not None:
            known.peer = peer
            self._sessions.move_to_end(known.id)
            return known, True, []
        session = Session(params.session_id or f"s-{secrets.token_hex(8)}", params, peer)
        self._sessions[session.id] = session
        idle = [s.id for s in self._sessions.values() if s.peer is None]
        dropped = idle[: max(0, len(idle) - _KEPT_SESSIONS)]
        for session_id in dropped:
            del self._sessions[session_id]
        return session, False, dropped

    def get(self, session_id: str) -> Session | None:
        """The session of that id."""
        return self._sessions.get(session_id)

    def close(self, session_id: str) -> Session | None:
        """Forget a session; it is returned if there was one."""
        return self._sessions.pop(session_id, None)

    def peer_gone(self, peer: Peer) -> None:
        """A connection has ended; its sessions stay."""
        for session in self._sessions.values():
            if session.peer is peer:
                session.peer = None
