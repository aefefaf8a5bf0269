"""The processes of a Unix session: which are left, and how they are sent a signal.

A command runs in a session of its own, and in it in one process group or, with job control (``set -m``), in several.
The session is what is looked for, in ``/proc``: a group alone would miss the others, and asking by signal 0 would take
a zombie that nobody collects for something that runs. The session's leader must not be collected before the last look:
until then, its number is nobody else's.

Out of reach is what leaves the session (``setsid``, a daemon, a container, a unit of the service manager). To adopt
those, the server would have to be the reaper of all its descendants (``PR_SET_CHILD_SUBREAPER``), also of those that it
is not to end; that is not done. Blocking, for an executor.
"""

import os
import signal
from contextlib import suppress
from typing import Final

_STATE, _GROUP, _SESSION, _THREADS = 0, 2, 3, 17
"""Fields of ``/proc/PID/stat`` (proc(5)), counted from behind the name."""

_ENDED: Final = (b"Z", b"X")


def running_groups(session: int) -> frozenset[int]:
    """The process groups in which something of a session is running. Zombies are not running.

    Where the system does not let us look, the leader's group is taken to run.
    """
    try:
        found = [_stat(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names, not paths
    except OSError:
        return frozenset({session})
    return frozenset(
        int(fields[_GROUP]) for fields in found if fields and int(fields[_SESSION]) == session and _is_running(fields)
    )


def send(groups: frozenset[int], number: signal.Signals) -> None:
    """Send a signal to process groups. Those that are gone, or are somebody else's, are left alone."""
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _stat(pid: str) -> list[bytes]:
    """The fields behind the name; nothing for a process that is gone, or that is not ours to see."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            return os.read(fd, 4096).rpartition(b")")[2].split()
        finally:
            os.close(fd)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []


def _is_running(fields: list[bytes]) -> bool:
    # A process whose first thread has ended shows as a zombie while the others go on.
    return fields[_STATE] not in _ENDED or int(fields[_THREADS]) > 1
