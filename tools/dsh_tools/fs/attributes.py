"""Mode, owner, group and extended attributes: what a replacement must take over from the file that it replaces.

Access control lists are extended attributes on Linux and come along. Deliberately absent: times (the content is new)
and link counts (see `in_place`).
"""

import errno
import os
import stat

_NOT_SUPPORTED = frozenset({errno.ENOTSUP, errno.ENODATA})


class CannotKeepError(Exception):
    """The replacement can't have all of it; what it can't have is the message."""


def keep_attributes(old: int, new: int) -> None:
    """Give a new file everything that the old one has.

    Args:
        old: A descriptor of the file that is to be replaced.
        new: A descriptor of its replacement.

    Raises:
        CannotKeepError: The process may not set one of them, or the file system does not take it.
    """
    was, now = os.fstat(old), os.fstat(new)
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.fchown(new, was.st_uid, was.st_gid)
        except OSError:
            raise CannotKeepError("its owner or group") from None
    try:
        os.fchmod(new, stat.S_IMODE(was.st_mode))
        _keep_extended(old, new)
    except OSError:
        raise CannotKeepError("its mode or extended attributes") from None


def _keep_extended(old: int, new: int) -> None:
    wanted, have = _extended(old), _extended(new)
    # A directory's default access control list gives the replacement attributes that the old file may not have.
    for name in have.keys() - wanted.keys():
        os.removexattr(new, name)
    for name, value in wanted.items():
        if have.get(name) != value:
            os.setxattr(new, name, value)


def _extended(fd: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(fd, name) for name in os.listxattr(fd)}
    except OSError as error:
        if error.errno in _NOT_SUPPORTED:
            return {}
        raise
