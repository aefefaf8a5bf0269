"""A Unix socket that only its owner can reach, and the question of who is at the other end.

Held: where the socket's file is put, the modes it has from its first moment on, and the peer's user as the kernel
knows it. Absent: listening, accepting, and anything that is sent. The functions make a few system calls and block for
those; they are for start-up.
"""

import errno
import os
import secrets
import socket
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

SUN_PATH: Final = 108 if sys.platform == "linux" else 104
"""Bytes of a socket's path, the closing NUL included (unix(7); sys/un.h of the BSDs and macOS)."""

_OWN_DIRECTORY: Final = "dsh-"
_RANDOM_PART: Final = 8  # what tempfile.mkdtemp appends


def socket_place(directory: Path) -> tuple[Path, Path | None]:
    """Return a random path for a socket in ``directory``, and the directory that was made for it, if any.

    One is made, mode 0700, among the temporary files, where ``directory`` has a longer path than a socket can have.

    Args:
        directory: An absolute path of a directory that nobody else can enter.

    Raises:
        OSError: ENAMETOOLONG if even the temporary directory's path is too long; or the directory can't be made.
    """
    name = f"{secrets.token_hex(8)}.sock"
    if len(os.fsencode(directory / name)) < SUN_PATH:
        return directory / name, None
    for base in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - a private directory is made in it
        if len(os.fsencode(f"{base}/{_OWN_DIRECTORY}/{name}")) + _RANDOM_PART < SUN_PATH:
            own = Path(tempfile.mkdtemp(prefix=_OWN_DIRECTORY, dir=base))
            return own / name, own
    raise OSError(errno.ENAMETOOLONG, "the path is too long for a socket")


def bound_socket(path: Path) -> socket.socket:
    """Return a socket bound to ``path``, mode 0600, not inheritable (PEP 446), not blocking.

    The umask is left alone: it is the whole process's, and other threads create the user's files meanwhile.

    Raises:
        OSError: The path is taken or can't be created.
    """
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(OSError):  # on Linux the file is born with the socket's own mode; elsewhere this is EINVAL
            os.fchmod(bound.fileno(), 0o600)
        bound.bind(str(path))
        path.chmod(0o600)
        bound.setblocking(False)
    except BaseException:
        bound.close()
        raise
    return bound


if sys.platform == "linux":

    def peer_uid(connection: socket.socket) -> int | None:
        """Return the effective user at the other end, as of its connecting; None if the kernel won't say.

        unix(7), ``SO_PEERCRED``: the credentials are those in effect at the time of the connect call, so a process
        can't change them, or hand the connection to another, to look like somebody else.
        """
        credentials = struct.Struct("iII")  # struct ucred: pid, uid, gid
        try:
            raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
        except OSError:
            return None
        _pid, uid, _gid = credentials.unpack(raw)
        return int(uid)

else:

    def peer_uid(connection: socket.socket) -> int | None:
        """Return the effective user at the other end, as of its connecting; None if the system won't say.

        getpeereid(3) of the BSDs and macOS, which Python does not wrap.
        """
        import ctypes

        uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
        try:
            failed = ctypes.CDLL(None).getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid))
        except (AttributeError, OSError):
            return None
        return None if failed else uid.value
