"""Writing into an existing file, where it can't be replaced.

A file with several hard links, one that is a mount point, or one in a directory that may not be written keeps its
inode. The new bytes go over the old ones and the length is set last, so that the file is at no moment empty; space is
reserved first, and if writing fails the old bytes are put back. Both contents are kept in the crash log meanwhile: if
the process is killed, `recovery` puts the old bytes back. Where it can be had, nobody else can open the file meanwhile.

Deliberately absent: atomicity. Where it can't be had, who reads meanwhile may see some of both; callers say so in a
note. So may, after a kill, who reads before the next process has put the old bytes back.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from dsh_ledger.errors import FsError, FsIoError
from dsh_tools.fs.crash_log import Entry
from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.leases import alone
from dsh_tools.fs.os_errors import fs_error
from dsh_tools.fs.places import Place
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, fd_holds, holds, not_verified

WriteAll: TypeAlias = Callable[[int, bytes], None]
"""Writes all bytes at a descriptor's position."""

_CANT_RESERVE = frozenset({errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV})


def write_in_place(place: Place, old: Snapshot, data: bytes, write: WriteAll, entry: Entry) -> None:
    """Write over the file that was read, and verify.

    Args:
        place: The target.
        old: What was read from it.
        data: The new content.
        write: How to write.
        entry: Where both contents are kept. It is ended, unless the file is left with something else.

    Raises:
        TargetChangedError: It holds something else by now.
        FsError: Writing failed, and the old bytes are there again unless details say ``restored: false``.
        OSError: It can't be opened for writing.
    """
    try:
        _write_in_place(place, old, data, write)
    except FsError as error:
        if error.details.get("restored") is not False:
            entry.end()
        raise
    except (OSError, TargetChangedError):
        entry.end()
        raise
    entry.end()


def overwrite(fd: int, data: bytes, write: WriteAll = write_all) -> None:
    """Give an open file other content, in an order in which it is never empty, and never longer than the longer one."""
    os.lseek(fd, 0, os.SEEK_SET)
    write(fd, data)
    os.ftruncate(fd, len(data))
    sync(fd)


def is_half_written(found: bytes, old: bytes, new: bytes) -> bool:
    """Whether a content is what `overwrite` leaves when it is interrupted, or when what was to mend that is.

    That is: old bytes, then new ones, then old ones, each part possibly empty; zeros where room was reserved.
    """
    if not min(len(old), len(new)) <= len(found) <= max(len(old), len(new)):
        return False
    room = old.ljust(len(found), b"\0")
    mended = _common(found, room, 0)
    written = _common(found, new, mended)
    return found[written:] == room[written : len(found)]


def _write_in_place(place: Place, old: Snapshot, data: bytes, write: WriteAll) -> None:
    fd = place.open(os.O_RDWR)
    failed: FsError | None = None
    try:
        with alone(fd):
            if not fd_holds(fd, old.data):
                raise TargetChangedError
            try:
                _reserve(fd, len(old.data), len(data))
                overwrite(fd, data, write)
            except OSError as error:
                failed = fs_error(error, place.shown)
                _put_back(fd, old.data, data)
        if failed is None and not holds(place.directory, place.name, data):
            _put_back(fd, old.data, data)
            raise not_verified(place, data, restored=holds(place.directory, place.name, old.data))
    finally:
        os.close(fd)
    if failed is not None:
        raise failed if holds(place.directory, place.name, old.data) else _not_restored(place, failed)


def _reserve(fd: int, size: int, new_size: int) -> None:
    """Have a full disk fail before a byte is lost. A file system that can't reserve is not an obstacle."""
    if new_size > size:
        try:
            os.posix_fallocate(fd, size, new_size - size)
        except OSError as error:
            if error.errno not in _CANT_RESERVE:
                raise


def _put_back(fd: int, old: bytes, new: bytes) -> None:
    """Write the old content, but not over what another program wrote meanwhile."""
    with suppress(OSError):
        if is_half_written(_content(fd), old, new):
            overwrite(fd, old)


def _not_restored(place: Place, failed: FsError) -> FsIoError:
    reason = failed.reason if isinstance(failed, FsIoError) else failed.code
    message = f"{place.shown}: writing in place failed ({reason}), and the old content could not be put back."
    return FsIoError(place.shown, reason, message, {"restored": False})


def _content(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    pieces = []
    while piece := os.read(fd, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _common(one: bytes, other: bytes, start: int) -> int:
    """Where two contents, compared from a position on, first differ."""
    low, high = start, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return max(low, start)
