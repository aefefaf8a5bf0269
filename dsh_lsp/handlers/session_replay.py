"""``dsh/session/replay``."""

import asyncio
from typing import Any

from pygls.exceptions import JsonRpcInternalError

from dsh_ledger.journal_folds import History
from dsh_lsp.handlers.context import hub_of, invalid_params
from dsh_lsp.hub import Hub
from dsh_lsp.journals.reading import read_history
from dsh_lsp.journals.session_journal import JournalFailed
from dsh_lsp.replaying.notes import notes
from dsh_lsp.wire import ReplayedCall, SessionReplayParams, SessionReplayResult


async def session_replay(peer: Any, params: SessionReplayParams) -> SessionReplayResult:
    """The cards of a session as they were shown, from its journal alone.

    Raises:
        JsonRpcInvalidParams: This workspace has no such session.
    """
    history, unreadable = await history_of(hub_of(peer), params.session_id)
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


async def history_of(hub: Hub, session_id: str) -> tuple[History, int]:
    """All that was shown of a session, and how many lines of its journal could not be read.

    Raises:
        JsonRpcInvalidParams: This workspace has no such session.
        JsonRpcInternalError: Its journal can't be read.
    """
    path = await hub.journals.path(session_id)
    if path is None:
        message = "no such session; dsh/session/list names those that there are"
        raise invalid_params("params.sessionId", message, "unknown session")
    live = hub.sessions.get(session_id)
    try:
        if live is not None:
            await live.journal.flush()
        return await asyncio.to_thread(read_history, path)
    except (OSError, JournalFailed):
        raise JsonRpcInternalError("the session's journal can't be read") from None
