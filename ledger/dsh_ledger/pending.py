"""Pending hunks: what agents changed in the current text and nobody has decided on, line by line.

Held here: for each such place the lines that stood there before (*base*), the lines that stand there now (*current*),
and who made it. Base text and current text are identical outside the hunks, so the base text can always be had back
from the current one. Deliberately absent: the texts themselves, columns, versions, and who is asked to decide.

What an edit does to the two texts:

=====================  ==================  =======================================
what                   current text        base text
=====================  ==================  =======================================
agent edit             changes             stays
user edit elsewhere    changes             changes in the same way
user edit on a hunk    changes             stays: it becomes part of the hunk
`kept`                 stays               takes the hunk's current lines
`undone`               takes its base      stays
=====================  ==================  =======================================

An edit is first trimmed of the lines that it doesn't change. It is *on* a hunk when the two share a line; when one
strictly encloses the place of the other; when it only inserts or only deletes lines and touches the place where a hunk
deleted some; when it reaches the end of a text whose final newline the hunk changed; or when it changes the final
newline and the hunk deleted the last lines. A line typed at the edge of a hunk is not on it: undoing the hunk must not
take it away.

The editor's undo of an agent's edit is a user edit that makes current equal to base, and the hunk is gone. It has to
meet the hunk for that: where lines repeat, an edit can be said in several ways, so give every edit `LineEdit.settled`.

Lines have no line ends. Whether the text ends with a newline is one flag of the text, and a hunk knows of it only when
base and current differ in it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from dsh_ledger.errors import LedgerBug
from dsh_ledger.hunk_parts import HunkPart, hunk_parts
from dsh_ledger.line_edits import LineEdit

PendingKind: TypeAlias = Literal["added", "modified", "deleted"]
"""How a hunk is painted."""


@dataclass(frozen=True, slots=True)
class PendingHunk:
    """One place where current and base text differ.

    Attributes:
        id: Stays the same as long as the hunk lives.
        start: Its first line in the current text, 0-based; with no current lines, the line that it stands before.
        base: The lines before the agent's edit.
        current: The lines now, the user's changes included.
        calls: (session, call) of every agent edit that is part of it, the latest one last. Where a user edit joined
            hunks, in the order of their places.
        user_modified: A user edit became part of it at some time.
        old_no_newline: The base text has no newline at its end, and the current text has one.
        new_no_newline: The current text has no newline at its end, and the base text has one.
    """

    id: str
    start: int
    base: tuple[str, ...]
    current: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    user_modified: bool = False
    old_no_newline: bool = False
    new_no_newline: bool = False

    @property
    def session(self) -> str:
        """The session of the latest agent edit in it."""
        return self.calls[-1][0]

    @property
    def call(self) -> str:
        """The call of the latest agent edit in it."""
        return self.calls[-1][1]

    @property
    def count(self) -> int:
        """Number of current lines."""
        return len(self.current)

    @property
    def end(self) -> int:
        """The current line after it, 0-based."""
        return self.start + len(self.current)

    @property
    def kind(self) -> PendingKind:
        """``modified`` also when nothing but the final newline differs."""
        if not self.base and self.current:
            return "added"
        return "deleted" if self.base and not self.current else "modified"

    @property
    def changes_final_newline(self) -> bool:
        """Base and current text differ in whether they end with a newline. Such a hunk is the last one."""
        return self.old_no_newline != self.new_no_newline

    def at(self, start: int) -> "PendingHunk":
        """The same hunk at another line."""
        return PendingHunk(
            self.id,
            start,
            self.base,
            self.current,
            self.calls,
            self.user_modified,
            self.old_no_newline,
            self.new_no_newline,
        )


@dataclass(frozen=True, slots=True)
class PendingHunks:
    """All pending hunks of one text, in order and disjoint. A value: every operation gives a new one.

    The places are kept apart from the hunks, because an edit that changes the number of lines moves every later hunk:
    adding to 10,000 numbers takes a fraction of a millisecond, making 10,000 hunks anew takes many.
    """

    _starts: tuple[int, ...] = ()
    _hunks: tuple[PendingHunk, ...] = ()  # each at line 0

    @classmethod
    def of(cls, hunks: Iterable[PendingHunk]) -> "PendingHunks":
        """These hunks, as `hunks` once gave them.

        Raises:
            ValueError: They are out of order, overlap, share an id, or one of them changes nothing; or one that
                is not the last changes the final newline.
        """
        listed = tuple(hunks)
        for before, after in pairwise(listed):
            if before.end > after.start or before.changes_final_newline:
                raise ValueError(f"hunk {after.id} can't come after hunk {before.id}")
        if len({hunk.id for hunk in listed}) != len(listed):
            raise ValueError("two hunks have one id")
        for hunk in listed:
            if hunk.start < 0 or (hunk.base == hunk.current and not hunk.changes_final_newline):
                raise ValueError(f"hunk {hunk.id} changes nothing, or has no place")
        return cls(tuple(hunk.start for hunk in listed), tuple(hunk.at(0) for hunk in listed))

    def __len__(self) -> int:
        return len(self._hunks)

    def __iter__(self) -> Iterator[PendingHunk]:
        return map(PendingHunk.at, self._hunks, self._starts)

    def __reversed__(self) -> Iterator[PendingHunk]:
        return map(PendingHunk.at, reversed(self._hunks), reversed(self._starts))

    def placed(self) -> Iterator[tuple[int, PendingHunk]]:
        """Each hunk's first line, and the hunk as if it stood at line 0, in order.

        The hunk is the same object as long as nothing of it but its place changes: what is made of it can be kept.
        """
        return zip(self._starts, self._hunks, strict=True)

    @property
    def hunks(self) -> tuple[PendingHunk, ...]:
        """The hunks, in order. Made at each look: bind it to a name."""
        return tuple(self)

    def get(self, hunk_id: str) -> PendingHunk | None:
        """The hunk with that id, as long as it lives."""
        index = self._find(hunk_id)
        return None if index is None else self._at(index)

    def touching(self, start: int, end: int) -> tuple[PendingHunk, ...]:
        """The hunks that share a line with these lines, or an edge (0-based, ``end`` excluded), in order."""
        low = bisect_left(range(len(self._starts)), start, key=self._end)
        return tuple(map(self._at, range(low, bisect_right(self._starts, end))))

    def agent_edit(
        self,
        session: str,
        call: str,
        start: int,
        old: Sequence[str],
        new: Sequence[str],
        new_id: Callable[[], str],
        *,
        old_no_newline: bool = False,
        new_no_newline: bool = False,
    ) -> "PendingHunks":
        """The hunks after an agent replaced lines.

        An edit on no hunk is a new one. Otherwise the hunks that it is on become one, with the id of the first. What
        equals the base again is no hunk any more.

        Args:
            session: Who edits.
            call: In which call.
            start: First line that is replaced, 0-based, in the current text.
            old: The lines that stand there.
            new: The lines that will.
            new_id: Called at most once, for a new hunk. Its ids must never come again.
            old_no_newline: ``old`` reaches the end of the text, which has no newline there.
            new_no_newline: ``new`` reaches the end of the text, which will have no newline there.

        Raises:
            ValueError: ``start`` is negative.
            LedgerBug: ``old`` is not what a hunk says that stands there.
        """
        edit = LineEdit(start, tuple(old), tuple(new), old_no_newline, new_no_newline)
        return self._edited(edit, (session, call), new_id)

    def user_edit(
        self,
        start: int,
        old: Sequence[str],
        new: Sequence[str],
        *,
        old_no_newline: bool = False,
        new_no_newline: bool = False,
    ) -> "PendingHunks":
        """The hunks after somebody else than an agent replaced lines: the user, the editor's undo, a formatter.

        Arguments and errors are those of `agent_edit`.
        """
        edit = LineEdit(start, tuple(old), tuple(new), old_no_newline, new_no_newline)
        return self._edited(edit, None, None)

    def kept(self, hunk_id: str) -> "PendingHunks":
        """The hunks after one was accepted: the current text stays, the base takes it over.

        Raises:
            KeyError: There is no such hunk.
        """
        index = self._index(hunk_id)
        return self._spliced(index, index + 1, None, 0)

    def undone(self, hunk_id: str) -> "PendingHunks":
        """The hunks after one was taken back: its lines in the current text are its base lines again.

        Raises:
            KeyError: There is no such hunk.
        """
        index = self._index(hunk_id)
        hunk = self._hunks[index]
        return self._spliced(index, index + 1, None, len(hunk.base) - len(hunk.current))

    def all_kept(self, hunk_ids: AbstractSet[str]) -> "PendingHunks":
        """As `kept` for each of these, in one pass. Ids that no hunk has are none."""
        left = [place for place in self.placed() if place[1].id not in hunk_ids]
        return self if len(left) == len(self) else PendingHunks(tuple(at for at, _ in left), tuple(h for _, h in left))

    def all_undone(self, hunk_ids: AbstractSet[str]) -> "PendingHunks":
        """As `undone` for each of these, in one pass. Ids that no hunk has are none."""
        starts: list[int] = []
        hunks: list[PendingHunk] = []
        delta = 0
        for start, hunk in self.placed():
            if hunk.id in hunk_ids:
                delta += len(hunk.base) - len(hunk.current)
            else:
                starts.append(start + delta)
                hunks.append(hunk)
        return self if len(hunks) == len(self) else PendingHunks(tuple(starts), tuple(hunks))

    def rebased(self, hunk_id: str, base: Sequence[str], name: str) -> "PendingHunks":
        """The hunks after the base lines of one became others, with another id for what is left of it.

        Raises:
            KeyError: There is no such hunk.
        """
        index = self._index(hunk_id)
        hunk = self._at(index)
        edit = LineEdit(hunk.start, tuple(base), hunk.current, hunk.old_no_newline, hunk.new_no_newline).trimmed()
        left = replace(hunk, id=name, start=edit.start, base=edit.old, current=edit.new)
        return self._spliced(index, index + 1, None if edit.changes_nothing else left, 0)

    def kept_lines(self, hunk_id: str, start: int, end: int, new_id: Callable[[], str]) -> "PendingHunks":
        """The hunks after what of one lies in some lines of the current text was accepted.

        What is left of it stays pending: the first part under its id, every other one under a new id. A hunk that
        changes the final newline is accepted as a whole.

        Args:
            hunk_id: Which one.
            start: First line, 0-based in the current text.
            end: The line after the last one.
            new_id: As for `agent_edit`.

        Raises:
            KeyError: There is no such hunk.
        """
        return self._decided(hunk_id, start, end, new_id, keep=True)

    def undone_lines(self, hunk_id: str, start: int, end: int, new_id: Callable[[], str]) -> "PendingHunks":
        """The hunks after what of one lies in some lines was taken back; else as `kept_lines`."""
        return self._decided(hunk_id, start, end, new_id, keep=False)

    def undo_edits(self, hunk_id: str, start: int, end: int) -> list[LineEdit]:
        """The edits of the current text by which `undone_lines` comes about, the last one first.

        With lines that enclose the hunk, those of `undone`.

        Raises:
            KeyError: There is no such hunk.
        """
        hunk = self._at(self._index(hunk_id))
        if _decides_whole(hunk, start, end):
            flags = (hunk.new_no_newline, hunk.old_no_newline)
            return [LineEdit(hunk.start, hunk.current, hunk.base, *flags)]
        return [
            LineEdit(hunk.start + part.start, hunk.current[part.start : part.end], _base_of(hunk, part))
            for part in reversed(_parts(hunk, start, end))
            if part.is_chosen
        ]

    def base_lines(self, current: Sequence[str]) -> list[str]:
        """The lines of the base text, given those of the current text."""
        lines: list[str] = []
        at = 0
        for start, hunk in zip(self._starts, self._hunks, strict=True):
            lines += current[at:start]
            lines += hunk.base
            at = start + len(hunk.current)
        lines += current[at:]
        return lines

    def base_no_newline(self, current_no_newline: bool) -> bool:
        """Whether the base text lacks a newline at its end, given whether the current text does."""
        if self._hunks and self._hunks[-1].changes_final_newline:
            return self._hunks[-1].old_no_newline
        return current_no_newline

    def _decided(self, hunk_id: str, start: int, end: int, new_id: Callable[[], str], *, keep: bool) -> "PendingHunks":
        index = self._index(hunk_id)
        hunk = self._at(index)
        if _decides_whole(hunk, start, end):
            return self.kept(hunk_id) if keep else self.undone(hunk_id)
        left: list[PendingHunk] = []
        delta = 0
        for part in _parts(hunk, start, end):
            base = _base_of(hunk, part)
            if not part.is_chosen:
                name = new_id() if left else hunk.id
                current = hunk.current[part.start : part.end]
                at = hunk.start + part.start + delta
                left.append(PendingHunk(name, at, base, current, hunk.calls, hunk.user_modified))
            elif not keep:
                delta += len(base) - (part.end - part.start)
        later = tuple(at + delta for at in self._starts[index + 1 :])
        starts = tuple(each.start for each in left)
        hunks = tuple(each.at(0) for each in left)
        return PendingHunks(
            self._starts[:index] + starts + later, self._hunks[:index] + hunks + self._hunks[index + 1 :]
        )

    def _edited(
        self, edit: LineEdit, author: tuple[str, str] | None, new_id: Callable[[], str] | None
    ) -> "PendingHunks":
        edit = edit.trimmed()
        if edit.changes_nothing:
            return self
        low, high = self._touched(edit)
        if low < high:
            hunks = tuple(map(self._at, range(low, high)))
            return self._spliced(low, high, _merged(hunks, edit, author), edit.delta)
        if author is None or new_id is None:
            return self._spliced(low, high, None, edit.delta)
        return self._spliced(low, high, new_hunk(edit, author, new_id()), edit.delta)

    def _touched(self, edit: LineEdit) -> tuple[int, int]:
        """The hunks that the edit is on: indexes, the second excluded. Both equal: none, and where it goes."""
        places = range(len(self._starts))
        # The hunks that end at or before the edit's first line, and those that start at or after its last.
        low = bisect_right(places, edit.start, key=self._end)
        high = bisect_left(self._starts, edit.end)
        if not edit.old or not edit.new:
            # Hunks without lines at the two ends of the edit are on it too.
            low = min(low, bisect_left(self._starts, edit.start))
            high = max(high, bisect_right(places, edit.end, key=self._end))
        if edit.changes_final_newline:
            high = len(self)
        if self._hunks and self._hunks[-1].changes_final_newline and edit.end >= self._end(len(self) - 1):
            low, high = min(low, len(self) - 1), len(self)
        return low, high

    def _spliced(self, low: int, high: int, hunk: PendingHunk | None, delta: int) -> "PendingHunks":
        later = self._starts[high:]
        if delta:
            later = tuple([start + delta for start in later])
        if hunk is None and low == high:
            return PendingHunks(self._starts[:low] + later, self._hunks)
        starts, hunks = ((), ()) if hunk is None else ((hunk.start,), (hunk.at(0),))
        return PendingHunks(self._starts[:low] + starts + later, self._hunks[:low] + hunks + self._hunks[high:])

    def _at(self, index: int) -> PendingHunk:
        return self._hunks[index].at(self._starts[index])

    def _end(self, index: int) -> int:
        return self._starts[index] + len(self._hunks[index].current)

    def _find(self, hunk_id: str) -> int | None:
        return next((index for index, hunk in enumerate(self._hunks) if hunk.id == hunk_id), None)

    def _index(self, hunk_id: str) -> int:
        index = self._find(hunk_id)
        if index is None:
            raise KeyError(hunk_id)
        return index


def new_hunk(edit: LineEdit, author: tuple[str, str], name: str) -> PendingHunk:
    """What an agent's edit is where it is on no hunk: a trimmed one that changes something."""
    flags = (edit.old_no_newline, edit.new_no_newline) if edit.changes_final_newline else (False, False)
    return PendingHunk(name, edit.start, edit.old, edit.new, (author,), False, *flags)


def _decides_whole(hunk: PendingHunk, start: int, end: int) -> bool:
    return hunk.changes_final_newline or (start <= hunk.start and hunk.end <= end)


def _parts(hunk: PendingHunk, start: int, end: int) -> list[HunkPart]:
    return hunk_parts(hunk.base, hunk.current, start - hunk.start, end - hunk.start)


def _base_of(hunk: PendingHunk, part: HunkPart) -> tuple[str, ...]:
    return hunk.base[part.base_start : part.base_end]


def _merged(hunks: tuple[PendingHunk, ...], edit: LineEdit, author: tuple[str, str] | None) -> PendingHunk | None:
    """One hunk from those that an edit is on; None when it equals its base."""
    first, last = hunks[0], hunks[-1]
    start, base, current = _joined(hunks, edit)
    old_no_newline, new_no_newline = edit.old_no_newline, edit.new_no_newline
    if last.changes_final_newline:
        old_no_newline = last.old_no_newline
        new_no_newline = edit.new_no_newline if edit.changes_final_newline else last.new_no_newline
    whole = LineEdit(start, base, current, old_no_newline, new_no_newline).trimmed()
    if whole.changes_nothing:
        return None
    calls = [call for hunk in hunks for call in hunk.calls]
    if author is not None:
        calls.append(author)
    return PendingHunk(
        first.id,
        whole.start,
        whole.old,
        whole.new,
        tuple(reversed(dict.fromkeys(reversed(calls)))),
        author is None or any(hunk.user_modified for hunk in hunks),
        *((old_no_newline, new_no_newline) if whole.changes_final_newline else (False, False)),
    )


def _joined(hunks: tuple[PendingHunk, ...], edit: LineEdit) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """The place that hunks and an edit on them take, with the base lines and the current lines there."""
    for hunk in hunks:
        _check_same(hunk, edit)
    first, last = hunks[0], hunks[-1]
    if first is last and first.start <= edit.start and edit.end <= first.end:
        # A key in a hunk of 100,000 lines: nothing is copied that need not be.
        lines = list(first.current)
        lines[edit.start - first.start : edit.end - first.start] = edit.new
        return first.start, first.base, tuple(lines)
    start = at = min(edit.start, first.start)
    base: list[str] = []
    for hunk in hunks:
        # What lies between two hunks, or between a hunk and an end of the edit, is in the edit's old lines.
        if at < hunk.start:
            base += edit.old[at - edit.start : hunk.start - edit.start]
        base += hunk.base
        at = hunk.end
    if at < edit.end:
        base += edit.old[at - edit.start :]
    above, below = first.current[: max(edit.start - first.start, 0)], last.current[edit.end - last.start :]
    return start, tuple(base), (*above, *edit.new, *below)


def _check_same(hunk: PendingHunk, edit: LineEdit) -> None:
    low, high = max(hunk.start, edit.start), min(hunk.end, edit.end)
    there, said = hunk.current[low - hunk.start : high - hunk.start], edit.old[low - edit.start : high - edit.start]
    if low < high and there != said:
        raise LedgerBug(f"an edit at line {edit.start + 1} replaces other lines than pending hunk {hunk.id} has there")
    if hunk.changes_final_newline and edit.start > hunk.end:
        raise LedgerBug(f"an edit at line {edit.start + 1} is past the end of the text at line {hunk.end + 1}")
