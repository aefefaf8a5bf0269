"""Telling a plain client of the hunks of open documents, soon after they changed; a burst of changes is one."""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from time import perf_counter

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.editor import Editor
from dsh_lsp.plain.before import before_uri
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.diagnostics import diagnostics
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.refreshing import Refresher

_DELAY = 0.015
"""Seconds in which changes are gathered; below what a person notices."""

_SHARE = 10
"""Telling takes at most one part in so many of the time, however many hunks there are."""

_ASKED = 64
"""Documents whose text from before was asked for and that are remembered, the latest."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What a client knows of a document.

    Attributes:
        epoch: Which opening of it; diagnostics of an earlier one may be gone from the screen.
        diagnostics: Those that were published.
        hunks: What its hunks are, without their places: a client asks again by itself when the text changes.
    """

    epoch: int
    diagnostics: list[types.Diagnostic]
    hunks: Hashable


class Follower:
    """Tells one client.

    Args:
        editor: The client.
        client: What it can do.
        documents: What is open.
        names: Who made the hunks.
    """

    def __init__(self, editor: Editor, client: PlainClient, documents: OpenDocuments, names: Names) -> None:
        self._editor = editor
        self._peer = editor.peer
        self._client = client
        self._documents = documents
        self._names = names
        self._refresher = Refresher(editor.peer)
        self._told: dict[str, _Told] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._asked: dict[str, None] = {}
        self._cost = 0.0

    def changed(self, document: OpenDocument) -> None:
        """The document or its hunks have changed, or it was closed."""
        uri = document.mirror.uri
        if document.editor is not self._editor:
            return
        if uri not in self._due and (document.hunks or uri in self._told or uri in self._asked):
            self._due[uri] = asyncio.get_running_loop().call_later(max(_DELAY, _SHARE * self._cost), self._tell, uri)

    def before_asked(self, uri: str) -> None:
        """The client has asked for the text from before of a document: tell it, once, when that has changed."""
        self._asked.pop(uri, None)
        self._asked[uri] = None
        if len(self._asked) > _ASKED:
            del self._asked[next(iter(self._asked))]

    async def close(self) -> None:
        """Tell nothing any more."""
        for timer in self._due.values():
            timer.cancel()
        self._due.clear()
        await self._refresher.close()

    def _tell(self, uri: str) -> None:
        began = perf_counter()
        try:
            self._tell_now(uri)
        finally:
            self._cost = perf_counter() - began

    def _tell_now(self, uri: str) -> None:
        del self._due[uri]
        document = self._documents.of_uri(uri, self._editor)
        before, now = self._told.pop(uri, None), None
        if document is not None and document.hunks:
            now = self._known(document)
            self._told[uri] = now
        self._publish(uri, document, before, now)
        if document is not None and (before and before.hunks) != (now and now.hunks):
            self._refresh()
        if uri in self._asked:
            del self._asked[uri]
            self._refresher.ask(types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, before_uri(uri))

    def _known(self, document: OpenDocument) -> _Told:
        shown = diagnostics(document, self._names) if self._client.pushes else []
        hunks = tuple((each.id, each.base, each.count, each.calls) for each in document.hunks)
        return _Told(document.mirror.epoch, shown, hunks)

    def _publish(self, uri: str, document: OpenDocument | None, before: _Told | None, now: _Told | None) -> None:
        shown = now.diagnostics if now else []
        known = before.diagnostics if before and (now is None or before.epoch == now.epoch) else None
        if shown == (known or []):
            return
        version = document.mirror.version if document is not None and self._client.versioned else None
        params = types.PublishDiagnosticsParams(uri=uri, diagnostics=shown, version=version)
        self._peer.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _refresh(self) -> None:
        if self._client.refreshes_diagnostics:
            self._refresher.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        if self._client.refreshes_lenses:
            self._refresher.ask(types.WORKSPACE_CODE_LENS_REFRESH)
