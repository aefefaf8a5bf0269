"""The other door for agents: loopback TCP with a token, where a Unix socket can't be reached (from a container, say).

Anybody on the machine can connect to a loopback port, and so can a page in a browser. So the first message must be a
request ``dsh/authenticate`` with the token, which only the owner's discovery file has (0600 in a directory of 0700);
until then nothing else is read, answered or run, and the frame may be small only. A request of HTTP or WebSocket is no
frame of ours, and ends the connection before any handler runs. The token comes from `secrets`, and is never in a
command line or a log.
"""

import asyncio
import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from dsh_lsp.announcements import TcpDoor
from dsh_lsp.discovery import Found
from dsh_lsp.endpoint import OnConnect, TcpEndpoint
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.framing import INVALID_REQUEST, STREAM_LIMIT, FrameReader, Limits, Rejected, encode

AUTHENTICATE: Final = "dsh/authenticate"
_PATIENCE: Final = 10.0
"""Seconds that a peer has to show the token, and a server to accept it."""

_LINGER: Final = 1.0
"""Seconds that a peer has to read why it was refused."""

_FIRST: Final = Limits(header=1024, body=4096, depth=4)


@dataclass(frozen=True, slots=True)
class Token:
    """The secret of one door. It is not in the representation."""

    value: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def is_shown(self, frame: object) -> bool:
        """Whether a message is the request that shows it."""
        match frame:
            case {"method": "dsh/authenticate", "params": {"token": str(shown)}, "id": _}:
                return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self.value.encode())
            case _:
                return False


def guarded(serve: OnConnect, token: Token) -> OnConnect:
    """Serve a connection only after the token was shown on it."""

    async def serve_authenticated(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                frame = await FrameReader(reader, _FIRST).read()
        except TimeoutError:
            return
        if frame is None:
            return
        number = frame.id if isinstance(frame, Rejected) else frame.get("id")
        if not token.is_shown(frame):
            error = {"code": INVALID_REQUEST, "message": f"the first message must be {AUTHENTICATE} with the token"}
            writer.write(encode({"jsonrpc": "2.0", "id": number, "error": error}))
            await _let_it_read(reader, writer)
            return
        writer.write(encode({"jsonrpc": "2.0", "id": number, "result": {}}))
        await serve(reader, writer)

    return serve_authenticated


async def _let_it_read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send what was written, and wait a moment for the peer's end: unread bytes would make a reset of the closing."""
    writer.write_eof()
    with suppress(TimeoutError, OSError):
        async with asyncio.timeout(_LINGER):
            while await reader.read(4096):
                pass


async def connected(found: Found, name: str = "server") -> Connection:
    """Connect to a server: to its socket, or else to its port, if it has one.

    Raises:
        OSError: It can't be reached, or did not take the token.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(str(found.socket), limit=STREAM_LIMIT)
    except OSError:
        if found.tcp is None:
            raise
        reader, writer = await _connected_port(found.tcp)
    return Connection(reader, writer, name=name)


async def _connected_port(door: TcpDoor) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(TcpEndpoint.HOST, door.port, limit=STREAM_LIMIT)
    params = {"token": door.token}
    writer.write(encode({"jsonrpc": "2.0", "id": 0, "method": AUTHENTICATE, "params": params}))
    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await FrameReader(reader).read()
    except TimeoutError:
        answer = None
    if not isinstance(answer, dict) or "result" not in answer:
        writer.close()
        raise ConnectionRefusedError("the server did not take the token")
    return reader, writer
