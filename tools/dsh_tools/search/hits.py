"""What was found: lines by file, in the order of paths, as many as are wanted, and the numbers of all.

Deliberately absent: where it comes from; see `messages`.
"""

from bisect import insort
from dataclasses import dataclass, field, replace
from itertools import accumulate

from dsh_tools.search.clipping import Clip
from dsh_tools.search.walks import in_order

MOST_ASIDE = 200
"""How many odd files are looked at again."""

_SLACK = 16


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line of a file, of a match or beside one.

    Attributes:
        number: From 1.
        clip: What is shown of it.
        column: Where the first match that begins in it begins, in code points from 1; None when none does.
        matches: How many begin in it.
        hidden: How many lines right below it are of the same match and are left out.
    """

    number: int
    clip: Clip
    column: int | None = None
    matches: int = 0
    hidden: int = 0


@dataclass(slots=True)
class FileHits:
    """What was found in one file. A hit is a line in which a match begins.

    Attributes:
        path: From the search's root.
        lines: The first lines, by number.
        hits: How many hits there are in all.
        huge: How many of them are on lines too large to be shown at all.
        binary: It is no text.
        odd: It is no text in UTF-8: it may be some in another encoding, or have NULs.
    """

    path: bytes
    lines: list[FoundLine] = field(default_factory=list)
    hits: int = 0
    huge: int = 0
    binary: bool = False
    odd: bool = False

    @property
    def size(self) -> int:
        """Code points of the lines."""
        return sum(len(line.clip.text) + 1 for line in self.lines)


@dataclass(slots=True)
class Found:
    """What was found in all files: the first by path are kept as long as they may be shown, the others are counted.

    Attributes:
        limit: How many hits may be shown; how many files, where lines are not wanted.
        characters: How many code points may be shown; 0 where lines are not wanted.
        files: The first files with hits.
        total_files: How many files have hits.
        total_hits: How many hits there are.
        binaries: How many more files have hits and are no text.
        huge: How many hits are on lines too large to be shown.
        unreadable: How many files or folders could not be read.
        complete: All of it was searched.
        aside: Odd files with hits, at most `MOST_ASIDE`, that are in none of these: they are to be looked at again.
    """

    limit: int
    characters: int
    files: list[FileHits] = field(default_factory=list)
    total_files: int = 0
    total_hits: int = 0
    binaries: int = 0
    huge: int = 0
    unreadable: int = 0
    complete: bool = True
    aside: list[FileHits] = field(default_factory=list)
    _trim_at: int = _SLACK

    def add(self, found: FileHits, *, again: bool = False) -> None:
        """Take in what was found in one more file; ``again`` if it was aside, and can't be read any better."""
        if found.odd and not again and len(self.aside) < MOST_ASIDE:
            self.aside.append(found)
            return
        if found.binary:
            self.binaries += 1
            return
        self.total_files += 1
        self.total_hits += found.hits
        self.huge += found.huge
        if not self.characters:
            found = replace(found, lines=[])
        insort(self.files, found, key=lambda each: in_order(each.path))
        self._let_go()

    def shown(self) -> tuple[list[FileHits], int]:
        """The files with the lines that are shown, and how many hits those are; or how many files."""
        if not self.characters:
            shown = self.files[: self.limit]
            return shown, len(shown)
        shown = []
        count = size = 0
        for each in self.files:
            lines, count, size = self._fitting(each, count, size)
            if lines or each.huge == each.hits:
                shown.append(replace(each, lines=lines))
            if len(lines) < len(each.lines):
                break
        return shown, count

    def _let_go(self) -> None:
        """Drop files that can't be shown, since those before them fill what may be. Not each time: that would cost."""
        if len(self.files) < self._trim_at:
            return
        if not self.characters:
            del self.files[self.limit :]
        else:
            hits = accumulate(each.hits - each.huge for each in self.files)
            sizes = accumulate(each.size for each in self.files)
            full = (at for at, (some, size) in enumerate(zip(hits, sizes, strict=True), 1) if self._is_full(some, size))
            del self.files[next(full, len(self.files)) :]
        self._trim_at = 2 * len(self.files) + _SLACK

    def _is_full(self, hits: int, size: int) -> bool:
        return hits >= self.limit or size > self.characters

    def _fitting(self, file: FileHits, count: int, size: int) -> tuple[list[FoundLine], int, int]:
        """The lines up to the last hit that fits and those right below it, and what is shown with them by then."""
        shown: list[FoundLine] = []
        before = count
        for line in file.lines:
            size += len(line.clip.text) + 1
            if line.column is not None:
                if count == self.limit or (count and size > self.characters):
                    return _without_gap(shown), count, size
                count += 1
            shown.append(line)
        whole = count - before == file.hits - file.huge
        return shown if whole else _without_gap(shown), count, size


def _without_gap(lines: list[FoundLine]) -> list[FoundLine]:
    """The lines up to the last hit, and below it those that follow without a gap: the others belong to another hit."""
    end = max((at for at, line in enumerate(lines, 1) if line.column is not None), default=0)
    while 0 < end < len(lines) and lines[end].number == lines[end - 1].number + 1:
        end += 1
    return lines[:end]
