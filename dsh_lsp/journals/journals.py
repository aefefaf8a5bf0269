"""The journals of one workspace: opened for a session, and listed.

Where there is no directory for them, sessions go on without, and a warning says so: they are then gone with the
process.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dsh_ledger.journal import SESSION_END, SESSION_START, Event, UnreadableLine, decode
from dsh_ledger.journal_folds import Standing
from dsh_ledger.json_values import JsonObject
from dsh_lsp.journals.journal_file import JournalBusy, JournalFile, Scan, read_lines
from dsh_lsp.journals.patience import patiently
from dsh_lsp.journals.session_journal import SessionJournal
from dsh_lsp.journals.state_dir import SUFFIX, StateDirRefused, journal_name, journals_dir

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_TAIL = 65536
"""Bytes at a journal's end that are looked at to list it."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as it is listed.

    Attributes:
        start: The data of its first ``session/start``.
        started_at: When it was opened first.
        last_at: When something was last recorded, as far as a look at the journal's end shows it.
        is_ended: It was closed.
    """

    session: str
    start: JsonObject
    started_at: str
    last_at: str | None
    is_ended: bool


class Journals:
    """The journals of one workspace.

    Args:
        workspace: The real path of the workspace's first folder.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="dsh-journal")
        self._warned = False

    async def open(self, session: str) -> tuple[SessionJournal, Standing | None]:
        """Open or create the journal of a session; where the session stands, if it is not new.

        Raises:
            JournalBusy: Another process has the session.
            JournalRefused: What is at the journal's place is none of ours.
            OSError: The system failed.
        """
        try:
            file, scan = await self._in_thread(self._open, session)
        except StateDirRefused as refusal:
            if not self._warned:
                _log.warning("sessions are not kept: %s", refusal)
            self._warned = True
            return SessionJournal(self._threads), None
        if scan.unreadable:
            _log.warning("%d lines of a session's journal can't be read, and are skipped", scan.unreadable)
        standing = scan.standing
        journal = SessionJournal(self._threads, file, standing.last_seq, scan.results)
        return journal, standing if standing.last_seq else None

    async def listed(self) -> list[Listed]:
        """The sessions of the workspace that are recorded, the latest first."""
        try:
            found = await self._in_thread(self._list)
        except (StateDirRefused, OSError):
            return []
        return sorted(found, key=lambda item: item.last_at or item.started_at, reverse=True)

    async def path(self, session: str) -> Path | None:
        """The file of a session's journal, if there is one."""
        try:
            return await self._in_thread(self._path, session)
        except (StateDirRefused, OSError):
            return None

    def close(self) -> None:
        """Let the threads end; what was asked for is still done."""
        self._threads.shutdown(wait=False)

    def _open(self, session: str) -> tuple[JournalFile, Scan]:
        path = journals_dir(self._workspace) / journal_name(session)
        return patiently(lambda: JournalFile.open(path, session), JournalBusy)

    def _path(self, session: str) -> Path | None:
        path = journals_dir(self._workspace) / journal_name(session)
        return path if path.is_file() else None

    def _list(self) -> list[Listed]:
        paths = journals_dir(self._workspace).glob(f"*{SUFFIX}")
        return [listed for path in paths if (listed := _listed(path)) is not None]

    async def _in_thread(self, job: Callable[..., _T], *args: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, job, *args)


def _listed(path: Path) -> Listed | None:
    """What a look at a journal's beginning and end shows; None if it does not begin as one."""
    try:
        _, line = next(iter(read_lines(path)))
        first = decode(line)
        last = _last(path)
    except (OSError, StopIteration, UnreadableLine):
        return None
    session = first.data.get("sessionId")
    if first.type != SESSION_START or not isinstance(session, str):
        return None
    return Listed(
        session,
        first.data,
        first.at,
        last.at if last else None,
        last is not None and last.type == SESSION_END,
    )


def _last(path: Path) -> Event | None:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL))
        lines = file.read(_TAIL).split(b"\n")
    for line in reversed(lines):
        try:
            return decode(line)
        except UnreadableLine:
            continue
    return None
