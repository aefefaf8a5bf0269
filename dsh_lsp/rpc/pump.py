"""The loop that feeds one peer its messages, in order, until it ends.

Held: what happens with a frame that is not a message, and the turn of the loop that every message gives the others.
Absent: what is done with messages (``protocol``) and who the peers are.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from dsh_lsp.rpc.errors import error_answer
from dsh_lsp.rpc.framing import Rejected

if TYPE_CHECKING:
    from dsh_lsp.rpc.connection import Connection
    from dsh_lsp.rpc.protocol import PeerProtocol

logger = logging.getLogger(__name__)


async def serve(peer: PeerProtocol) -> str:
    """Read and handle a peer's messages until the stream ends, breaks, or is closed; return why.

    After each message the loop gets one turn: a handler that is a coroutine takes its first step before the next
    message is handled, so that handlers begin in the order of their messages, and a burst from one peer does not
    keep the others waiting.

    When this returns, the peer's own requests are cancelled, ours to it have failed with ``PeerGone``, the connection's
    callbacks have run, and what was queued for the peer has been handed over or given up (a few seconds at most). It
    doesn't wait for handlers that take their time to end, nor for what they have shielded.
    """
    connection = peer.connection
    try:
        while not connection.is_closed:
            take(peer, await connection.read())
            await asyncio.sleep(0)
    except OSError as error:
        connection.close(f"reading failed: {type(error).__name__}")
    except BaseException:
        connection.close("stopped")
        raise
    await connection.wait_closed()
    return connection.reason


def take(peer: PeerProtocol, frame: dict[str, Any] | Rejected | None) -> None:
    """Handle what :meth:`Connection.read` gave: a message, why there is none, or the end of the stream."""
    if frame is None:
        peer.connection.close("end of stream")
    elif isinstance(frame, Rejected):
        refuse(peer.connection, frame)
    else:
        peer.receive(frame)


def refuse(connection: Connection, frame: Rejected) -> None:
    """Answer a frame that is not a message; close the connection where nobody can tell where the next one starts."""
    logger.warning("%s: refused a frame: %s", connection.name, frame.message)
    connection.send(error_answer(frame.id, JsonRpcException(frame.message, frame.code)))
    if frame.fatal:
        connection.close(frame.message)
