"""``dsh/session/close``."""

from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import Empty, SessionParams


async def session_close(peer: Any, params: SessionParams) -> Empty:
    """End a session."""
    hub = hub_of(peer)
    await hub.close_session(session_of(hub, params.session_id).id)
    return Empty()
