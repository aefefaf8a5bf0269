"""What a handler finds as ``peer.context``: the hub, and the editor where the peer is one."""

from dataclasses import dataclass
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from dsh_lsp.editor import Editor
from dsh_lsp.hub import Hub
from dsh_lsp.sessions import Session


@dataclass(slots=True)
class PeerContext:
    """A peer's place in the hub. ``editor`` is None for an agent on the socket."""

    hub: Hub
    editor: Editor | None = None


def hub_of(peer: Any) -> Hub:
    """The hub that a peer is attached to."""
    context: PeerContext = peer.context
    return context.hub


def invalid_params(path: str, message: str, what: str = "invalid params") -> JsonRpcInvalidParams:
    """The refusal of params, to be raised.

    Args:
        path: The member that is wrong: ``params.uri``.
        message: What is wrong with it, and what to do.
        what: What is refused, in a word or two.
    """
    return JsonRpcInvalidParams(what, data={"errors": [{"path": path, "message": message}]})


def session_of(hub: Hub, session_id: str) -> Session:
    """The session of that id.

    Raises:
        JsonRpcInvalidParams: There is none; the agent opens one, or resumes it, with ``dsh/session/open``.
    """
    session = hub.sessions.get(session_id)
    if session is None or session.is_closed:
        message = "no such session; open one with dsh/session/open"
        raise invalid_params("params.sessionId", message, "unknown session")
    return session
