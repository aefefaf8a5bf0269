"""Which hunks somebody means."""

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_ledger.pending import PendingHunk, PendingHunks


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a hunk: 0-based in the current text, ``end`` excluded. The whole hunk where they enclose it."""

    hunk: PendingHunk
    start: int
    end: int

    @property
    def in_hunk(self) -> tuple[int, int] | None:
        """The same lines from the hunk's first one; None for all of it."""
        if self.start <= self.hunk.start and self.hunk.end <= self.end:
            return None
        return self.start - self.hunk.start, self.end - self.hunk.start


@dataclass(frozen=True, slots=True)
class Selection:
    """Some hunks. What is None does not narrow them.

    Attributes:
        ids: Those of these ids.
        session: Those with an edit of this session in them.
        call: Those with an edit of this call in them.
        lines: What lies in these lines of the file: 0-based, the second excluded.
    """

    ids: frozenset[str] | None = None
    session: str | None = None
    call: str | None = None
    lines: tuple[int, int] | None = None

    def of(self, hunks: PendingHunks) -> Iterator[Part]:
        """What is meant of a file's hunks, in order."""
        for hunk in hunks:
            if self.ids is not None and hunk.id not in self.ids:
                continue
            calls = [each for each in hunk.calls if self.session in (None, each[0]) and self.call in (None, each[1])]
            if not calls:
                continue
            start, end = self.lines or (hunk.start, hunk.end)
            if start <= hunk.end and hunk.start <= end and (hunk.count == 0 or (start < hunk.end and hunk.start < end)):
                yield Part(hunk, start, end)
