"""Pending hunks against a reference that holds both texts in full, aligned piece by piece.

The reference is a list of pieces: a line that both texts share, or a hunk with its lines on either side. It finds what
an edit is on by looking at every piece and asking the definition; it has no positions that could be wrong.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TypedDict

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunks

LINES = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


class Flags(TypedDict):
    """The keywords of an edit at the end of the text."""

    old_no_newline: bool
    new_no_newline: bool


@dataclass
class Piece:
    """A shared line (no id), or a hunk."""

    base: list[str]
    current: list[str]
    id: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    user_modified: bool = False


class Reference:
    """Two aligned texts, each with its flag for a missing final newline."""

    def __init__(self, lines: list[str], no_newline: bool) -> None:
        self.pieces = [Piece([line], [line]) for line in lines]
        self.base_no_newline = self.current_no_newline = no_newline

    @property
    def current(self) -> list[str]:
        """The lines of the current text."""
        return [line for piece in self.pieces for line in piece.current]

    @property
    def base(self) -> list[str]:
        """The lines of the base text."""
        return [line for piece in self.pieces for line in piece.base]

    def hunks(self) -> list[tuple[object, ...]]:
        """What each hunk should be."""
        listed: list[tuple[object, ...]] = []
        at = 0
        for piece in self.pieces:
            if piece.id is not None:
                listed.append((piece.id, at, piece.base, piece.current, piece.calls, piece.user_modified))
            at += len(piece.current)
        return listed

    def edit(self, edit: LineEdit, author: tuple[str, str] | None, new_id: str) -> None:
        """Do an edit that is trimmed and changes something."""
        ends_differ = self.base_no_newline != self.current_no_newline
        spans = self._spans()
        last = len(self.pieces) - 1
        inside = [
            index
            for index, (piece, (start, end)) in enumerate(zip(self.pieces, spans, strict=True))
            if (piece.id is None and edit.start <= start and end <= edit.end)
            or (piece.id is not None and self._is_on(edit, start, end, ends_differ and self._is_last_hunk(index)))
        ]
        if inside:
            low, high = inside[0], inside[-1] + 1
        else:  # an insertion where no hunk is
            low = high = next((index for index, span in enumerate(spans) if span[0] >= edit.start), last + 1)
        touched = self.pieces[low:high]
        first_line = spans[low][0] if touched else edit.start
        hunks = [piece for piece in touched if piece.id is not None]
        current = [line for piece in touched for line in piece.current]
        current[edit.start - first_line : edit.end - first_line] = edit.new
        base = [line for piece in touched for line in piece.base]
        if author is None and not hunks:
            self.pieces[low:high] = [Piece([line], [line]) for line in edit.new]
            if edit.changes_final_newline:
                self.base_no_newline = self.current_no_newline = edit.new_no_newline
            return
        if edit.changes_final_newline:
            self.current_no_newline = edit.new_no_newline
        calls = [call for hunk in hunks for call in hunk.calls] + ([author] if author else [])
        kept = tuple(call for at, call in enumerate(calls) if call not in calls[at + 1 :])
        user_modified = any(hunk.user_modified for hunk in hunks) or author is None
        whole = Piece(base, current, hunks[0].id if hunks else new_id, kept, user_modified)
        at_end = high == last + 1 and self.base_no_newline != self.current_no_newline
        self.pieces[low:high] = trimmed(whole, at_end)

    def decide(self, hunk_id: str, keep: bool) -> None:
        """Make the two sides of a hunk equal."""
        index = next(index for index, piece in enumerate(self.pieces) if piece.id == hunk_id)
        if self._is_last_hunk(index):
            if keep:
                self.base_no_newline = self.current_no_newline
            else:
                self.current_no_newline = self.base_no_newline
        lines = self.pieces[index].current if keep else self.pieces[index].base
        self.pieces[index : index + 1] = [Piece([line], [line]) for line in lines]

    def _spans(self) -> list[tuple[int, int]]:
        spans = []
        at = 0
        for piece in self.pieces:
            spans.append((at, at + len(piece.current)))
            at += len(piece.current)
        return spans

    def _is_last_hunk(self, index: int) -> bool:
        return not any(piece.id is not None for piece in self.pieces[index + 1 :])

    @staticmethod
    def _is_on(edit: LineEdit, start: int, end: int, changes_end: bool) -> bool:
        if set(range(start, end)) & set(range(edit.start, edit.end)):
            return True
        if start < edit.start == edit.end < end or edit.start < start == end < edit.end:
            return True
        if start == end and edit.start <= start <= edit.end and (not edit.old or not edit.new):
            return True
        if start == end == edit.end and edit.changes_final_newline:
            return True
        return changes_end and edit.end >= end


def trimmed(piece: Piece, end_differs: bool) -> list[Piece]:
    """A hunk between the shared lines that its equal ends are."""
    base, current = list(piece.base), list(piece.current)
    front: list[Piece] = []
    back: list[Piece] = []
    while base and current and base[0] == current[0] and not (end_differs and base == current and len(base) == 1):
        front.append(Piece([base.pop(0)], [current.pop(0)]))
    while not end_differs and base and current and base[-1] == current[-1]:
        back.insert(0, Piece([base.pop()], [current.pop()]))
    middle = [Piece(base, current, piece.id, piece.calls, piece.user_modified)]
    return [*front, *(middle if base != current or end_differs else []), *back]


class PendingMachine(RuleBasedStateMachine):
    """Agents and a user work on one text; now and then something is decided."""

    def __init__(self) -> None:
        super().__init__()
        self.hunks = PendingHunks()
        self.reference = Reference([], False)
        self.made = 0

    @initialize(lines=st.lists(st.sampled_from(["a", "b", "c"]), max_size=12), no_newline=st.booleans())
    def begin(self, lines: list[str], no_newline: bool) -> None:
        """A text without hunks."""
        self.reference = Reference(lines, no_newline)

    def draw_edit(self, data: st.DataObject) -> LineEdit:
        """Any edit of the current text; one that reaches the end may change the final newline."""
        current = self.reference.current
        start = data.draw(st.integers(0, len(current)), "start")
        end = data.draw(st.integers(start, min(len(current), start + 4)), "end")
        new = data.draw(LINES, "new")
        no_newline = self.reference.current_no_newline
        flags = (False, False)
        if end == len(current):
            flags = (no_newline, no_newline ^ data.draw(st.booleans(), "flip"))
        return LineEdit(start, tuple(current[start:end]), tuple(new), *flags)

    @rule(data=st.data(), call=st.sampled_from([("s1", "c1"), ("s1", "c2"), ("s2", "c3")]))
    def agent_edits(self, data: st.DataObject, call: tuple[str, str]) -> None:
        """The base stays as it is."""
        self.edit(self.draw_edit(data), call)

    @rule(data=st.data())
    def user_edits(self, data: st.DataObject) -> None:
        """The base follows, but on a hunk."""
        self.edit(self.draw_edit(data), None)

    @rule(data=st.data(), call=st.sampled_from([("s1", "c1"), ("s2", "c3")]))
    def agent_edits_and_the_editor_undoes(self, data: st.DataObject, call: tuple[str, str]) -> None:
        """Undoing an edit that met no hunk gives the hunks that were there before, however the undo is said."""
        edit = self.draw_edit(data).settled(self.reference.current)
        before = self.hunks
        self.edit(edit, call)
        lived = [hunk.at(0) for hunk in before] == [hunk.at(0) for hunk in self.hunks if before.get(hunk.id)]
        undo = LineEdit(edit.start, edit.new, edit.old, edit.new_no_newline, edit.old_no_newline)
        self.edit(undo.settled(self.reference.current), None)
        if lived:
            assert before == self.hunks

    @precondition(lambda self: len(self.hunks) > 0)
    @rule(data=st.data(), keep=st.booleans())
    def somebody_decides(self, data: st.DataObject, keep: bool) -> None:
        """One hunk is kept or undone."""
        hunk_id = data.draw(st.sampled_from([hunk.id for hunk in self.hunks]))
        base, current = self.reference.base, self.reference.current
        self.hunks = self.hunks.kept(hunk_id) if keep else self.hunks.undone(hunk_id)
        self.reference.decide(hunk_id, keep)
        if keep:
            assert current == self.reference.current
        else:
            assert base == self.reference.base

    def edit(self, edit: LineEdit, author: tuple[str, str] | None) -> None:
        """Do an edit on both."""
        new_id = f"h{self.made}"
        self.made += 1
        flags = Flags(old_no_newline=edit.old_no_newline, new_no_newline=edit.new_no_newline)
        base, base_no_newline = self.reference.base, self.reference.base_no_newline
        if author is None:
            self.hunks = self.hunks.user_edit(edit.start, edit.old, edit.new, **flags)
        else:
            self.hunks = self.hunks.agent_edit(*author, edit.start, edit.old, edit.new, lambda: new_id, **flags)
        if not edit.trimmed().changes_nothing:
            self.reference.edit(edit.trimmed(), author, new_id)
        if author is not None:
            assert (base, base_no_newline) == (self.reference.base, self.reference.base_no_newline)

    @invariant()
    def the_hunks_are_the_references(self) -> None:
        """Ids, places, both sides and contributors."""
        assert self.reference.hunks() == [
            (hunk.id, hunk.start, list(hunk.base), list(hunk.current), hunk.calls, hunk.user_modified)
            for hunk in self.hunks
        ]

    @invariant()
    def the_base_is_recoverable(self) -> None:
        """From the current text and the hunks."""
        reference = self.reference
        assert reference.base == self.hunks.base_lines(reference.current)
        assert reference.base_no_newline == self.hunks.base_no_newline(reference.current_no_newline)

    @invariant()
    def the_hunks_are_in_the_text(self) -> None:
        """In order, disjoint, inside, with the lines that stand there, and something is different in each."""
        current = self.reference.current
        hunks = self.hunks.hunks
        assert all(one.end <= two.start for one, two in pairwise(hunks))
        for hunk in hunks:
            assert 0 <= hunk.start <= hunk.end <= len(current)
            assert list(hunk.current) == current[hunk.start : hunk.end]
            assert hunk.base != hunk.current or hunk.changes_final_newline
        assert hunks == PendingHunks.of(hunks).hunks

    @invariant()
    def the_last_hunk_knows_of_the_final_newline(self) -> None:
        """If base and current differ in it, and no hunk does otherwise."""
        ends = (self.reference.base_no_newline, self.reference.current_no_newline)
        flags = [(hunk.old_no_newline, hunk.new_no_newline) for hunk in self.hunks]
        last = ends if ends[0] != ends[1] else (False, False)
        assert [(False, False)] * (len(flags) - 1) + [last] == (flags or [(False, False)])


TestPendingMachine = PendingMachine.TestCase
TestPendingMachine.settings = settings(max_examples=120, stateful_step_count=25, deadline=None)
