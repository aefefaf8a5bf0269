"""One mutation per target at a time, across the servers of one user.

Without it, two servers would still not overwrite each other: a swap that finds another text is taken back. But an agent
of the one could read, and build on, what the other is about to take back.

Held here: one lock for each target, a byte of one file (fcntl(2), "Open file description locks"), which the system lets
go when its process ends. Deliberately absent: a promise. A server that stands still is not waited for without end, and
programs of others know nothing of this; against both a mutation compares content.
"""

import errno
import fcntl
import hashlib
import logging
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

_log = logging.getLogger(__name__)

NAME: Final = "turns"
"""The file, in the directory of the crash logs. It is always empty."""

_PATIENCE: Final = 10.0
"""Seconds: far more than a mutation takes."""

_PAUSE: Final = 0.001


class ProcessTurns:
    """Locks of one process. May be used from several threads.

    Args:
        directory: Finds or makes the directory; asked when a target is first locked. Raises OSError where there is
            none. Without it, there are no locks.
    """

    def __init__(self, directory: Callable[[], Path] | None = None) -> None:
        self._directory = directory
        self._lock = Lock()
        self._fd: int | None = None

    @contextmanager
    def hold(self, path: bytes) -> Iterator[None]:
        """Have the target to this process for the block, if that can be had.

        Args:
            path: The target's real path.
        """
        fd = self._opened()
        if fd is None:
            yield
            return
        at = int.from_bytes(hashlib.sha256(path).digest()[:7], "big")
        _wait_for(fd, at)
        try:
            yield
        finally:
            with suppress(OSError):
                _set(fd, fcntl.F_UNLCK, at)

    def _opened(self) -> int | None:
        with self._lock:
            if self._fd is None and self._directory is not None:
                try:
                    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
                    self._fd = os.open(self._directory() / NAME, flags, 0o600)
                except OSError as error:
                    _log.warning("servers can't take turns: %s", error.strerror)
                    self._directory = None
            return self._fd


def _wait_for(fd: int, at: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            _set(fd, fcntl.F_WRLCK, at)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES) or time.monotonic() > until:
                return
            time.sleep(_PAUSE)
        else:
            return


def _set(fd: int, kind: int, at: int) -> None:
    # struct flock: l_type, l_whence, l_start, l_len, l_pid
    fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, at, 1, 0))
