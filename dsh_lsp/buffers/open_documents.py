"""All open documents, by the editor and its URI, and by target.

An editor's messages are followed at once and in order. What needs the disk (which file a URI names, whether the disk
has the buffer's text) is found out in an executor; `find` waits for it, typing does not.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from dsh_ledger.pending import PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text, version_of_text
from dsh_lsp.buffers.open_document import OpenDocument, TextChange
from dsh_lsp.buffers.shared_file import SharedFile
from dsh_lsp.editor import Editor
from dsh_lsp.text.document import Document
from dsh_tools.fs.port import TextRead

_log = logging.getLogger(__name__)

_DELAY = 0.015
"""Seconds in which changes of a file that several editors have open are gathered."""


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

    async def before_opening(self, target: Target, text: str) -> None:
        """A file is about to be opened with this physical text."""
        ...

    def opened(self, document: OpenDocument) -> None:
        """A document was opened, and its target is known."""
        ...

    def closed(self, document: OpenDocument) -> None:
        """A document was closed."""
        ...

    def touched(self, target: Target) -> None:
        """What is pending in a file is not what was written down."""
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
        self._by_uri: dict[str, dict[Editor, OpenDocument]] = {}
        self._files: dict[Target, SharedFile] = {}
        self._touched: dict[OpenDocument, None] = {}
        self._reloading: set[OpenDocument] = set()
        self._looking: dict[Target, asyncio.TimerHandle] = {}
        self._settling: set[asyncio.Task[None]] = set()
        self._opening: WeakKeyDictionary[OpenDocument, asyncio.Task[None]] = WeakKeyDictionary()
        self._epochs = itertools.count(1)
        self._pending = pending
        self._new_hunk_id = new_hunk_id

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter([document for of_uri in self._by_uri.values() for document in of_uri.values()])

    def __len__(self) -> int:
        return sum(map(len, self._by_uri.values()))

    def open(self, uri: str, language_id: str, version: int, text: str, editor: Editor) -> OpenDocument:
        """Follow a ``didOpen``. One for a document that is open already replaces it (a new epoch)."""
        self.close(uri, editor)
        mirror = Document(
            uri,
            text,
            language_id=language_id,
            version=version,
            epoch=next(self._epochs),
            encoding=editor.traits.encoding,
        )
        document = OpenDocument(mirror, editor, self._new_hunk_id, self._document_changed)
        self._by_uri.setdefault(uri, {})[editor] = document
        editor.use()
        self._opening[document] = self._settle(self._opened(document, mirror.text))
        self._changed(document)
        return document

    def change(self, uri: str, version: int, changes: Sequence[TextChange], editor: Editor) -> None:
        """Follow a ``didChange``. One for a document that was never opened is ignored: its text is not known."""
        document = self.of_uri(uri, editor)
        if document is None:
            _log.warning("a change of a document that is not open was ignored")
            return
        document.change(version, changes)
        if document in self._reloading and document.target is not None:
            self._look(document.target)
        elif not document.busy:
            self._used(document)
        self._document_changed(document)

    def saved(self, uri: str, editor: Editor) -> None:
        """Follow a ``didSave``: see whether the disk has the text now. The message alone is no proof of it."""
        document = self.of_uri(uri, editor)
        if document is not None:
            self._settle(self._saved(document, document.mirror.text, document.hunks))

    def close(self, uri: str, editor: Editor) -> None:
        """Follow a ``didClose``. One for a document that is not open is fine."""
        of_uri = self._by_uri.get(uri, {})
        document = of_uri.pop(editor, None)
        if document is None:
            return
        if not of_uri:
            del self._by_uri[uri]
        self._touched.pop(document, None)
        self._leave(document)
        document.close()
        self._changed(document)

    def close_all(self, editor: Editor) -> None:
        """The editor has gone, and its documents with it."""
        for document in [document for document in self if document.editor is editor]:
            self.close(document.mirror.uri, editor)

    async def reload(self, document: OpenDocument, within: float) -> bool:
        """Ask the editor to read a document again; whether it says, in so many seconds, that it did."""
        self._reloading.add(document)
        try:
            return await document.editor.reload(document.mirror.uri, within)
        finally:
            self._reloading.discard(document)

    async def find(self, target: Target) -> OpenDocument | None:
        """The open document of a target, once all that was opened or saved before has been looked at.

        Where several editors have the file open, the one that `SharedFile` chooses.
        """
        await self.settled()
        self._look(target)
        return self.at(target)

    async def identify(self, uri: str) -> Target:
        """The target of an editor's URI."""
        return await self._disk.identify(uri)

    async def settled(self) -> None:
        """Wait until all that was opened or saved before has been looked at."""
        while self._settling:
            await asyncio.wait(self._settling)

    def at(self, target: Target) -> OpenDocument | None:
        """The document of a target that is known to be open. Never waits."""
        shared = self._files.get(target)
        return None if shared is None else shared.lead

    def leads(self) -> Iterator[tuple[Target, OpenDocument]]:
        """The targets that are known to be open, and the document of each."""
        return iter([(target, shared.lead) for target, shared in self._files.items()])

    def all_at(self, target: Target) -> Sequence[OpenDocument]:
        """All documents of a target that is known to be open, in every editor."""
        shared = self._files.get(target)
        return () if shared is None else tuple(shared.documents)

    def beside(self, target: Target, on_disk: TextRead | None) -> OpenDocument | None:
        """The open document of a target, now that it is known what the disk has."""
        shared = self._files.get(target)
        if shared is None:
            return None
        if on_disk is not None:
            shared.disk_has(on_disk.version)
            for document in shared.documents:
                note_agreement(document, on_disk)
        self._look(target)
        return shared.lead

    def conflict(self, target: Target) -> tuple[OpenDocument, OpenDocument] | None:
        """Two documents of the target in which there are different unsaved texts; the one that was used last first."""
        shared = self._files.get(target)
        return None if shared is None or not shared.others else shared.conflict()

    def has(self, target: Target) -> bool:
        """Whether the target is known to be open. Never waits; may be asked from any thread."""
        return target in self._files

    def of_uri(self, uri: str, editor: Editor | None = None) -> OpenDocument | None:
        """The open document of an editor's URI, in the editor's spelling; by default of any editor, the last used."""
        of_uri = self._by_uri.get(uri, {})
        if editor is not None:
            return of_uri.get(editor)
        return max(of_uri.values(), key=lambda each: each.editor.last_used, default=None)

    # Files that several editors have open

    def _document_changed(self, document: OpenDocument) -> None:
        self._changed(document)
        target = document.target
        if target is None or target in self._looking:
            return
        shared = self._files.get(target)
        if shared is not None and shared.others:
            self._looking[target] = asyncio.get_running_loop().call_later(_DELAY, self._look, target)

    def _used(self, document: OpenDocument) -> None:
        """The document has changed. That is its user's doing, unless it was read again after another editor's save."""
        if document.target is not None and len(self.all_at(document.target)) > 1:
            self._touched.pop(document, None)
            self._touched[document] = None  # seen to when there is time to look at the whole text
        else:
            document.editor.use()

    def _look(self, target: Target) -> None:
        """See which document of a file is the one to go by, and give the others its hunks."""
        if (timer := self._looking.pop(target, None)) is not None:
            timer.cancel()
        shared = self._files.get(target)
        if shared is None or not shared.others:
            return
        shared.note_agreements(self._reloading)
        for document in [each for each in self._touched if each.target == target]:
            del self._touched[document]
            if document.dirty:
                document.editor.use()
        self._looking[target] = asyncio.get_running_loop().call_later(_DELAY, _nothing)  # what follows is no news
        if shared.choose():
            self._pending.opened(shared.lead)
            self._pending.touched(target)
        shared.copy_hunks()
        self._looking.pop(target).cancel()

    def _enter(self, document: OpenDocument, target: Target) -> None:
        """A document's file is known."""
        shared = self._files.get(target)
        if shared is not None:
            shared.documents.append(document)
            return
        self._files[target] = SharedFile(document, partial(self._loaded, target))
        self._pending.opened(document)

    def _leave(self, document: OpenDocument) -> None:
        """A document is closed. Where it was the one to go by, what was pending in it goes on in another."""
        shared = None if document.target is None else self._files.get(document.target)
        if shared is None or document.target is None or document not in shared.documents:
            return
        was_lead = shared.lead is document
        shared.documents.remove(document)
        if not shared.documents:
            del self._files[document.target]
        if was_lead:
            self._pending.closed(document)
            if shared.documents:
                shared.pass_on()
                self._pending.opened(shared.lead)
                self._changed(shared.lead)

    def _settle(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    async def _opened(self, document: OpenDocument, text: str) -> None:
        target = await self._disk.identify(document.mirror.uri)
        if document.closed.is_set():
            return
        if target not in self._files:
            await self._pending.before_opening(target, text)
            if document.closed.is_set():
                return
        document.target = target
        if target not in self._files:
            self._enter(document, target)
            hunks = document.hunks if document.mirror.text == text else PendingHunks()
            await self._compare(document, text, hunks)
        else:
            await self._compare(document, text, PendingHunks())
            if document.closed.is_set():
                return
            self._enter(document, target)
            self._look(target)
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
        if document.mirror.text == text:
            hunks = document.hunks  # somebody may have decided, or a disk edit been told of, meanwhile
        document.agree(version, on_disk.version, (hunks, logical_text(text)))
        shared = self._files.get(target)
        if shared is None:
            return
        shared.disk_has(on_disk.version)
        if on_disk.version != version and shared.lead is document:
            self._loaded(target, on_disk.version, version)
        self._look(target)


def note_agreement(document: OpenDocument, on_disk: TextRead) -> None:
    """A buffer that has the very text of the disk holds nothing unsaved, however it came to it (a reload, an undo)."""
    if document.mirror.content_version == on_disk.version:
        document.agree(on_disk.version, on_disk.version)


def _nothing() -> None:
    """Nothing is due."""


def same_but_for_loading(buffer: str, disk: str) -> bool:
    r"""Whether two logical texts are the same but for what an editor's loading does to a text.

    Line ends and the byte order mark are out of a logical text already. A final line end may have been added (some
    editors show every file with one), and an empty file is one empty line to Neovim.
    """
    return buffer == disk or buffer == f"{disk}\n" or disk == f"{buffer}\n"
