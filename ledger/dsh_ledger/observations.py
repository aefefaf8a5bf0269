"""What a session knows of a target: unseen, present at a version, or absent.

Absence is a value, not an error: a session that was told "there is no such file" has learnt something, and may create
the file on the strength of it. Deliberately absent: the text that was seen. The ledger keeps credentials, not content.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from dsh_ledger.versions import Version


@dataclass(frozen=True, slots=True, order=True)
class LineSpan:
    """Lines ``start`` to ``end``, 0-based, ``end`` excluded."""

    start: int
    end: int


def merge_spans(spans: Iterable[LineSpan]) -> tuple[LineSpan, ...]:
    """The same lines as ordered, disjoint, non-touching spans; empty spans are dropped."""
    merged: list[LineSpan] = []
    for span in sorted(s for s in spans if s.start < s.end):
        if merged and span.start <= merged[-1].end:
            merged[-1] = LineSpan(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class Unseen:
    """The session never looked at the target."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The session looked, and the target did not exist."""


@dataclass(frozen=True, slots=True)
class Present:
    """The session saw the target with this content.

    Attributes:
        version: The version of the whole content, also when only a window of it was shown.
        lines: The lines that were shown, or None when all of them were.
    """

    version: Version
    lines: tuple[LineSpan, ...] | None = None

    def joined_by(self, later: "Present") -> "Present":
        """What is known after another look: lines add up as long as the content is the same."""
        if later.version != self.version or later.lines is None:
            return later
        if self.lines is None:
            return self
        return Present(self.version, merge_spans((*self.lines, *later.lines)))


Observation: TypeAlias = Unseen | Absent | Present
