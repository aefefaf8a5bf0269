"""``dsh/subscribe``."""

from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import Empty, SubscribeParams


def subscribe(peer: Any, params: SubscribeParams) -> Empty:
    """Send the peer the cards of a session, or of all, from now on."""
    hub = hub_of(peer)
    if params.session_id is not None:
        session_of(hub, params.session_id)
    hub.subscribers.add(peer, params.session_id)
    return Empty()
