"""A search for a pattern: the disk's files, and in place of those with unsaved typing what their editors hold.

ripgrep knows UTF-8 and what a byte order mark says. A file that is a text all the same, with NULs or in the encoding
that is declared for it, is searched as the text that a read gives.
"""

import asyncio
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from dsh_ledger.errors import LedgerError
from dsh_tools.fs.charsets import UTF8
from dsh_tools.fs.port import FileSystem, Missing, OpenText, TextRead
from dsh_tools.search import ripgrep
from dsh_tools.search.filters import FileFilter
from dsh_tools.search.hits import Found
from dsh_tools.search.messages import Messages
from dsh_tools.search.queries import Query
from dsh_tools.search.records import Records
from dsh_tools.search.roots import Root, opened
from dsh_tools.search.unsaved import as_file
from dsh_tools.search.walks import Walked, walk

_MOST_LISTED = 500
"""How many files that are not UTF-8 are looked at for a pattern that is not ASCII."""

_PATH_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Searched:
    """A search.

    Attributes:
        found: What was found.
        files: How many files were searched.
        buffers: Paths of those whose unsaved text was searched.
        walked: What ignore files hide, where a folder was searched.
        undeclared: Files in which characters beyond ASCII, which the pattern has, may have been missed: they are not
            UTF-8, and nobody has declared what they are.
        undeclared_exact: There are no others.
    """

    found: Found
    files: int
    buffers: frozenset[bytes]
    walked: Walked | None
    undeclared: int = 0
    undeclared_exact: bool = True


@dataclass(frozen=True, slots=True)
class _Odd:
    """Files that are not UTF-8: those that can be read, how many can't, and whether that is all of them."""

    readable: tuple[bytes, ...] = ()
    undeclared: int = 0
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Search:
    """What to search where.

    Attributes:
        files: The files, to ask whether one exists.
        root: Where.
        query: For what; checked.
        filter: In which files of a folder.
        unsaved: The unsaved texts in the root.
        include_ignored: Ignore files don't count.
    """

    files: FileSystem
    root: Root
    query: Query
    filter: FileFilter
    unsaved: Mapping[bytes, OpenText]
    include_ignored: bool

    async def run(self, new: Callable[[], Found]) -> Searched:
        """Search.

        Args:
            new: Makes something empty to put into what is found.

        Raises:
            FsError: The root is gone or can't be read.
        """
        if self.root.kind == "directory":
            return await self._run_folder(new)
        found = new()
        if b"" in self.unsaved:
            await self._run_text(b"", found)
        elif self.root.kind == "file":
            read = None if self.query.pattern.isascii() else await self._read(b"")
            if read is not None and read.encoding != UTF8:
                await self._run_as_read(b"", read.text, found)
            else:
                async with opened(self.root) as file:
                    await self._run_stdin(file, b"", found)
                await self._look_again(found)
                undeclared = int(read is None and not self.query.pattern.isascii())
                return Searched(found, 1, frozenset(), None, undeclared)
        else:
            texts = [path for path in self.unsaved if self.filter.accepts(path)]
            for path in texts:
                await self._run_text(path, found)
            return Searched(found, len(texts), frozenset(texts), None)
        return Searched(found, 1, frozenset(self.unsaved), None)

    async def _run_folder(self, new: Callable[[], Found]) -> Searched:
        async with opened(self.root) as folder:
            odd = await self._in_other_encodings(folder)
            try:
                async with asyncio.TaskGroup() as tasks:
                    walking = tasks.create_task(
                        walk(
                            folder, self.filter.accepts, include_ignored=self.include_ignored, asked=self.unsaved.keys()
                        )
                    )
                    searching = tasks.create_task(self._run_disk(folder, new, odd.readable))
            except* LedgerError as group:
                raise group.exceptions[0] from None
        walked, found = walking.result(), searching.result()
        await self._look_again(found)
        for path in odd.readable:
            if (read := await self._read(path)) is not None:
                await self._run_as_read(path, read.text, found)
        texts = [path for path in self.unsaved if path in walked.met or await self._is_new(path)]
        for path in texts:
            await self._run_text(path, found)
        files = walked.files + len(set(texts) - walked.met)
        return Searched(found, files, frozenset(texts), walked, odd.undeclared, odd.exact)

    async def _run_disk(self, folder: int, new: Callable[[], Found], without: Container[bytes]) -> Found:
        found = await self._run_tree(folder, new(), without)
        if not found.complete:
            # Which of very many came first was chance; in the order of paths it takes longer and is the same each time.
            found = await self._run_tree(folder, new(), without, "--sort=path")
        return found

    async def _run_tree(self, folder: int, found: Found, without: Container[bytes], *more: str) -> Found:
        arguments = [*self._walking(), *more, *self.query.arguments(), "./"]
        messages = Messages(found, lambda path: path not in without and self._is_searched(path))
        ended = await ripgrep.run(arguments, messages.feed, folder=folder)
        found.unreadable = ended.complaints
        return found

    def _walking(self) -> list[str]:
        ignoring = ["--no-ignore"] if self.include_ignored else []
        return [*ripgrep.WALKING, *ignoring, *([] if self.query.type else self.filter.hint())]

    def _is_searched(self, path: bytes) -> bool:
        return path not in self.unsaved and self.filter.accepts(path)

    async def _in_other_encodings(self, folder: int) -> _Odd:
        """The files in which a pattern that is not ASCII can't be found byte by byte."""
        if self.query.pattern.isascii():
            return _Odd()
        listed: list[bytes] = []
        records = Records(b"\0", _PATH_LIMIT)

        def take(piece: bytes) -> bool:
            paths = (record.removeprefix(b"./") for record, _ in records.split(piece))
            listed.extend(path for path in paths if path and self._is_searched(path))
            return len(listed) <= _MOST_LISTED

        only = [f"--type={self.query.type}"] if self.query.type else []
        # A line that is not, from end to end, characters of UTF-8.
        odd = ["--files-with-matches", "--null", "--no-mmap", "--invert-match", "--line-regexp", "--regexp=.*"]
        await ripgrep.run([*self._walking(), *only, *odd, "./"], take, folder=folder)
        looked_at = sorted(listed)[:_MOST_LISTED]
        readable = tuple([path for path in looked_at if await self._read(path) is not None])
        return _Odd(readable, len(looked_at) - len(readable), len(listed) <= _MOST_LISTED)

    async def _look_again(self, found: Found) -> None:
        """Search what was put aside as the texts that reads give; what can't be read as text stays what it was."""
        aside, found.aside = found.aside, []
        for hits in aside:
            read = await self._read(hits.path)
            if read is None:
                found.add(hits, again=True)
            else:
                await self._run_as_read(hits.path, read.text, found)

    async def _read(self, path: bytes) -> TextRead | None:
        try:
            read = await self.files.read_text(await self.files.resolve(self.root.uri(path)))
        except LedgerError:
            return None
        return read if isinstance(read, TextRead) else None

    async def _run_text(self, path: bytes, found: Found) -> None:
        await self._run_as_read(path, self.unsaved[path].text, found)

    async def _run_as_read(self, path: bytes, text: str, found: Found) -> None:
        with as_file(text) as file:
            await self._run_stdin(file, path, found, "--text")  # with NULs too

    async def _run_stdin(self, file: int, path: bytes, found: Found, *more: str) -> None:
        messages = Messages(found, lambda _path: True, path)
        await ripgrep.run(["--no-config", *self.query.arguments(), *more, "-"], messages.feed, stdin=file)

    async def _is_new(self, path: bytes) -> bool:
        """Whether an unsaved text has no file, and is one that is searched."""
        if not self.filter.accepts(path):
            return False
        return isinstance(await self.files.stat(self.unsaved[path].target), Missing)
