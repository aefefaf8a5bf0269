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

_AGAIN = 3600.0
"""Seconds after which the discovery files are written again: whoever tidies runtime directories takes old files away
(the XDG Base Directory Specification allows it after six hours without access)."""


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
        self._announcing: asyncio.Future[None] | None = None

    async def open(self) -> None:
        """Listen, and let agents know. Without a trustworthy place for the socket there is no door, and a warning."""
        try:
            await self._endpoint.open()
        except (RuntimeDirRefused, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            _log.warning("agents can't attach over the socket: %s", why)
            return
        self._is_open = True
        await self.announce()
        self._announcing = asyncio.ensure_future(self._announce_again_and_again())

    async def announce(self) -> None:
        """Let agents know which folders the workspace has now."""
        if self._is_open:
            await asyncio.to_thread(self._discovery.announce, self._hub.workspace.roots, self._endpoint.address)

    async def _announce_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(_AGAIN)
            try:
                await self.announce()
            except (RuntimeDirRefused, OSError) as error:
                _log.warning("the server could not be announced again: %s", type(error).__name__)

    async def close(self) -> None:
        """Send the agents away, and leave nothing behind."""
        self._is_open = False
        if self._announcing is not None:
            self._announcing.cancel()
        await asyncio.to_thread(self._discovery.withdraw)
        await self._endpoint.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, name="agent")
        peer = agent_peer(connection, self._methods, context=PeerContext(self._hub))
        connection.on_closed(lambda _reason: self._hub.peer_gone(peer))
        await serve(peer)
