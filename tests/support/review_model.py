r"""What a review should be, said with two lists of lines: how the text is, and how it would be without the agents.

`Seen` is what the review claims at one moment; the two lists follow from its claims in the plainest way. The functions
say what may become of them in one step. Lines are those of ``text.split("\n")``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.decorations import decorated_hunks
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding
from tests.support.naive_text import Span, offset_of


@dataclass(frozen=True, slots=True)
class Place:
    """Lines ``start`` to ``end`` (excluded) of a text are replaced by ``new``."""

    start: int
    end: int
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A text and the hunks in it, as they are claimed to be."""

    current: tuple[str, ...]
    hunks: tuple[PendingHunk, ...]

    @property
    def text(self) -> str:
        """The current text."""
        return "\n".join(self.current)

    @property
    def base(self) -> list[str]:
        """The lines without what the agents did."""
        lines: list[str] = []
        at = 0
        for hunk in self.hunks:
            lines += [*self.current[at : hunk.start], *hunk.base]
            at = hunk.start + len(hunk.current)
        return [*lines, *self.current[at:]] or [""]

    def base_line(self, line: int) -> int:
        """Where a line that no hunk is around of is in the base."""
        return line + sum(len(hunk.base) - len(hunk.current) for hunk in self.hunks if hunk.end <= line)

    def check(self, encoding: PositionEncoding) -> None:
        """What must hold at any moment: the hunks are in the text, in order, disjoint, and painted where they are."""
        at = 0
        for hunk in self.hunks:
            assert at <= hunk.start
            at = hunk.start + len(hunk.current)
            assert hunk.current == self.current[hunk.start : at]
            assert hunk.base != hunk.current
        assert at <= len(self.current)
        assert len({hunk.id for hunk in self.hunks}) == len(self.hunks)
        assert "\n".join(self.base) == self._repainted(encoding)

    def _repainted(self, encoding: PositionEncoding) -> str:
        """The base text, as somebody would work it out who knows the text and the decorations."""
        text = self.text
        mirror = Document("file:///a", text, language_id="", version=1, epoch=1, encoding=encoding)
        lines = text.split("\n")
        if ended := text.endswith("\n") or not text:
            lines.pop()
        for shown in reversed([each.to_wire() for each in decorated_hunks(PendingHunks.of(self.hunks), mirror)]):
            begin, end = (offset_of(text, shown["range"][side], encoding) for side in ("start", "end"))
            start = shown["range"]["start"]
            first = start["line"] + (start["character"] > 0)  # behind a last line that has no end
            there = lines[first : first + shown["addedLines"]]
            assert shown["addedLines"] == len(there)
            assert "\n".join(there) == text[begin:end].removesuffix("\n" if text[end - 1 : end] == "\n" else "")
            removed = shown["removedText"].split("\n") if shown["removedLines"] else []
            assert shown["removedLines"] == len(removed)
            lines[first : first + len(there)] = removed
            if "noNewlineAtEnd" in shown:
                ended = not shown["noNewlineAtEnd"]["old"]
            for word in shown.get("words", []):
                low, high = (offset_of(text, word[side], encoding) for side in ("start", "end"))
                assert begin <= low < high <= end
        return "".join(f"{line}\n" for line in lines) if ended else "\n".join(lines)


def edited(lines: Sequence[str], places: Sequence[Place]) -> tuple[str, ...]:
    """The lines after replacements that are disjoint and in order; a text has one line at least."""
    result = list(lines)
    for place in reversed(places):
        result[place.start : place.end] = place.new
    return tuple(result or [""])


def difference(one: Sequence[str], other: Sequence[str]) -> list[Place]:
    """One place that makes the one text the other; none where they are the same."""
    front = back = 0
    limit = min(len(one), len(other))
    while front < limit and one[front] == other[front]:
        front += 1
    while back < limit - front and one[-1 - back] == other[-1 - back]:
        back += 1
    if front == len(one) == len(other):
        return []
    return [Place(front, len(one) - back, tuple(other[front : len(other) - back]))]


def spans(text: str, places: Sequence[Place], *, trimmed: bool) -> list[Span]:
    """The replacements as spans of the text: whole lines, or as little as differs."""
    return [_trimmed(text, span) if trimmed else span for span in (_span(text, place) for place in places)]


def check_decided(before: Seen, after: Seen, gone: Sequence[PendingHunk], *, keep: bool) -> None:
    """Whole hunks were decided on: one text is as it was, the other takes their lines, and the rest stays."""
    names = {hunk.id for hunk in gone}
    if keep:
        assert before.current == after.current
    else:
        assert before.base == after.base
        back = [Place(hunk.start, hunk.end, hunk.base) for hunk in gone]
        assert edited(before.current, back) == (after.current or ("",))
    assert [_sides(hunk) for hunk in before.hunks if hunk.id not in names] == [_sides(hunk) for hunk in after.hunks]


def check_agent(before: Seen, after: Seen, places: Sequence[Place], author: tuple[str, str]) -> None:
    """The base stays as it was, hunks elsewhere too, and what is new is the agent's."""
    assert before.base == after.base
    elsewhere = _elsewhere(before, places)
    kept = {hunk.id: _sides(hunk) for hunk in after.hunks}
    assert [_sides(hunk) for hunk in elsewhere] == [kept.get(hunk.id) for hunk in elsewhere]
    known = {hunk.id for hunk in before.hunks}
    assert all(hunk.calls == (author,) for hunk in after.hunks if hunk.id not in known)


def check_user(before: Seen, after: Seen, places: Sequence[Place], *, exactly: bool) -> list[Place]:
    """Hunks elsewhere stay; the base is as it was but for the user's places.

    Args:
        before: What was.
        after: What is.
        places: What the user has changed.
        exactly: The server was told of each place by itself.

    Returns:
        The places that are certainly outside of every hunk: the base has changed there in the same way.
    """
    elsewhere = _elsewhere(before, places)
    kept = {hunk.id: _sides(hunk) for hunk in after.hunks}
    assert [_sides(hunk) for hunk in elsewhere] == [kept.get(hunk.id) for hunk in elsewhere]
    outside = [place for place in places if all(_apart(before, place, hunk) for hunk in before.hunks)]
    inside = [place for place in places if any(_within(before, place, hunk) for hunk in before.hunks)]
    if (exactly or len(places) == 1) and len(outside) + len(inside) == len(places):
        told = [
            Place(before.base_line(place.start), before.base_line(place.start) + place.end - place.start, place.new)
            for place in outside
        ]
        assert list(edited(before.base, told)) == (after.base or [""])
        return outside
    assert not places or _same_ends(before, after, places)
    return []


def _same_ends(before: Seen, after: Seen, places: Sequence[Place]) -> bool:
    """Nothing is different in the base above all that may have been touched, nor below it."""
    reaches = [_reach(before, place) for place in places]
    low, high = min(reach[0] for reach in reaches), max(reach[1] for reach in reaches)
    for hunk in before.hunks:  # and what stands right behind one that is touched
        if hunk.start <= high and low <= hunk.end:
            low, high = min(low, hunk.start), max(high, hunk.end)
    for hunk in reversed(before.hunks):
        if hunk.start <= high and low <= hunk.end:
            low, high = min(low, hunk.start), max(high, hunk.end)
    above = low + sum(len(hunk.base) - len(hunk.current) for hunk in before.hunks if hunk.end < low)
    below = len(before.current) - high
    below += sum(len(hunk.base) - len(hunk.current) for hunk in before.hunks if hunk.start > high)
    old, new = before.base, after.base
    return old[:above] == new[:above] and old[len(old) - below :] == new[len(new) - below :]


def _elsewhere(seen: Seen, places: Sequence[Place]) -> list[PendingHunk]:
    """The hunks that nobody has touched: outside of everything from the first place to the last."""
    reaches = [_reach(seen, place) for place in places]
    if not reaches:
        return list(seen.hunks)
    low, high = min(reach[0] for reach in reaches), max(reach[1] for reach in reaches)
    return [hunk for hunk in seen.hunks if hunk.end < low or high < hunk.start]


def _apart(seen: Seen, place: Place, hunk: PendingHunk) -> bool:
    low, high = _reach(seen, place)
    return high < hunk.start or hunk.end < low


def _within(seen: Seen, place: Place, hunk: PendingHunk) -> bool:
    low, high = _reach(seen, place)
    return hunk.start < low and high < hunk.end


def _reach(seen: Seen, place: Place) -> tuple[int, int]:
    """The lines where the same replacement could be said to be: it may slide over lines that are like its own."""
    low, high = place.start, place.end
    own = {*seen.current[low:high], *place.new}
    while low > 0 and seen.current[low - 1] in own:
        low -= 1
    while high < len(seen.current) and seen.current[high] in own:
        high += 1
    return low, high


def _sides(hunk: PendingHunk) -> tuple[Any, ...]:
    return hunk.id, hunk.base, hunk.current, hunk.calls, hunk.user_modified


def _span(text: str, place: Place) -> Span:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    count = len(starts) - 1
    if place.end < count:
        return Span(starts[place.start], starts[place.end], "".join(f"{line}\n" for line in place.new))
    if place.start == 0:
        return Span(0, len(text), "\n".join(place.new))
    return Span(starts[place.start] - 1, len(text), "".join(f"\n{line}" for line in place.new))


def _trimmed(text: str, span: Span) -> Span:
    start, end, new = span.start, span.end, span.new
    while start < end and new and text[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return Span(start, end, new)
