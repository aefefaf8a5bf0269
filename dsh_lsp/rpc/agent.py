"""An agent as a peer: our own methods and nothing else, cheap enough to be made for every connection.

Absent: LSP's life cycle. An agent does not initialize or shut down; it opens sessions, and it leaves by closing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pygls.protocol import JsonRPCProtocol
from pygls.server import JsonRPCServer

from dsh_lsp.rpc.converter import shared_converter
from dsh_lsp.rpc.protocol import MethodTable, PeerProtocol

if TYPE_CHECKING:
    from dsh_lsp.rpc.connection import Connection


class AgentProtocol(PeerProtocol, JsonRPCProtocol):
    """The peer that an agent is."""


class AgentServer(JsonRPCServer):
    """The pygls server object of one agent.

    Args:
        connection: The agent's connection.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        super().__init__(AgentProtocol, shared_converter)

    @property
    def peer(self) -> AgentProtocol:
        """The agent; pygls types ``protocol`` less exactly."""
        return cast("AgentProtocol", self.protocol)


def agent_peer(connection: Connection, methods: MethodTable, *, context: Any = None) -> AgentProtocol:
    """Return the peer for one agent's connection; feed it with :func:`dsh_lsp.rpc.pump.serve`.

    Args:
        connection: Its connection.
        methods: What it may call.
        context: What the handlers find as ``peer.context``.
    """
    peer = AgentServer(connection).peer
    peer.context = context
    peer.install(methods)
    return peer
