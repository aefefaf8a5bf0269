"""What an editor's user is told in a message (LSP 3.17, ``window/showMessage``), or asked.

The text is plain by the protocol. VS Code makes links of ``[words](command:…)`` in it all the same, and runs commands
from them: the name of a file, or a command that an agent wants to run, could bring a button of its own along.
"""

from lsprotocol import types


def message(kind: types.MessageType, text: str) -> types.ShowMessageParams:
    """The params of ``window/showMessage``."""
    return types.ShowMessageParams(kind, f"dsh-lsp: {unlinked(text)}")


def unlinked(text: str) -> str:
    """The text with no link in it for anybody: a word joiner, which nobody sees, keeps the two halves of one apart."""
    return text.replace("](", "]\N{WORD JOINER}(")
