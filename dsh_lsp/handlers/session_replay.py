"""``dsh/session/replay``."""

import asyncio
from typing import Any

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams

from dsh_lsp.handlers.context import hub_of
from dsh_lsp.journals.reading import read_history
from dsh_lsp.replaying.notes import notes
from dsh_lsp.wire import ReplayedCall, SessionReplayParams, SessionReplayResult


async def session_replay(peer: Any, params: SessionReplayParams) -> SessionReplayResult:
    """The cards of a session as they were shown, from its journal alone.

    Raises:
        JsonRpcInvalidParams: This workspace has no such session.
    """
    hub = hub_of(peer)
    path = await hub.journals.path(params.session_id)
    if path is None:
        wrong = {"path": "params.sessionId", "message": "no such session; dsh/session/list names those that there are"}
        raise JsonRpcInvalidParams("unknown session", data={"errors": [wrong]})
    try:
        history, unreadable = await asyncio.to_thread(read_history, path)
    except OSError:
        raise JsonRpcInternalError("the session's journal can't be read") from None
    if params.notify:
        for method, note in notes(history):
            peer.notify(method, note)
    results = history.results
    cards = (
        ReplayedCall(
            call_id=call.id,
            seq=call.seq,
            name=call.name,
            call=call.view,
            result=results[call.id].view if call.id in results else None,
        )
        for call in history.calls.values()
    )
    return SessionReplayResult(cards=tuple(cards), unreadable=unreadable)
