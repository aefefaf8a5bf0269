"""The file system that agents see: what an editor has open lies over the disk.

One lock per target spans both sides, so that an edit never finds the ground moved from disk to buffer under it. The
disk is never written behind an open buffer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from dsh_ledger.errors import FsAborted, FsApplyRejected, FsNotObserved
from dsh_ledger.guards import Guard, MayHaveDrifted, MustBeAbsent, MustBeVersion
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.buffers.editing import BufferEdit, DocumentClosed, edit_document
from dsh_lsp.buffers.open_document import Author, OpenDocument, Source
from dsh_lsp.buffers.open_documents import OpenDocuments, same_but_for_loading
from dsh_lsp.disk_view import text_on_disk
from dsh_tools.diff import minimal_change
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.guard_check import strictly
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.port import DirEntry, EditPlan, FileStat, Missing, OpenText, TextRead, WriteOutcome
from dsh_tools.uninterrupted import uninterrupted

_RELOADS = 3
"""How often a target is looked up again when its document closes or reloads under an edit."""

_NOT_RELOADED = "The editor's buffer has not been reloaded yet; this is the text on disk."
_BOTH_CHANGED = "The file on disk has changed too since the editor read it; this is the editor's unsaved text."
_UNSAVED = "The buffer had unsaved changes before, so it was not saved."
_FORMATTED = "Saving changed the text (a formatter in the editor); the result is the text after that."


class PendingChanges(Protocol):
    """Is told of what agents change, so that people can decide on it."""

    async def disk_edited(self, target: Target, before: str | None, after: str, author: Author) -> None:
        """An agent has edited a file that is not open; ``before`` is None for one that it created."""
        ...

    def touched(self, target: Target) -> None:
        """An agent has edited an open document."""
        ...


class WorkspaceFiles:
    """Buffers over disk.

    Args:
        disk: What lies below.
        documents: What lies above.
        timing: How long to wait for editors.
        pending: Is told of what agents change.
    """

    def __init__(
        self, disk: DiskFileSystem, documents: OpenDocuments, timing: Timing, pending: "PendingChanges"
    ) -> None:
        self.disk = disk
        self.documents = documents
        self.timing = timing
        self._pending = pending
        self._locks = TargetLocks()

    def of_call(self, author: Author) -> "CallFiles":
        """The same files, for one call: its edits bear its name."""
        return CallFiles(self, author)

    async def resolve(self, path: str) -> Target:
        """See the port; a URI of another scheme names an open document, if there is one."""
        document = self.documents.of_uri(path)
        if document is not None and not path.startswith("file:"):
            return Target(path, path)
        return await self.disk.resolve(path)

    async def read_text(self, target: Target) -> TextRead | Missing:
        """See the port."""
        for _ in range(_RELOADS):
            document = await self.documents.find(target)
            if document is None:
                break
            on_disk = await self._disk_beside(document, target)
            outdated = on_disk is not None and await self._is_outdated(document, on_disk)
            if not document.closed.is_set():
                return _outdated(on_disk) if outdated and on_disk is not None else _of_buffer(document, on_disk)
        return await self.disk.read_text(target)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """See the port; what lies outside the workspace is nobody's business here."""
        await self.documents.settled()
        inside = self.disk.workspace.inside
        found = ((document, inside(document.target)) for document in self.documents if document.target is not None)
        return tuple(_open_text(document, target) for document, target in found if target is not None)

    async def edit_text(
        self, target: Target, plan: EditPlan, guard: Guard, source: Source, *, dry_run: bool = False
    ) -> WriteOutcome:
        """See the port."""
        return await self._in_turn(target, partial(self._edit_held, target, plan, guard, source, dry_run=dry_run))

    async def write_text(self, target: Target, text: str, guard: Guard, source: Source) -> WriteOutcome:
        """See the port."""
        return await self._in_turn(target, partial(self._write_held, target, text, strictly(guard), source))

    async def _in_turn(self, target: Target, mutate: Callable[[], Coroutine[Any, Any, WriteOutcome]]) -> WriteOutcome:
        """One mutation of a target at a time. Who still waits for a turn can be called off; who has it ends it."""
        if target.uri.startswith("file:"):
            self.disk.workspace.refuse_protected(target)
        try:
            async with self._locks.hold(target):
                return await uninterrupted(mutate())
        except asyncio.CancelledError:
            raise FsAborted(target.path) from None

    async def _edit_held(
        self, target: Target, plan: EditPlan, guard: Guard, source: Source, *, dry_run: bool
    ) -> WriteOutcome:
        outcome = await self._edit_open(target, plan, guard, source, dry_run=dry_run)
        if outcome is None:
            outcome = await self.disk.edit_text(target, plan, guard, dry_run=dry_run)
        if not dry_run:
            await self._tell(target, outcome, source)
        return outcome

    async def _write_held(self, target: Target, text: str, guard: Guard, source: Source) -> WriteOutcome:
        whole = logical_text(text)
        outcome = await self._edit_open(target, lambda now: minimal_change(now, whole), guard, source)
        if outcome is None:
            outcome = await self.disk.write_text(target, text, guard)
        await self._tell(target, outcome, source)
        return outcome

    async def _tell(self, target: Target, outcome: WriteOutcome, source: Source) -> None:
        if outcome.via == "buffer":
            self._pending.touched(target)
        elif isinstance(source, Author) and outcome.before != outcome.after:
            await self._pending.disk_edited(target, outcome.before, outcome.after, source)

    def undisturbed(self, target: Target) -> AbstractAsyncContextManager[None]:
        """A block during which no edit of ours is under way in the target."""
        return self._locks.hold(target)

    async def remove(self, target: Target, version: Version) -> bool:
        """Remove a file that has this version on the disk; whether it had. What an editor has open stays open."""
        async with self._locks.hold(target):
            return await self.disk.remove(target, version)

    async def _edit_open(
        self, target: Target, plan: EditPlan, guard: Guard, source: Source, *, dry_run: bool = False
    ) -> WriteOutcome | None:
        """Edit the target's document; None when no editor has it open."""
        for _ in range(_RELOADS):
            document = await self.documents.find(target)
            if document is None:
                return None
            on_disk = await self._disk_beside(document, target)
            if on_disk is not None and isinstance(guard, MustBeAbsent):
                raise FsNotObserved(target.path, f"{target.path} exists, and this session has not read it.")
            if on_disk is not None and await self._is_outdated(document, on_disk):
                raise FsApplyRejected(target.path, "its buffer is older than the file on disk and must be reloaded")
            was_clean = not document.dirty
            document.busy = True
            try:
                seen = _as_loaded(guard, document)
                done = await edit_document(document, target, plan, seen, source, self.timing, dry_run=dry_run)
                return await self._finished(document, target, done, was_clean=was_clean)
            except DocumentClosed:
                continue
            finally:
                document.busy = False
        raise FsApplyRejected(target.path, "the editor keeps closing and opening it")

    async def _finished(
        self, document: OpenDocument, target: Target, done: BufferEdit, *, was_clean: bool
    ) -> WriteOutcome:
        """Save what was clean before, where the editor can; say what the disk has."""
        outcome = WriteOutcome(
            before=done.before,
            after=done.after,
            before_version=done.before_version,
            version=done.version,
            via="buffer",
            saved=was_clean and done.before == done.after,
            rebased_from=done.rebased_from,
        )
        if done.flight is None:
            return outcome
        if not was_clean:
            return replace(outcome, notes=(_UNSAVED,))
        if not document.editor.traits.dsh.save_document:
            return outcome
        answer = await document.editor.save(document.mirror.uri, document.mirror.version, self.timing.save)
        if not answer.saved:
            return replace(outcome, notes=(f"The editor did not save it: {answer.reason or 'it gave no reason'}.",))
        on_disk = await text_on_disk(self.disk, target)
        text = logical_text(document.mirror.text)
        if on_disk is None or not same_but_for_loading(text, on_disk.text):
            return replace(outcome, notes=("The editor says that it saved it, but the disk has another text.",))
        document.agree(document.mirror.content_version, on_disk.version)
        if text == done.after:
            return replace(outcome, saved=True)
        document.reformatted(done.flight)
        return replace(outcome, after=text, version=document.mirror.content_version, saved=True, notes=(_FORMATTED,))

    async def _disk_beside(self, document: OpenDocument, target: Target) -> TextRead | None:
        """What the disk has beside an open document."""
        on_disk = await text_on_disk(self.disk, target)
        if on_disk is not None:
            _note_agreement(document, on_disk)
        return on_disk

    async def _is_outdated(self, document: OpenDocument, on_disk: TextRead) -> bool:
        """Whether a buffer without unsaved typing is older than the disk, also after it was asked to reload."""
        if not _is_older(document, on_disk):
            return False
        editor, uri = document.editor, document.mirror.uri
        if editor.traits.dsh.reload_document and await editor.reload(uri, self.timing.reload):
            # The reload arrives as a didChange, or as didClose and didOpen; either is looked up anew.
            try:
                async with asyncio.timeout(self.timing.reload):
                    while _is_older(document, on_disk) and not document.closed.is_set():
                        await document.changed()
            except TimeoutError:
                pass
            _note_agreement(document, on_disk)
        return not document.closed.is_set() and _is_older(document, on_disk)


def _as_loaded(guard: Guard, document: OpenDocument) -> Guard:
    """The guard for the buffer: who saw the disk's text has seen what the editor made of it when it loaded it.

    The ledger is told of that, too; but the document may have been opened after the guard was asked for.
    """
    if isinstance(guard, MustBeVersion | MayHaveDrifted) and guard.version == document.disk_version:
        return replace(guard, version=document.clean_version or guard.version)
    return guard


def _outdated(on_disk: TextRead) -> TextRead:
    return replace(on_disk, notes=(*on_disk.notes, _NOT_RELOADED))


def _of_buffer(document: OpenDocument, on_disk: TextRead | None) -> TextRead:
    dirty = document.dirty
    moved = dirty and on_disk is not None and document.disk_version not in (None, on_disk.version)
    return TextRead(
        text=logical_text(document.mirror.text),
        version=document.mirror.content_version,
        via="buffer",
        dirty=dirty,
        encoding=on_disk.encoding if on_disk is not None else "utf-8",
        notes=(_BOTH_CHANGED,) if moved else (),
    )


def _note_agreement(document: OpenDocument, on_disk: TextRead) -> None:
    """A buffer that has the very text of the disk holds nothing unsaved, however it came to it (a reload, an undo)."""
    if document.mirror.content_version == on_disk.version:
        document.agree(on_disk.version, on_disk.version)


def _is_older(document: OpenDocument, on_disk: TextRead) -> bool:
    return not document.dirty and not same_but_for_loading(logical_text(document.mirror.text), on_disk.text)


def _open_text(document: OpenDocument, target: Target) -> OpenText:
    text = logical_text(document.mirror.text)
    return OpenText(target, text, document.mirror.content_version, document.dirty, bool(document.hunks))


class CallFiles:
    """`WorkspaceFiles` as one call sees it: the port.

    Args:
        files: The files.
        author: The call.
    """

    def __init__(self, files: WorkspaceFiles, author: Author) -> None:
        self._files = files
        self._author = author

    async def as_proposal(self, target: Target) -> "CallFiles | None":
        """The same files for an edit that the editor has its user confirm; None where none can be asked that way."""
        document = await self._files.documents.find(target)
        if document is None or not document.editor.traits.confirms_edits:
            return None
        return CallFiles(self._files, replace(self._author, proposes=True))

    async def resolve(self, path: str) -> Target:
        """See the port."""
        return await self._files.resolve(path)

    async def stat(self, target: Target) -> FileStat | Missing:
        """See the port."""
        return await self._files.disk.stat(target)

    async def read_text(self, target: Target) -> TextRead | Missing:
        """See the port."""
        return await self._files.read_text(target)

    async def stream_text(self, target: Target) -> AsyncIterator[str]:
        """See the port; a document that is open comes in one piece."""
        document = await self._files.documents.find(target)
        if document is not None:
            yield logical_text(document.mirror.text)
            return
        async for piece in self._files.disk.stream_text(target):
            yield piece

    async def read_bytes(self, target: Target) -> bytes | Missing:
        """See the port."""
        return await self._files.disk.read_bytes(target)

    async def list_dir(self, target: Target) -> tuple[DirEntry, ...]:
        """See the port."""
        return await self._files.disk.list_dir(target)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """See the port."""
        return await self._files.open_texts()

    async def write_text(self, target: Target, text: str, guard: Guard) -> WriteOutcome:
        """See the port."""
        return await self._files.write_text(target, text, guard, self._author)

    async def edit_text(self, target: Target, plan: EditPlan, guard: Guard, *, dry_run: bool = False) -> WriteOutcome:
        """See the port."""
        return await self._files.edit_text(target, plan, guard, self._author, dry_run=dry_run)
