"""The places where agents attach: a Unix socket that only its owner can reach, and a loopback port.

Held: the listening sockets, the Unix socket's file, and one task per connection. Absent: the protocol. Not a byte is
read or written here; a connection is handed on as its two streams, and what becomes of one never touches another.

The Unix socket has three fences, each enough by itself: the directory is 0700, the socket is 0600, and the kernel is
asked who is at the other end (unix(7), ``SO_PEERCRED``) before anything is read. A port has none: whoever serves what
comes through it has to ask for proof first (`dsh_lsp.tcp`).
"""

import asyncio
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, Self, TypeAlias

from dsh_lsp.rpc.framing import STREAM_LIMIT
from dsh_lsp.runtime_dir import private_dir, runtime_dir
from dsh_lsp.unix_socket import bound_socket, peer_uid, socket_place
from dsh_tools.reporting import log_failure

logger = logging.getLogger(__name__)

OnConnect: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection and returns when it is done with it."""


class Endpoint(ABC):
    """Something that listens, and the connections that came through it.

    Args:
        on_connect: Called for each connection, in a task of its own. When it returns or raises, the connection is
            closed; an exception is logged and goes no further.
        limit: The ``limit`` of each connection's reader, in bytes.
        grace: Seconds that a connection has for its end: to send what was queued, and, when the endpoint closes, for
            ``on_connect`` to notice.
    """

    def __init__(self, on_connect: OnConnect, *, limit: int = STREAM_LIMIT, grace: float = 5.0) -> None:
        self._on_connect = on_connect
        self._limit = limit
        self._grace = grace
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._accepted = 0
        self._was_opened = False
        self._closing: asyncio.Task[None] | None = None

    @property
    def connections(self) -> int:
        """How many connections are being served or are on their way out."""
        return len(self._connections)

    async def open(self) -> None:
        """Start to listen. Once only; for start-up, since it makes a few system calls on the event loop.

        Raises:
            RuntimeDirRefused: There is no directory that is ours alone.
            OSError: The socket could not be made; ENAMETOOLONG if even the temporary directory's path is too long.
            RuntimeError: It was opened or closed before.
        """
        if self._was_opened or self._closing is not None:
            raise RuntimeError("the endpoint was opened or closed before")
        self._was_opened = True
        try:
            self._server = await self._listen()
        except BaseException:
            self._remove_files()
            raise

    @abstractmethod
    async def _listen(self) -> asyncio.Server:
        """Listen, and have `_accept` called."""

    def _may_connect(self, writer: asyncio.StreamWriter) -> bool:  # noqa: ARG002 - for subclasses
        """Whether a connection is served at all."""
        return True

    def _remove_files(self) -> None:  # noqa: B027 - there need not be any
        """Remove what listening has left in the file system."""

    async def close(self) -> None:
        """Stop accepting, close every connection, and remove the socket's file.

        What was queued for a peer may still reach it, within ``grace``; then its task is cancelled. Repeated and
        concurrent calls wait for the same end. Removing the files is two system calls on the event loop.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="close the agent endpoint")
        await asyncio.shield(self._closing)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_exc_info: object) -> None:
        await self.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closing is not None:
            writer.transport.abort()
            return
        if not self._may_connect(writer):
            writer.transport.abort()
            return
        self._accepted += 1
        name = f"agent connection {self._accepted}"
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer, name), name=name)
        self._connections[task] = writer
        task.add_done_callback(self._connections.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str) -> None:
        try:
            await self._on_connect(reader, writer)
        except ConnectionError as error:
            logger.debug("%s: ended by %s", name, type(error).__name__)
        except Exception as error:  # noqa: BLE001 - one connection's bug is not the others' end
            log_failure(logger, name, error)
        finally:
            writer.close()
            try:
                async with asyncio.timeout(self._grace):
                    await writer.wait_closed()
            except (TimeoutError, OSError):
                writer.transport.abort()

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._remove_files()
        for writer in self._connections.values():
            writer.close()  # the reader sees the end of the stream: the usual way for a connection to be over
        await self._all_ended()
        for task, writer in self._connections.items():
            writer.transport.abort()
            task.cancel()
        await self._all_ended()
        if self._connections:
            logger.error("%d agent connections did not end when cancelled", len(self._connections))

    async def _all_ended(self) -> None:
        if self._connections:
            await asyncio.wait(list(self._connections), timeout=self._grace)


class AgentEndpoint(Endpoint):
    """A listening Unix socket and the connections that came through it.

    Args:
        on_connect: See `Endpoint`.
        directory: Where the socket is put, made private first; the runtime directory by default.
        allowed_uids: Whose processes may connect; by default those of our own effective user alone, not even root's.
        limit: See `Endpoint`.
        grace: See `Endpoint`.
    """

    def __init__(
        self,
        on_connect: OnConnect,
        *,
        directory: Path | None = None,
        allowed_uids: Collection[int] | None = None,
        limit: int = STREAM_LIMIT,
        grace: float = 5.0,
    ) -> None:
        super().__init__(on_connect, limit=limit, grace=grace)
        self._directory = directory
        self._allowed_uids = frozenset({os.geteuid()} if allowed_uids is None else allowed_uids)
        self._path: Path | None = None
        self._own_directory: Path | None = None

    @property
    def path(self) -> Path:
        """The socket's file.

        Raises:
            RuntimeError: The endpoint was never opened.
        """
        if self._path is None:
            raise RuntimeError("the endpoint is not open")
        return self._path

    @property
    def address(self) -> str:
        """Where agents are to connect, as discovery files have it: ``unix:`` and the absolute path, nothing escaped."""
        return f"unix:{self.path}"

    async def _listen(self) -> asyncio.Server:
        directory = runtime_dir() if self._directory is None else private_dir(self._directory)
        self._path, self._own_directory = socket_place(directory.absolute())
        listening = bound_socket(self._path)
        try:
            return await asyncio.start_unix_server(self._accept, sock=listening, limit=self._limit)
        except BaseException:
            listening.close()
            raise

    def _may_connect(self, writer: asyncio.StreamWriter) -> bool:
        uid = peer_uid(writer.get_extra_info("socket"))
        if uid not in self._allowed_uids:
            logger.warning("refused a connection from %s", "an unknown user" if uid is None else f"user id {uid}")
            return False
        return True

    def _remove_files(self) -> None:
        if self._path is None:
            return
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
            if self._own_directory is not None:
                self._own_directory.rmdir()


class TcpEndpoint(Endpoint):
    """A listening loopback port and the connections that came through it."""

    HOST: Final = "127.0.0.1"

    @property
    def port(self) -> int:
        """The port, which the system has chosen.

        Raises:
            RuntimeError: The endpoint is not open.
        """
        if self._server is None or not self._server.sockets:
            raise RuntimeError("the endpoint is not open")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._accept, self.HOST, 0, limit=self._limit)
