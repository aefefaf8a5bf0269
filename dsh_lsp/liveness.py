"""Whether the process that wrote something down is still there, when all that is known is what it wrote.

Held: pieces of evidence, each with its limits. Absent: the verdict; see :mod:`dsh_lsp.announcements`. The functions
block for a few system calls.
"""

import errno
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_STATE: Final = 0
_START_TIME: Final = 19
"""Where they stand after the name in ``/proc/<pid>/stat`` (proc(5), fields 3 and 22)."""

_ENDED: Final = (b"Z", b"X", b"x")


def process_started_at(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None where there is no ``/proc``, or no process.

    Together with the process id it names one process, and not the one that gets the same id later.
    """
    fields = _stat_fields(pid)
    return None if fields is None else int(fields[_START_TIME])


def is_running(pid: int, started_at: int | None) -> bool:
    """Whether the process ``pid`` that started then is running, as far as can be seen from here.

    False for one that has ended and waits to be collected by its parent. A process in another process-id namespace
    (that of a sandbox, say) can't be seen, or another one is seen in its place: False is no proof.

    Args:
        pid: The process, positive.
        started_at: As :func:`process_started_at` had it; None accepts any process of that id.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # there is one, and sandboxes forbid to signal it
    fields = _stat_fields(pid)
    if fields is None:
        return True
    return fields[_STATE] not in _ENDED and started_at in (None, int(fields[_START_TIME]))


def is_socket_there(path: Path) -> bool | None:
    """Whether ``path`` is a Unix socket; None if that can't be told from here, where even its directory is missing."""
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False if path.parent.is_dir() else None
    except OSError:
        return None


def is_listening(path: Path) -> bool | None:
    """Whether somebody listens on the Unix socket ``path``; None if that can't be told from here.

    Asked by connecting, so a listener sees a connection that ends without a byte. Never waits: a full queue is an
    answer too.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except BlockingIOError:
            return True
        except OSError as error:  # a path too long for a socket has no errno at all
            return False if error.errno in (errno.ECONNREFUSED, errno.ENOENT, errno.ENOTDIR) else None
    return True


def is_port_listening(port: int) -> bool | None:
    """Whether somebody listens on a loopback port; None if that can't be told at once."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.2)
        try:
            probe.connect(("127.0.0.1", port))
        except ConnectionRefusedError:
            return False
        except OSError:
            return None
    return True


def _stat_fields(pid: int) -> list[bytes] | None:
    with suppress(OSError):
        line = Path(f"/proc/{pid}/stat").read_bytes()
        # The name comes second, in parentheses, and may itself hold spaces and parentheses.
        fields = line.rpartition(b")")[2].split()
        if len(fields) > _START_TIME:
            return fields
    return None
