"""A recorded session as its renderers take it. Deliberately absent: the journal, and what a view's members mean."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ReplayedCard:
    """One call of a session, with its result if it has one.

    Attributes:
        call_id: The agent's name for the call.
        seq: The call's place among the session's events.
        name: The tool's name.
        call: The view of the call, as JSON: ``{"card": "generic" | "terminal" | "diff", …}``.
        result: The view of the result, as JSON; its card may also be ``read``, ``search`` or ``web``. None when the
            call never ended.
        is_error: The result is an error.
        started_at: When the call began, ISO 8601 in UTC, from the journal.
        ended_at: When it ended.
    """

    call_id: str
    seq: int
    name: str
    call: dict[str, Any]
    result: dict[str, Any] | None
    is_error: bool
    started_at: str | None
    ended_at: str | None


@dataclass(frozen=True, slots=True)
class ReplayedSession:
    """A session as its journal tells it.

    Attributes:
        session_id: The session's id.
        agent: What the agent calls itself.
        workspace_folders: URIs.
        started_at: When the session began, ISO 8601 in UTC, from the journal.
        ended_at: When it ended; None for one that is still open, or was cut off.
        cards: In the order of the calls.
        unreadable: Lines of the journal that could not be read.
    """

    session_id: str
    agent: str | None
    workspace_folders: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    cards: tuple[ReplayedCard, ...]
    unreadable: int
