"""Texts that an editor's undo or redo may lead back to, each with what was pending in it.

An undo comes as a change like any other, and what it brings back looks as if the user had typed it. So it is remembered
what was pending before and after every step that had to do with hunks; when a change leads to such a text, whoever made
it, the same is pending again, but for what was decided on since.

A text is known by a sum over its lines, each taken with those behind it, so that a change costs its own lines. What is
pending comes back only if each hunk's lines stand where it says: if ever two texts had one sum, the hunks would still
be in the text. Bounded. Deliberately absent: the texts, and whose a step was.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.document_diff import logical_line
from dsh_lsp.buffers.hunk_decisions import Decided
from dsh_lsp.text.document import AppliedChange, Document
from dsh_lsp.text.lines import split_lines
from dsh_tools.fs.line_ends import rewrite

_WINDOW: Final = 8
"""Lines that are taken together: with as many, two texts of one sum have the same lines in the same neighbourhoods."""

_NOTED: Final = 64
"""Texts that are remembered: of agents and of decisions; of the user, in hunks; and of the user, elsewhere."""

_LINE: Final = 64
"""Bytes that a line takes beside its characters, about."""

_ROOM: Final = 16 * 2**20
"""Bytes that each of the three may take, about; the lines of a hunk count each time."""

_MAX_LINES: Final = 2_000
"""Lines of the hunks that a user's step touches above which it is not remembered: it costs as much as they have."""


class UndoPoints:
    """The texts of one document that are remembered. Nothing is followed before it was asked for the first one.

    Where one text was there several times, the last time counts.
    """

    __slots__ = ("_ours", "_sum", "_touching", "_typing")

    def __init__(self) -> None:
        self._sum: int | None = None  # of the text as it is now
        self._ours = _Remembered()
        self._touching = _Remembered()
        self._typing = _Remembered()

    @property
    def are_followed(self) -> bool:
        """The text is followed."""
        return self._sum is not None

    def here(self, mirror: Document) -> int:
        """What the text is known by as it is now. The first time costs as much as the text has lines."""
        if self._sum is None:
            self._sum = _sum_of(mirror.lines())
        return self._sum

    def follow(self, applied: AppliedChange, mirror: Document) -> None:
        """The text has changed."""
        if self._sum is not None and len(applied.old_lines) + len(applied.new_lines) > mirror.line_count:
            self._sum = _sum_of(mirror.lines())
        elif self._sum is not None:
            start, end = applied.start_line, applied.start_line + len(applied.new_lines)
            above = mirror.lines(max(0, start - _WINDOW + 1), start)
            below = mirror.lines(end, end + _WINDOW - 1)
            self._sum += _sum_of(applied.new_lines, above, below) - _sum_of(applied.old_lines, above, below)

    def note(self, text: int, hunks: PendingHunks) -> None:
        """Before or after a step of an agent, or of somebody who decides: this is pending in this text."""
        self.forget(text)
        self._ours.put(text, hunks, 16 * len(hunks) + _size(hunks))

    def foretell(self, mirror: Document, text: str, hunks: PendingHunks) -> None:
        """This will be pending should the document come to have this logical text."""
        self.here(mirror)
        self.note(_sum_of(split_lines(rewrite(mirror.text, text))), hunks)

    def note_typing(self, text: int, hunks: PendingHunks, touched: Sequence[PendingHunk]) -> None:
        """The same for a step of the user, with the hunks that it touches."""
        if text in self._ours.hunks:
            self._ours.hunks[text] = hunks
        elif sum(len(hunk.base) + hunk.count for hunk in touched) <= _MAX_LINES:
            self.forget(text)
            (self._touching if touched else self._typing).put(text, hunks, 16 * len(hunks) + _size(touched))

    def forget(self, text: int) -> None:
        """Remember one text no longer."""
        for each in (self._ours, self._touching, self._typing):
            each.drop(text)

    def found(self, mirror: Document) -> PendingHunks | None:
        """What was pending when the text was as it is now; None where that is not known."""
        if self._sum is None:
            return None
        for each in (self._ours, self._touching, self._typing):
            hunks = each.hunks.get(self._sum)
            if hunks is not None and _holds(mirror, hunks):
                return hunks
        return None

    def decided(self, decided: Decided) -> None:
        """Somebody has decided: what was decided on is not pending in any text any more."""
        for each in (self._ours, self._touching, self._typing):
            each.hunks = {text: decided.known_to(hunks) for text, hunks in each.hunks.items()}

    def clear(self) -> None:
        """Forget all."""
        self._sum = None
        self._ours, self._touching, self._typing = _Remembered(), _Remembered(), _Remembered()


class _Remembered:
    """What was pending in some texts, the latest last."""

    __slots__ = ("_sizes", "_taken", "hunks")

    def __init__(self) -> None:
        self.hunks: dict[int, PendingHunks] = {}
        self._sizes: dict[int, int] = {}
        self._taken = 0

    def put(self, text: int, hunks: PendingHunks, size: int) -> None:
        """Remember one that is not remembered, and no longer the oldest ones where there are too many."""
        self.hunks[text], self._sizes[text] = hunks, size
        self._taken += size
        while len(self.hunks) > _NOTED or (self._taken > _ROOM and len(self.hunks) > 1):
            self.drop(next(iter(self.hunks)))

    def drop(self, text: int) -> None:
        """Remember one no longer."""
        if self.hunks.pop(text, None) is not None:
            self._taken -= self._sizes.pop(text)


def _holds(mirror: Document, hunks: PendingHunks) -> bool:
    return all(
        start + hunk.count <= mirror.line_count
        and tuple(logical_line(mirror, at) for at in range(start, start + hunk.count)) == hunk.current
        for start, hunk in hunks.placed()
    )


def _size(hunks: Iterable[PendingHunk]) -> int:
    """Bytes that they take, about."""
    return sum(_LINE + len(line) for hunk in hunks for lines in (hunk.base, hunk.current) for line in lines)


def _sum_of(lines: Sequence[str], above: Sequence[str] = (), below: Sequence[str] = ()) -> int:
    """The sum over all runs of `_WINDOW` lines in which any of the lines is, the ends of the text filled up."""
    missing = [None] * (_WINDOW - 1)
    row = [*missing[len(above) :], *above, *lines, *below, *missing[len(below) :]]
    return sum(map(hash, _windows(row)))


def _windows(row: Sequence[str | None]) -> Iterator[tuple[str | None, ...]]:
    return zip(*(islice(row, first, None) for first in range(_WINDOW)), strict=False)
