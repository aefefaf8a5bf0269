"""Keeping and undoing: decisions of people on what agents changed.

An undo is one edit of a file, whatever it takes back there, through the same guarded path as any edit: one step for the
editor's own undo, and nothing that was typed elsewhere is touched. Deliberately absent: who asked, and who is told.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from dsh_ledger.edits import Change
from dsh_ledger.errors import FsError, FsStaleVersion, LedgerError
from dsh_ledger.guards import Guard, MustBeVersion, Unconditional
from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, version_of_logical
from dsh_lsp.buffers.hunk_decisions import Parts, kept, undo_edits
from dsh_lsp.buffers.open_document import Source, Undo
from dsh_lsp.buffers.shared_file import UnsavedTwice
from dsh_lsp.review.line_changes import line_change
from dsh_lsp.review.reviews import Reviewed, Reviews
from dsh_lsp.review.selection import Part, Selection
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.port import EditPlan, WriteOutcome

Decision: TypeAlias = Literal["kept", "undone"]

_ATTEMPTS = 3
"""How often a file that others keep writing is looked at again."""

_CHANGED = "the file keeps changing"
_NOT_THE_AGENTS = "the file is not what the agent wrote any more, so it is not removed; its text: "
_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class Decided:
    """A hunk that was decided on; or that could not be, and why."""

    target: Target
    hunk: PendingHunk
    decision: Decision
    conflict: str | None = None


class _HunkGone(Exception):
    """A hunk is not where it was looked at: it has become part of another one, or its document was closed."""


class Files(Protocol):
    """What deciding needs of the files."""

    async def edit_text(self, target: Target, plan: EditPlan, guard: Guard, source: Source) -> WriteOutcome:
        """See `dsh_lsp.buffers.workspace_files.WorkspaceFiles`."""
        ...

    def undisturbed(self, target: Target) -> AbstractAsyncContextManager[None]:
        """A block during which no edit is under way in the target."""
        ...

    async def remove(self, target: Target, version: Version) -> bool:
        """Remove a file that has this version; whether it had."""
        ...


class Deciding:
    """Decides on the hunks of a workspace.

    Args:
        reviews: What is pending.
        files: The files.
        new_hunk_id: Makes ids for what is left of a hunk.
    """

    def __init__(self, reviews: Reviews, files: Files, new_hunk_id: Callable[[], str]) -> None:
        self._reviews = reviews
        self._files = files
        self._new_hunk_id = new_hunk_id
        self._turns = TargetLocks()

    async def keep(self, target: Target, selection: Selection) -> list[Decided]:
        """Accept what is meant of a file's hunks. An edit or a decision that is under way in the file ends first."""
        async with self._turns.hold(target), self._files.undisturbed(target):
            found = await self._reviews.of_held(target)
            parts = [] if found is None else list(selection.of(found.hunks))
            if found is None or not parts:
                return []
            self._keep(found, parts)
            return [Decided(target, part.hunk, "kept") for part in parts]

    def _keep(self, found: Reviewed, parts: Sequence[Part]) -> None:
        self._reviews.pending.created_kept(found.target)
        if found.document is None:
            decided = kept(found.hunks, _parts(parts), self._new_hunk_id)
            self._reviews.pending.put(found.target, decided.hunks, found.text)
            return
        found.document.keep(_parts(parts))
        self._reviews.pending.touched(found.target)

    async def undo(self, target: Target, selection: Selection) -> list[Decided]:
        """Take back what is meant of a file's hunks, all of it or nothing. A decision that is under way ends first."""
        async with self._turns.hold(target):
            return await self._undo_in_turn(target, selection)

    async def _undo_in_turn(self, target: Target, selection: Selection) -> list[Decided]:
        parts: list[Part] = []
        for _ in range(_ATTEMPTS):
            found = await self._reviews.of(target)
            parts = [] if found is None else list(selection.of(found.hunks))
            if found is None or not parts:
                return []
            taken: dict[str, PendingHunk] = {}
            try:
                conflict = await self._undo(found, parts, selection, taken)
            except UnsavedTwice as error:
                conflict = error.message
            except (FsStaleVersion, _HunkGone):
                continue
            except FsError as error:
                conflict = error.message
            return [Decided(target, taken.get(part.hunk.id, part.hunk), "undone", conflict) for part in parts]
        return [Decided(target, part.hunk, "undone", _CHANGED) for part in parts]

    async def _undo(
        self, found: Reviewed, parts: Sequence[Part], selection: Selection, taken: dict[str, PendingHunk]
    ) -> str | None:
        """Undo; why it could not be done, or None. Into ``taken`` go the hunks as they are in that moment."""
        if found.is_created and _leaves_nothing(found, parts):
            return await self._remove(found, taken)
        if found.is_created and len(parts) == len(found.hunks) and selection.lines is None:
            return _NOT_THE_AGENTS + _cut(found.text)
        undo = Undo(_parts(parts))
        document = found.document

        def plan(text: str) -> Change:
            hunks = found.hunks if document is None else document.hunks
            if document is not None and document.closed.is_set():
                raise _HunkGone
            if not _note(hunks, undo, taken):
                raise _HunkGone
            return undo_change(text, hunks, undo)

        guard = MustBeVersion(version_of_logical(found.text)) if document is None else Unconditional()
        await self._files.edit_text(found.target, plan, guard, undo)
        return None

    async def _remove(self, found: Reviewed, taken: dict[str, PendingHunk]) -> str | None:
        """Remove a file that an agent created, and that is still what the agent wrote."""
        if any(hunk.user_modified for hunk in found.hunks):
            return _NOT_THE_AGENTS + _cut(found.text)
        if found.document is not None:
            undo = Undo(tuple((hunk.id, None) for hunk in found.hunks))
            document = found.document

            def plan(text: str) -> Change:
                # What was typed or written since is looked at anew: it may not be the agent's any more.
                if text != found.text or not _note(document.hunks, undo, taken):
                    raise _HunkGone
                return undo_change(text, document.hunks, undo)

            await self._files.edit_text(found.target, plan, Unconditional(), undo)
        try:
            if await self._files.remove(found.target, version_of_logical(found.text)):
                return None
            if found.document is None:
                return _CHANGED
            # The editor may have saved the buffer, which is empty now.
            if not await self._files.remove(found.target, version_of_logical("")):
                self._reviews.pending.created_kept(found.target)
        except LedgerError as error:
            return error.message
        return None


def undo_change(text: str, hunks: PendingHunks, undo: Undo) -> Change:
    """The change of a text that takes hunks back; a hunk that is gone is nothing to take back."""
    return line_change(text, undo_edits(hunks, undo.parts))


def _note(hunks: PendingHunks, undo: Undo, taken: dict[str, PendingHunk]) -> bool:
    """Note those that are taken back as they are now; whether all of them are there."""
    now = {name: hunk for name, _ in undo.parts if (hunk := hunks.get(name)) is not None}
    taken.update(now)
    return len(now) == len(undo.parts)


def _parts(parts: Sequence[Part]) -> Parts:
    return tuple((part.hunk.id, part.in_hunk) for part in parts)


def _leaves_nothing(found: Reviewed, parts: Sequence[Part]) -> bool:
    """Whether the base text of a created file is empty, and all hunks are taken back."""
    whole = all(part.start <= part.hunk.start and part.hunk.end <= part.end for part in parts)
    if not whole or len(parts) != len(found.hunks):
        return False
    lines = found.text.replace("\r", "\n").split("\n")
    return not any(found.hunks.base_lines(lines))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text) - _SHOWN} more characters)"
