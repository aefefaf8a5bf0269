"""Leases: whether another program has a file open, and holding off whoever opens it (fcntl(2), "Leases").

A program that opened a file before it was replaced writes to a file without a name, and nobody ever sees what it wrote.
The kernel grants a lease only while no such program is there, and tells when one comes. Only Linux has them, only on
file systems of its own, and only for the file's owner; elsewhere the answers are those that change nothing.

Deliberately absent: what to do about it.
"""

import errno
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_PATIENCE: Final = 0.1
"""Seconds for which a program that has the file open is waited for: far more than one that writes and closes takes."""

_PAUSE: Final = 0.001


class HeldOpenError(Exception):
    """Another program has the file open, and keeps it open."""


@contextmanager
def no_writers(fd: int) -> Iterator[Callable[[], bool]]:
    """A block that no other program begins to write to a file in without being noticed.

    Args:
        fd: The file, open for reading only.

    Yields:
        Whether nobody has opened it for writing so far. Who tries waits until the block ends.

    Raises:
        HeldOpenError: Somebody has it open for writing.
    """
    taken = _take(fd, fcntl.F_RDLCK)
    if taken is False:
        raise HeldOpenError
    try:
        yield lambda: taken is None or fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_RDLCK
    finally:
        _release(fd)


@contextmanager
def alone(fd: int) -> Iterator[None]:
    """A block in which nobody else opens a file, if that can be had.

    Args:
        fd: The file, open for writing. Who opens it, for reading too, waits until the block ends.
    """
    _take(fd, fcntl.F_WRLCK)
    try:
        yield
    finally:
        _release(fd)


def opened(name: bytes, flags: int, directory: int) -> int:
    """Open a file without waiting for a FIFO's other end, but for the end of somebody's lease.

    Raises:
        OSError: It can't be opened.
    """
    until = time.monotonic() + _PATIENCE * 10
    while True:
        try:
            return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)


def _take(fd: int, kind: int) -> bool | None:
    """Whether the lease was granted; None where there are none to be had."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            # The kernel's signal to the holder of a lease would end the process; this one does nothing.
            fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                return None
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
        else:
            return True


def _release(fd: int) -> None:
    with suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
