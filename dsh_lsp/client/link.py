"""One connection to the server of a workspace, made again when it ends.

Held: finding the server, connecting, and sending a request again that was lost with its connection. A request that is
sent again must be one that does no harm the second time; that is the caller's to know. Deliberately absent: what the
requests mean.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import ConfigDict, RootModel
from pygls.exceptions import JsonRpcException

from dsh_lsp.client.errors import Disconnected, NoServer, RequestRefused, Unsupported
from dsh_lsp.discovery import Found, find
from dsh_lsp.rpc.agent import AgentProtocol, agent_peer
from dsh_lsp.rpc.errors import PeerGone
from dsh_lsp.rpc.pump import serve
from dsh_lsp.tcp import connected
from dsh_lsp.wire import PROTOCOL_VERSION

Hear: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Told of each notification: method and params."""

_SHORTEST: Final = 0.02
_LONGEST: Final = 0.5
"""Seconds between two looks for a server."""

_ANSWER: Final = 5.0
"""Seconds that a server has to answer on a new connection: one that was stopped takes connections and says nothing."""

_THERE: Final = "$/isThere"
"""A request that no server knows, and every one that lives answers at once, with an error (LSP 3.17, "$ Notifications
and Requests")."""

_FIRST: Final = asyncio.FIRST_COMPLETED


class _Params(RootModel[dict[str, Any]]):
    model_config = ConfigDict(strict=True)


class Link:
    """The connection of one client. Made by `open`.

    Args:
        workspace: A folder of the workspace, or one in it.
        patience: Seconds to look for a server, at first and each time the connection has ended.
        heard: Names of the notifications to hear.
        hear: Told of them.
        renewed: Called after each new connection, before anything else is sent on it.
        absent: Called, again and again, while there is no server; it may start one.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        patience: float,
        heard: tuple[str, ...],
        hear: Hear,
        renewed: Callable[["Link"], Awaitable[None]],
        absent: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._workspace = workspace
        self._patience = patience
        self._heard = heard
        self._hear = hear
        self._renewed = renewed
        self._absent = absent
        self._peer: AgentProtocol | None = None
        self._serving: asyncio.Task[str] | None = None
        self._connecting = asyncio.Lock()
        self._closed = asyncio.Event()

    async def open(self) -> None:
        """Connect for the first time.

        Raises:
            NoServer: No server has the workspace.
            Unsupported: It speaks another version of the protocol.
        """
        await self._connected()

    async def request(self, method: str, params: dict[str, Any], *, again: bool) -> Any:
        """Send a request and return its result.

        Args:
            method: As on the wire.
            params: As on the wire.
            again: Whether it may be sent again when the connection ends before the answer.

        Raises:
            RequestRefused: The server refused it.
            Disconnected: The connection ended, and the request was not sent again, or no server could be found.
        """
        while True:
            peer = await self._connected()
            try:
                return await self.ask(peer, method, params)
            except PeerGone as gone:
                if not again or self._closed.is_set():
                    raise Disconnected(f"the connection ended before {method} was answered") from gone

    async def ask(self, peer: AgentProtocol, method: str, params: dict[str, Any]) -> Any:
        """Send a request on one connection. Giving up on it tells the server, which may have done it all the same.

        Raises:
            RequestRefused: The server refused it.
            PeerGone: The connection has ended.
        """
        number = f"c-{secrets.token_hex(8)}"
        answer = peer.send_request(method, params, msg_id=number)
        try:
            return await asyncio.wrap_future(answer)
        except JsonRpcException as error:
            raise RequestRefused(error.code, error.message, error.data) from None
        except asyncio.CancelledError:
            peer.notify("$/cancelRequest", {"id": number})
            raise

    async def wait(self, happened: asyncio.Event) -> None:
        """Return when something has happened that this connection tells of; one that ends meanwhile is made again.

        Raises:
            NoServer: No server has the workspace any more.
            Disconnected: The client is closed.
        """
        waiting = asyncio.ensure_future(happened.wait())
        try:
            while not waiting.done():
                await self._connected()
                serving = self._serving
                await asyncio.wait({waiting} if serving is None else {waiting, serving}, return_when=_FIRST)
        finally:
            waiting.cancel()

    @property
    def current(self) -> AgentProtocol | None:
        """The connection as it is, for whoever renews it; None while there is none."""
        return self._peer

    async def close(self) -> None:
        """End the connection for good, also one that is being made: whoever waits for that is told so."""
        self._closed.set()
        self._end_connection()
        async with self._connecting:
            self._end_connection()
        if self._serving is not None:
            await self._serving

    def _end_connection(self) -> None:
        if self._peer is not None:
            self._peer.connection.close("the client has ended")

    async def _connected(self) -> AgentProtocol:
        async with self._connecting:
            if not self._closed.is_set() and (self._peer is None or self._peer.connection.is_closed):
                await self._connect()
            if self._closed.is_set():
                raise Disconnected("this client is closed")
            if self._peer is None:
                raise Disconnected("the connection ended at once")
            return self._peer

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        pause = _SHORTEST
        while not self._closed.is_set():
            silent: Found | None = None
            for found in await asyncio.to_thread(find, self._workspace):
                # A server of a folder above knows nothing of what is unsaved at one that does not answer.
                if self._closed.is_set() or (silent is not None and found.folder != silent.folder):
                    break
                try:
                    if await self._attached(found):
                        return
                except TimeoutError:
                    silent = found
            if self._absent is not None and not self._closed.is_set():
                await self._absent()
            if loop.time() + pause > deadline:
                raise NoServer(self._why_none(silent))
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST)

    def _why_none(self, silent: Found | None) -> str:
        if silent is not None:
            return f"the server of the workspace {self._workspace} does not answer: end it (process {silent.pid})"
        return (
            f"no server has the workspace {self._workspace}: open it in an editor that starts dsh-lsp, or run "
            "dsh-lsp serve there"
        )

    async def _attached(self, found: Found) -> bool:
        """Connect to a server; whether that went well. One that is on its way out may end the connection at once.

        Raises:
            TimeoutError: It says nothing.
        """
        if found.protocol_version != PROTOCOL_VERSION:
            raise Unsupported(
                f"the server speaks version {found.protocol_version} of the protocol, and this client version "
                f"{PROTOCOL_VERSION}: install the same version of dsh-lsp for both"
            )
        try:
            connection = await connected(found)
        except OSError:
            return False
        if self._closed.is_set():
            connection.close("the client has ended")
            return False
        peer = agent_peer(connection, {method: (_Params, self._told(method)) for method in self._heard})
        self._peer, self._serving = peer, asyncio.create_task(serve(peer), name="dsh-lsp client")
        try:
            async with asyncio.timeout(_ANSWER):
                with suppress(RequestRefused):
                    await self.ask(peer, _THERE, {})
            await self._renewed(self)
        except PeerGone:
            return False
        except BaseException:
            connection.close("the client could not begin")
            raise
        return True

    def _told(self, method: str) -> Callable[[Any, _Params], None]:
        return lambda _peer, params: self._hear(method, params.root)
