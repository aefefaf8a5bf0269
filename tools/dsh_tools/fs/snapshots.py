"""The bytes of a regular file at one moment, and whether they are still there.

What decides is the bytes. A stat identity says quickly that something changed; that nothing did, it can't say: two
writes may share a tick of the clock, and a mapped file changes without one. Comparing 5 MB takes half a millisecond.

Deliberately absent: text. Decoding is for whoever asked.
"""

import os
import stat
from dataclasses import dataclass

from dsh_ledger.errors import FsIoError, FsTooLarge
from dsh_tools.fs.leases import opened
from dsh_tools.fs.places import Place

_PIECE = 1 << 18
"""Bytes per comparison: as fast as any larger piece, and it stays in the processor's cache."""


class TargetChangedError(Exception):
    """What is at the target is no longer what was read. Nothing was published; look again."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A regular file as it was read.

    Attributes:
        data: The whole content.
        stat: What ``fstat`` said of the descriptor that the content was read from.
    """

    data: bytes
    stat: os.stat_result


def take(place: Place, limit: int) -> Snapshot | None:
    """The file at a place, or None when nothing is there.

    Args:
        place: Where.
        limit: The most bytes to read.

    Raises:
        FsNotRegularFile: Something else is there.
        FsTooLarge: It has more bytes than ``limit``.
        OSError: Others, not yet translated.
    """
    if place.regular() is None:
        return None
    try:
        fd = place.open(os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(fd)
        if status.st_size > limit:
            raise FsTooLarge(place.shown, status.st_size, limit)
        data = _read(fd, status.st_size)
    finally:
        os.close(fd)
    if len(data) > limit:
        raise FsTooLarge(place.shown, len(data), limit)
    return Snapshot(data, status)


def is_same(directory: int, name: bytes, snapshot: Snapshot) -> bool:
    """Whether a name still is the very file that was read, by stat identity. False may be a false alarm."""
    try:
        now = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return _identity(now) == _identity(snapshot.stat) and now.st_ctime_ns == snapshot.stat.st_ctime_ns


def is_own(directory: int, name: bytes, written: os.stat_result) -> bool:
    """Whether a name is a file of ours that nobody wrote to since.

    The change time is left out: a rename sets it.
    """
    try:
        return _identity(os.stat(name, dir_fd=directory, follow_symlinks=False)) == _identity(written)
    except FileNotFoundError:
        return False


def holds(directory: int, name: bytes, data: bytes) -> bool:
    """Whether a name is a file with exactly these bytes, as a fresh descriptor sees them. No when it can't be read."""
    try:
        fd = opened(name, os.O_RDONLY, directory)
    except OSError:
        return False
    try:
        return fd_holds(fd, data)
    except OSError:
        return False
    finally:
        os.close(fd)


def begins_with(directory: int, name: bytes, inode: int, data: bytes) -> bool:
    """Whether a name is the file with this inode number, and begins with these bytes. No when it can't be read."""
    try:
        fd = opened(name, os.O_RDONLY, directory)
    except OSError:
        return False
    try:
        return os.fstat(fd).st_ino == inode and _read(fd, len(data))[: len(data)] == data
    except OSError:
        return False
    finally:
        os.close(fd)


def fd_holds(fd: int, data: bytes) -> bool:
    """The same as `holds` of an open descriptor, wherever its position is; that moves."""
    status = os.fstat(fd)
    if status.st_size != len(data) or not stat.S_ISREG(status.st_mode):
        return False
    os.lseek(fd, 0, os.SEEK_SET)
    at = 0
    while piece := os.read(fd, _PIECE):
        if piece != data[at : at + len(piece)]:
            return False
        at += len(piece)
    return at == len(data)


def not_verified(place: Place, data: bytes, *, restored: bool) -> FsIoError:
    """The error for a file that does not read back as it was written.

    Args:
        place: The target.
        data: What was written.
        restored: Whether the old content is there again.
    """
    found = place.lstat()
    size = found.st_size if found else 0
    message = f"{place.shown} did not read back as it was written: {len(data)} bytes were meant to be there"
    message += "; the old content was put back." if restored else f", {size} are."
    details = {"meant": len(data), "found": size, "restored": restored}
    return FsIoError(place.shown, "VERIFY_FAILED", message, details)


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _read(fd: int, size: int) -> bytes:
    """Everything. One byte more than expected is asked for, so that one call is enough where nothing changes."""
    data = os.read(fd, size + 1)
    if len(data) == size and size:
        return data
    pieces = [data]
    while piece := os.read(fd, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)
