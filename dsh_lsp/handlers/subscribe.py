"""``dsh/subscribe``."""

from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import Empty, SubscribeParams


async def subscribe(peer: Any, params: SubscribeParams) -> Empty:
    """Send the peer the cards of a session, or of all, from now on.

    The session may be one that is recorded and not open: its agent has not come back yet to this server.

    Raises:
        JsonRpcInvalidParams: This workspace has no such session.
    """
    hub = hub_of(peer)
    wanted = params.session_id
    if wanted is not None and hub.sessions.get(wanted) is None and await hub.journals.path(wanted) is None:
        session_of(hub, wanted)
    hub.subscribers.add(peer, wanted)
    return Empty()
