"""The critical section of a mutation on the disk: read, decode, check the guard, plan, publish, verify.

Blocking, for an executor; the caller holds the target's lock. What another process does between reading and publishing
is found out by the publisher, and the section starts over with what is there then, so that it is the guard that
answers. Deliberately absent: how bytes are published, and what an edit is.
"""

import stat
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeAlias

from dsh_ledger.errors import FsIoError, FsNotFound, FsNotText, FsPermissionDenied, FsTooLarge
from dsh_ledger.guards import Guard
from dsh_ledger.targets import Target
from dsh_ledger.versions import BOM, version_of_bytes
from dsh_tools.fs.encoding import Decoded, TextContent, decode, text_content
from dsh_tools.fs.guard_check import check_guard
from dsh_tools.fs.line_ends import rewrite, to_physical
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Location, Workspace
from dsh_tools.fs.places import Place, made_directories, open_place
from dsh_tools.fs.port import EditPlan, WriteOutcome
from dsh_tools.fs.publish import Publisher
from dsh_tools.fs.recent import RecentContents
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, take

_ATTEMPTS = 8
"""How often a section starts over while others keep writing. A guard that asks for a version ends it at the second."""


_WORTH_A_THREAD = 1 << 20
"""Bytes from which a digest takes longer than handing it over."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The content that a mutation wants.

    Attributes:
        decoded: The physical text and its encoding.
        data: The bytes of it.
        logical: The logical text of it, where that is known without folding line ends again.
    """

    decoded: Decoded
    data: bytes
    logical: str | None = None

    def content(self) -> TextContent:
        """What a reader gets."""
        return text_content(self.decoded, self.data, self.logical)


Revise: TypeAlias = Callable[[TextContent | None], Revision]
"""Given what is there (None: nothing), what should be. Raises a refusal where there is no answer."""


def editing(target: Target, plan: EditPlan) -> Revise:
    """The revision by a plan, which needs something to be there."""

    def revise(content: TextContent | None) -> Revision:
        if content is None:
            raise FsNotFound(target.path)
        change = plan(content.logical)
        there = to_physical(change, content.decoded.text)
        decoded, data = content.decoded.spliced(content.data, there, target.path)
        if there is change:
            return Revision(decoded, data)
        logical = change.apply(content.logical)
        # With a mark of the physical side in it, it is not what a reader of the physical text would get.
        known = "\r" not in logical and not logical.startswith(BOM)
        return Revision(decoded, data, logical if known else None)

    return revise


def writing(target: Target, text: str) -> Revise:
    """The revision that is a whole text: in the style of what is there, else as it was given."""

    def revise(content: TextContent | None) -> Revision:
        old = Decoded("") if content is None else content.decoded
        physical = text if content is None else rewrite(old.text, text)
        return Revision(Decoded(physical, old.bom, old.encoding), old.encode(physical, target.path))

    return revise


@dataclass(frozen=True, slots=True)
class DiskMutations:
    """Carries out revisions on the files of a workspace.

    Attributes:
        workspace: Where.
        publisher: How bytes get to their place.
        limit: The most bytes that a file may have, before and after.
        digests: Threads that digest a large new text while it is written and made durable: 3 of 25 ms for 5 MB.
            An operation waits for them; they must not be the threads that operations run in.
        recent: The last large contents.
    """

    workspace: Workspace
    publisher: Publisher
    limit: int
    digests: Executor
    recent: RecentContents

    def run(self, target: Target, guard: Guard, revise: Revise) -> WriteOutcome:
        """One critical section.

        Raises:
            FsError: As for the port's `write_text` and `edit_text`.
        """
        location = self.workspace.locate(target)
        with translated(target.path):
            for _ in range(_ATTEMPTS):
                try:
                    return self._attempt(location, target, guard, revise)
                except TargetChangedError:
                    continue
        raise FsIoError(target.path, "CONTENDED", f"{target.path} kept changing while it was being written.")

    def _attempt(self, location: Location, target: Target, guard: Guard, revise: Revise) -> WriteOutcome:
        with open_place(location, target.path) as place:
            old = None if place is None else take(place, self.limit)
            if place is not None and old is not None:
                return self._replace(place, old, guard, revise)
        return self._create(location, target, guard, revise)

    def _replace(self, place: Place, old: Snapshot, guard: Guard, revise: Revise) -> WriteOutcome:
        before = self._guarded(old.data, place.shown, guard)
        _refuse_read_only(place, old)
        revision = self._within_limit(revise(before), place.shown)
        digest = self.digests.submit(revision.content) if len(revision.data) > _WORTH_A_THREAD else None
        notes = () if revision.data == old.data else self.publisher.replace(place, old, revision.data)
        after = digest.result() if digest else revision.content()
        self.recent.keep(after)
        return WriteOutcome(
            before=before.logical,
            after=after.logical,
            before_version=before.version,
            version=after.version,
            via="disk",
            saved=True,
            notes=notes + after.notes,
        )

    def _create(self, location: Location, target: Target, guard: Guard, revise: Revise) -> WriteOutcome:
        check_guard(guard, target.path, None, None)
        revision = self._within_limit(revise(None), target.path)
        after = revision.content()
        with made_directories(location, target.path) as made, open_place(location, target.path) as place:
            if place is None:
                raise FsNotFound(target.path)
            self.publisher.create(place, revision.data)
        return WriteOutcome(
            before=None,
            after=after.logical,
            before_version=None,
            version=after.version,
            via="disk",
            saved=True,
            notes=after.notes,
            created_directories=tuple(map(self.workspace.shown, made)),
        )

    def _guarded(self, data: bytes, path: str, guard: Guard) -> TextContent:
        """The text of bytes that the guard admits. Bytes that are no text can be stale too, and that comes first."""
        try:
            content = self.recent.find(data) or text_content(decode(data, path), data)
        except FsNotText:
            check_guard(guard, path, version_of_bytes(data), None)
            raise
        check_guard(guard, path, content.version, content.logical)
        return content

    def _within_limit(self, revision: Revision, path: str) -> Revision:
        if len(revision.data) > self.limit:
            raise FsTooLarge(path, len(revision.data), self.limit)
        return revision


def _refuse_read_only(place: Place, old: Snapshot) -> None:
    """A file that was made read-only stays as it is, for root too, to whom the system would not object."""
    mode = stat.S_IMODE(old.stat.st_mode)
    if not mode & stat.S_IWUSR:
        raise FsPermissionDenied(place.shown, f"{place.shown} is read-only (mode {mode:04o}).", {"mode": f"{mode:04o}"})
    if not place.writable():
        raise FsPermissionDenied(place.shown, f"This user may not write to {place.shown}.")
