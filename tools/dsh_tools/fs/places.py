"""A file's directory, held open, and the file's name in it.

Every system call on a target goes through a directory that was walked to from the workspace's root, component by
component, without following a link (``openat`` with ``O_NOFOLLOW``). So a path of which a part was swapped for a link
after it was resolved leads to a refusal and never outside.

Deliberately absent: absolute paths, and reading or writing.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from dsh_ledger.errors import FsError, FsNotDirectory, FsNotRegularFile
from dsh_tools.fs.leases import opened
from dsh_tools.fs.os_errors import leads_through_link
from dsh_tools.fs.paths import Location, joined, kind_of
from dsh_tools.fs.windows_names import refuse_windows_name

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open directory. Valid within the block of `open_place`.

    Attributes:
        location: How it was reached.
        directory: A descriptor of the directory, good for ``dir_fd`` and nothing else.
        name: The name in it; ``.`` for a workspace root.
        shown: The path to name in errors.
    """

    location: Location
    directory: int
    name: bytes
    shown: str

    def lstat(self) -> os.stat_result | None:
        """What is at the name, links not followed, or None when nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.directory, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def regular(self) -> os.stat_result | None:
        """The same for a name that should be a regular file.

        Asked before every open, since to open a FIFO or a device can already have an effect.

        Raises:
            FsSandboxDenied: It is a link by now.
            FsNotRegularFile: It is something else.
        """
        found = self.lstat()
        if found is None or stat.S_ISREG(found.st_mode):
            return found
        if stat.S_ISLNK(found.st_mode):
            raise leads_through_link(self.shown)
        raise FsNotRegularFile(self.shown, kind_of(found.st_mode))

    def open(self, flags: int) -> int:
        """A descriptor of what is at the name. Never follows a link, never waits for a FIFO's other end."""
        return opened(self.name, flags, self.directory)

    def writable(self) -> bool:
        """Whether this process may write to what is at the name."""
        return os.access(self.name, os.W_OK, dir_fd=self.directory, effective_ids=True)

    def moved(self) -> bool:
        """Whether the path no longer leads to the open directory."""
        try:
            again = _walk(self.location, self.shown)
        except (OSError, FsError):
            return True
        try:
            return not os.path.samestat(os.fstat(again), os.fstat(self.directory))
        finally:
            os.close(again)

    def sync_directory(self) -> None:
        """Make the directory's entries durable, where its file system and permissions let us."""
        with suppress(OSError):
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self.directory)
            try:
                os.fsync(readable)
            finally:
                os.close(readable)


@contextmanager
def open_place(location: Location, shown: str) -> Iterator[Place | None]:
    """The place of a location, or None when a parent of it does not exist.

    Raises:
        FsNotDirectory: A parent is a file.
        FsSandboxDenied: A parent is a link by now.
        OSError: Others, not yet translated.
    """
    directory: int | None
    try:
        directory = _walk(location, shown)
    except FileNotFoundError:
        directory = None
    if directory is None:
        yield None
        return
    try:
        yield Place(location, directory, location.parts[-1] if location.parts else b".", shown)
    finally:
        os.close(directory)


@contextmanager
def made_directories(location: Location, shown: str) -> Iterator[tuple[bytes, ...]]:
    """Make the parents of a location that are missing, and take them away again if the block fails.

    Yields:
        The real paths of those that were made, outermost first.
    """
    made: list[bytes] = []
    try:
        for depth in range(1, len(location.parts)):
            with open_place(Location(location.root, location.parts[:depth]), shown) as place:
                if place is None:
                    raise FileNotFoundError
                if place.lstat() is None:
                    refuse_windows_name(place.directory, place.name, shown)
                    with suppress(FileExistsError):
                        os.mkdir(place.name, dir_fd=place.directory)
                        made.append(joined(location.root, b"/".join(location.parts[:depth])))
                        place.sync_directory()
        yield tuple(made)
    except BaseException:
        for path in reversed(made):
            _remove_empty(location, path, shown)
        raise


def _remove_empty(location: Location, path: bytes, shown: str) -> None:
    parts = tuple(part for part in path[len(location.root) :].split(b"/") if part)
    with suppress(OSError, FsError), open_place(Location(location.root, parts), shown) as place:
        if place is not None:
            os.rmdir(place.name, dir_fd=place.directory)


def _walk(location: Location, shown: str) -> int:
    """A descriptor of the directory that holds the location's last component."""
    here = os.open(location.root, _DIRECTORY)
    for part in location.parts[:-1]:
        try:
            below = os.open(part, _DIRECTORY, dir_fd=here)
        except NotADirectoryError:
            found = os.stat(part, dir_fd=here, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                raise leads_through_link(shown) from None
            raise FsNotDirectory(shown) from None
        finally:
            os.close(here)
        here = below
    return here
