"""Which process is the hub of a workspace folder: the one that holds the folder's lock.

A lock is an exclusive ``flock`` on ``<runtime directory>/locks/<key>.lock``, ``key`` as for discovery files. The system
lets it go when the process ends, however it ends, so that nothing that is left behind can mislead; the file itself
stays, since whoever removes one that others may be opening has two hubs. In the file is the holder's secret: who wants
to be an editor of a hub must show it, so that an agent that was given the socket alone can't answer for the user. All
methods block for a few system calls; they may be called from several threads.
"""

import fcntl
import logging
import os
import secrets
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from dsh_lsp.announcements import key_of
from dsh_lsp.runtime_dir import RuntimeDirRefused, private_dir, runtime_dir

_log = logging.getLogger(__name__)

SUBDIRECTORY: Final = "locks"
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_EDITOR: Final = ".editor"
_MODE: Final = 0o1600
"""The sticky bit asks whoever tidies runtime directories to leave a file (XDG Base Directory Specification 0.8)."""


class FolderLocks:
    """The folders whose hub this process is.

    Args:
        directory: The runtime directory, if not the usual one.

    Attributes:
        secret: What the files of these locks hold.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.secret = secrets.token_hex(16)
        self._directory = directory
        self._mutex = threading.Lock()
        self._held: dict[str, int] = {}
        self._registered: dict[Path, int] = {}

    def claim(self, folders: Iterable[Path]) -> Path | None:
        """Become the hub of all these folders, or of none; the folder that another process has, if there is one.

        The locks are taken in the order of their names, the same everywhere: of two processes that want the same
        folders in different orders, one gets the first and with it all others.

        Where there is no trustworthy place for locks, nobody can be kept from being a hub: that is said, and granted.
        """
        wanted = {key_of(real): folder for folder in folders for real in (_real(folder),)}
        with self._mutex:
            new = sorted(wanted.keys() - self._held.keys())
            for index, key in enumerate(new):
                if not self._lock(key):
                    for taken in new[:index]:
                        self._unlock(taken)
                    return wanted[key]
        return None

    def register(self, folders: Iterable[Path]) -> None:
        """Say that this process has an editor with these folders at somebody else's hub: the next one waits for it."""
        with self._mutex:
            for folder in folders:
                name = f"{key_of(_real(folder))}.{os.getpid()}{_EDITOR}"
                with suppress(RuntimeDirRefused, OSError):
                    path = self._place() / name
                    if path not in self._registered and (descriptor := _locked(path)) is not None:
                        self._registered[path] = descriptor

    def registered(self) -> set[int]:
        """The other processes that have said so of a folder that is held here, and run; what dead ones left goes."""
        found: set[int] = set()
        with self._mutex, suppress(RuntimeDirRefused, OSError):
            for path in list(self._place().iterdir()):
                key, _, rest = path.name.partition(".")
                pid = rest.removesuffix(_EDITOR)
                if key not in self._held or rest == pid or not pid.isdecimal() or int(pid) == os.getpid():
                    continue
                descriptor = _locked(path)
                if descriptor is None:
                    found.add(int(pid))
                else:
                    path.unlink(missing_ok=True)
                    os.close(descriptor)
        return found

    def _place(self) -> Path:
        root = runtime_dir() if self._directory is None else private_dir(self._directory)
        return private_dir(root / SUBDIRECTORY)

    def release(self, folders: Iterable[Path]) -> None:
        """Be the hub of these folders no longer."""
        keys = [key_of(_real(folder)) for folder in folders]
        with self._mutex:
            for key in keys:
                self._unlock(key)

    def release_all(self) -> None:
        """Be the hub of no folder any more, and an editor at nobody's."""
        with self._mutex:
            for key in list(self._held):
                self._unlock(key)
            for path, descriptor in self._registered.items():
                with suppress(OSError):
                    path.unlink(missing_ok=True)
                os.close(descriptor)
            self._registered.clear()

    def touch(self) -> None:
        """Have the files of the locks look used, so that nobody takes them for old."""
        with self._mutex:
            for descriptor in self._held.values():
                with suppress(OSError):
                    os.utime(descriptor)

    def _lock(self, key: str) -> bool:
        """Take one lock; whether no other process has it."""
        try:
            descriptor = _locked(self._place() / f"{key}.lock")
            if descriptor is not None:
                os.pwrite(descriptor, self.secret.encode("ascii"), 0)  # over one of the same length, or nothing
        except (RuntimeDirRefused, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            _log.warning("another server of this workspace would not be noticed: %s", why)
            return True
        if descriptor is not None:
            self._held[key] = descriptor
        return descriptor is not None

    def _unlock(self, key: str) -> None:
        descriptor = self._held.pop(key, None)
        if descriptor is not None:
            os.close(descriptor)


def secret_of(folder: Path) -> str:
    """What the file of a folder's lock holds, or an empty text. Blocks.

    Raises:
        RuntimeDirRefused: There is no trustworthy place where it could be.
    """
    try:
        path = private_dir(runtime_dir() / SUBDIRECTORY, create=False) / f"{key_of(_real(folder))}.lock"
        return path.read_bytes().decode("ascii", "replace")
    except OSError:
        return ""


def same_folder(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same folder."""
    return _real(one) == _real(other)


def without(folders: Sequence[Path], others: Iterable[Path]) -> list[Path]:
    """The folders that are none of the others."""
    gone = {_real(each) for each in others}
    return [folder for folder in folders if _real(folder) not in gone]


def _locked(path: Path) -> int | None:
    """A descriptor that holds the lock, or None if another process does."""
    while True:
        descriptor = os.open(path, _OPEN, 0o600)
        try:
            with suppress(OSError):  # some systems have no sticky bit for files
                os.fchmod(descriptor, _MODE)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # somebody has removed the file since it was opened, and may have made another one


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))
