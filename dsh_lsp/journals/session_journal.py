"""A session's journal as the event loop uses it: events are numbered at once, and written in a thread, in order.

What is appended in one turn of the loop is written together. `flush` waits until all that was appended before it is
with the operating system; that is done before anything of it is sent to anybody.
"""

import asyncio
import errno
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import TypeVar

from dsh_ledger.journal import TOOL_RESULT, Event, UnreadableLine, decode, encode
from dsh_ledger.journal_folds import RecordedResult, recorded_result
from dsh_ledger.json_values import JsonObject
from dsh_lsp.journals.journal_file import JournalFile, Span

_log = logging.getLogger(__name__)

_T = TypeVar("_T")


class JournalFailed(Exception):
    """The journal can't be written. ``reason`` is the system's name for why (``ENOSPC``)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def utc_now() -> str:
    """The time, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class SessionJournal:
    """The events of one session.

    Args:
        threads: Where files are written.
        file: The journal, or None: then events are numbered and forgotten.
        last_seq: The number of the last event in it.
        results: Where the results in it are, by call id.
        clock: What time it is.
    """

    def __init__(
        self,
        threads: Executor,
        file: JournalFile | None = None,
        last_seq: int = 0,
        results: dict[str, Span] | None = None,
        clock: Callable[[], str] = utc_now,
    ) -> None:
        self._threads = threads
        self._file = file
        self._seq = last_seq
        self._results = results or {}
        self._clock = clock
        self._pending: list[bytes] = []
        self._end = file.size if file else 0
        self._appended = 0
        self._written = 0
        self._writing: asyncio.Task[None] | None = None
        self._failure: JournalFailed | None = None

    @property
    def is_kept(self) -> bool:
        """Events are written to a file."""
        return self._file is not None

    def append(self, kind: str, data: JsonObject) -> int:
        """Take an event in; the number that it has.

        Raises:
            ValueError: The data are no JSON. Nothing was taken in.
        """
        event = Event(self._seq + 1, self._clock(), kind, data)
        line = encode(event) if self._file is not None else b""
        self._seq = event.seq
        if self._file is None:
            return event.seq
        if kind == TOOL_RESULT:
            self._results.setdefault(str(data.get("callId")), Span(self._end, len(line)))
        self._end += len(line)
        self._pending.append(line)
        self._appended += 1
        self._write_on()
        return event.seq

    @property
    def is_broken(self) -> bool:
        """The last attempt to write failed."""
        return self._failure is not None

    async def flush(self) -> None:
        """Wait until all that was appended so far is with the operating system.

        Raises:
            JournalFailed: It would not take it. It is kept, and tried again with the next flush.
        """
        goal = self._appended
        while self._written < goal:
            self._write_on()
            if self._writing is not None:
                await asyncio.shield(self._writing)
            if self._failure is not None:
                raise self._failure

    def has_result(self, call_id: str) -> bool:
        """Whether the outcome of a call is recorded."""
        return call_id in self._results

    async def result(self, call_id: str) -> RecordedResult | None:
        """The recorded outcome of a call, or None if there is none that can be read."""
        span = self._results.get(call_id)
        if span is None or self._file is None:
            return None
        await self.flush()
        try:
            return recorded_result(decode(await self._in_thread(self._file.line, span)))
        except (OSError, UnreadableLine):
            return None

    async def close(self) -> None:
        """Write what is left, and let the file go."""
        if self._file is None:
            return
        try:
            await self.flush()
        except JournalFailed as failure:
            _log.error("the end of a session could not be recorded: %s", failure.reason)
        file, self._file = self._file, None
        await self._in_thread(file.close)

    def _write_on(self) -> None:
        if self._writing is None and self._pending and self._file is not None:
            self._writing = asyncio.ensure_future(self._write(self._file))

    async def _write(self, file: JournalFile) -> None:
        lines, self._pending = self._pending, []
        try:
            await self._in_thread(file.append, b"".join(lines))
        except OSError as error:
            if self._failure is None:
                _log.error("a session's journal can't be written: %s", error.strerror)
            self._failure = JournalFailed(errno.errorcode.get(error.errno or 0, "EIO"))
            self._pending = lines + self._pending
            self._writing = None
            return
        self._failure = None
        self._written += len(lines)
        self._writing = None
        self._write_on()

    async def _in_thread(self, job: Callable[..., _T], *args: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, job, *args)
