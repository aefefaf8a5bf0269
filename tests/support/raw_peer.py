"""A client that knows nothing but bytes, and one peer of ours at the other end of a socket pair.

The reading here is written independently of ``dsh_lsp.rpc.framing``, and every wait has a limit: a request that is
never answered fails its test and does not hang it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import TYPE_CHECKING, Any, TypeVar

from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import WRITE_LIMIT, Connection
from dsh_lsp.rpc.editor import editor_peer
from dsh_lsp.rpc.pump import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from dsh_lsp.rpc.agent import AgentProtocol
    from dsh_lsp.rpc.editor import EditorProtocol, OnInitialize
    from dsh_lsp.rpc.protocol import MethodTable, PeerProtocol

PATIENCE = 5.0

Peer = TypeVar("Peer", bound="PeerProtocol")


def frame(message: Any) -> bytes:
    """Return a message as a frame, UTF-8 unescaped, so that lengths in bytes and in characters differ."""
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RawClient:
    """Sends and reads frames over a pair of streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)

    def send(self, *messages: Any) -> None:
        """Send messages in one write."""
        self.send_bytes(b"".join(frame(message) for message in messages))

    def call(self, request_id: Any, method: str, params: Any = None) -> None:
        """Send a request and don't wait."""
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    def tell(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def receive(self) -> Any:
        """Return the next message; fails when none comes."""
        async with asyncio.timeout(PATIENCE):
            header = await self.reader.readuntil(b"\r\n\r\n")
            assert header.startswith(b"Content-Length: ")
            return json.loads(await self.reader.readexactly(int(header.split(b":")[1])))

    async def request(self, request_id: Any, method: str, params: Any = None) -> Any:
        """Send a request and return the next message, which must be its answer."""
        self.call(request_id, method, params)
        answer = await self.receive()
        assert (request_id, "method" in answer) == (answer["id"], False)
        return answer

    async def error(self, request_id: Any, method: str, params: Any = None) -> Any:
        """Send a request and return the error it is answered with."""
        return (await self.request(request_id, method, params))["error"]

    async def result(self, request_id: Any, method: str, params: Any = None) -> Any:
        """Send a request and return the result it is answered with."""
        return (await self.request(request_id, method, params))["result"]

    async def ended(self) -> bytes:
        """Return what still comes before the other end closes; fails when it doesn't."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()


async def stream_pair() -> tuple[tuple[asyncio.StreamReader, asyncio.StreamWriter], RawClient]:
    """Return the two ends of a socket pair, the second as a raw client."""
    ours, theirs = socket.socketpair()
    return await asyncio.open_connection(sock=ours), RawClient(*await asyncio.open_connection(sock=theirs))


@contextlib.asynccontextmanager
async def _session(make: Callable[[Connection], Peer], write_limit: int) -> AsyncIterator[tuple[RawClient, Peer]]:
    streams, client = await stream_pair()
    peer = make(Connection(*streams, write_limit=write_limit, name="test"))
    serving = asyncio.create_task(serve(peer))
    try:
        yield client, peer
    finally:
        client.writer.close()
        async with asyncio.timeout(PATIENCE):
            await serving


def agent_session(
    methods: MethodTable | None = None, *, write_limit: int = WRITE_LIMIT
) -> contextlib.AbstractAsyncContextManager[tuple[RawClient, AgentProtocol]]:
    """Serve an agent; yields the client at the other end and the peer."""
    return _session(lambda connection: agent_peer(connection, methods or {}), write_limit)


def editor_session(
    methods: MethodTable | None = None, *, on_initialize: OnInitialize | None = None
) -> contextlib.AbstractAsyncContextManager[tuple[RawClient, EditorProtocol]]:
    """Serve an editor that has not initialized yet; yields the client at the other end and the peer."""
    return _session(
        lambda connection: editor_peer(connection, methods or {}, version="0", on_initialize=on_initialize), WRITE_LIMIT
    )


async def initialize(client: RawClient, capabilities: dict[str, Any] | None = None) -> dict[str, Any]:
    """Do the opening of LSP and return the capabilities that the server answered with."""
    params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
    result = await client.result("initialize", "initialize", params)
    client.tell("initialized", {})
    capabilities = result["capabilities"]
    assert isinstance(capabilities, dict)
    return capabilities
