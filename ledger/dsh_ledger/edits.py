r"""Offset edits on a text: apply, compose, invert, rebase.

Held here: a change as a value. Offsets are code points into one given text, 0-based, ends excluded. A `Change` has one
canonical form: its edits are in order and at least one untouched code point lies between two of them. That is the rule
under which the algebra closes: deleting two neighbouring spans separately would invert to two insertions at one
offset, whose order nobody could tell.

What may be *given* is wider than what is *held*: `Change.of` sorts, drops edits that do nothing and joins edits that
touch. A malformed value is a ``ValueError``, as for any Python value; it is never shown to an agent.

Deliberately absent: the text itself, versions, lines and columns, and the search for what to replace.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the code points ``start`` to ``end`` (excluded) by ``text``. An insertion has ``start == end``.

    Raises:
        ValueError: ``0 <= start <= end`` does not hold.
    """

    start: int
    end: int
    text: str

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"no span runs from {self.start} to {self.end}")

    @property
    def delta(self) -> int:
        """How many code points longer the text gets."""
        return len(self.text) - (self.end - self.start)

    @property
    def is_empty(self) -> bool:
        """It replaces nothing by nothing."""
        return self.start == self.end and not self.text

    def overlaps(self, other: "Edit") -> bool:
        """Whether two edits of one text are about the same place.

        They are when their spans share a code point, when one inserts strictly inside the span of the other, or when
        both insert at the same offset. Spans that only touch don't overlap, nor does an insertion at the edge of a
        span: it stays outside, before or after what replaces the span.
        """
        if self.start < other.end and other.start < self.end:
            return True
        return self.start == self.end == other.start == other.end


@dataclass(frozen=True, slots=True)
class Overlap:
    """Why a change can't be rebased: the first of its edits that is about the same place as one of the other's."""

    mine: Edit
    theirs: Edit


@dataclass(frozen=True, slots=True)
class Change:
    """A set of edits that apply to one text at once; every offset counts in the text before the change.

    Laws (``t`` a text, ``a``, ``b``, ``c`` changes that fit):

    * ``a.then(b).apply(t) == b.apply(a.apply(t))``, ``a.then(b).then(c) == a.then(b.then(c))``, ``Change()`` is neutral
    * ``a.inverse(t).apply(a.apply(t)) == t`` and ``a.inverse(t).inverse(a.apply(t)) == a``
    * where ``a.rebased(b)`` is a change, so is ``b.rebased(a)``, and
      ``b.then(a.rebased(b))`` gives the same text as ``a.then(b.rebased(a))``
    * ``a.narrowed(t).apply(t) == a.apply(t)``

    Attributes:
        edits: In order, none empty, none touching the next.

    Raises:
        ValueError: The edits are not in that form; `of` makes it.
    """

    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        if any(edit.is_empty for edit in self.edits):
            raise ValueError("an edit replaces nothing by nothing")
        for before, after in pairwise(self.edits):
            if before.end >= after.start:
                raise ValueError(f"edits touch, overlap or are out of order at offset {after.start}")

    @classmethod
    def of(cls, *edits: Edit) -> "Change":
        """The change made of these edits, in any order; empty ones are dropped and touching ones joined.

        Insertions at one offset go in as they are listed (LSP 3.17, TextEdit[]), and before a span that begins there.

        Raises:
            ValueError: Two edits overlap.
        """
        return cls(_joined(sorted(edits, key=lambda edit: (edit.start, edit.end))))

    @property
    def delta(self) -> int:
        """How many code points longer the text gets."""
        return sum(edit.delta for edit in self.edits)

    def apply(self, text: str) -> str:
        """The text after the change.

        Raises:
            ValueError: An edit lies past the end of the text.
        """
        self._check_fits(text)
        parts: list[str] = []
        at = 0
        for edit in self.edits:
            parts.append(text[at : edit.start])
            parts.append(edit.text)
            at = edit.end
        parts.append(text[at:])
        return "".join(parts)

    def then(self, later: "Change") -> "Change":
        """One change that does this one and then another, whose offsets count in the text after this one."""
        return Change(_joined(_composed(self.edits, later.edits)))

    def inverse(self, text: str) -> "Change":
        """The change that takes this one back; ``text`` is the text before this change.

        Raises:
            ValueError: An edit lies past the end of the text.
        """
        self._check_fits(text)
        olds = (text[edit.start : edit.end] for edit in self.edits)
        return Change(tuple(Edit(*span, old) for span, old in zip(self.spans_after(), olds, strict=True)))

    def rebased(self, over: "Change") -> "Change | Overlap":
        """This change as it applies after another one that was made from the same text.

        See `Edit.overlaps` for what is refused, and for what happens at the edges.
        """
        moved: list[Edit] = []
        shift = passed = 0
        for edit in self.edits:
            while passed < len(over.edits):
                other = over.edits[passed]
                if edit.overlaps(other):
                    return Overlap(edit, other)
                if other.end > edit.start:
                    break
                shift += other.delta
                passed += 1
            moved.append(Edit(edit.start + shift, edit.end + shift, edit.text))
        return Change(_joined(moved))

    def spans_after(self) -> tuple[tuple[int, int], ...]:
        """Where the text of each edit lies in the text after the change, as (start, end)."""
        spans: list[tuple[int, int]] = []
        shift = 0
        for edit in self.edits:
            start = edit.start + shift
            spans.append((start, start + len(edit.text)))
            shift += edit.delta
        return tuple(spans)

    def map_offset(self, offset: int, after: bool) -> int:
        """Where an offset of the text before the change is in the text after it.

        Args:
            offset: In the text before; the end of the text is an offset too.
            after: Where to go when the place itself is replaced (the offset is strictly inside a span) or inserted at:
                to the end of the new text, or to its start. The edges of a replaced span keep their side.
        """
        shift = 0
        for edit in self.edits:
            if edit.start > offset:
                break
            if edit.start < offset < edit.end or edit.start == offset == edit.end:
                return edit.start + shift + (len(edit.text) if after else 0)
            if offset < edit.end:
                break
            shift += edit.delta
        return offset + shift

    def narrowed(self, text: str) -> "Change":
        r"""The same change with each edit trimmed of the whole lines that it doesn't change; for logical texts.

        Equal text is cut off at the front up to just after a ``\n``, and at the back from a ``\n`` or from just after
        one: never inside a line. An edit within one line keeps its span. Edits that change nothing are dropped.

        Raises:
            ValueError: An edit lies past the end of the text.
        """
        self._check_fits(text)
        return Change(tuple(kept for edit in self.edits if (kept := _narrowed(edit, text)) is not None))

    def _check_fits(self, text: str) -> None:
        if self.edits and self.edits[-1].end > len(text):
            raise ValueError(f"an edit ends at {self.edits[-1].end}, the text at {len(text)}")


def _joined(pieces: Iterable[Edit]) -> tuple[Edit, ...]:
    joined: list[Edit] = []
    parts: list[str] = []
    start = end = 0
    for piece in pieces:
        if piece.is_empty:
            continue
        if parts and piece.start < end:
            raise ValueError(f"edits overlap at offset {piece.start}")
        if parts and piece.start > end:
            joined.append(Edit(start, end, "".join(parts)))
            parts = []
        if not parts:
            start = piece.start
        parts.append(piece.text)
        end = piece.end
    if parts:
        joined.append(Edit(start, end, "".join(parts)))
    return tuple(joined)


def _composed(earlier: tuple[Edit, ...], later: tuple[Edit, ...]) -> Iterator[Edit]:
    """Pieces, in order, of the composed change; they may touch and be empty.

    One pass over both. ``later`` counts in the text in between; ``shift`` is what to add to an offset of the first
    text to get there. An earlier edit that a later one cuts is used up from its front: its span goes with the first
    piece of its text, the rest is an insertion at its end. ``used`` counts the code points of its text that are gone.
    """
    index = used = shift = 0

    def start_between() -> int:
        # Once the front of an earlier edit is used, its span has been counted into the shift.
        return shift + (earlier[index].end if used else earlier[index].start)

    def take(most: int) -> Edit:
        """The next code points of the current earlier edit, with its span if they are the first."""
        nonlocal index, used, shift
        edit = earlier[index]
        piece = Edit(edit.end if used else edit.start, edit.end, edit.text[used : used + most])
        shift += piece.delta
        used += len(piece.text)
        if used == len(edit.text):
            index, used = index + 1, 0
        return piece

    for edit in later:
        while index < len(earlier) and (ahead := edit.start - start_between()) > 0:
            yield take(ahead)
        first = edit.start - shift
        while index < len(earlier) and (ahead := edit.end - start_between()) > 0:
            take(ahead)
        yield Edit(first, edit.end - shift, edit.text)
    while index < len(earlier):
        yield take(len(earlier[index].text))


def _narrowed(edit: Edit, text: str) -> Edit | None:
    old, new = text[edit.start : edit.end], edit.text
    if old == new:
        return None
    front = old.rfind("\n", 0, _common_prefix(old, new)) + 1
    start, old, new = edit.start + front, old[front:], new[front:]
    back = _common_suffix(old, new)
    old_cut, new_cut = len(old) - back, len(new) - back
    at_line_start = start == 0 or text[start - 1] == "\n"
    begins_line = (old[old_cut - 1] == "\n" if old_cut else at_line_start) and (
        new[new_cut - 1] == "\n" if new_cut else at_line_start
    )
    if back and not begins_line:
        line_end = old.find("\n", old_cut)
        back = 0 if line_end < 0 else len(old) - line_end
    return Edit(start, edit.end - back, new[: len(new) - back])


def _common_prefix(one: str, two: str) -> int:
    # Bisection on slices: the comparisons run at memory speed, which a loop over code points does not.
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: str, two: str) -> int:
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == two[len(two) - middle : len(two) - low]:
            low = middle
        else:
            high = middle - 1
    return low
