"""The door for agents: a socket, perhaps a loopback port, and the file by which they find them.

Other editors of the workspace come the same way.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dsh_lsp.announcements import TcpDoor
from dsh_lsp.discovery import Discovery
from dsh_lsp.endpoint import AgentEndpoint, TcpEndpoint
from dsh_lsp.handlers.context import PeerContext
from dsh_lsp.hub import Hub
from dsh_lsp.joining.attaching import is_attach
from dsh_lsp.rpc.agent import agent_peer
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.protocol import MethodTable
from dsh_lsp.rpc.pump import serve, take
from dsh_lsp.runtime_dir import RuntimeDirRefused
from dsh_lsp.tcp import Token, guarded

_log = logging.getLogger(__name__)

_AGAIN = 3600.0
"""Seconds after which the discovery files are written again: whoever tidies runtime directories takes old files away
(the XDG Base Directory Specification allows it after six hours without access)."""

ServeEditor: TypeAlias = Callable[[Connection, dict[str, Any]], Awaitable[None]]
"""Serves the connection of an editor that has asked for it with this message."""


class AgentDoor:
    """Lets agents in.

    Args:
        hub: What they come for.
        methods: What they may call.
        serve_editor: Serves a connection on which the first message asks to be an editor.
        again: Done together with each announcement that is made only so that nobody takes it for old.
        tcp: Whether agents may also come through a loopback port, with a token.
    """

    def __init__(
        self,
        hub: Hub,
        methods: MethodTable,
        serve_editor: ServeEditor,
        again: Callable[[], None] = lambda: None,
        *,
        tcp: bool = False,
    ) -> None:
        self._hub = hub
        self._methods = methods
        self._serve_editor = serve_editor
        self._again = again
        self._endpoint = AgentEndpoint(self._serve)
        self._token = Token()
        self._tcp = TcpEndpoint(guarded(self._serve, self._token)) if tcp else None
        self._discovery = Discovery()
        self._is_open = False
        self._announcing: asyncio.Future[None] | None = None

    @property
    def is_open(self) -> bool:
        """Agents can come in."""
        return self._is_open

    async def open(self) -> None:
        """Listen, and let agents know. Without a trustworthy place for the socket there is no door, and a warning."""
        try:
            await self._endpoint.open()
        except (RuntimeDirRefused, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            _log.warning("agents can't attach over the socket: %s", why)
            return
        self._is_open = True
        await self._open_port()
        await self.announce()
        self._announcing = asyncio.ensure_future(self._announce_again_and_again())

    async def _open_port(self) -> None:
        if self._tcp is not None:
            try:
                await self._tcp.open()
            except OSError as error:
                _log.warning("agents can't attach over a loopback port: %s", error.strerror)
                self._tcp = None

    async def announce(self) -> None:
        """Let agents know which folders the workspace has now."""
        if self._is_open:
            await asyncio.to_thread(self._announce, self._hub.workspace.roots)

    def _announce(self, folders: Sequence[Path]) -> None:
        port = None if self._tcp is None else TcpDoor(port=self._tcp.port, token=self._token.value)
        self._discovery.announce(folders, self._endpoint.address, port)

    async def _announce_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(_AGAIN)
            try:
                await self.announce()
                await asyncio.to_thread(self._again)
            except (RuntimeDirRefused, OSError) as error:
                _log.warning("the server could not be announced again: %s", type(error).__name__)

    async def withdraw(self) -> None:
        """Let nobody find the door any more."""
        self._is_open = False
        if self._announcing is not None:
            self._announcing.cancel()
        await asyncio.to_thread(self._discovery.withdraw)

    async def close(self) -> None:
        """Send the agents away, and leave nothing behind."""
        await self.withdraw()
        if self._tcp is not None:
            await self._tcp.close()
        await self._endpoint.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, name="agent")
        frame = await connection.read()
        if is_attach(frame):
            await self._serve_editor(connection, frame)
            return
        peer = agent_peer(connection, self._methods, context=PeerContext(self._hub))
        connection.on_closed(lambda _reason: self._hub.peer_gone(peer))
        take(peer, frame)
        await serve(peer)
