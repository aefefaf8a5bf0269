"""Telling sessions what was decided on their changes: recorded first, then sent, and once more in their next result."""

import logging
from collections.abc import Callable

from dsh_ledger.journal import REVIEW_DECIDED
from dsh_ledger.json_values import JsonObject
from dsh_ledger.targets import Target
from dsh_lsp.journals.journal_file import JournalBusy, JournalRefused
from dsh_lsp.journals.journals import Journals
from dsh_lsp.journals.session_journal import JournalFailed
from dsh_lsp.review.deciding import Decided
from dsh_lsp.sessions import Session, Sessions
from dsh_lsp.wire import DecidedNote

_log = logging.getLogger(__name__)


class Telling:
    """Tells the sessions of a workspace.

    Args:
        sessions: Those that are here.
        journals: Where the others are recorded.
        shown: The path to show of a file.
    """

    def __init__(self, sessions: Sessions, journals: Journals, shown: Callable[[Target], str]) -> None:
        self._sessions = sessions
        self._journals = journals
        self._shown = shown

    async def tell(self, decided: list[Decided]) -> None:
        """Record decisions with every session that has a part in the hunk, and tell those that are connected."""
        for each in decided:
            if each.conflict is None:
                for session_id, call_id in dict(each.hunk.calls).items():
                    await self._tell(session_id, call_id, each)

    async def _tell(self, session_id: str, call_id: str, decided: Decided) -> None:
        data = _data(call_id, decided, self._shown(decided.target))
        session = self._sessions.get(session_id)
        try:
            if session is None or session.is_closed:
                await self._record_elsewhere(session_id, data)
                return
            session.journal.append(REVIEW_DECIDED, data)
            session.untold.append(data)
            await session.journal.flush()
        except (JournalBusy, JournalRefused, JournalFailed, OSError) as error:
            _log.warning("a decision could not be recorded with a session: %s", type(error).__name__)
        if session is not None:
            _notify(session, call_id, decided)

    async def _record_elsewhere(self, session_id: str, data: JsonObject) -> None:
        """Record a decision with a session that is not here; it is told when it comes back."""
        if await self._journals.path(session_id) is None:
            return
        journal, _ = await self._journals.open(session_id)
        journal.append(REVIEW_DECIDED, data)
        await journal.close()


def _notify(session: Session, call_id: str, decided: Decided) -> None:
    if session.peer is not None:
        note = DecidedNote(
            session_id=session.id,
            call_id=call_id,
            hunk_id=decided.hunk.id,
            uri=decided.target.uri,
            decision=decided.decision,
            user_modified=decided.hunk.user_modified,
        )
        session.peer.notify("dsh/decided", note)


def _data(call_id: str, decided: Decided, path: str) -> JsonObject:
    return {
        "callId": call_id,
        "hunkId": decided.hunk.id,
        "uri": decided.target.uri,
        "path": path,
        "decision": decided.decision,
        "userModified": decided.hunk.user_modified,
        "lines": [decided.hunk.start, decided.hunk.end],
    }
