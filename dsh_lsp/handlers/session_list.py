"""``dsh/session/list``."""

from typing import Any

from pydantic import ValidationError

from dsh_ledger.json_values import JsonValue
from dsh_lsp.handlers.context import hub_of
from dsh_lsp.journals.journals import Listed
from dsh_lsp.wire import AgentInfo, SessionInfo, SessionListParams, SessionListResult


async def session_list(peer: Any, _params: SessionListParams) -> SessionListResult:
    """The recorded sessions of this workspace, the latest first."""
    hub = hub_of(peer)
    return SessionListResult(
        sessions=tuple(
            session_info(item, live=hub.sessions.get(item.session) is not None) for item in await hub.journals.listed()
        )
    )


def session_info(item: Listed, *, live: bool) -> SessionInfo:
    """What the wire says of a recorded session."""
    return SessionInfo(
        session_id=item.session,
        agent=_agent(item.start.get("agent")),
        started_at=item.started_at,
        last_at=item.last_at,
        live=live,
        ended=item.is_ended,
    )


def _agent(recorded: JsonValue) -> AgentInfo | None:
    try:
        return AgentInfo.model_validate(recorded)
    except ValidationError:
        return None
