"""``dsh/session/open``."""

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from dsh_lsp.handlers.context import hub_of
from dsh_lsp.handlers.tool_list import tool_infos
from dsh_lsp.wire import SessionOpenParams, SessionOpenResult


def session_open(peer: Any, params: SessionOpenParams) -> SessionOpenResult:
    """Open a session, or resume the one that is named.

    Raises:
        JsonRpcInvalidParams: An option was asked for that this server does not have: better refused than ignored.
    """
    missing = [
        {"path": f"params.{path}", "message": f"{value} is not available in this version; leave it out"}
        for path, value, has in (
            ("onStale", params.on_stale, params.on_stale == "refuse"),
            ("unicodeFallback", "true", not params.unicode_fallback),
            ("review", params.review, params.review == "after"),
        )
        if not has
    ]
    if missing:
        raise JsonRpcInvalidParams("invalid params", data={"errors": missing})
    hub = hub_of(peer)
    session, resumed = hub.open_session(params, peer)
    return SessionOpenResult(
        session_id=session.id,
        resumed=resumed,
        workspace_folders=tuple(root.as_uri() for root in hub.workspace.roots),
        tools=tool_infos(hub.registry),
    )
