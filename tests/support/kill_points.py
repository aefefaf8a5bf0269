"""Killing a process right before its n-th system call on files, for every n.

A function that makes a system call is replaced by one that counts; at the n-th the process kills itself. Between two
such calls nothing on the disk changes, so the moments before each of them are all the moments there are; in the middle
of a write is one more. Deliberately absent: what is expected to be found afterwards.
"""

import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from dsh_tools.fs import renameat2

CALLS = (
    *("access", "close", "fchmod", "fchown", "fstat", "fsync", "ftruncate", "getxattr", "link", "listxattr", "lseek"),
    *("mkdir", "open", "posix_fallocate", "read", "removexattr", "rename", "rmdir", "scandir", "setxattr", "stat"),
    *("unlink", "write"),
)
"""Functions of ``os``; those of ``fcntl`` and ``renameat2`` are counted too."""

Where = tuple[int, bool]
"""Before which call, counted from 1, and whether half of it is still done, if it is a write."""


class _Counter:
    def __init__(self, where: Where) -> None:
        self._number, self._half = where
        self._count = 0
        self._write = os.write

    def counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            self._count += 1
            if self._count == self._number:
                if self._half and name == "write":
                    self._write(args[0], bytes(args[1][: len(args[1]) // 2]))
                self._write(2, f"{name}\n".encode())
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return counting


def arm(where: Where) -> None:
    """Have this process killed at a call from now on."""
    counter = _Counter(where)
    for name in CALLS:
        setattr(os, name, counter.counted(name, getattr(os, name)))
    for name in ("fcntl", "flock"):
        setattr(fcntl, name, counter.counted(name, getattr(fcntl, name)))
    if renameat2._function is not None:
        renameat2._function = counter.counted("renameat2", renameat2._function)


def killed_at(where: Where, work: Callable[[], object]) -> str | None:
    """Do something in a child process that is killed at a call.

    Returns:
        The call's name; None when the child came to its end first.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os.dup2(write, 2)
        arm(where)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - never to go on as its parent would
            os.write(2, f"failed: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        name = said.read().decode().strip()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return None
    if status != -signal.SIGKILL:
        sys.exit(f"the child left with {status}: {name}")
    return name


def points(work: Callable[[], object], prepare: Callable[[], object]) -> Iterator[tuple[str, Where]]:
    """Kill something at every point, one after the other; look at what is there after each.

    Args:
        work: What is done, each time in a child.
        prepare: Makes things as they were before; called before each.

    Yields:
        The call before which it was killed, and where that was.
    """
    number = 1
    while True:
        prepare()
        name = killed_at((number, False), work)
        if name is None:
            return
        yield name, (number, False)
        if name == "write":
            prepare()
            killed_at((number, True), work)
            yield "half a write", (number, True)
        number += 1
