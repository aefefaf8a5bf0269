"""What becomes of pending hunks when somebody decides on them, wholly or in part, however many there are. Pure.

Deliberately absent: the text's change, which is `dsh_lsp.review.line_changes`, and who decides.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunk, PendingHunks

Parts: TypeAlias = tuple[tuple[str, tuple[int, int] | None], ...]
"""Hunks by id, each with the lines that are meant: 0-based from the hunk's first one, the second excluded; None for all
of it. Not lines of the text: those move while an edit is on its way."""


@dataclass(frozen=True, slots=True)
class DecidedPart:
    """What was decided of one hunk, where that was not all of it.

    Attributes:
        hunk: As it was.
        lines: As in `Parts`.
        new_ids: The ids that further pieces of what is left of it got, in order.
    """

    hunk: PendingHunk
    lines: tuple[int, int]
    new_ids: tuple[str, ...]


class Decided:
    """A decision, and what is pending after it.

    Args:
        hunks: All that is pending.
        gone: Those hunks that were decided on and are none any more, as they were.
        partly: What was decided of the others.
        new_id: Makes ids; they must never come again.

    Attributes:
        hunks: As above.
        gone: The same by id.
        partly: As above.
    """

    def __init__(
        self,
        hunks: PendingHunks,
        gone: Iterable[PendingHunk],
        partly: Sequence[DecidedPart],
        new_id: Callable[[], str],
    ) -> None:
        self.hunks = hunks
        self.gone = {hunk.id: hunk for hunk in gone}
        self.partly = partly
        self._new_id = new_id
        self._names: dict[str, str] = {}

    def known_to(self, hunks: PendingHunks) -> PendingHunks:
        """The hunks of another state of the text, where what was decided on is not pending either.

        The text of that state stays: also what was undone is accepted in it, for who goes back to it brings it back.
        Of a hunk that has an agent's edit in it of which the decision did not know, the others' outcome is accepted,
        and what is left is another hunk. One of which a part was decided on, and that was not the same then, stays what
        it was: in doubt, people are asked again.
        """
        known = {hunk.id for _, hunk in hunks.placed() if self._covers(hunk)}
        unknown = [hunk for _, hunk in hunks.placed() if hunk.id in self.gone and hunk.id not in known]
        hunks = hunks.all_kept(known)
        for hunk in unknown:
            was = self.gone[hunk.id]
            hunks = hunks.rebased(hunk.id, was.current if was.base == hunk.base else hunk.base, self._name(hunk.id))
        for part in self.partly:
            there = hunks.get(part.hunk.id)
            if there is not None and there.at(0) == part.hunk.at(0):
                start, end = part.lines
                ids = iter(part.new_ids)
                hunks = hunks.kept_lines(there.id, there.start + start, there.start + end, ids.__next__)
        return hunks

    def _covers(self, hunk: PendingHunk) -> bool:
        was = self.gone.get(hunk.id)
        return was is not None and {*hunk.calls} <= {*was.calls}

    def _name(self, hunk_id: str) -> str:
        if hunk_id not in self._names:
            self._names[hunk_id] = self._new_id()
        return self._names[hunk_id]


def kept(hunks: PendingHunks, parts: Parts, new_id: Callable[[], str]) -> Decided:
    """What is pending after these were accepted; hunks that are not there are none."""
    whole, partly = _chosen(parts)
    return _decided(hunks, hunks.all_kept(whole), partly, PendingHunks.kept_lines, new_id)


def undone(hunks: PendingHunks, parts: Parts, text: str, new_id: Callable[[], str]) -> Decided:
    """What is pending in a logical text after these were taken back; hunks that are not there are none.

    A text of which no line is left is one empty line, which belongs to the hunk that deleted the others.
    """
    whole, partly = _chosen(parts)
    done = _decided(hunks, hunks.all_undone(whole), partly, PendingHunks.undone_lines, new_id)
    last = next(reversed(done.hunks), None)
    lines = text.count("\n") + text.count("\r") + 1 - _added(hunks) + _added(done.hunks)
    if lines > 0 or last is None:
        return done
    done.hunks = done.hunks.agent_edit(*last.calls[-1], 0, (), ("",), new_id)
    return done


def undo_edits(hunks: PendingHunks, parts: Parts) -> list[LineEdit]:
    """The edits of the text by which `undone` comes about, the last one first: each one's lines are right in turn."""
    chosen = dict(parts)
    edits: list[LineEdit] = []
    for hunk in reversed(hunks):
        if hunk.id not in chosen:
            continue
        lines = chosen[hunk.id]
        if lines is None:
            edits.append(LineEdit(hunk.start, hunk.current, hunk.base))
        else:
            edits += hunks.undo_edits(hunk.id, hunk.start + lines[0], hunk.start + lines[1])
    return edits


def _chosen(parts: Parts) -> tuple[set[str], dict[str, tuple[int, int]]]:
    return {name for name, lines in parts if lines is None}, {name: lines for name, lines in parts if lines is not None}


def _decided(
    before: PendingHunks,
    hunks: PendingHunks,
    partly: dict[str, tuple[int, int]],
    decide: Callable[[PendingHunks, str, int, int, Callable[[], str]], PendingHunks],
    new_id: Callable[[], str],
) -> Decided:
    parts: list[DecidedPart] = []
    for hunk in before:
        if hunk.id not in partly:
            continue
        start, end = partly[hunk.id]
        now, ids = hunks.get(hunk.id) or hunk, _Noted(new_id)
        hunks = decide(hunks, hunk.id, now.start + start, now.start + end, ids)
        parts.append(DecidedPart(hunk, (start, end), tuple(ids.given)))
    left = {hunk.id for _, hunk in hunks.placed()}
    gone = [hunk for hunk in before if hunk.id not in left]
    return Decided(hunks, gone, [part for part in parts if part.hunk.id in left], new_id)


class _Noted:
    """Makes ids, and knows which."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self.given: list[str] = []
        self._new_id = new_id

    def __call__(self) -> str:
        self.given.append(self._new_id())
        return self.given[-1]


def _added(hunks: PendingHunks) -> int:
    return sum(len(hunk.current) - len(hunk.base) for _, hunk in hunks.placed())
