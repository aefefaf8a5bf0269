"""Telling agents that what they have seen has moved on: in a buffer, or on the disk where no editor has it open.

A courtesy: it saves an agent a refused edit. No guard depends on it. It is found out once per burst of changes, by
content, and only for what some session has seen.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dsh_ledger.errors import FsError, FsNotDirectory, FsNotFound, FsNotRegularFile, FsNotText
from dsh_ledger.ledger import Ledger
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text, version_of_bytes
from dsh_lsp.buffers.decorations import line_range
from dsh_lsp.buffers.document_diff import document_blocks
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.buffers.workspace_files import WorkspaceFiles
from dsh_lsp.sessions import Sessions
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DriftNote, Range
from dsh_tools.fs.port import Missing
from dsh_tools.reporting import log_failure
from dsh_tools.snapshots import SnapshotStore

_log = logging.getLogger(__name__)

_DELAY = 0.05
"""Seconds of quiet after which a burst of changes is looked at."""

_LONGEST = 0.5
"""Seconds after which it is looked at even if the changes go on."""

_RANGES = 50
"""Ranges listed in a note; more are told as one range over all of them."""


class DriftWatch:
    """Sends ``dsh/drift`` to the sessions that have seen a file in another version.

    Args:
        ledger: Who has seen what.
        sessions: Where their connections are.
        snapshots: The texts that were seen.
        files: What there is now; asked for when it is needed.
    """

    def __init__(
        self, ledger: Ledger, sessions: Sessions, snapshots: SnapshotStore, files: Callable[[], WorkspaceFiles]
    ) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._snapshots = snapshots
        self._files = files
        self._due: dict[OpenDocument | Target, tuple[float, asyncio.TimerHandle]] = {}
        self._looking: set[asyncio.Task[None]] = set()
        self._told: dict[tuple[str, Target], Version | None] = {}

    def changed(self, document: OpenDocument) -> None:
        """The document has changed."""
        target = document.target
        if target is not None and self._is_observed(target):
            self._postpone(document, partial(self._look, document, target))

    def file_changed(self, target: Target) -> None:
        """Something has happened to a file, or may have; one that is open is its editor's."""
        if self._is_observed(target):
            self._postpone(target, partial(self._start_look, target))

    def forget(self, session: str) -> None:
        """The session has gone."""
        for key in [key for key in self._told if key[0] == session]:
            del self._told[key]

    async def close(self) -> None:
        """Look at nothing any more."""
        for _, timer in self._due.values():
            timer.cancel()
        self._due.clear()
        for task in self._looking:
            task.cancel()
        if self._looking:
            await asyncio.wait(self._looking)

    def _is_observed(self, target: Target) -> bool:
        return next(self._ledger.observers(target), None) is not None

    def _postpone(self, key: OpenDocument | Target, look: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        first, timer = self._due.get(key, (now, None))
        if timer is not None:
            timer.cancel()
        self._due[key] = (first, loop.call_at(min(now + _DELAY, first + _LONGEST), look))

    def _look(self, document: OpenDocument, target: Target) -> None:
        del self._due[document]
        if document.closed.is_set():
            return
        if document.busy:
            # An edit is under way; whose the change is will be known when it has ended.
            self.changed(document)
            return
        mirror = document.mirror
        self._compare(target, mirror.content_version, dict(self._observed(target)), partial(self._ranges, mirror))

    def _start_look(self, target: Target) -> None:
        del self._due[target]
        task = asyncio.ensure_future(self._look_at_file(target))
        self._looking.add(task)
        task.add_done_callback(self._looked)

    def _looked(self, task: "asyncio.Task[None]") -> None:
        self._looking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log_failure(_log, "a look at a file failed", error)

    async def _look_at_file(self, target: Target) -> None:
        files = self._files()
        async with files.undisturbed(target):
            seen = dict(self._observed(target))
            if not seen or await files.documents.find(target) is not None:
                return
            try:
                now, text = await _on_disk(files, target)
            except FsError:
                return  # there is something, and it can't be read: nothing is known
        # Who has looked meanwhile knows better.
        seen = {session: version for session, version in self._observed(target) if seen.get(session) == version}
        mirror = None
        if text is not None and any(version != now for version in seen.values()):
            mirror = await asyncio.to_thread(_mirror, target, text)
        self._compare(target, now, seen, partial(self._ranges, mirror))

    def _observed(self, target: Target) -> list[tuple[str, Version]]:
        return [(session, seen.version) for session, seen in self._ledger.observers(target)]

    def _compare(
        self,
        target: Target,
        now: Version | None,
        seen: Mapping[str, Version],
        ranges: Callable[[str | None], tuple[Range, ...]],
    ) -> None:
        """Tell the sessions that have seen another version than the one that is there now (None: nothing is)."""
        for session_id, version in seen.items():
            key = (session_id, target)
            if version == now:
                self._told.pop(key, None)
                continue
            session = self._sessions.get(session_id)
            if session is None or session.peer is None or (key in self._told and self._told[key] == now):
                continue
            self._told[key] = now
            to: dict[str, Any] = {} if now is None else {"to": now}
            note = DriftNote(
                session_id=session_id,
                uri=target.uri,
                **{"from": version},
                **to,
                ranges=ranges(self._snapshots.of(session_id).get(version)),
            )
            session.peer.notify("dsh/drift", note)

    def _ranges(self, mirror: Document | None, seen: str | None) -> tuple[Range, ...]:
        """Where a text has changed since it was seen: all of it where that is not known, nowhere where it is gone."""
        if mirror is None:
            return ()
        if seen is None:
            return (line_range(mirror, 0, mirror.line_count),)
        blocks = document_blocks(seen, logical_text(mirror.text))
        if len(blocks) > _RANGES:
            return (line_range(mirror, blocks[0].new_line, blocks[-1].new_line + len(blocks[-1].added)),)
        return tuple(line_range(mirror, b.new_line, b.new_line + len(b.added)) for b in blocks)


async def _on_disk(files: WorkspaceFiles, target: Target) -> tuple[Version | None, str | None]:
    """The version and the logical text; no text for what is none, no version for what is not there."""
    try:
        found = await files.disk.read_text(target)
        return (None, None) if isinstance(found, Missing) else (found.version, found.text)
    except (FsNotFound, FsNotDirectory, FsNotRegularFile):
        return None, None
    except FsNotText:
        data = await files.disk.read_bytes(target)
        return (None, None) if isinstance(data, Missing) else (version_of_bytes(data), None)


def _mirror(target: Target, text: str) -> Document:
    """A text as a document, in the position encoding of those that no editor has open."""
    return Document(target.uri, text, language_id="", version=0, epoch=0, encoding="utf-16")
