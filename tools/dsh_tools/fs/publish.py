"""Publishing: new bytes appear at a target in one step, over exactly what was read.

A replacement is written beside its target, made durable, given the old file's attributes, and renamed. Where the kernel
can swap two names, it is swapped in: what comes out is compared with what was read, and on a mismatch swapped back, so
that an outside writer's bytes are never lost. Otherwise the target is compared right before the rename. A new file is
renamed without replacing. Everything that is published is read back through another descriptor.

A program that has the old file open could write to it after it was replaced, and nobody would see it. Where there are
leases (`leases`), a file is replaced only while no such program is there; one that never closes it has it written in
place.

Deliberately absent: versions and text (bytes are compared with bytes).
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dsh_tools.fs import renameat2
from dsh_tools.fs.attributes import CannotKeepError, keep_attributes
from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.in_place import write_in_place
from dsh_tools.fs.leases import HeldOpenError, no_writers
from dsh_tools.fs.places import Place
from dsh_tools.fs.process_turns import ProcessTurns
from dsh_tools.fs.removal import remove
from dsh_tools.fs.snapshots import Snapshot, TargetChangedError, holds, is_own, is_same, not_verified
from dsh_tools.fs.swapping import put_back
from dsh_tools.fs.temporary import Sweeper, Temporary

Stage: TypeAlias = Literal["written", "checked", "published"]
"""Where a publication is: the new bytes are complete beside the target; the target was looked at again and the rename
is next; the new bytes are at the target and have not been read back."""

_ONE_HOUR: Final = 3600.0
_NO_COPY: Final = "No copy of the old content could be kept while it was written."
_NO_RENAME = frozenset({errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES, errno.EROFS})
_NO_TEMPORARY = frozenset({errno.EPERM, errno.EACCES, errno.EROFS})
_NO_LINK = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EINVAL})


class _CannotReplaceError(Exception):
    """The file can't be replaced by another; why is the message."""


@dataclass(frozen=True, slots=True)
class _Swap:
    """A finished file that is to take its target's place."""

    place: Place
    temp: Temporary
    old: Snapshot
    data: bytes
    written: os.stat_result
    undisturbed: Callable[[], bool]

    def undo(self) -> None:
        """Give the place back to what was there, or to what somebody has put there since."""
        if put_back(self.place.directory, self.temp.name, self.place.name, self.written, self.data):
            self.temp.holds = "ours"


class Publisher:
    """Puts bytes where a snapshot was taken. Thread-safe, if each target is published by one thread at a time.

    Args:
        crash_log: Where what is under way is written down; without it, nowhere.
        turns: Locks between processes, for the whole of a mutation; without them, there are none.
        kernel_renames: Whether to use ``renameat2`` where it is there.
        abandoned_after: Age in seconds after which a temporary file that nobody wrote down is removed.
    """

    def __init__(
        self,
        *,
        crash_log: CrashLog | None = None,
        turns: ProcessTurns | None = None,
        kernel_renames: bool = True,
        abandoned_after: float = _ONE_HOUR,
    ) -> None:
        self.turns = turns or ProcessTurns()
        self._log = crash_log
        self._no_log = CrashLog()
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
        # Its mode is that of any new file from the start: the umask and a folder's default list decide it at creation.
        with Temporary.beside(place, 0o666, self._log or self._no_log, None, data) as temp:
            self.write_all(temp.fd, data)
            written = self._finish(place, temp)
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
            return self._overwrite(place, old, data, str(why))
        place.sync_directory()
        return ()

    def remove(self, place: Place, expected: bytes) -> bool:
        """Remove the file at a place if it has these bytes: see `dsh_tools.fs.removal.remove`."""
        return remove(place, expected, self._log or self._no_log)

    def _overwrite(self, place: Place, old: Snapshot, data: bytes, why: str) -> tuple[str, ...]:
        entry = (self._log or self._no_log).overwriting(place, old.data, data)
        self.reached("checked", place)
        write_in_place(place, old, data, self.write_all, entry)
        note = f"Written in place, not atomically: {why}."
        return (note, _NO_COPY) if self._log is not None and not entry.is_kept else (note,)

    def _replace(self, place: Place, old: Snapshot, data: bytes) -> None:
        try:
            temp = Temporary.beside(place, 0o600, self._log or self._no_log, old.data, data)
        except OSError as error:
            if error.errno in _NO_TEMPORARY:
                raise _CannotReplaceError("its directory does not take new files") from None
            raise
        with temp:
            self.write_all(temp.fd, data)
            # After the content: the system takes set-user-id bits and capabilities away from a file that is written.
            _take_over_attributes(place, temp)
            written = self._finish(place, temp)
            if place.moved() or not is_same(place.directory, place.name, old):
                raise TargetChangedError
            self.reached("checked", place)
            try:
                with _no_writers(place) as undisturbed:
                    swap = _Swap(place, temp, old, data, written, undisturbed)
                    if not (self._kernel_renames and self._swap_in(swap)):
                        self._rename_over(swap)
            except OSError as error:
                if error.errno in _NO_RENAME and temp.holds == "ours":
                    raise _CannotReplaceError("its file system does not let it be replaced") from None
                raise

    def _finish(self, place: Place, temp: Temporary) -> os.stat_result:
        sync(temp.fd)
        self.reached("written", place)
        return os.fstat(temp.fd)

    def _swap_in(self, swap: _Swap) -> bool:
        """Swap the new file with the target and look at what came out. False when there is no swapping here."""
        place, temp = swap.place, swap.temp
        temp.to_be_swapped()
        try:
            if not renameat2.exchange(place.directory, temp.name, place.name):
                return False
        except FileNotFoundError:
            raise TargetChangedError from None
        temp.holds = "unknown"
        self.reached("published", place)
        if place.moved() or not holds(place.directory, temp.name, swap.old.data) or not swap.undisturbed():
            swap.undo()
            raise TargetChangedError
        if holds(place.directory, place.name, swap.data):
            temp.holds = "ours"
            return True
        if is_own(place.directory, place.name, swap.written):
            swap.undo()
            raise not_verified(place, swap.data, restored=holds(place.directory, place.name, swap.old.data))
        temp.holds = "ours"
        raise not_verified(place, swap.data, restored=False)

    def _rename_over(self, swap: _Swap) -> None:
        place, temp = swap.place, swap.temp
        if not holds(place.directory, place.name, swap.old.data) or not swap.undisturbed():
            raise TargetChangedError
        os.rename(temp.name, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
        temp.holds = "nothing"
        self.reached("published", place)
        if not holds(place.directory, place.name, swap.data):
            raise not_verified(place, swap.data, restored=False)

    def _name_new(self, place: Place, temp: Temporary, data: bytes) -> None:
        """Give a finished new file its name, which must not be taken."""
        try:
            if self._kernel_renames and renameat2.rename_new(place.directory, temp.name, place.name):
                temp.holds = "nothing"
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
        entry = (self._log or self._no_log).overwriting(place, None, data)
        try:
            fd = os.open(place.name, flags, 0o666, dir_fd=place.directory)
        except FileExistsError:
            entry.end()
            raise TargetChangedError from None
        try:
            self.write_all(fd, data)
            sync(fd)
        except OSError:
            os.unlink(place.name, dir_fd=place.directory)
            raise
        finally:
            os.close(fd)
            entry.end()


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


@contextmanager
def _no_writers(place: Place) -> Iterator[Callable[[], bool]]:
    """A block in which who opens the target for writing is noticed. Yields whether nobody has."""
    try:
        fd = place.open(os.O_RDONLY)
    except FileNotFoundError:
        raise TargetChangedError from None
    except OSError:
        yield lambda: True  # what is there by now will come out of the swap, and will not be what was read
        return
    try:
        with no_writers(fd) as undisturbed:
            yield undisturbed
    except HeldOpenError:
        raise _CannotReplaceError("another program has it open for writing") from None
    finally:
        os.close(fd)
