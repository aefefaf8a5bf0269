"""Telling editors where the agents' hunks are: the whole truth for a document, each time, soon after it changed.

A burst of changes is told of once. A document without hunks is told of only to clear what was painted in it.
"""

import asyncio
from weakref import WeakSet

from dsh_lsp.buffers.decorations import decorations
from dsh_lsp.buffers.open_document import OpenDocument

_DELAY = 0.015
"""Seconds in which changes are gathered; below what a person notices."""


class Painter:
    """Sends ``dsh/decorations`` to editors that declared it."""

    def __init__(self) -> None:
        self._painted: WeakSet[OpenDocument] = WeakSet()  # one that is closed is not kept for its paint
        self._due: dict[OpenDocument, asyncio.TimerHandle] = {}

    def changed(self, document: OpenDocument) -> None:
        """The document or its hunks have changed."""
        if not document.editor.traits.dsh.decorations or document in self._due:
            return
        if document.hunks or document in self._painted:
            self._due[document] = asyncio.get_running_loop().call_later(_DELAY, self._paint, document)

    def _paint(self, document: OpenDocument) -> None:
        del self._due[document]
        if document.closed.is_set():
            self._painted.discard(document)
            return
        document.editor.peer.notify("dsh/decorations", decorations(document))
        if document.hunks:
            self._painted.add(document)
        else:
            self._painted.discard(document)
