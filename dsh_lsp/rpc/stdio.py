"""The process's standard input and output as one peer's connection, and as nothing else any more.

Held: the two private descriptors that the protocol runs over, and how each kind of file behind them is read or
written without blocking. Absent: Windows, and any use of ``sys.stdin`` and ``sys.stdout``.

A ``print()`` left in some library, or a child process that writes to its inherited standard output, would break the
framing for good. So the protocol gets private duplicates that no child inherits, descriptor 1 becomes standard error,
and descriptor 0 becomes the null device.

=====================  =========================================================================================
a pipe                 asyncio's pipe transports
a socket               asyncio's socket transports: Node gives its children socket pairs, and a pipe transport takes
                       anything readable on its output (a half-closed socket, the same socket used for input) for
                       the reader's death
a terminal             opened anew by name, since "non-blocking" is a property of the open file, and the person's shell
                       shares it
anything else          (regular files, the null device) can't be waited for: a thread carries the bytes between it and a
                       socket pair
=====================  =========================================================================================
"""

from __future__ import annotations

import asyncio
import atexit
import os
import socket
import stat
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from dsh_lsp.rpc.connection import WRITE_LIMIT, Connection
from dsh_lsp.rpc.framing import STREAM_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 64 * 1024
_FLUSH_AT_EXIT: Final = 2.0


@dataclass(frozen=True, slots=True)
class StdioFds:
    """The private descriptors that used to be 0 and 1."""

    stdin: int
    stdout: int


def take_stdio() -> StdioFds:
    """Take standard input and output away from everybody else in this process and its children.

    To be called once, as early as there is a choice: what is printed before it goes to the peer.

    Raises:
        OSError: Descriptor 0 or 1 is closed.
    """
    private = StdioFds(stdin=os.dup(0), stdout=os.dup(1))  # not inheritable (PEP 446)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(null, 1)
    os.close(null)
    return private


async def stdio_connection(fds: StdioFds, *, name: str = "editor", write_limit: int = WRITE_LIMIT) -> Connection:
    """Return the connection over the descriptors of :func:`take_stdio`, which it owns from now on.

    Raises:
        OSError: A descriptor can't be used.
    """
    reader, writer, read_transport = await stdio_streams(fds)
    return Connection(reader, writer, name=name, write_limit=write_limit, read_transport=read_transport)


async def stdio_streams(
    fds: StdioFds,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, asyncio.ReadTransport | None]:
    """Return the streams over the descriptors, for a protocol that is not framed as LSP is.

    The transport behind the reader is there where it is not the writer's.

    Raises:
        OSError: A descriptor can't be used.
    """
    if _same_socket(fds.stdin, fds.stdout):
        os.close(fds.stdin)
        reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=fds.stdout), limit=STREAM_LIMIT)
        return reader, writer, None
    reader, read_transport = await _open_reader(fds.stdin)
    writer = await _open_writer(fds.stdout)
    return reader, writer, read_transport


async def _open_reader(fd: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(STREAM_LIMIT)
    pollable = _pollable(fd, os.O_RDONLY, _carry_in)
    if isinstance(pollable, socket.socket):
        transport, _ = await loop.create_connection(lambda: asyncio.StreamReaderProtocol(reader), sock=pollable)
        return reader, cast("asyncio.ReadTransport", transport)
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pollable, "rb", 0))
    return reader, pipe


async def _open_writer(fd: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    pollable = _pollable(fd, os.O_WRONLY, _carry_out)
    if isinstance(pollable, socket.socket):
        _, writer = await asyncio.open_connection(sock=pollable)
        return writer
    # StreamWriter asks its protocol for flow control and for the end of the connection, which StreamReaderProtocol
    # keeps; its reader is never fed.
    pipe, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(pollable, "wb", 0)
    )
    return asyncio.StreamWriter(pipe, protocol, None, loop)


def _pollable(fd: int, flags: int, carry: Callable[[int, socket.socket], None]) -> int | socket.socket:
    """Return what to use in the place of ``fd``, whose owner this becomes: a descriptor of a pipe, or a socket."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISSOCK(mode):
        return socket.socket(fileno=fd)
    if stat.S_ISFIFO(mode):
        return fd
    if os.isatty(fd):
        try:
            own = os.open(os.ttyname(fd), flags | os.O_NOCTTY)
        except OSError:  # no such name in this mount namespace
            return fd
        os.close(fd)
        return own
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=carry, args=(fd, theirs), daemon=True, name="stdio")
    thread.start()
    if carry is _carry_out:
        atexit.register(thread.join, _FLUSH_AT_EXIT)
    return ours


def _carry_in(fd: int, to: socket.socket) -> None:
    with to, os.fdopen(fd, "rb", 0) as file:
        try:
            while chunk := file.read(_CHUNK):
                to.sendall(chunk)
        except OSError:
            pass  # the connection was closed first, or the file can't be read: an end of stream either way


def _carry_out(fd: int, source: socket.socket) -> None:
    with source, os.fdopen(fd, "wb") as file:
        try:
            while chunk := source.recv(_CHUNK):
                file.write(chunk)
                file.flush()
        except OSError:
            pass  # the disk is full, say: closing our end tells the connection


def _same_socket(one: int, other: int) -> bool:
    first, second = os.fstat(one), os.fstat(other)
    return stat.S_ISSOCK(first.st_mode) and os.path.samestat(first, second)
