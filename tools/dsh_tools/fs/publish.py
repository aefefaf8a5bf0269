"""Publishing: new bytes appear at a target in one step, over exactly what was read.

A replacement is written beside its target, made durable, given the old file's attributes, and renamed. Where the kernel
can swap two names, it is swapped in: what comes out is compared with what was read, and on a mismatch swapped back, so
that an outside writer's bytes are never lost. Otherwise the target is compared right before the rename. A new file is
renamed without replacing. Everything that is published is read back through another descriptor.

Deliberately absent: versions and text (bytes are compared with bytes), and a protection against a process that holds
the old file open and writes to it after it was replaced; nothing that renames has one.
"""

import errno
import os
from typing import Literal, TypeAlias

from dsh_tools.fs import renameat2
from dsh_tools.fs.attributes import CannotKeepError, keep_attributes
from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.in_place import write_in_place
from dsh_tools.fs.places import Place
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, holds, is_own, is_same, not_verified
from dsh_tools.fs.temporary import Sweeper, Temporary

Stage: TypeAlias = Literal["written", "checked", "published"]
"""Where a publication is: the new bytes are complete beside the target; the target was looked at again and the rename
is next; the new bytes are at the target and have not been read back."""

_ONE_HOUR = 3600.0
_NO_RENAME = frozenset({errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES, errno.EROFS})
_NO_TEMPORARY = frozenset({errno.EPERM, errno.EACCES, errno.EROFS})
_NO_LINK = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EINVAL})


class _CannotReplaceError(Exception):
    """The file can't be replaced by another; why is the message."""


class Publisher:
    """Puts bytes where a snapshot was taken. Thread-safe, if each target is published by one thread at a time.

    Args:
        kernel_renames: Whether to use ``renameat2`` where it is there.
        abandoned_after: Age in seconds after which a temporary file of a killed process is removed.
    """

    def __init__(self, *, kernel_renames: bool = True, abandoned_after: float = _ONE_HOUR) -> None:
        self._kernel_renames = kernel_renames
        self._sweeper = Sweeper(abandoned_after)

    def reached(self, stage: Stage, place: Place) -> None:
        """A publication is at a stage. Does nothing; a fault injector overrides it."""

    def write_all(self, fd: int, data: bytes) -> None:
        """Write all bytes at a descriptor's position. A fault injector overrides it."""
        write_all(fd, data)

    def create(self, place: Place, data: bytes) -> None:
        """Make a new file with the process's default mode.

        Raises:
            TargetChangedError: Something is there by now, or the path leads elsewhere.
            FsIoError: What was written does not read back; the file is gone again.
            OSError: Others, not yet translated; nothing was made.
        """
        self._sweeper.sweep(place)
        with Temporary.beside(place, 0o666) as temp:
            written = self._write(place, temp, data)
            self.reached("checked", place)
            self._name_new(place, temp, data)
            self.reached("published", place)
            moved = place.moved()
            if moved or not holds(place.directory, place.name, data):
                if is_own(place.directory, place.name, written):
                    os.unlink(place.name, dir_fd=place.directory)
                raise TargetChangedError if moved else not_verified(place, data, restored=False)
        place.sync_directory()

    def replace(self, place: Place, old: Snapshot, data: bytes) -> tuple[str, ...]:
        """Put other bytes where a snapshot was taken.

        Args:
            place: The target.
            old: What was read from it.
            data: The new content.

        Returns:
            Notes: how it was written, if not by an atomic replacement.

        Raises:
            TargetChangedError: Something else is there by now, and stays.
            FsError: It failed; the old bytes are there unless details say otherwise.
            OSError: Others, not yet translated; the old bytes are there.
        """
        self._sweeper.sweep(place)
        try:
            if old.stat.st_nlink > 1:
                raise _CannotReplaceError(f"the file has {old.stat.st_nlink} hard links")
            self._replace(place, old, data)
        except _CannotReplaceError as why:
            self.reached("checked", place)
            write_in_place(place, old, data, self.write_all)
            return (f"Written in place, not atomically: {why}.",)
        place.sync_directory()
        return ()

    def _replace(self, place: Place, old: Snapshot, data: bytes) -> None:
        try:
            temp = Temporary.beside(place, 0o600)
        except OSError as error:
            if error.errno in _NO_TEMPORARY:
                raise _CannotReplaceError("its directory does not take new files") from None
            raise
        with temp:
            _take_over_attributes(place, temp)
            written = self._write(place, temp, data)
            if place.moved() or not is_same(place.directory, place.name, old):
                raise TargetChangedError
            self.reached("checked", place)
            try:
                if not (self._kernel_renames and self._swap_in(place, temp, old, data, written)):
                    self._rename_over(place, temp, old, data)
            except OSError as error:
                if error.errno in _NO_RENAME and temp.disposable:
                    raise _CannotReplaceError("its file system does not let it be replaced") from None
                raise

    def _write(self, place: Place, temp: Temporary, data: bytes) -> os.stat_result:
        self.write_all(temp.fd, data)
        sync(temp.fd)
        self.reached("written", place)
        return os.fstat(temp.fd)

    def _swap_in(self, place: Place, temp: Temporary, old: Snapshot, data: bytes, written: os.stat_result) -> bool:
        """Swap the new file with the target and look at what came out. False when there is no swapping here."""
        try:
            if not renameat2.exchange(place.directory, temp.name, place.name):
                return False
        except FileNotFoundError:
            raise TargetChangedError from None
        temp.disposable = False
        self.reached("published", place)
        if place.moved() or not holds(place.directory, temp.name, old.data):
            _swap_back(place, temp, written)
            raise TargetChangedError
        if holds(place.directory, place.name, data):
            temp.disposable = True
            return True
        if is_own(place.directory, place.name, written):
            _swap_back(place, temp, written)
            raise not_verified(place, data, restored=True)
        temp.disposable = True
        raise not_verified(place, data, restored=False)

    def _rename_over(self, place: Place, temp: Temporary, old: Snapshot, data: bytes) -> None:
        if not holds(place.directory, place.name, old.data):
            raise TargetChangedError
        os.rename(temp.name, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
        temp.disposable = False
        self.reached("published", place)
        if not holds(place.directory, place.name, data):
            raise not_verified(place, data, restored=False)

    def _name_new(self, place: Place, temp: Temporary, data: bytes) -> None:
        """Give a finished new file its name, which must not be taken."""
        try:
            if self._kernel_renames and renameat2.rename_new(place.directory, temp.name, place.name):
                temp.disposable = False
                return
            os.link(
                temp.name,
                place.name,
                src_dir_fd=place.directory,
                dst_dir_fd=place.directory,
                follow_symlinks=False,
            )
        except FileExistsError:
            raise TargetChangedError from None
        except OSError as error:
            if error.errno not in _NO_LINK:
                raise
            self._create_directly(place, data)

    def _create_directly(self, place: Place, data: bytes) -> None:
        """The last resort, where a file system has neither links nor a rename that does not replace."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            fd = os.open(place.name, flags, 0o666, dir_fd=place.directory)
        except FileExistsError:
            raise TargetChangedError from None
        try:
            self.write_all(fd, data)
            sync(fd)
        except OSError:
            os.unlink(place.name, dir_fd=place.directory)
            raise
        finally:
            os.close(fd)


def _take_over_attributes(place: Place, temp: Temporary) -> None:
    try:
        old = place.open(os.O_RDONLY)
    except FileNotFoundError:
        raise TargetChangedError from None
    try:
        keep_attributes(old, temp.fd)
    except CannotKeepError as what:
        raise _CannotReplaceError(f"{what} can't be given to a new file") from None
    finally:
        os.close(old)


def _swap_back(place: Place, temp: Temporary, written: os.stat_result) -> None:
    """Undo a swap, unless somebody has put something newer there since: then theirs stays."""
    try:
        renameat2.exchange(place.directory, temp.name, place.name)
    except FileNotFoundError:
        renameat2.rename_new(place.directory, temp.name, place.name)
        return
    if not is_own(place.directory, temp.name, written):
        renameat2.exchange(place.directory, temp.name, place.name)
    temp.disposable = True
