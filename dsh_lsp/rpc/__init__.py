"""JSON-RPC between one process and its many peers: an editor, and any number of agents.

One event loop, one :class:`~dsh_lsp.rpc.connection.Connection` and one protocol object per peer:

==================  ================================================================================
``framing``         the frames of the base protocol as bytes; caps; what is wrong with a broken one
``connection``      a reader and a writer that never make anybody else wait
``stdio``           the process's own stdin and stdout as a connection, and as nothing else
``protocol``        receive, dispatch, answer, ask: what every peer does
``incoming``        the peer's requests that are being handled
``outgoing``        our requests that the peer has not answered
``validation``      what is wrong with a message's params, by field
``converter``       lsprotocol's types to and from JSON
``errors``          the error that a lost peer raises, and how an error looks on the wire
``agent, editor``   the two kinds of peer, and how to make one
``pump``            the loop that feeds a peer its messages
==================  ================================================================================

Deliberately absent: the methods themselves, documents, sessions, and everything that is shared between peers.
Nothing is imported here, so that a small process may read frames without loading pygls and lsprotocol (0.4 s).
"""
