"""``dsh/tool/run``."""

import asyncio
from typing import Any

from dsh_lsp.handlers.context import hub_of, session_of
from dsh_lsp.wire import ToolRunParams, ToolRunResult


async def tool_run(peer: Any, params: ToolRunParams) -> ToolRunResult:
    """Run a tool, and answer with its outcome, failed or not.

    ``$/cancelRequest`` asks the call to stop; it is answered with what became of the call, since an edit that was sent
    already is applied all the same. A connection that ends doesn't stop it.
    """
    hub = hub_of(peer)
    session = session_of(hub, params.session_id)
    call = hub.calls.start(session, params.call_id, params.name, params.arguments)
    try:
        with hub.progress.to_agent(peer, params.work_done_token, call.name):
            return await asyncio.shield(call.task)
    except asyncio.CancelledError:
        if peer.connection.is_closed or call.task.cancelled():
            raise
        call.task.cancel()
        return await asyncio.shield(call.task)
