"""What a plain client can do, from its capabilities (LSP 3.17, "Client Capabilities"; 3.18 for text document content).

Deliberately absent: its name. What it did not declare, it does not get.
"""

from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True, slots=True)
class PlainClient:
    """A client without a plug-in of ours.

    Attributes:
        pulls: It asks for diagnostics. Not a client that can't be told to ask again but takes what is published: after
            a decision that changes no text (a hunk is kept), it would show what is no longer true.
        pushes: Diagnostics are published to it. Never together with `pulls`: both would be shown.
        versioned: It wants to know the version that diagnostics are about.
        refreshes_diagnostics: It can be told to ask again.
        lenses: It shows code lenses.
        refreshes_lenses: It can be told to ask for them again.
        actions: It shows code actions.
        literals: Code actions may be more than commands.
        hover: What hovers are written in; None without hovers.
        commands: It has a way to get at commands. Clients (Neovim) execute those of lenses and actions without
            declaring ``workspace.executeCommand``.
        shows_documents: It opens a document when asked to.
        content: It asks for the text of documents of our scheme.
    """

    pulls: bool
    pushes: bool
    versioned: bool
    refreshes_diagnostics: bool
    lenses: bool
    refreshes_lenses: bool
    actions: bool
    literals: bool
    hover: types.MarkupKind | None
    commands: bool
    shows_documents: bool
    content: bool

    @property
    def opens_before(self) -> bool:
        """A text from before can be opened as a document."""
        return self.content and self.shows_documents


def plain_client(capabilities: types.ClientCapabilities) -> PlainClient:
    """The client that declared these capabilities."""

    def has(path: str) -> bool:
        value: Any = get_capability(capabilities, path)
        return value is not None and value is not False

    published = has("text_document.publish_diagnostics")
    refreshed = has("workspace.diagnostics.refresh_support")
    pulls = has("text_document.diagnostic") and (refreshed or not published)
    lenses, actions = has("text_document.code_lens"), has("text_document.code_action")
    return PlainClient(
        pulls=pulls,
        pushes=published and not pulls,
        versioned=has("text_document.publish_diagnostics.version_support"),
        refreshes_diagnostics=pulls and refreshed,
        lenses=lenses,
        refreshes_lenses=lenses and has("workspace.code_lens.refresh_support"),
        actions=actions,
        literals=has("text_document.code_action.code_action_literal_support"),
        hover=_markup(capabilities) if has("text_document.hover") else None,
        commands=lenses or actions or has("workspace.execute_command"),
        shows_documents=has("window.show_document.support"),
        content=has("workspace.text_document_content"),
    )


def _markup(capabilities: types.ClientCapabilities) -> types.MarkupKind:
    """The first format of the client's list that is known here; the list is in the order of its preference."""
    formats: Any = get_capability(capabilities, "text_document.hover.content_format") or ()
    return next((each for each in formats if each in _KNOWN), types.MarkupKind.PlainText)


_KNOWN = frozenset(types.MarkupKind)
