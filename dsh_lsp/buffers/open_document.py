"""One open document: its mirror, the agents' hunks in it, and whether the disk has its text.

Everything here happens on the event loop, synchronously, in the order in which the editor's messages arrive.
Deliberately absent: asking the editor for anything, and reading the disk.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_ledger.pending_batch import edited
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.document_diff import bare_lines, change_between, settled_edits, settled_edits_of, without_mark
from dsh_lsp.buffers.hunk_decisions import Parts, kept, undone
from dsh_lsp.buffers.neovim_lines import changed_text, may_miscount
from dsh_lsp.buffers.undo_points import UndoPoints
from dsh_lsp.editor import Editor
from dsh_lsp.text.document import AppliedChange, Document

_SINGLY = 64
"""Items of one ``didChange`` up to which the hunks are told of each by itself."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One item of ``contentChanges``: a range and its new text, or the whole new text when there is no range."""

    range: tuple[int, int, int, int] | None
    text: str


@dataclass(frozen=True, slots=True)
class Author:
    """The call that an edit comes from.

    Attributes:
        session: Its session.
        call: The call.
        proposes: The edit is a proposal: the editor has its user confirm it.
    """

    session: str
    call: str
    proposes: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """An edit that takes hunks back, in place of an author."""

    parts: Parts


Source: TypeAlias = Author | Undo
"""Where an edit of ours comes from."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is pending before an edit of an agent, and after it."""

    before: PendingHunks
    after: PendingHunks


class EditInFlight:
    """An edit that was sent to the editor and has not been seen in the text yet.

    Attributes:
        before: The logical text it was computed for.
        after: The logical text it must lead to.
        source: Whose edit it is, or what it takes back.
        hunks_before: What was pending then.
        foreseen: What will be pending if it arrives as it is; None where it was not found out.
        sums: What the text before and the last text with the edit in it are known by; None if there was none yet.
        arrived: Set when the text has been exactly ``after``.
        touched: The document has changed since the edit was sent.
    """

    __slots__ = ("after", "arrived", "before", "foreseen", "hunks_before", "source", "sums", "touched")

    def __init__(self, before: str, after: str, source: Source, hunks_before: PendingHunks, known_by: int) -> None:
        self.before = before
        self.after = after
        self.source = source
        self.hunks_before = hunks_before
        self.sums: tuple[int, int | None] = (known_by, None)
        self.foreseen: Foreseen | None = None
        self.arrived = asyncio.Event()
        self.touched = False


class OpenDocument:
    """A document from ``didOpen`` to ``didClose``.

    Args:
        mirror: The text as the editor has it.
        editor: Who has it open.
        new_hunk_id: Makes ids for the agents' hunks.
        repaint: Told when the hunks have changed and the text has not.

    Attributes:
        mirror: As above.
        editor: As above.
        hunks: What the agents changed in it and is pending.
        target: What it is to the ledger; None until it is known.
        miscounted: The editor may count the lines of the text otherwise than LSP does: see `neovim_lines`.
        clean_version: The buffer's content version when buffer and disk were last seen to agree, or None.
        disk_version: The disk's content version then; another one only by what loading does to a text.
        on_disk: What was pending then, with the logical text that it is in; None if they were never seen to agree.
        behind: What is pending in a text that the file has had and the document has not, with that text; None if there
            was none.
        busy: An agent's edit is under way; whose a change is will be known when it has ended.
        closed: Set when the document was closed or opened anew.
    """

    def __init__(
        self,
        mirror: Document,
        editor: Editor,
        new_hunk_id: Callable[[], str],
        repaint: Callable[["OpenDocument"], None],
    ) -> None:
        self.mirror = mirror
        self.editor = editor
        self.hunks = PendingHunks()
        self.target: Target | None = None
        self.miscounted = may_miscount(editor.traits, mirror.text)
        self.clean_version: Version | None = None
        self.disk_version: Version | None = None
        self.on_disk: tuple[PendingHunks, str] | None = None
        self.behind: tuple[PendingHunks, str] | None = None
        self.busy = False
        self.closed = asyncio.Event()
        self._new_hunk_id = new_hunk_id
        self._repaint = repaint
        self._in_flight: EditInFlight | None = None
        self._points = UndoPoints()
        self._waiters: set[asyncio.Event] = set()

    @property
    def dirty(self) -> bool:
        """The buffer holds something that the disk, when it was last looked at, did not."""
        return self.mirror.content_version != self.clean_version

    def agree(self, version: Version, disk_version: Version, then: tuple[PendingHunks, str] | None = None) -> None:
        """Buffer and disk have been seen to hold the same text, these being its versions there and there.

        Args:
            version: The buffer's.
            disk_version: The disk's.
            then: What was pending in that text, and the text; without it, the buffer still has it.
        """
        self.clean_version = version
        self.disk_version = disk_version
        self.on_disk = then or (self.hunks, logical_text(self.mirror.text))

    def change(self, version: int, changes: Sequence[TextChange]) -> None:
        """Follow a ``didChange``: all of its items, then the version."""
        flight, points = self._in_flight, self._points
        hunks, text = self.hunks, points.here(self.mirror) if self.hunks or points.are_followed else None
        touched = self._follow_all(changes)
        self.mirror.version = version
        if flight is not None:
            flight.touched = True
        if flight is not None and not flight.arrived.is_set() and logical_text(self.mirror.text) == flight.after:
            self._take_in(flight)
            flight.arrived.set()
        elif text is not None:
            is_users = flight is None and not self.busy
            if is_users:
                points.note_typing(text, hunks, touched)
            found = points.found(self.mirror)
            if found is not None:
                self.hunks = found
            elif is_users:
                points.note_typing(points.here(self.mirror), self.hunks, touched)
        self._wake()

    def close(self) -> None:
        """The editor has closed it, or has opened it anew."""
        self.closed.set()
        self._wake()

    def take_over(self, hunks: PendingHunks) -> None:
        """These hunks were pending in the file before it was opened."""
        self.hunks = hunks
        self._points.clear()
        self._repaint(self)

    def is_behind(self, hunks: PendingHunks, text: str) -> None:
        """The file has this logical text by now, with this pending in it: the editor may have it read again."""
        self._points.foretell(self.mirror, text, hunks)
        self.behind = (hunks, text)

    def keep(self, parts: Parts) -> None:
        """Some hunks were accepted. Should the buffer be closed unsaved, they are not pending in the file either."""
        decided = kept(self.hunks, parts, self._new_hunk_id)
        self.hunks = decided.hunks
        self._points.decided(decided)
        if self.on_disk is not None:
            self.on_disk = (decided.known_to(self.on_disk[0]), self.on_disk[1])
        if self.behind is not None:
            self.behind = (decided.known_to(self.behind[0]), self.behind[1])
        self._repaint(self)

    def foresee(self, hunks: PendingHunks, before: str, after: str, author: Author) -> Foreseen:
        """What will be pending once an edit has arrived, if these hunks are by then. May be called in any thread."""
        return Foreseen(hunks, self._with_edit(hunks, before, after, author))

    def launch(self, before: str, after: str, source: Source, foreseen: Foreseen | None = None) -> EditInFlight:
        """An edit is about to be sent. One at a time: whoever sends holds the target's lock.

        Args:
            before: The logical text as it is.
            after: The logical text that it is to become.
            source: Whose edit it is.
            foreseen: What `foresee` has found for it. Not needed, but thousands of hunks take their time to be found.
        """
        self._in_flight = EditInFlight(before, after, source, self.hunks, self._points.here(self.mirror))
        if foreseen is not None and foreseen.before is self.hunks:
            self._in_flight.foreseen = foreseen
        return self._in_flight

    def overdue(self, flight: EditInFlight) -> None:
        """Nobody knows what became of the edit. Should its text come after all, it is that edit."""
        if isinstance(flight.source, Author):
            foreseen = flight.foreseen or self.foresee(flight.hunks_before, flight.before, flight.after, flight.source)
            self._points.foretell(self.mirror, flight.after, foreseen.after)

    def land(self, flight: EditInFlight) -> None:
        """The edit's fate is known; later changes are the user's."""
        if self._in_flight is flight:
            self._in_flight = None

    def arrived_among_typing(self, flight: EditInFlight) -> None:
        """The edit has been found in a text that holds the user's typing too: tell the two apart."""
        self._take_in(flight, typed=logical_text(self.mirror.text))
        self._repaint(self)

    def reformatted(self, flight: EditInFlight) -> None:
        """What a formatter did while the edit was saved belongs to the edit."""
        self._take_in(flight, formatted=logical_text(self.mirror.text))
        self._repaint(self)

    def _take_in(self, flight: EditInFlight, *, formatted: str | None = None, typed: str | None = None) -> None:
        """The edit is in the text, perhaps with what a formatter or the user did after it."""
        points, (before, earlier) = self._points, flight.sums
        if earlier is not None:
            points.forget(earlier)  # by other names for the same hunks
        points.note(before, flight.hunks_before)
        after = flight.after if formatted is None else formatted
        if isinstance(flight.source, Undo):
            decided = undone(flight.hunks_before, flight.source.parts, flight.before, self._new_hunk_id)
            points.decided(decided)
            hunks = (
                decided.hunks if after == flight.after else edited(decided.hunks, settled_edits(flight.after, after))
            )
        elif flight.foreseen is not None and formatted is None:
            hunks = flight.foreseen.after
        else:
            hunks = self._with_edit(flight.hunks_before, flight.before, after, flight.source)
        if typed is not None:
            hunks = edited(hunks, settled_edits(after, typed))
        self.hunks = hunks
        flight.sums = (before, points.here(self.mirror))
        points.note(points.here(self.mirror), hunks)

    def _with_edit(self, hunks: PendingHunks, before: str, after: str, author: Author) -> PendingHunks:
        return edited(hunks, settled_edits(before, after), (author.session, author.call), self._new_hunk_id)

    def _follow_all(self, changes: Sequence[TextChange]) -> list[PendingHunk]:
        """Follow changes one after the other; which hunks they touched."""
        touched: list[PendingHunk] = []
        if len(changes) <= _SINGLY:
            for item in changes:
                applied = self._apply(item)
                self._points.follow(applied, self.mirror)
                if self.hunks:
                    touched += self._follow(applied)
            return touched
        before = self.mirror.lines()
        for item in changes:
            self._apply(item)
        applied = change_between(before, self.mirror.lines())
        self._points.follow(applied, self.mirror)
        flight = self._in_flight
        if self.hunks and (flight is None or flight.arrived.is_set() or logical_text(self.mirror.text) != flight.after):
            touched += self._follow(applied)
        return touched

    def _apply(self, item: TextChange) -> AppliedChange:
        if not self.miscounted and "\r" in item.text:
            self.miscounted = may_miscount(self.editor.traits, item.text)
        if item.range is None:
            return self.mirror.replace_all(item.text)
        if self.miscounted:
            return self.mirror.replace_all(changed_text(self.mirror, item.range, item.text))
        return self.mirror.apply(*item.range, item.text)

    def _follow(self, applied: AppliedChange) -> tuple[PendingHunk, ...]:
        """Tell the hunks what the user did; which of them it touches."""
        applied = without_mark(applied, self.mirror)
        old, new = bare_lines(applied.old_lines), bare_lines(applied.new_lines)
        start = applied.start_line
        touched = self.hunks.touching(start, start + len(old))
        if touched and _restores_base(touched, start, old, new):
            self.hunks = self.hunks.all_undone({hunk.id for hunk in touched})
        else:
            self.hunks = edited(self.hunks, settled_edits_of(applied, self.mirror))
        return touched

    async def changed(self) -> None:
        """Wait for the next change of the document, or for its end."""
        event = asyncio.Event()
        self._waiters.add(event)
        try:
            await event.wait()
        finally:
            self._waiters.discard(event)

    def _wake(self) -> None:
        for event in self._waiters:
            event.set()
        self._waiters.clear()


def _restores_base(touched: Sequence[PendingHunk], start: int, old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a change takes back all hunks that it touches.

    That is what an editor's undo does. Where lines repeat or have moved, no diff would find it out.
    """
    end = start + len(old)
    first, last = touched[0], touched[-1]
    above, below = max(0, start - first.start), max(0, last.end - end)
    outside = max(0, first.start - start) + max(0, end - last.end)
    outside += sum(later.start - hunk.end for hunk, later in pairwise(touched))
    if outside + sum(len(hunk.base) for hunk in touched) != above + len(new) + below:
        return False
    if first is last and tuple(first.base[above : above + len(new)]) != tuple(new) and not outside:
        return False  # a key in a hunk: nothing else of it is looked at
    base: list[str] = []
    at = start
    for hunk in touched:
        base += old[at - start : max(at, hunk.start) - start]
        base += hunk.base
        at = max(at, hunk.end)
    base += old[at - start :]
    return tuple(base) == (*first.current[:above], *new, *last.current[len(last.current) - below :])
