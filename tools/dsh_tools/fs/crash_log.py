"""What is being published, written down where the next process finds it.

A publication leaves traces on its way: a file beside its target, or, where a file can't be replaced, a target that is
half written. A process that is killed can't remove them. So each is written down before its first trace and crossed out
after its last; `recovery` deals with what dead processes did not cross out.

The directory has one directory for each process, which holds an exclusive ``flock`` on it. The system lets go of that
when the process ends, however it ends: nobody has to know process ids, or share a process-id namespace.

Deliberately absent: durability of what is written down about a replacement. After a loss of power its traces are
harmless, and age is enough to know them by (`temporary`). What is needed to mend a half-written file is made durable.
"""

import fcntl
import hashlib
import json
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Final

from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.places import Place

_log = logging.getLogger(__name__)

DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
RECORD: Final = b".json"
OLD: Final = b".old"
NEW: Final = b".new"


class Entry:
    """One publication. Made by `CrashLog`.

    Attributes:
        is_kept: It is written down; False where nothing can be.
    """

    def __init__(self, log: "CrashLog", directory: int | None, names: tuple[bytes, ...]) -> None:
        self._log = log
        self._directory = directory
        self._names = names
        self.is_kept = directory is not None

    def end(self) -> None:
        """Cross it out: none of its traces is left."""
        if self._directory is not None:
            _remove(self._directory, self._names)
            self._log.ended()


class CrashLog:
    """The log of one process. May be used from several threads.

    Args:
        directory: Finds or makes the directory, which nobody else may enter; asked when something is first published,
            in the thread that does it. Raises OSError where there is none. Without it, nothing is written down.
    """

    def __init__(self, directory: Callable[[], Path] | None = None) -> None:
        self._find = directory
        self._lock = Lock()
        self._numbers = count()
        self._under_way = 0
        self._path: Path | None = None
        self._own: int | None = None

    def replacing(self, place: Place, token: bytes, old: bytes | None, new: bytes) -> Entry:
        """A file will be made beside a target, to take its place.

        Args:
            place: The target.
            token: What the names of files beside it are made of; see `temporary`.
            old: The target's content; None when it is to be created.
            new: The new content.
        """
        if self._find is None and self._own is None:
            return Entry(self, None, ())
        said = {"token": token.decode("ascii"), "old": old if old is None else digest(old), "new": digest(new)}
        return self._write(place, said, {}, durable=False)

    def overwriting(self, place: Place, old: bytes | None, new: bytes) -> Entry:
        """A target's content will be written over. Both contents are kept, durably, until that is done.

        Args:
            place: The target.
            old: Its content; None when it is to be created.
            new: The new content.
        """
        contents = {NEW: new} if old is None else {NEW: new, OLD: old}
        return self._write(place, {"token": None, "old": None, "new": None}, contents, durable=True)

    def ended(self) -> None:
        """An entry was crossed out."""
        with self._lock:
            self._under_way -= 1

    def close(self) -> None:
        """Leave nothing behind; what is under way still does."""
        with self._lock:
            self._find = None
            if self._own is None or self._path is None or self._under_way:
                return
            with suppress(OSError):
                self._path.rmdir()
            os.close(self._own)
            self._own = None

    def _write(
        self, place: Place, said: dict[str, str | None], contents: dict[bytes, bytes], *, durable: bool
    ) -> Entry:
        directory = self._begun()
        if directory is None:
            return Entry(self, None, ())
        number = b"%d" % next(self._numbers)
        names = tuple(number + suffix for suffix in (RECORD, *contents))
        location = {
            "root": place.location.root.decode("utf-8", "surrogateescape"),
            "parts": [part.decode("utf-8", "surrogateescape") for part in place.location.parts],
        }
        record = json.dumps({**said, **location}).encode("ascii")
        try:
            # The record comes last: with it, all that it speaks of is there.
            for name, data in [*((number + suffix, data) for suffix, data in contents.items()), (names[0], record)]:
                _write_file(directory, name, data, durable=durable)
            if durable:
                sync(directory)
        except OSError as error:
            _log.warning("a publication can't be written down: %s", error.strerror)
            _remove(directory, names)
            self.ended()
            return Entry(self, None, ())
        return Entry(self, directory, names)

    def _begun(self) -> int | None:
        with self._lock:
            if self._own is None and self._find is not None:
                try:
                    self._path, self._own = _own_directory(self._find())
                except OSError as error:
                    _log.warning("publications are not written down: %s", error.strerror)
                    self._find = None
            if self._own is not None:
                self._under_way += 1
            return self._own


def digest(data: bytes) -> str:
    """What a record says of a content."""
    return hashlib.sha256(data).hexdigest()


def _own_directory(parent: Path) -> tuple[Path, int]:
    """A new directory in ``parent``, locked before anybody who looks for those of dead processes can see it."""
    above = os.open(parent, DIRECTORY)
    try:
        fcntl.flock(above, fcntl.LOCK_EX)
        name = secrets.token_hex(8)
        os.mkdir(name, 0o700, dir_fd=above)
        own = os.open(name, DIRECTORY, dir_fd=above)
        fcntl.flock(own, fcntl.LOCK_EX)
        sync(above)
        return parent / name, own
    finally:
        os.close(above)


def _write_file(directory: int, name: bytes, data: bytes, *, durable: bool) -> None:
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=directory)
    try:
        write_all(fd, data)
        if durable:
            sync(fd)
    finally:
        os.close(fd)


def _remove(directory: int, names: tuple[bytes, ...]) -> None:
    for name in names:
        with suppress(OSError):
            os.unlink(name, dir_fd=directory)
