"""Walks over a folder: which files it has that a filter accepts, and how many of them ignore files hide."""

import asyncio
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dsh_tools.search import ripgrep
from dsh_tools.search.records import Records

MOST_IGNORED = 10_000
"""How many ignored files are counted before it is "more than"."""

_PATIENCE = 5.0
"""Seconds that counting ignored files may take."""

_PATH_LIMIT = 1 << 16


def in_order(path: bytes) -> bytes:
    """What paths are sorted by: folder by folder, as they would be listed."""
    return path.replace(b"/", b"\0")


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk has met.

    Attributes:
        files: How many files were accepted.
        first: The first of them by path, as many as were asked for.
        met: Those of the paths asked about that were accepted.
        ignored: How many more there would be without ignore files.
        ignored_exact: That number is exact; else there are more, or at least that many.
        unreadable: How many folders could not be read.
    """

    files: int
    first: tuple[bytes, ...]
    met: frozenset[bytes]
    ignored: int
    ignored_exact: bool
    unreadable: int


class _Count:
    """Counts accepted paths, and keeps a few."""

    def __init__(
        self,
        accepts: Callable[[bytes], bool],
        keep: int = 0,
        asked: Iterable[bytes] = (),
        most: float = math.inf,
    ) -> None:
        self.files = 0
        self.first: list[bytes] = []
        self.met: set[bytes] = set()
        self._accepts, self._keep, self._asked, self._most = accepts, keep, frozenset(asked), most
        self._records = Records(b"\0", _PATH_LIMIT)

    def feed(self, piece: bytes) -> bool:
        for record, _ in self._records.split(piece):
            path = record.removeprefix(b"./")
            if self._accepts(path):
                self.files += 1
                if self._keep:
                    self.first.append(path)
                if path in self._asked:
                    self.met.add(path)
        if len(self.first) > 4 * self._keep:
            self.trim()
        return self.files <= self._most

    def trim(self) -> None:
        self.first = sorted(self.first, key=in_order)[: self._keep]


async def walk(
    folder: int,
    accepts: Callable[[bytes], bool],
    *,
    include_ignored: bool,
    keep: int = 0,
    asked: Iterable[bytes] = (),
    depth: int | None = None,
    rest: Callable[[bytes], None] | None = None,
) -> Walked:
    """Walk a folder, and then once more to count what ignore files hide.

    Args:
        folder: Its descriptor.
        accepts: Whether a path from there is one that is wanted. Called in another thread.
        include_ignored: Ignore files don't count; nothing is ignored then.
        keep: How many of the first paths to give back.
        asked: Paths to say of whether they were met.
        depth: How many names a path may have.
        rest: Is told of the paths that are met and not wanted.
    """

    def accepts_or_tells(path: bytes) -> bool:
        wanted = accepts(path)
        if rest is not None and not wanted:
            rest(path)
        return wanted

    shape = [] if depth is None else [f"--max-depth={depth}"]
    seen = _Count(accepts_or_tells, keep, asked)
    arguments = [*ripgrep.WALKING, *shape, "--files", "--null"]
    all_files = [*arguments, "--no-ignore", "./"]
    ended = await ripgrep.run(all_files if include_ignored else [*arguments, "./"], seen.feed, folder=folder)
    seen.trim()
    every = _Count(accepts, most=seen.files + MOST_IGNORED)
    exact = True
    if not include_ignored:
        try:
            async with asyncio.timeout(_PATIENCE):
                exact = not (await ripgrep.run(all_files, every.feed, folder=folder)).stopped
        except TimeoutError:
            exact = False
    ignored = min(max(0, every.files - seen.files), MOST_IGNORED)
    return Walked(seen.files, tuple(seen.first), frozenset(seen.met), ignored, exact, ended.complaints)
