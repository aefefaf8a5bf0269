"""Telling agents that what they have seen has moved on.

A courtesy: it saves an agent a refused edit. No guard depends on it. It is found out once per burst of typing, and only
for documents that some session has seen.
"""

import asyncio

from dsh_ledger.ledger import Ledger
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.decorations import line_range
from dsh_lsp.buffers.open_document import OpenDocument, document_blocks
from dsh_lsp.sessions import Sessions
from dsh_lsp.wire import DriftNote, Range
from dsh_tools.snapshots import Snapshots

_DELAY = 0.05
"""Seconds of quiet after which a burst of changes is looked at."""

_LONGEST = 0.5
"""Seconds after which it is looked at even if the changes go on."""

_RANGES = 50
"""Ranges listed in a note; more are told as one range over all of them."""


class DriftWatch:
    """Sends ``dsh/drift`` to the sessions that have seen a document in another version.

    Args:
        ledger: Who has seen what.
        sessions: Where their connections are.
        snapshots: The texts that were seen.
    """

    def __init__(self, ledger: Ledger, sessions: Sessions, snapshots: Snapshots) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._snapshots = snapshots
        self._due: dict[OpenDocument, tuple[float, asyncio.TimerHandle]] = {}
        self._told: dict[tuple[str, Target], Version] = {}

    def changed(self, document: OpenDocument) -> None:
        """The document has changed."""
        target = document.target
        if target is None or next(self._ledger.observers(target), None) is None:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        first, timer = self._due.get(document, (now, None))
        if timer is not None:
            timer.cancel()
        at = min(now + _DELAY, first + _LONGEST)
        self._due[document] = (first, loop.call_at(at, self._look, document, target))

    def forget(self, session: str) -> None:
        """The session has gone."""
        for key in [key for key in self._told if key[0] == session]:
            del self._told[key]

    def _look(self, document: OpenDocument, target: Target) -> None:
        del self._due[document]
        if document.closed.is_set():
            return
        if document.busy:
            # An edit is under way; whose the change is will be known when it has ended.
            self.changed(document)
            return
        now = document.mirror.content_version
        for session_id, seen in self._ledger.observers(target):
            session = self._sessions.get(session_id)
            if seen.version == now:
                self._told.pop((session_id, target), None)
            elif session is not None and session.peer is not None and self._told.get((session_id, target)) != now:
                self._told[session_id, target] = now
                note = DriftNote(
                    session_id=session_id,
                    uri=target.uri,
                    **{"from": seen.version},
                    to=now,
                    ranges=self._ranges(document, seen.version),
                )
                session.peer.notify("dsh/drift", note)

    def _ranges(self, document: OpenDocument, seen: Version) -> tuple[Range, ...]:
        mirror = document.mirror
        text = self._snapshots.get(seen)
        if text is None:
            return (line_range(mirror, 0, mirror.line_count),)
        blocks = document_blocks(text, logical_text(mirror.text))
        if len(blocks) > _RANGES:
            return (line_range(mirror, blocks[0].new_line, blocks[-1].new_line + len(blocks[-1].added)),)
        return tuple(line_range(mirror, b.new_line, b.new_line + len(b.added)) for b in blocks)
