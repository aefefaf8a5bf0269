"""What is told of a session, as the Agent Client Protocol (version 1) tells it: ``session/update`` notifications.

================  ==================================================================================
``updates``       a notification of ours as a ``tool_call`` or a ``tool_call_update``
``contents``      what of a card is shown in it: diff blocks, text, and which lines of which files
================  ==================================================================================

Everything here is a pure function of JSON: an adapter uses it live, and ``dsh-lsp replay --format acp`` on a journal.
Deliberately absent: ACP's connection, and its software development kit, which only the tests use.
"""

from dsh_lsp.acp.updates import session_update, session_updates

__all__ = ["session_update", "session_updates"]
