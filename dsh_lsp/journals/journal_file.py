"""One journal as a file: appended in whole lines by one process, repaired when it is opened, read by anybody.

Who appends holds an exclusive ``flock`` on the file, which the system lets go when the process ends, however it ends.
Everything here blocks: run it in an executor.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dsh_ledger.journal import TOOL_RESULT, Event, UnreadableLine, decode
from dsh_ledger.journal_folds import Standing

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class JournalBusy(Exception):
    """Another process is writing this journal: the session is open there."""


class JournalRefused(Exception):
    """What is at the journal's place is no journal of ours. The message says why, without the path."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where a line is: bytes from the beginning of the file."""

    offset: int
    length: int


@dataclass(slots=True)
class Scan:
    """What was found in a journal when it was opened.

    Attributes:
        standing: Where the session stands.
        results: Where the lines with results are, by call id.
        unreadable: Lines that are no events.
    """

    standing: Standing
    results: dict[str, Span] = field(default_factory=dict)
    unreadable: int = 0


class JournalFile:
    """A journal that this process appends to. Made by `open`."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size

    @classmethod
    def open(cls, path: Path, session: str) -> tuple["JournalFile", Scan]:
        """Open or create a journal, and repair its end.

        A last line without a line feed was never finished: it is completed if it is an event, else cut off.

        Raises:
            JournalBusy: Another process has it.
            JournalRefused: It is no regular file, belongs to somebody else, or is the journal of another session.
            OSError: The system failed.
        """
        try:
            descriptor = os.open(path, _APPEND, 0o600)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise JournalRefused("a symbolic link is where the journal should be") from None
            raise
        try:
            _make_private(descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JournalBusy from None
            scan = _scan(path, session)
            known = scan.standing.start.get("sessionId", session)
            if known != session:
                raise JournalRefused("the journal is that of another session")
            return cls(descriptor, _repair(descriptor)), scan
        except BaseException:
            os.close(descriptor)
            raise

    def append(self, lines: bytes) -> None:
        """Hand whole lines to the operating system. On failure nothing of them stays.

        Raises:
            OSError: The system did not take them.
        """
        left = memoryview(lines)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            os.ftruncate(self._descriptor, self.size)
            raise
        self.size += len(lines)

    def line(self, span: Span) -> bytes:
        """The bytes of one line."""
        return os.pread(self._descriptor, span.length, span.offset)

    def close(self) -> None:
        """Let the file go, and with it the session."""
        os.close(self._descriptor)


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a journal, with their offsets. A last line that was never finished is no line.

    Raises:
        OSError: It can't be read.
    """
    with os.fdopen(os.open(path, _READ), "rb") as file:
        offset = 0
        for line in file:
            if not line.endswith(b"\n") and not _is_event(line):
                return
            yield offset, line
            offset += len(line)


def read_events(path: Path) -> Iterator[Event | UnreadableLine]:
    """The events of a journal; for a line that is none, why.

    Raises:
        OSError: It can't be read.
    """
    for _, line in read_lines(path):
        try:
            yield decode(line)
        except UnreadableLine as error:
            yield error


def _scan(path: Path, session: str) -> Scan:
    scan = Scan(Standing(session))
    for offset, line in read_lines(path):
        try:
            event = decode(line)
        except UnreadableLine:
            scan.unreadable += 1
            continue
        scan.standing.apply(event)
        if event.type == TOOL_RESULT:
            scan.results.setdefault(str(event.data.get("callId")), Span(offset, len(line)))
    return scan


def _repair(descriptor: int) -> int:
    """Make the file end with a whole line; its size then."""
    size = os.fstat(descriptor).st_size
    begin = size
    tail = b""
    while begin > 0 and b"\n" not in tail:
        step = min(begin, 65536)
        begin -= step
        tail = os.pread(descriptor, step, begin) + tail
    torn = tail[tail.rfind(b"\n") + 1 :]
    if not torn:
        return size
    if _is_event(torn):
        os.write(descriptor, b"\n")
        return size + 1
    os.ftruncate(descriptor, size - len(torn))
    return size - len(torn)


def _is_event(line: bytes) -> bool:
    try:
        decode(line)
    except UnreadableLine:
        return False
    return True


def _make_private(descriptor: int) -> None:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise JournalRefused("it is no regular file")
    if found.st_uid != os.geteuid():
        raise JournalRefused("it belongs to another user")
    if stat.S_IMODE(found.st_mode) != 0o600:
        os.fchmod(descriptor, 0o600)
