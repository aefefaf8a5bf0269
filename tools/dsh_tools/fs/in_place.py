"""Writing into an existing file, where it can't be replaced.

A file with several hard links, one that is a mount point, or one in a directory that may not be written keeps its
inode. The new bytes go over the old ones and the length is set last, so that the file is at no moment empty; space is
reserved first, and if writing fails the old bytes are put back.

Deliberately absent: atomicity. Who reads meanwhile may see some of both; callers say so in a note.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from dsh_ledger.errors import FsError, FsIoError
from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.os_errors import fs_error
from dsh_tools.fs.places import Place
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, fd_holds, holds, not_verified

WriteAll: TypeAlias = Callable[[int, bytes], None]
"""Writes all bytes at a descriptor's position."""

_CANT_RESERVE = frozenset({errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV})


def write_in_place(place: Place, old: Snapshot, data: bytes, write: WriteAll) -> None:
    """Write over the file that was read, and verify.

    Args:
        place: The target.
        old: What was read from it.
        data: The new content.
        write: How to write.

    Raises:
        TargetChangedError: It holds something else by now.
        FsError: Writing failed, and the old bytes are there again unless details say ``restored: false``.
        OSError: It can't be opened for writing.
    """
    fd = place.open(os.O_RDWR)
    try:
        if not fd_holds(fd, old.data):
            raise TargetChangedError
        try:
            _reserve(fd, len(old.data), len(data))
            _overwrite(fd, data, write)
        except OSError as error:
            raise _failure(place, fd, old, data, fs_error(error, place.shown)) from None
        if not holds(place.directory, place.name, data):
            raise _failure(place, fd, old, data, None)
    finally:
        os.close(fd)


def _reserve(fd: int, size: int, new_size: int) -> None:
    """Have a full disk fail before a byte is lost. A file system that can't reserve is not an obstacle."""
    if new_size > size:
        try:
            os.posix_fallocate(fd, size, new_size - size)
        except OSError as error:
            if error.errno not in _CANT_RESERVE:
                raise


def _overwrite(fd: int, data: bytes, write: WriteAll) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    write(fd, data)
    os.ftruncate(fd, len(data))
    sync(fd)


def _failure(place: Place, fd: int, old: Snapshot, data: bytes, failed: FsError | None) -> FsError:
    """What to raise, once the old bytes are put back."""
    with suppress(OSError):
        _overwrite(fd, old.data, write_all)
    restored = holds(place.directory, place.name, old.data)
    if failed is None:
        return not_verified(place, data, restored=restored)
    if restored:
        return failed
    reason = failed.reason if isinstance(failed, FsIoError) else failed.code
    message = f"{place.shown}: writing in place failed ({reason}), and the old content could not be put back."
    return FsIoError(place.shown, reason, message, {"restored": False})
