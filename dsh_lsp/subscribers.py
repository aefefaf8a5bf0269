"""Who is told of cards: editors that paint them, and peers that subscribed."""

import logging

from pydantic import BaseModel

from dsh_lsp.editor import Peer

_log = logging.getLogger(__name__)


class Subscribers:
    """Peers, and the sessions whose cards they want."""

    def __init__(self) -> None:
        self._wanted: dict[Peer, set[str] | None] = {}

    def add(self, peer: Peer, session: str | None) -> None:
        """From now on the peer is told of that session, or of all when none is named."""
        wanted = self._wanted.get(peer, set())
        if session is None or wanted is None:
            self._wanted[peer] = None
        else:
            self._wanted[peer] = wanted | {session}

    def remove(self, peer: Peer) -> None:
        """The peer has gone."""
        self._wanted.pop(peer, None)

    def tell(self, session: str, method: str, note: BaseModel) -> None:
        """Send a note about a session to all who want it. What can't be sent must not fail the call it is about."""
        for peer, wanted in self._wanted.items():
            if wanted is None or session in wanted:
                try:
                    peer.notify(method, note)
                except (TypeError, ValueError) as error:
                    _log.error("a %s could not be sent: %s", method, type(error).__name__)
