"""All open documents, by the editor's URI and by target.

An editor's messages are followed at once and in order. What needs the disk (which file a URI names, whether the disk
has the buffer's text) is found out in an executor; `find` waits for it, typing does not.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from dsh_ledger.pending import PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text, version_of_text
from dsh_lsp.buffers.open_document import OpenDocument, TextChange
from dsh_lsp.editor import Editor
from dsh_lsp.text.document import Document
from dsh_tools.fs.port import TextRead

_log = logging.getLogger(__name__)


class DiskView(Protocol):
    """What must be known of the disk."""

    async def identify(self, uri: str) -> Target:
        """The target of an editor's URI: links followed, one spelling."""
        ...

    async def text(self, target: Target) -> TextRead | None:
        """What the disk has; None where there is no text to read."""
        ...


class PendingElsewhere(Protocol):
    """Keeps what is pending in files while they are not open."""

    async def before_opening(self, target: Target) -> None:
        """A file is about to be opened."""
        ...

    def opened(self, document: OpenDocument) -> None:
        """A document was opened, and its target is known."""
        ...

    def closed(self, document: OpenDocument) -> None:
        """A document was closed."""
        ...


class OpenDocuments:
    """The documents that editors have open.

    Args:
        disk: Answers about files.
        changed: Told after a document was opened, changed, saved or closed.
        loaded: Told when a document's text differs from the disk's only by what loading did to it, with the disk's
            version and the buffer's.
        pending: Keeps what is pending in files while they are not open.
        new_hunk_id: Makes ids for hunks; they must never come again.
    """

    def __init__(
        self,
        disk: DiskView,
        changed: Callable[[OpenDocument], None],
        loaded: Callable[[Target, Version, Version], None],
        pending: "PendingElsewhere",
        new_hunk_id: Callable[[], str],
    ) -> None:
        self._disk = disk
        self._changed = changed
        self._loaded = loaded
        self._by_uri: dict[str, OpenDocument] = {}
        self._by_target: dict[Target, OpenDocument] = {}
        self._settling: set[asyncio.Task[None]] = set()
        self._opening: WeakKeyDictionary[OpenDocument, asyncio.Task[None]] = WeakKeyDictionary()
        self._epochs = itertools.count(1)
        self._pending = pending
        self._new_hunk_id = new_hunk_id

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(self._by_uri.values())

    def __len__(self) -> int:
        return len(self._by_uri)

    def open(self, uri: str, language_id: str, version: int, text: str, editor: Editor) -> OpenDocument:
        """Follow a ``didOpen``. One for a document that is open already replaces it (a new epoch)."""
        self.close(uri)
        mirror = Document(
            uri,
            text,
            language_id=language_id,
            version=version,
            epoch=next(self._epochs),
            encoding=editor.traits.encoding,
        )
        document = OpenDocument(mirror, editor, self._new_hunk_id, self._changed)
        self._by_uri[uri] = document
        self._opening[document] = self._settle(self._opened(document, mirror.text))
        self._changed(document)
        return document

    def change(self, uri: str, version: int, changes: Sequence[TextChange]) -> None:
        """Follow a ``didChange``. One for a document that was never opened is ignored: its text is not known."""
        document = self._by_uri.get(uri)
        if document is None:
            _log.warning("a change of a document that is not open was ignored")
            return
        document.change(version, changes)
        self._changed(document)

    def saved(self, uri: str) -> None:
        """Follow a ``didSave``: see whether the disk has the text now. The message alone is no proof of it."""
        document = self._by_uri.get(uri)
        if document is not None:
            self._settle(self._saved(document, document.mirror.text, document.hunks))

    def close(self, uri: str) -> None:
        """Follow a ``didClose``. One for a document that is not open is fine."""
        document = self._by_uri.pop(uri, None)
        if document is None:
            return
        if document.target is not None and self._by_target.get(document.target) is document:
            del self._by_target[document.target]
            self._pending.closed(document)
        document.close()
        self._changed(document)

    def close_all(self, editor: Editor) -> None:
        """The editor has gone, and its documents with it."""
        for uri in [uri for uri, document in self._by_uri.items() if document.editor is editor]:
            self.close(uri)

    async def find(self, target: Target) -> OpenDocument | None:
        """The open document of a target, once all that was opened or saved before has been looked at."""
        await self.settled()
        return self._by_target.get(target)

    async def settled(self) -> None:
        """Wait until all that was opened or saved before has been looked at."""
        while self._settling:
            await asyncio.wait(self._settling)

    def at(self, target: Target) -> OpenDocument | None:
        """The document of a target that is known to be open. Never waits."""
        return self._by_target.get(target)

    def has(self, target: Target) -> bool:
        """Whether the target is known to be open. Never waits; may be asked from any thread."""
        return target in self._by_target

    def of_uri(self, uri: str) -> OpenDocument | None:
        """The open document of an editor's URI, in the editor's spelling."""
        return self._by_uri.get(uri)

    def _settle(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    async def _opened(self, document: OpenDocument, text: str) -> None:
        target = await self._disk.identify(document.mirror.uri)
        if document.closed.is_set():
            return
        await self._pending.before_opening(target)
        if document.closed.is_set():
            return
        document.target = target
        self._by_target[target] = document
        self._pending.opened(document)
        hunks = document.hunks if document.mirror.text == text else PendingHunks()
        await self._compare(document, text, hunks)
        self._changed(document)

    async def _saved(self, document: OpenDocument, text: str, hunks: PendingHunks) -> None:
        """A save that is told of before the opening has been looked at waits for that: only then is the file known."""
        opening = self._opening.get(document)
        if opening is not None:
            await asyncio.wait((opening,))
        await self._compare(document, text, hunks)

    async def _compare(self, document: OpenDocument, text: str, hunks: PendingHunks) -> None:
        """Note that buffer and disk agree, if they do; text and hunks are the buffer's at the time it was asked for."""
        target = document.target
        if target is None:
            return
        on_disk = await self._disk.text(target)
        if on_disk is None or not same_but_for_loading(logical_text(text), on_disk.text):
            return
        version = version_of_text(text)
        document.agree(version, on_disk.version, (hunks, logical_text(text)))
        if on_disk.version != version:
            self._loaded(target, on_disk.version, version)


def same_but_for_loading(buffer: str, disk: str) -> bool:
    r"""Whether two logical texts are the same but for what an editor's loading does to a text.

    Line ends and the byte order mark are out of a logical text already. A final line end may have been added (some
    editors show every file with one), and an empty file is one empty line to Neovim.
    """
    return buffer == disk or buffer == f"{disk}\n" or disk == f"{buffer}\n"
