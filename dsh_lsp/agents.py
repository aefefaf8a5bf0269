"""The door for agents: a socket, and the file by which they find it."""

import asyncio
import logging

from dsh_lsp.discovery import Discovery
from dsh_lsp.endpoint import AgentEndpoint
from dsh_lsp.handlers.context import PeerContext
from dsh_lsp.hub import Hub
from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.protocol import MethodTable
from dsh_lsp.rpc.pump import serve
from dsh_lsp.runtime_dir import RuntimeDirRefused

_log = logging.getLogger(__name__)


class AgentDoor:
    """Lets agents in.

    Args:
        hub: What they come for.
        methods: What they may call.
    """

    def __init__(self, hub: Hub, methods: MethodTable) -> None:
        self._hub = hub
        self._methods = methods
        self._endpoint = AgentEndpoint(self._serve)
        self._discovery = Discovery()
        self._is_open = False

    async def open(self) -> None:
        """Listen, and let agents know. Without a trustworthy place for the socket there is no door, and a warning."""
        try:
            await self._endpoint.open()
        except (RuntimeDirRefused, OSError) as error:
            _log.warning("agents can't attach over the socket: %s", error)
            return
        self._is_open = True
        await self.announce()

    async def announce(self) -> None:
        """Let agents know which folders the workspace has now."""
        if self._is_open:
            await asyncio.to_thread(self._discovery.announce, self._hub.workspace.roots, self._endpoint.address)

    async def close(self) -> None:
        """Send the agents away, and leave nothing behind."""
        self._is_open = False
        await asyncio.to_thread(self._discovery.withdraw)
        await self._endpoint.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, name="agent")
        peer = agent_peer(connection, self._methods, context=PeerContext(self._hub))
        connection.on_closed(lambda _reason: self._hub.peer_gone(peer))
        await serve(peer)
