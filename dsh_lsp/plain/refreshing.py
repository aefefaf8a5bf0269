"""Having a client ask again: one request of a kind at a time, and one more if something has changed meanwhile."""

import asyncio
from collections.abc import Hashable
from contextlib import suppress

from pygls.exceptions import JsonRpcException

from dsh_lsp.editor import Peer
from dsh_lsp.rpc.errors import PeerGone

_WITHIN = 10.0
"""Seconds after which a client that has not answered may be asked again."""


class Refresher:
    """Sends refresh requests.

    Args:
        peer: The client.
    """

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._running: dict[Hashable, asyncio.Task[None]] = {}
        self._again: set[Hashable] = set()

    def ask(self, method: str, uri: str | None = None) -> None:
        """Ask the client to ask again, about a document or, for methods without one, about all."""
        key = (method, uri)
        if key in self._running:
            self._again.add(key)
            return
        self._running[key] = asyncio.ensure_future(self._ask(method, uri))

    async def close(self) -> None:
        """Ask nothing any more."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _ask(self, method: str, uri: str | None) -> None:
        key = (method, uri)
        try:
            while True:
                self._again.discard(key)
                with suppress(JsonRpcException, TimeoutError):  # it is asked again at the next change
                    await self._peer.request(method, None if uri is None else {"uri": uri}, timeout=_WITHIN)
                if key not in self._again:
                    return
        except PeerGone:
            return
        finally:
            del self._running[key]
