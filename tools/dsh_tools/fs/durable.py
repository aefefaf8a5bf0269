"""Getting bytes onto the device: all of them, and for good where that can be had.

Deliberately absent: which file they go to.
"""

import errno
import os

_NO_SYNC = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes at a descriptor's position, however many calls it takes."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def sync(fd: int) -> None:
    """``fsync``, without insisting where the file system has none; a failing device is still an error."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
