"""A search for a pattern: the disk's files, and in place of those with unsaved typing what their editors hold."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dsh_ledger.errors import LedgerError
from dsh_tools.fs.port import FileSystem, Missing, OpenText
from dsh_tools.search import ripgrep
from dsh_tools.search.filters import FileFilter
from dsh_tools.search.hits import Found
from dsh_tools.search.messages import Messages
from dsh_tools.search.queries import Query
from dsh_tools.search.roots import Root, opened
from dsh_tools.search.unsaved import as_file
from dsh_tools.search.walks import Walked, walk


@dataclass(frozen=True, slots=True)
class Searched:
    """A search.

    Attributes:
        found: What was found.
        files: How many files were searched.
        buffers: Paths of those whose unsaved text was searched.
        walked: What ignore files hide, where a folder was searched.
    """

    found: Found
    files: int
    buffers: frozenset[bytes]
    walked: Walked | None


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
            async with opened(self.root) as file:
                await self._run_stdin(file, b"", found)
        else:
            texts = [path for path in self.unsaved if self.filter.accepts(path)]
            for path in texts:
                await self._run_text(path, found)
            return Searched(found, len(texts), frozenset(texts), None)
        return Searched(found, 1, frozenset(self.unsaved), None)

    async def _run_folder(self, new: Callable[[], Found]) -> Searched:
        async with opened(self.root) as folder:
            try:
                async with asyncio.TaskGroup() as tasks:
                    walking = tasks.create_task(
                        walk(
                            folder, self.filter.accepts, include_ignored=self.include_ignored, asked=self.unsaved.keys()
                        )
                    )
                    searching = tasks.create_task(self._run_disk(folder, new))
            except* LedgerError as group:
                raise group.exceptions[0] from None
        walked, found = walking.result(), searching.result()
        texts = [path for path in self.unsaved if path in walked.met or await self._is_new(path)]
        for path in texts:
            await self._run_text(path, found)
        return Searched(found, walked.files + len(set(texts) - walked.met), frozenset(texts), walked)

    async def _run_disk(self, folder: int, new: Callable[[], Found]) -> Found:
        found = await self._run_tree(folder, new())
        if not found.complete:
            # Which of very many came first was chance; in the order of paths it takes longer and is the same each time.
            found = await self._run_tree(folder, new(), "--sort=path")
        return found

    async def _run_tree(self, folder: int, found: Found, *more: str) -> Found:
        ignoring = ["--no-ignore"] if self.include_ignored else []
        hint = [] if self.query.type else self.filter.hint()
        arguments = [*ripgrep.WALKING, *ignoring, *hint, *more, *self.query.arguments(), "./"]
        messages = Messages(found, lambda path: path not in self.unsaved and self.filter.accepts(path))
        ended = await ripgrep.run(arguments, messages.feed, folder=folder)
        found.unreadable = ended.complaints
        return found

    async def _run_text(self, path: bytes, found: Found) -> None:
        with as_file(self.unsaved[path].text) as file:
            await self._run_stdin(file, path, found)

    async def _run_stdin(self, file: int, path: bytes, found: Found) -> None:
        messages = Messages(found, lambda _path: True, path)
        await ripgrep.run(["--no-config", *self.query.arguments(), "-"], messages.feed, stdin=file)

    async def _is_new(self, path: bytes) -> bool:
        """Whether an unsaved text has no file, and is one that is searched."""
        if not self.filter.accepts(path):
            return False
        return isinstance(await self.files.stat(self.unsaved[path].target), Missing)
