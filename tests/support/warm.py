"""Servers that are forked from a process which has imported them already: a start costs 20 ms instead of a second.

There is one such process for each process that runs tests. `DSH_COLD_SERVERS=1` starts every server anew, as do all
platforms without process descriptors. Deliberately absent: anything about what the servers do.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SCRIPT: Final = Path(__file__).with_name("warm_server.py")
_COMMAND: Final = (sys.executable, "-m", "dsh_lsp")
_LOCALE: Final = {"LANG": "C.UTF-8"}


def can_be_warm(command: Sequence[str], env: Mapping[str, str] | None) -> bool:
    """Whether a server may be forked: it is the usual command, and nothing asks for another kind of interpreter."""
    if env is None or os.environ.get("DSH_COLD_SERVERS") or not hasattr(os, "pidfd_open"):
        return False
    settings = {name: value for name, value in env.items() if name.startswith(("PYTHON", "LC_", "LANG"))}
    return tuple(command[:3]) == _COMMAND and settings == _LOCALE


class WarmProcess:
    """A forked server; has what `ServerProcess` needs of an `asyncio.subprocess.Process`. Made by `start`."""

    def __init__(
        self,
        pid: int,
        pipes: tuple[asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamReader],
        status: asyncio.StreamReader,
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin, self.stdout, self.stderr = pipes
        self._ended = asyncio.create_task(self._end(status))

    @classmethod
    async def start(cls, command: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> WarmProcess:
        """Have a server forked.

        Raises:
            OSError: There is no process that could fork it.
        """
        (stdin, to), (out, stdout), (err, stderr), (ends, status) = (os.pipe() for _ in range(4))
        request = {"argv": ["dsh-lsp", *command[3:]], "env": dict(env), "cwd": str(cwd or Path.cwd())}
        theirs = [stdin, stdout, stderr, status]
        try:
            socket.send_fds(_forker(), [json.dumps(request).encode()], theirs)
        finally:
            for fd in theirs:
                os.close(fd)
        says = await _reader(ends)
        pipes = await _writer(to), await _reader(out), await _reader(err)
        return cls(int(await says.readline()), pipes, says)

    async def wait(self) -> int:
        """The exit code, once it has ended; negative for a signal."""
        return await asyncio.shield(self._ended)

    async def _end(self, status: asyncio.StreamReader) -> int:
        self.returncode = int(await status.readline())
        return self.returncode


_forkers: dict[int, socket.socket] = {}


def _forker() -> socket.socket:
    """The socket to the process that forks; it is this process's own, not one that was inherited."""
    if (mine := _forkers.get(os.getpid())) is None:
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            process = subprocess.Popen(
                [sys.executable, "-P", str(_SCRIPT), str(its.fileno())],
                pass_fds=[its.fileno()],
                env={"PATH": os.environ.get("PATH", os.defpath), **_LOCALE},
                stdin=subprocess.DEVNULL,
            )
        _forkers[os.getpid()] = mine
        atexit.register(_let_go, mine, process)
    return mine


def _let_go(mine: socket.socket, process: subprocess.Popen[bytes]) -> None:
    mine.close()
    process.wait()


async def _reader(fd: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb", 0)
    )
    return reader


async def _writer(fd: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    pipe, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(fd, "wb", 0)
    )
    return asyncio.StreamWriter(pipe, protocol, None, loop)
