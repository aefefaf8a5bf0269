"""Parts of a pending hunk: what of it lies in some lines, so that a person can decide on less than the whole.

A hunk's two sides are aligned line by line, and fall into *parts* with equal lines between them. A part is decided as
a whole, but for one that only adds lines: that is cut wherever the person's lines begin and end. Deliberately absent:
the other hunks of the text, and what becomes of a part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

_ALIGNED_LINES = 4_000
"""Lines of both sides up to which they are aligned; a larger hunk that has both sides is one part."""


@dataclass(frozen=True, slots=True)
class HunkPart:
    """Base lines and current lines that correspond, by their places in the hunk: 0-based, the ends excluded."""

    base_start: int
    base_end: int
    start: int
    end: int
    is_chosen: bool = False


def hunk_parts(base: Sequence[str], current: Sequence[str], start: int, end: int) -> list[HunkPart]:
    """The parts of a hunk in order, those that lie in some of its current lines chosen.

    Args:
        base: The base lines.
        current: The current lines.
        start: First line that is chosen, 0-based in the hunk.
        end: The line after the last one. A part without current lines is chosen when its place lies between the two,
            or at one of them.
    """
    found: list[HunkPart] = []
    for part in _aligned(base, current):
        if part.base_start == part.base_end:
            found += _cut(part, start, end)
        else:
            touched = part.start < end and start < part.end if part.start < part.end else start <= part.start <= end
            found.append(HunkPart(part.base_start, part.base_end, part.start, part.end, touched))
    return found


def _aligned(base: Sequence[str], current: Sequence[str]) -> list[HunkPart]:
    if not base or not current or len(base) + len(current) > _ALIGNED_LINES:
        return [HunkPart(0, len(base), 0, len(current))]
    matcher = SequenceMatcher(None, base, current, autojunk=False)
    blocks = matcher.get_opcodes()
    return [HunkPart(old, old_end, new, new_end) for tag, old, old_end, new, new_end in blocks if tag != "equal"]


def _cut(part: HunkPart, start: int, end: int) -> list[HunkPart]:
    """An addition, cut at the ends of what is chosen."""
    places = sorted({part.start, part.end, *(at for at in (start, end) if part.start < at < part.end)})
    return [
        HunkPart(part.base_start, part.base_end, low, high, start <= low and high <= end)
        for low, high in pairwise(places)
    ]
