"""The critical section of a mutation on the disk: read, decode, check the guard, plan, publish, verify.

Blocking, for an executor; the caller holds the target's lock. What another process does between reading and publishing
is found out by the publisher, and the section starts over with what is there then, so that it is the guard that
answers. Deliberately absent: how bytes are published, and what an edit is.
"""

import stat
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

from dsh_ledger.errors import FsIoError, FsNotFound, FsNotText, FsPermissionDenied, FsTooLarge
from dsh_ledger.guards import Guard
from dsh_ledger.targets import Target
from dsh_ledger.versions import BOM, version_of_bytes
from dsh_tools.fs.encoding import Decoded, TextContent, decode, text_content
from dsh_tools.fs.file_style import FileStyles, StyleOf
from dsh_tools.fs.guard_check import change_under, check_guard, drifted_from
from dsh_tools.fs.line_ends import rewrite, to_physical
from dsh_tools.fs.new_files import new_file
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Location, Workspace, target_path
from dsh_tools.fs.places import Place, made_directories, open_place
from dsh_tools.fs.port import EditPlan, WriteOutcome
from dsh_tools.fs.publish import Publisher
from dsh_tools.fs.recent import RecentContents
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, take
from dsh_tools.fs.windows_names import refuse_windows_name

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
        notes: What the caller should be told of it, as sentences.
    """

    decoded: Decoded
    data: bytes
    logical: str | None = None
    notes: tuple[str, ...] = ()

    def content(self) -> TextContent:
        """What a reader gets."""
        return text_content(self.decoded, self.data, self.logical)


Revise: TypeAlias = Callable[[TextContent | None, StyleOf], Revision]
"""Given what is there (None: nothing) and what is asked of the file, what should be. Raises a refusal where there is no
answer."""


def editing(target: Target, plan: EditPlan, guard: Guard) -> Revise:
    """The revision by a plan, which needs something to be there that the guard admits."""

    def revise(content: TextContent | None, style: StyleOf) -> Revision:
        if content is None:
            raise FsNotFound(target.path)
        change = change_under(guard, target.path, content.version, content.logical, plan)
        there = to_physical(change, content.decoded.text)
        new = next((edit.text for edit in there.edits if not edit.text.isascii()), "")
        old = content.decoded.accepting(new, style)
        decoded, data = old.spliced(content.data, there, target.path)
        notes = _encoding_note(content.decoded, old)
        if there is change:
            return Revision(decoded, data, notes=notes)
        logical = change.apply(content.logical)
        # With a mark of the physical side in it, it is not what a reader of the physical text would get.
        known = "\r" not in logical and not logical.startswith(BOM)
        return Revision(decoded, data, logical if known else None, notes)

    return revise


def writing(target: Target, text: str) -> Revise:
    """The revision that is a whole text: in the style of what is there, else in the one that is asked for."""

    def revise(content: TextContent | None, style: StyleOf) -> Revision:
        if content is None or not content.data:
            decoded, data, notes = new_file(text, style(), target.path)
            return Revision(decoded, data, notes=notes)
        old = content.decoded.accepting(text, style)
        physical = rewrite(old.text, text)
        data = old.encode(physical, target.path)
        return Revision(Decoded(physical, old.bom, old.encoding), data, notes=_encoding_note(content.decoded, old))

    return revise


def _encoding_note(before: Decoded, after: Decoded) -> tuple[str, ...]:
    same = before.encoding == after.encoding
    return () if same else (f"It was ASCII so far; what is not is written in {after.encoding}, as declared for it.",)


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
        styles: What is asked of files.
    """

    workspace: Workspace
    publisher: Publisher
    limit: int
    digests: Executor
    recent: RecentContents
    styles: FileStyles

    def style_of(self, target: Target) -> StyleOf:
        """Finds out, at most once, what is asked of a file."""
        return cache(partial(self.styles.of, self.workspace, target))

    def content(self, data: bytes, path: str, style: StyleOf) -> TextContent:
        """The content of a file's bytes.

        Raises:
            FsNotText: They are no text.
        """
        return self.recent.find(data, style) or text_content(decode(data, path, style), data)

    def run(
        self, target: Target, guard: Guard, revise: Revise, *, dry_run: bool = False, by_user: bool = False
    ) -> WriteOutcome:
        """One critical section; without publishing if it is a dry run, which is for what is there already.

        What a person does by it may be done in protected places too.

        Raises:
            FsError: As for the port's `write_text` and `edit_text`.
        """
        location = self.workspace.locate(target)
        if not by_user:
            self.workspace.refuse_protected(target)
        style = self.style_of(target)
        with translated(target.path), self.publisher.turns.hold(target_path(target)):
            for _ in range(_ATTEMPTS):
                try:
                    return self._attempt(location, target, guard, revise, style, dry_run=dry_run)
                except TargetChangedError:
                    continue
                except FsTooLarge as refusal:
                    refusal.remedy = "Tell the user: a file of that size is not changed with this tool."
                    raise
        raise FsIoError(target.path, "CONTENDED", f"{target.path} kept changing while it was being written.")

    def _attempt(
        self, location: Location, target: Target, guard: Guard, revise: Revise, style: StyleOf, *, dry_run: bool
    ) -> WriteOutcome:
        with open_place(location, target.path) as place:
            old = None if place is None else take(place, self.limit)
            if place is not None and old is not None:
                return self._replace(place, old, guard, revise, style, dry_run=dry_run)
        return self._create(location, target, guard, revise, style)

    def _replace(
        self, place: Place, old: Snapshot, guard: Guard, revise: Revise, style: StyleOf, *, dry_run: bool
    ) -> WriteOutcome:
        before = self._guarded(old.data, place.shown, guard, style)
        _refuse_read_only(place, old)
        revision = self._within_limit(revise(before, style), place.shown)
        digest = self.digests.submit(revision.content) if len(revision.data) > _WORTH_A_THREAD else None
        same = revision.data == old.data
        notes = () if same or dry_run else self.publisher.replace(place, old, revision.data)
        after = digest.result() if digest else revision.content()
        if not dry_run:
            self.recent.keep(after)
        observed = drifted_from(guard, before.version)
        return WriteOutcome(
            before=before.logical,
            after=after.logical,
            before_version=before.version,
            version=after.version,
            via="disk",
            saved=same or not dry_run,
            notes=notes + revision.notes + after.notes,
            rebased_from=observed.text if observed else None,
        )

    def _create(self, location: Location, target: Target, guard: Guard, revise: Revise, style: StyleOf) -> WriteOutcome:
        check_guard(guard, target.path, None, None)
        revision = self._within_limit(revise(None, style), target.path)
        after = revision.content()
        with made_directories(location, target.path) as made, open_place(location, target.path) as place:
            if place is None:
                raise FsNotFound(target.path)
            refuse_windows_name(place.directory, place.name, target.path)
            self.publisher.create(place, revision.data)
        return WriteOutcome(
            before=None,
            after=after.logical,
            before_version=None,
            version=after.version,
            via="disk",
            saved=True,
            notes=revision.notes + after.notes,
            created_directories=tuple(map(self.workspace.shown, made)),
        )

    def _guarded(self, data: bytes, path: str, guard: Guard, style: StyleOf) -> TextContent:
        """The text of bytes that the guard admits. Bytes that are no text can be stale too, and that comes first."""
        try:
            content = self.content(data, path, style)
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
