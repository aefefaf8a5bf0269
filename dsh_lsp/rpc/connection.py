"""One peer's two streams, as something that can be written to without ever waiting.

Held: the streams, how much may be queued for a peer that does not read, and the end of the connection, once, with its
reason. Absent: what the messages mean, and who else is connected: a slow or a dead peer is its own affair, and
nobody waits for it.

Nothing of what passes through is ever logged, only lengths.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from dsh_lsp.rpc.framing import DEFAULT_LIMITS, FrameReader, Limits, Rejected, encode
from dsh_tools.reporting import log_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)

WRITE_LIMIT: Final = 32 * 1024 * 1024
"""Bytes that may be queued for a peer, one message of any size not counted."""

_LINGER: Final = 5.0
"""Seconds that a closed connection may take to hand over what was queued before it is cut."""


class Connection:
    """A peer's reader and writer.

    Args:
        reader: Where its messages come from.
        writer: Where ours go.
        name: What to call the peer in the log.
        write_limit: Bytes that may be queued. A message is always accepted while the queue is empty, and the largest
            one in the queue does not count, so that a big answer is not the peer's death; what is queued beyond that
            means that the peer has stopped reading, and it is dropped.
        limits: What one incoming frame may cost.
        read_transport: The transport behind ``reader``, where that is not the writer's.

    Attributes:
        name: As above.
        closed: Set as soon as the connection has ended, before the callbacks run.
        reason: Why it ended; empty while it is open.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        name: str = "peer",
        write_limit: int = WRITE_LIMIT,
        limits: Limits = DEFAULT_LIMITS,
        read_transport: asyncio.ReadTransport | None = None,
    ) -> None:
        self.name = name
        self.closed = asyncio.Event()
        self.reason = ""
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader(reader, limits)
        self._read_transport = read_transport
        self._write_limit = write_limit
        self._largest_queued = 0
        self._callbacks: list[Callable[[str], None]] = []
        self._patience: asyncio.TimerHandle | None = None

    @property
    def is_closed(self) -> bool:
        """Whether the connection has ended."""
        return self.closed.is_set()

    async def read(self) -> dict[str, Any] | Rejected | None:
        """Return the peer's next message, as :meth:`FrameReader.read` does."""
        return await self._frames.read()

    def send(self, message: Mapping[str, Any]) -> bool:
        """Queue a message that is plain JSON; see :meth:`write`.

        Raises:
            TypeError: The message is not JSON; nothing was queued.
            ValueError: The same, for NaN and circular values.
        """
        return self.write(encode(message))

    def write(self, frame: bytes) -> bool:
        """Queue a whole frame and return whether the connection took it. Never blocks, never raises.

        A peer that can't be written to, or that has too much queued already, is dropped.
        """
        if self.is_closed:
            return False
        transport = self._writer.transport
        if transport.is_closing():
            self.drop("the peer closed its end")
            return False
        queued = transport.get_write_buffer_size()
        self._largest_queued = max(self._largest_queued if queued else 0, len(frame))
        if queued + len(frame) > self._write_limit + self._largest_queued:
            logger.warning("%s: dropped, with %d bytes queued that it does not read", self.name, queued)
            self.drop("the peer does not read")
            return False
        try:
            self._writer.write(frame)
        except (OSError, RuntimeError) as error:
            self.drop(f"writing failed: {type(error).__name__}")
            return False
        if transport.is_closing():  # the transport reports a failed write only in this way
            self.drop("writing failed")
            return False
        return True

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Have ``callback(reason)`` called once, on a later turn of the loop, when the connection has ended.

        Later, so that whoever is in the middle of telling all peers something may go on doing so. On a connection
        that has ended already the call comes as well.
        """
        if self.is_closed:
            asyncio.get_running_loop().call_soon(self._call, callback)
        else:
            self._callbacks.append(callback)

    def close(self, reason: str) -> None:
        """End the connection: what is queued may still reach the peer, for a few seconds. Repeated calls do nothing."""
        if self._end(reason):
            self._writer.close()
            self._patience = asyncio.get_running_loop().call_later(_LINGER, self._cut)

    def drop(self, reason: str) -> None:
        """End the connection at once, with whatever is queued. Repeated calls do nothing."""
        if self._end(reason):
            self._writer.transport.abort()

    async def wait_closed(self) -> None:
        """Wait until what was queued has been handed over or given up, and the callbacks have run."""
        await self.closed.wait()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass  # it broke, which is an end too
        if self._patience is not None:
            self._patience.cancel()
        await asyncio.sleep(0)

    def _end(self, reason: str) -> bool:
        if self.is_closed:
            return False
        logger.debug("%s: closed: %s", self.name, reason)
        self.reason = reason
        self.closed.set()
        if self._read_transport is not None:
            self._read_transport.close()
        # Both callers close the writer's transport next, without a turn of the loop in between, so nothing can be fed
        # after this. Whoever waits for a message learns of the end now, and not when the queue is empty.
        self._reader.feed_eof()
        for callback in self._callbacks:
            asyncio.get_running_loop().call_soon(self._call, callback)
        return True

    def _call(self, callback: Callable[[str], None]) -> None:
        try:
            callback(self.reason)
        except Exception as error:  # noqa: BLE001 - one owner's bug must not keep the others from learning
            log_failure(logger, f"{self.name}: a callback for the end of the connection failed", error)

    def _cut(self) -> None:
        transport = self._writer.transport
        if queued := transport.get_write_buffer_size():  # else it has closed by itself
            logger.debug("%s: cut with %d bytes queued", self.name, queued)
            transport.abort()
