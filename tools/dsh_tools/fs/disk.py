"""The disk as a `FileSystem`: closed files, read and changed in threads.

Held here: which thread does what, and the lock that a mutation holds while it runs. Each operation is one hop to the
executor. Deliberately absent: open buffers (another backend's), and every rule of text, paths and publishing (the
modules beside this one).
"""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, ParamSpec, TypeVar

from dsh_ledger.errors import FsNotDirectory, FsNotFound
from dsh_ledger.guards import Guard
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version
from dsh_tools.fs.file_style import FileStyles
from dsh_tools.fs.guard_check import strictly
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.mutation import DiskMutations, Revise, editing, writing
from dsh_tools.fs.os_errors import leads_through_link, translated
from dsh_tools.fs.paths import Workspace, kind_of, target_path
from dsh_tools.fs.places import Place, open_place
from dsh_tools.fs.port import DirEntry, EditPlan, FileStat, Missing, OpenText, TextRead, WriteOutcome
from dsh_tools.fs.publish import Publisher
from dsh_tools.fs.recent import RecentContents
from dsh_tools.fs.snapshots import Snapshot, take
from dsh_tools.fs.streaming import TextStream
from dsh_tools.fs.threads import DiskThreads
from dsh_tools.fs.uris import escaped_name
from dsh_tools.uninterrupted import uninterrupted

DEFAULT_LIMIT: Final = 50 * 1024 * 1024
"""Bytes that a file may have to be read or changed as a whole."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


class DiskFileSystem:
    """The port on the disk.

    Args:
        workspace: What may be touched; relative paths resolve against its first root.
        locks: Locks by target, to share with other backends of the same event loop.
        publisher: How bytes get to their place.
        limit: The most bytes of a file that is read or changed as a whole.
        threads: Threads to use; `close` ends them. Without it, the disk has its own.
        styles: What is asked of files: encodings and the style of new ones. Without it, only ``.editorconfig`` asks.

    Attributes:
        styles: What is asked of files; shared with `for_workspace`.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        locks: TargetLocks | None = None,
        publisher: Publisher | None = None,
        limit: int = DEFAULT_LIMIT,
        threads: DiskThreads | None = None,
        styles: FileStyles | None = None,
    ) -> None:
        self._locks = locks if locks is not None else TargetLocks()
        self._threads = threads or DiskThreads()
        self.styles = styles or FileStyles()
        self._mutations = DiskMutations(
            workspace, publisher or Publisher(), limit, self._threads.digests, RecentContents(), self.styles
        )

    def for_workspace(self, workspace: Workspace) -> "DiskFileSystem":
        """The same disk for a session with other roots; threads, locks, publisher and styles are shared."""
        return DiskFileSystem(
            workspace,
            locks=self._locks,
            publisher=self._mutations.publisher,
            limit=self._mutations.limit,
            threads=self._threads,
            styles=self.styles,
        )

    @property
    def workspace(self) -> Workspace:
        """What may be touched."""
        return self._mutations.workspace

    def close(self) -> None:
        """Let the threads end, also those shared with `for_workspace`. What was asked for is still done."""
        self._threads.close()

    async def resolve(self, path: str) -> Target:
        """See `FileSystem.resolve`."""
        return await self._hop(self.workspace.resolve, path)

    async def stat(self, target: Target) -> FileStat | Missing:
        """See `FileSystem.stat`."""
        return await self._hop(self._stat, target)

    async def read_text(self, target: Target) -> TextRead | Missing:
        """See `FileSystem.read_text`."""
        return await self._hop(self._read_text, target)

    async def stream_text(self, target: Target) -> AsyncIterator[str]:
        """See `FileSystem.stream_text`. Bytes that don't decode are refused at the step that meets them."""
        stream = await self._hop(TextStream, self.workspace, target, self._mutations.style_of(target))
        try:
            while (piece := await self._hop(stream.next_piece)) is not None:
                if piece:
                    yield piece
        finally:
            await self._hop(stream.close)

    async def read_bytes(self, target: Target) -> bytes | Missing:
        """See `FileSystem.read_bytes`."""
        return await self._hop(self._read_bytes, target)

    async def list_dir(self, target: Target) -> tuple[DirEntry, ...]:
        """See `FileSystem.list_dir`. A link is listed as ``link``, whatever it leads to."""
        return await self._hop(self._list_dir, target)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """See `FileSystem.open_texts`. The disk knows of no editor."""
        return ()

    async def write_text(self, target: Target, text: str, guard: Guard) -> WriteOutcome:
        r"""See `FileSystem.write_text`.

        A new file, or an empty one, gets the text as it is, ``\r\n`` included, but for what the workspace asks of its
        files (`new_files`).
        """
        return await self._mutate(target, strictly(guard), writing(target, text))

    async def edit_text(
        self, target: Target, plan: EditPlan, guard: Guard, *, dry_run: bool = False, by_user: bool = False
    ) -> WriteOutcome:
        """See `FileSystem.edit_text`. The plan is called in another thread, and again if the content changed.

        Args:
            target: See there.
            plan: See there.
            guard: See there.
            dry_run: See there.
            by_user: A person takes something back, and may do so in a protected place.
        """
        revise = editing(target, plan, guard)
        return await self._mutate(target, guard, revise, dry_run=dry_run, by_user=by_user)

    async def remove(self, target: Target, version: Version) -> bool:
        """Remove a file if it has this version; whether it had. One that was changed is left as it is.

        Raises:
            FsError: As for `read_text`, and for a protected place.
        """
        async with self._locks.hold(target):
            return await uninterrupted(self._hop(self._remove, target, version))

    async def refuse_protected(self, target: Target) -> None:
        """See `Workspace.refuse_protected`. Every mutation asks by itself; this is for who changes a file otherwise."""
        await self._hop(self.workspace.refuse_protected, target)

    async def _hop(self, job: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads.operations, partial(job, *args, **kwargs))

    async def _mutate(
        self, target: Target, guard: Guard, revise: Revise, *, dry_run: bool = False, by_user: bool = False
    ) -> WriteOutcome:
        """Run a critical section under the target's lock.

        A cancellation that comes before the section has begun leaves everything as it is and is passed on. One that
        comes later has to wait for the end, or the lock would be free with the section still running; the outcome is
        then returned all the same, since it happened and has to be recorded.
        """
        async with self._locks.hold(target):
            run = partial(self._mutations.run, target, guard, revise, dry_run=dry_run, by_user=by_user)
            job = self._threads.operations.submit(run)
            done = asyncio.wrap_future(job)
            while not done.done():
                try:
                    await asyncio.wait((done,))
                except asyncio.CancelledError:
                    job.cancel()
            return done.result()

    def _stat(self, target: Target) -> FileStat | Missing:
        with self._place(target) as place:
            found = None if place is None else place.lstat()
            if place is None or found is None:
                return Missing()
            writable = bool(found.st_mode & stat.S_IWUSR) and place.writable()
            return FileStat(kind_of(found.st_mode), found.st_size, writable)

    def _read_text(self, target: Target) -> TextRead | Missing:
        snapshot = self._take(target)
        if snapshot is None:
            return Missing()
        content = self._mutations.content(snapshot.data, target.path, self._mutations.style_of(target))
        self._mutations.recent.keep(content)
        encoding = content.decoded.encoding
        return TextRead(content.logical, content.version, "disk", encoding=encoding, notes=content.notes)

    def _read_bytes(self, target: Target) -> bytes | Missing:
        snapshot = self._take(target)
        return Missing() if snapshot is None else snapshot.data

    def _take(self, target: Target) -> Snapshot | None:
        with self._place(target) as place:
            return None if place is None else take(place, self._mutations.limit)

    def _remove(self, target: Target, version: Version) -> bool:
        self.workspace.refuse_protected(target)
        publisher = self._mutations.publisher
        with publisher.turns.hold(target_path(target)), self._place(target) as place:
            snapshot = None if place is None else take(place, self._mutations.limit)
            if place is None or snapshot is None:
                return False
            content = self._mutations.content(snapshot.data, target.path, self._mutations.style_of(target))
            return content.version == version and publisher.remove(place, snapshot.data)

    def _list_dir(self, target: Target) -> tuple[DirEntry, ...]:
        with self._place(target) as place:
            found = None if place is None else place.lstat()
            if place is None or found is None:
                raise FsNotFound(target.path)
            if stat.S_ISLNK(found.st_mode):
                raise leads_through_link(target.path)
            if not stat.S_ISDIR(found.st_mode):
                raise FsNotDirectory(target.path)
            fd = place.open(os.O_RDONLY | os.O_DIRECTORY)
            try:
                with os.scandir(fd) as entries:
                    return tuple(sorted(map(_dir_entry, entries), key=lambda entry: entry.name))
            finally:
                os.close(fd)

    @contextmanager
    def _place(self, target: Target) -> Iterator[Place | None]:
        with translated(target.path), open_place(self.workspace.locate(target), target.path) as place:
            yield place


def _dir_entry(entry: os.DirEntry[str]) -> DirEntry:
    return DirEntry(escaped_name(os.fsencode(entry.name)), kind_of(entry.stat(follow_symlinks=False).st_mode))
