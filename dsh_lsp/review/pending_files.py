"""What is pending in files while they are not open, and on the disk for the next server.

The hunks of an open document are the document's; when it is closed they come here, with the text that they are in, and
when it is opened again they go back. What changed while nobody looked counts as the user's: the kept text is compared
with the one that is there, and the difference is a user edit. Texts that are written down are in memory for the last
few files alone. Deliberately absent: deciding, telling anybody, and reading the files themselves.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from dsh_ledger.pending import PendingHunks
from dsh_ledger.pending_batch import edited
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text, version_of_logical, version_of_text
from dsh_lsp.buffers.document_diff import LARGE, settled_edits
from dsh_lsp.buffers.hunk_decisions import undone
from dsh_lsp.buffers.open_document import Author, OpenDocument, Undo
from dsh_lsp.journals.patience import patiently
from dsh_lsp.journals.state_dir import StateDirRefused, reviews_dir
from dsh_lsp.review.store import ReviewStore, StoreBusy, Stored
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.fs.uris import uri_path

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_RECENT = 4
_LARGEST = 16 * 2**20
"""How many files' texts are kept in memory although they are written down, and the characters of the largest one."""


@dataclass(slots=True)
class PendingFile:
    """What is pending in a file that is not open.

    Attributes:
        hunks: What is pending.
        version: The version of the text that the hunks are in.
        text: That logical text; None while only the store has it.
        saved: Where the file was closed with another text than the disk had: what is pending in the texts that the
            disk may have, and those texts. Nobody has said yet which of them will come back.
    """

    hunks: PendingHunks
    version: Version
    text: str | None
    saved: tuple[tuple[PendingHunks, str], ...] = ()

    def as_found(self, text: str) -> PendingHunks:
        """What is pending now that this text has come; what else is different in it is the user's."""
        known = [] if self.text is None else [(self.hunks, self.text)]
        ways = [(hunks, settled_edits(before, text)) for hunks, before in (*known, *self.saved)]
        if not ways:
            return PendingHunks()
        hunks, edits = min(ways, key=lambda way: sum(len(edit.old) + len(edit.new) for edit in way[1]))
        return edited(hunks, edits)


class PendingFiles:
    """The files of a workspace in which something is pending.

    Args:
        workspace: The real path of the workspace's first folder.
        new_hunk_id: Makes ids; they must never come again.
    """

    def __init__(self, workspace: Path, new_hunk_id: Callable[[], str]) -> None:
        self._workspace = workspace
        self._new_hunk_id = new_hunk_id
        self._closed: dict[Target, PendingFile] = {}
        self._open: dict[Target, OpenDocument] = {}
        self._edited: dict[Target, PendingFile | None] = {}  # on the disk, at the moment: what was pending before
        self._created: set[Target] = set()
        self._unsaved: set[Target] = set()
        self._recent: dict[Target, PendingFile] = {}
        self._saving: asyncio.Task[None] | None = None
        self._store: ReviewStore | None = None
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="dsh-review")

    def __iter__(self) -> Iterator[Target]:
        """The files that are not open."""
        return iter(self._closed)

    def is_current(self, target: Target, known: PendingFile) -> bool:
        """Whether this is still what is pending in a file that is not open."""
        return self._closed.get(target) is known

    async def get(self, target: Target) -> PendingFile | None:
        """What is pending in a file that is not open, with its text."""
        known = self._closed.get(target)
        if known is None or known.text is not None or self._store is None:
            return known
        text = await self._text_of(known)
        if self._closed.get(target) is known:
            known.text = text
            if text is None:
                _log.warning("the text of a pending change is gone, and the change can't be shown any more")
                self.put(target, PendingHunks(), "")
        return self._closed.get(target)

    async def _text_of(self, known: PendingFile) -> str | None:
        """Its text, from the store where it is not at hand; None if it is not there either."""
        if known.text is not None or self._store is None:
            return known.text
        return await self._in_thread(self._store.text, known.version)

    def put(
        self,
        target: Target,
        hunks: PendingHunks,
        text: str,
        saved: tuple[tuple[PendingHunks, str], ...] = (),
        version: Version | None = None,
    ) -> None:
        """What is pending in a file that is not open, from now on; ``saved`` as in `PendingFile`.

        ``version`` is that of the text, where it is known already.
        """
        if hunks or any(there for there, _ in saved):
            self._closed[target] = PendingFile(hunks, version or version_of_logical(text), text, saved)
        else:
            self._closed.pop(target, None)
            self._created.discard(target)
        self._unsaved.add(target)

    def is_created(self, target: Target) -> bool:
        """Whether an agent created the file, and nobody has kept anything of it."""
        return target in self._created

    def created_kept(self, target: Target) -> None:
        """Somebody has kept something of a created file: it is a file like any other from now on."""
        self._created.discard(target)
        self._unsaved.add(target)

    def touched(self, target: Target) -> None:
        """What is pending in a file, open or not, is not what was written down."""
        self._unsaved.add(target)

    @asynccontextmanager
    async def disk_edit(self, target: Target) -> AsyncIterator[None]:
        """A block in which a file that is not open may be edited, and that is told here.

        Who looks at the file or opens it meanwhile may find the edit there before it is told, and take it for the
        user's: what was pending before the block is what the edit is made on.
        """
        known = self._closed.get(target)
        if known is not None:
            known = replace(known, text=await self._text_of(known))
        self._edited[target] = known
        try:
            yield
        finally:
            del self._edited[target]

    async def disk_edited(self, target: Target, outcome: WriteOutcome, author: Author) -> None:
        """An agent has edited a file that is not open, or created one."""
        known = self._edited[target]
        if outcome.before is None:
            self._created.add(target)
            known = None
        work = partial(_with_edit, known, outcome, author, self._new_hunk_id)
        hunks = await asyncio.to_thread(work) if len(outcome.after) > LARGE else work()
        self._changed(target, hunks, outcome)

    async def disk_undone(self, target: Target, outcome: WriteOutcome, undo: Undo) -> None:
        """Something was taken back in a file that is not open; of hunks that are gone nothing is left to take back."""
        known = self._edited[target]
        if known is not None:
            before = outcome.before or ""
            hunks = undone(known.as_found(before), undo.parts, before, self._new_hunk_id).hunks
            self._changed(target, hunks, outcome)

    def removed(self, target: Target) -> None:
        """A file was removed, and with it all that was pending in it."""
        self.put(target, PendingHunks(), "")

    def _changed(self, target: Target, hunks: PendingHunks, outcome: WriteOutcome) -> None:
        """What is pending in a file, from its change on the disk on."""
        document = self._open.get(target)
        if document is not None:  # it was opened while the edit was on its way
            _give(document, hunks, outcome.after)
            self.touched(target)
        else:
            self.put(target, hunks, outcome.after, version=outcome.version)
        self._begin_to_save()

    # Documents

    async def before_opening(self, target: Target, text: str) -> None:
        """A file is about to be opened with this physical text: have the text that its hunks are in at hand.

        A file that was renamed is another target with the same text, and the old one is gone: what was pending there is
        pending here.
        """
        known = await self.get(target)
        if known is None and self._closed:
            version = version_of_text(text) if len(text) <= LARGE else await asyncio.to_thread(version_of_text, text)
            same = [other for other, there in self._closed.items() if there.version == version]
            gone = await asyncio.to_thread(lambda: [other for other in same if _is_gone(other)])
            if len(gone) == 1 and await self.get(gone[0]) is not None and target not in self._closed:
                self._rename(gone[0], target)

    def _rename(self, old: Target, new: Target) -> None:
        known = self._closed.pop(old, None)
        if known is not None:
            self._closed[new] = replace(known)  # a new one: the text of one that is written down may be let go
            if old in self._created:
                self._created.remove(old)
                self._created.add(new)
            self._unsaved |= {old, new}

    def opened(self, document: OpenDocument) -> None:
        """A document was opened, and its target is known: what was pending in the file is pending in it."""
        target = document.target
        if target is None:
            return
        self._open[target] = document
        known = self._closed.pop(target, None)
        if (
            known is not None
            and known.text != logical_text(document.mirror.text)
            and not target.uri.startswith("file:")
        ):
            known = None  # an editor uses the name of a text that is no file again, for another text
            self.touched(target)
        if known is not None and known.text is not None:
            _give(document, known.hunks, known.text, known)

    def closed(self, document: OpenDocument) -> None:
        """A document was closed. What of its text is not on the disk is gone by the user's decision.

        Not so what agents did up to the last save: that is in the file, and pending in it, whatever was done about it
        in the buffer since.
        """
        target = document.target
        if target is not None and self._open.get(target) is document:
            del self._open[target]
            on_disk = document.on_disk if document.dirty else None
            saved = tuple(each for each in (on_disk, document.behind) if each is not None)
            self.put(target, document.hunks, logical_text(document.mirror.text), saved)

    # The disk

    async def load(self) -> None:
        """Have back what was pending when the last server of this workspace ended."""
        try:
            store = await self._in_thread(self._open_store)
            stored = await self._in_thread(store.load)
        except StoreBusy:
            _log.warning("pending changes are not kept: another server keeps those of this workspace")
            return
        except (StateDirRefused, OSError):
            _log.warning("pending changes are not kept: there is no place for them")
            return
        self._store = store
        for each in stored:
            target = each.target
            if target in self._closed or not (each.hunks or each.saved):
                continue
            texts = [(hunks, await self._in_thread(store.text, version)) for hunks, version in each.saved]
            saved = tuple((hunks, text) for hunks, text in texts if text is not None)
            self._closed[target] = PendingFile(each.hunks, each.version, None, saved)
            if each.is_created:
                self._created.add(target)
            if target in self._open:
                await self.get(target)
            if (document := self._open.get(target)) is not None:  # it may have been closed meanwhile
                self.opened(document)

    async def save(self) -> None:
        """Write down what has changed, and wait for what is on its way. A failure is said, and stops nothing."""
        self._begin_to_save()
        if self._saving is not None:
            await asyncio.shield(self._saving)

    def _begin_to_save(self) -> None:
        """Begin to write down what has changed: whoever has changed it has more to do meanwhile."""
        if self._store is not None and self._unsaved:
            targets, self._unsaved = self._unsaved, set()
            jobs = [self._snapshot(target) for target in targets]
            # One thread, so that nothing overtakes what was begun before, and nobody reads what is still to be written.
            writing = asyncio.get_running_loop().run_in_executor(self._threads, _save_all, self._store, jobs)
            self._saving = asyncio.ensure_future(self._saved(writing, jobs, self._saving))

    async def _saved(
        self, writing: "asyncio.Future[None]", jobs: "list[_Snapshot]", before: "asyncio.Task[None] | None"
    ) -> None:
        if before is not None:
            await before
        try:
            await writing
        except OSError as error:
            _log.error("pending changes could not be kept: %s", error.strerror)
            self._unsaved |= {each.target for each in jobs}  # with the next call
            return
        for each in jobs:
            self._written(each)

    async def close(self) -> None:
        """Write down what is left, and let the store go."""
        await self.save()
        if self._store is not None:
            await self._in_thread(self._store.close)
        self._threads.shutdown(wait=False)

    def _written(self, job: "_Snapshot") -> None:
        """Let go the text of a file that is written down, but for the last few: agents edit one again and again."""
        self._recent.pop(job.target, None)
        known = self._closed.get(job.target)
        if known is None or known.text is None or known.version != job.version or job.target in self._unsaved:
            return
        if len(known.text) > _LARGEST:
            known.text = None
            return
        self._recent[job.target] = known
        if len(self._recent) > _RECENT:
            oldest = next(iter(self._recent))
            self._recent.pop(oldest).text = None

    def _snapshot(self, target: Target) -> "_Snapshot":
        """What is to be written down of a file."""
        document = self._open.get(target)
        known = self._closed.get(target)
        created = target in self._created
        if document is not None:
            return _Snapshot(target, document.hunks, None, document.mirror.text, created)
        if known is not None:
            return _Snapshot(target, known.hunks, known.version, known.text, created, known.saved)
        return _Snapshot(target, PendingHunks(), None, None, created)

    def _open_store(self) -> ReviewStore:
        return patiently(lambda: ReviewStore(reviews_dir(self._workspace)), StoreBusy)

    async def _in_thread(self, job: Callable[..., _T], *args: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, job, *args)


def followed(hunks: PendingHunks, before: str, after: str) -> PendingHunks:
    """The hunks after somebody else than an agent made one text of another."""
    return edited(hunks, settled_edits(before, after))


def _is_gone(target: Target) -> bool:
    path = uri_path(target.uri)
    return path is not None and not os.path.lexists(path)


def _give(document: OpenDocument, hunks: PendingHunks, text: str, known: PendingFile | None = None) -> None:
    """Have what is pending in a text be pending in a document, whose text may be an older one."""
    now = logical_text(document.mirror.text)
    document.take_over(followed(hunks, text, now) if known is None else known.as_found(now))
    if now != text:
        document.is_behind(hunks, text)


def _with_edit(
    known: PendingFile | None, outcome: WriteOutcome, author: Author, new_hunk_id: Callable[[], str]
) -> PendingHunks:
    """What is pending after an agent's edit of a file."""
    before = outcome.before or ""
    hunks = known.as_found(before) if known is not None and known.text is not None else PendingHunks()
    return edited(hunks, settled_edits(before, outcome.after), (author.session, author.call), new_hunk_id)


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What is to be written down of a file: nothing but that it is dropped, where there are no hunks.

    Attributes:
        version: The version of the logical text; None where it is to be had from ``text``, which takes its time.
        text: The text, or None where the store has it.
    """

    target: Target
    hunks: PendingHunks
    version: Version | None
    text: str | None
    is_created: bool
    saved: tuple[tuple[PendingHunks, str], ...] = ()


def _save_all(store: ReviewStore, snapshots: Iterable[_Snapshot]) -> None:
    for each in snapshots:
        if not (each.hunks or each.saved):
            store.drop(each.target)
            continue
        text = None if each.text is None else logical_text(each.text)
        version = each.version or version_of_logical(text or "")
        saved = tuple((hunks, version_of_logical(there)) for hunks, there in each.saved)
        stored = Stored(each.target, each.hunks, version, each.is_created, saved)
        store.save(stored, text, [there for _, there in each.saved])
