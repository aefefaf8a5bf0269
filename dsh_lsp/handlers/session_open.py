"""``dsh/session/open``."""

import errno
from typing import Any

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams

from dsh_lsp.handlers.context import hub_of, invalid_params
from dsh_lsp.handlers.tool_list import tool_infos
from dsh_lsp.journals.journal_file import JournalBusy, JournalRefused
from dsh_lsp.journals.session_journal import JournalFailed
from dsh_lsp.wire import SessionOpenParams, SessionOpenResult


async def session_open(peer: Any, params: SessionOpenParams) -> SessionOpenResult:
    """Open a session, or resume the one that is named.

    Raises:
        JsonRpcInvalidParams: Another server has the session.
        JsonRpcInternalError: The session can't be recorded.
    """
    hub = hub_of(peer)
    try:
        session, resumed = await hub.open_session(params, peer)
    except JournalBusy:
        raise _refused("another server has this session open; end it there, or open another one") from None
    except JournalRefused as refusal:
        raise _refused(f"{refusal}; choose another id") from None
    except (JournalFailed, OSError) as error:
        reason = error.reason if isinstance(error, JournalFailed) else errno.errorcode.get(error.errno or 0, "EIO")
        raise JsonRpcInternalError(f"the session can't be recorded: {reason}") from None
    return SessionOpenResult(
        session_id=session.id,
        resumed=resumed,
        workspace_folders=tuple(root.as_uri() for root in hub.workspace.roots),
        tools=tool_infos(hub.registry.offered(session.traits)),
    )


def _refused(message: str) -> JsonRpcInvalidParams:
    return invalid_params("params.sessionId", message, "the session can't be opened")
