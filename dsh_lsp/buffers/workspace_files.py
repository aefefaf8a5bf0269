"""The file system that agents see: what an editor has open lies over the disk.

One lock per target spans both sides, so that an edit never finds the ground moved from disk to buffer under it. The
disk is never written behind an open buffer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet

from dsh_ledger.errors import FsAborted, FsApplyRejected, FsError, FsNotObserved
from dsh_ledger.guards import Guard, MayHaveDrifted, MustBeAbsent, MustBeVersion
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.buffers.editing import BufferEdit, DocumentClosed, edit_document
from dsh_lsp.buffers.hard_links import other_name
from dsh_lsp.buffers.notebooks import OpenNotebooks, checked
from dsh_lsp.buffers.open_document import Author, OpenDocument, Source, Undo
from dsh_lsp.buffers.open_documents import OpenDocuments, note_agreement, same_but_for_loading
from dsh_lsp.buffers.shared_file import UnsavedTwice, told
from dsh_lsp.disk_view import text_on_disk
from dsh_tools.diff import minimal_change
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import nul_note
from dsh_tools.fs.guard_check import strictly
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.port import NOT_ON_DISK, DirEntry, EditPlan, FileStat, Missing, OpenText, TextRead, WriteOutcome
from dsh_tools.uninterrupted import uninterrupted

_RELOADS = 3
"""How often a target is looked up again when its document closes or reloads under an edit."""

_DELETED = "The file is no longer on disk: it was deleted or renamed. This is the text in the editor's buffer."
_NOT_RELOADED = "The editor's buffer has not been reloaded yet; this is the text on disk."
_BOTH_CHANGED = "The file on disk has changed too since the editor read it; this is the editor's unsaved text."
_UNSAVED = "The buffer had unsaved changes before, so it was not saved."
_TYPED = "The user has typed in it meanwhile, so it was not saved."
_KEPT_END = (
    "Whether the last line has a line end stayed as it was: an edit can't change that in the user's editor (Neovim)."
)
_FORMATTED = "Saving changed the text (a formatter in the editor); the result is the text after that."


class PendingChanges(Protocol):
    """Is told of what agents change, so that people can decide on it."""

    def disk_edit(self, target: Target) -> AbstractAsyncContextManager[None]:
        """A block in which a file that is not open may be edited, and that is told."""
        ...

    async def disk_edited(self, target: Target, outcome: WriteOutcome, author: Author) -> None:
        """An agent has edited a file that is not open, or created one."""
        ...

    async def disk_undone(self, target: Target, outcome: WriteOutcome, undo: Undo) -> None:
        """Something was taken back in a file that is not open."""
        ...

    def removed(self, target: Target) -> None:
        """A file was removed, and with it all that was pending in it."""
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
        self.notebooks = OpenNotebooks(documents.identify)
        self._pending = pending
        self._locks = TargetLocks()
        self._reloading: set[asyncio.Task[bool]] = set()
        self._asked: WeakSet[OpenDocument] = WeakSet()

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
        """See the port. Of a file with different unsaved texts in two editors it is the one used last, and a note."""
        for _ in range(_RELOADS):
            document, on_disk = await self._open_beside_disk(target)
            if document is None:
                break
            outdated = on_disk is not None and await self._is_outdated(document, on_disk)
            missing = on_disk is None and await self._is_missing(target)
            if not document.closed.is_set():
                if outdated and on_disk is not None:
                    return _outdated(on_disk)
                return self._of_buffer(document, target, on_disk, missing=missing)
        found = await self.disk.read_text(target)
        if isinstance(found, Missing):
            return found
        other = await self._other_name(target)
        if other is not None:
            note = f"The editor has this very file open {other}: this is not what may be unsaved there."
            found = replace(found, notes=(*found.notes, note))
        return await self.notebooks.marked(target, found)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """See the port; what lies outside the workspace is nobody's business here."""
        await self.documents.settled()
        inside = self.disk.workspace.inside
        found = ((document, inside(target)) for target, document in self.documents.leads())
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
        try:
            async with self._locks.hold(target):
                await self.notebooks.refuse(target)
                return await uninterrupted(mutate())
        except asyncio.CancelledError:
            raise FsAborted(target.path) from None

    async def _edit_held(
        self, target: Target, plan: EditPlan, guard: Guard, source: Source, *, dry_run: bool
    ) -> WriteOutcome:
        outcome = await self._edit_open(target, plan, guard, source, dry_run=dry_run)
        if outcome is None:
            await self._refuse_other_name(target)
            by_user = isinstance(source, Undo)
            edit = self.disk.edit_text(target, plan, guard, dry_run=dry_run, by_user=by_user)
            outcome = await (edit if dry_run else self._on_disk(target, source, edit))
        elif not dry_run:
            self._pending.touched(target)
        return await checked(target, outcome)

    async def _write_held(self, target: Target, text: str, guard: Guard, source: Source) -> WriteOutcome:
        whole = logical_text(text)
        outcome = await self._edit_open(target, lambda now: minimal_change(now, whole), guard, source)
        if outcome is None:
            await self._refuse_other_name(target)
            outcome = await self._on_disk(target, source, self.disk.write_text(target, text, guard))
        else:
            self._pending.touched(target)
        return await checked(target, outcome)

    async def _on_disk(
        self, target: Target, source: Source, mutation: Coroutine[Any, Any, WriteOutcome]
    ) -> WriteOutcome:
        """Change a file that is not open, and tell of it."""
        async with self._pending.disk_edit(target):
            outcome = await mutation
            if isinstance(source, Undo):
                await self._pending.disk_undone(target, outcome, source)
            elif outcome.before != outcome.after:
                await self._pending.disk_edited(target, outcome, source)
        return outcome

    async def _refuse_other_name(self, target: Target) -> None:
        other = await self._other_name(target)
        if other is not None:
            raise FsApplyRejected(target.path, f"it has this very file open {other}, and is to be asked there")

    async def _other_name(self, target: Target) -> str | None:
        """Under which other name an editor has the file open; None if it has it under none."""
        other = await other_name(target, [each for each, _ in self.documents.leads()])
        if other is None:
            return None
        inside = self.disk.workspace.inside(other)
        return "under another name" if inside is None else f"as {inside.path} (a hard link)"

    def undisturbed(self, target: Target) -> AbstractAsyncContextManager[None]:
        """A block during which no edit of ours is under way in the target."""
        return self._locks.hold(target)

    async def remove(self, target: Target, version: Version) -> bool:
        """Remove a file that has this version on the disk; whether it had. What an editor has open stays open."""
        async with self._locks.hold(target):
            removed = await self.disk.remove(target, version)
            if removed:
                self._pending.removed(target)
            return removed

    async def _edit_open(
        self, target: Target, plan: EditPlan, guard: Guard, source: Source, *, dry_run: bool = False
    ) -> WriteOutcome | None:
        """Edit the target's document; None when no editor has it open."""
        for _ in range(_RELOADS):
            document, on_disk = await self._open_beside_disk(target)
            if document is None:
                return None
            if target.uri.startswith("file:") and not isinstance(source, Undo):
                await self.disk.refuse_protected(target)
            self._refuse_conflict(target, guard)
            if on_disk is not None and isinstance(guard, MustBeAbsent):
                raise FsNotObserved(target.path, f"{target.path} exists, and this session has not read it.")
            if on_disk is not None and await self._is_outdated(document, on_disk):
                raise FsApplyRejected(target.path, "its buffer is older than the file on disk and must be reloaded")
            clean = document.clean_version
            document.busy = True
            try:
                seen = _as_loaded(guard, document, self.documents.all_at(target))
                done = await edit_document(document, target, plan, seen, source, self.timing, dry_run=dry_run)
                outcome = await self._finished(document, target, done, was_clean=done.before_version == clean)
                kept_end = (_KEPT_END,) if done.kept_end else ()
                return replace(outcome, notes=(*outcome.notes, *kept_end, *nul_note(outcome.after)))
            except DocumentClosed:
                continue
            finally:
                document.busy = False
                self.documents.beside(target, None)
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
        if await self._is_missing(target):
            # To save it would bring back what somebody has deleted, and may have meant to.
            return replace(outcome, notes=(NOT_ON_DISK,))
        if not was_clean:
            return replace(outcome, notes=(_UNSAVED,))
        if not document.editor.traits.dsh.save_document:
            return outcome
        if document.mirror.content_version != done.version:
            return replace(outcome, notes=(_TYPED,))
        answer = await document.editor.save(document.mirror.uri, document.mirror.version, self.timing.save)
        if not answer.saved:
            return replace(outcome, notes=(f"The editor did not save it: {answer.reason or 'it gave no reason'}.",))
        on_disk = await text_on_disk(self.disk, target)
        text = logical_text(document.mirror.text)
        if on_disk is None or not same_but_for_loading(text, on_disk.text):
            return replace(outcome, notes=("The editor says that it saved it, but the disk has another text.",))
        document.agree(document.mirror.content_version, on_disk.version)
        self.documents.beside(target, on_disk)
        self._reload_others(document, target, on_disk)
        if text == done.after:
            return replace(outcome, saved=True)
        document.reformatted(done.flight)
        return replace(outcome, after=text, version=document.mirror.content_version, saved=True, notes=(_FORMATTED,))

    async def _open_beside_disk(self, target: Target) -> tuple[OpenDocument | None, TextRead | None]:
        """The open document of a target, if it is open, and what the disk has beside it."""
        if await self.documents.find(target) is None:
            return None, None
        on_disk = await text_on_disk(self.disk, target)
        document = self.documents.beside(target, on_disk)
        if on_disk is not None and await self._made_sure(target, on_disk):
            document = self.documents.beside(target, on_disk)
        return document, on_disk

    async def _made_sure(self, target: Target, on_disk: TextRead) -> bool:
        """Ask for documents that were never seen to have the disk's text whether they hold something unsaved.

        They may just be older than the disk: opened at this server when the one before had ended. Asked once each, by
        asking for a reload, which an editor refuses where there is something unsaved. Whether any was asked.
        """
        unsure = [
            each
            for each in self.documents.all_at(target)
            if each.clean_version is None and each.editor.traits.dsh.reload_document and each not in self._asked
        ]
        for each in unsure:
            self._asked.add(each)
            if not same_but_for_loading(logical_text(each.mirror.text), on_disk.text):
                await self.documents.reload(each, self.timing.reload)
        return bool(unsure)

    def _refuse_conflict(self, target: Target, guard: Guard) -> None:
        """Refuse to edit a file of which two editors have different unsaved texts: nobody knows which one is meant."""
        found = self.documents.conflict(target)
        if found is not None:
            current = found[0].mirror.content_version
            observed = guard.version if isinstance(guard, MustBeVersion | MayHaveDrifted) else current
            raise UnsavedTwice(target.path, observed, current, _names(*found))

    def _reload_others(self, saved: OpenDocument, target: Target, on_disk: TextRead) -> None:
        """Have other editors read again what was saved in one."""
        for other in self.documents.all_at(target):
            if other is not saved and other.editor.traits.dsh.reload_document and _is_older(other, on_disk):
                task = asyncio.ensure_future(self.documents.reload(other, self.timing.reload))
                self._reloading.add(task)
                task.add_done_callback(self._reloading.discard)

    async def _is_missing(self, target: Target) -> bool:
        """Whether there is no file on the disk, as far as can be seen."""
        try:
            return not target.uri.startswith("file:") or isinstance(await self.disk.stat(target), Missing)
        except FsError:
            return False

    def _of_buffer(
        self, document: OpenDocument, target: Target, on_disk: TextRead | None, *, missing: bool
    ) -> TextRead:
        """A buffer's text."""
        dirty, text = document.dirty, logical_text(document.mirror.text)
        notes = [*nul_note(text)]
        if missing and document.disk_version is not None:
            notes.append(_DELETED)
        if (found := self.documents.conflict(target)) is not None:
            names = _names(*found)
            notes.append(f"{told(target.path, names)} This is the text in {names[0]}, which was used last.")
        if dirty and on_disk is not None and document.disk_version not in (None, on_disk.version):
            notes.append(_BOTH_CHANGED)
        return TextRead(
            text=text,
            version=document.mirror.content_version,
            via="buffer",
            dirty=dirty,
            encoding=on_disk.encoding if on_disk is not None else "utf-8",
            notes=tuple(notes),
        )

    async def _is_outdated(self, document: OpenDocument, on_disk: TextRead) -> bool:
        """Whether a buffer without unsaved typing is older than the disk, also after it was asked to reload."""
        if not _is_older(document, on_disk):
            return False
        can_reload = document.editor.traits.dsh.reload_document
        if can_reload and await self.documents.reload(document, self.timing.reload):
            # The reload arrives as a didChange, or as didClose and didOpen; either is looked up anew.
            try:
                async with asyncio.timeout(self.timing.reload):
                    while _is_older(document, on_disk) and not document.closed.is_set():
                        await document.changed()
            except TimeoutError:
                pass
            note_agreement(document, on_disk)
        return not document.closed.is_set() and _is_older(document, on_disk)


def _as_loaded(guard: Guard, document: OpenDocument, same: Sequence[OpenDocument] = ()) -> Guard:
    """The guard for the buffer: who saw the disk's text has seen what the editor made of it when it loaded it.

    The ledger is told of that, too; but the document may have been opened after the guard was asked for. The same goes
    for what another editor made of it.
    """
    if not isinstance(guard, MustBeVersion | MayHaveDrifted):
        return guard
    loaded = {each.clean_version for each in same if each.disk_version == document.disk_version}
    if guard.version == document.disk_version or guard.version in loaded:
        return replace(guard, version=document.clean_version or guard.version)
    return guard


def _names(one: OpenDocument, other: OpenDocument) -> tuple[str, str]:
    """What to call the editors of two documents."""
    first, second = (each.editor.traits.name or "an editor" for each in (one, other))
    return first, second if first != second else f"another {second.removeprefix('an ')}"


def _outdated(on_disk: TextRead) -> TextRead:
    return replace(on_disk, notes=(*on_disk.notes, _NOT_RELOADED))


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
