"""The directory for what lives as long as a process does: sockets, and the files that say where they are.

Held: where that directory is, and the check that it is ours alone before anything in it is believed. Absent: what is
put into it, and everything that outlives a process (journals, kept texts), which has no place here.

Which directory, so that editors, agents and plug-ins written in other languages come to the same one:

1. ``$DSH_LSP_RUNTIME_DIR``, an absolute path. Set and unusable is an error, never a reason to look elsewhere.
2. The user's runtime directory: ``$XDG_RUNTIME_DIR/dsh-lsp`` (XDG Base Directory Specification 0.8), or
   ``/run/user/<uid>/dsh-lsp`` where the variable is not set. Its parent is never created.
3. ``dsh-lsp-<uid>`` in the directory for temporary files.

All functions block for a few system calls: call them at start-up or in an executor.
"""

import logging
import os
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Final

import platformdirs

logger = logging.getLogger(__name__)

RUNTIME_DIR_VARIABLE: Final = "DSH_LSP_RUNTIME_DIR"
"""The environment variable that overrules the choice."""

_NAME: Final = "dsh-lsp"


class RuntimeDirRefused(Exception):
    """There is no directory that could be trusted with a socket.

    The message says why and what to do, without the path; that is in ``path``, for whoever may see it. ``reason`` is
    the why by itself, to go on with after "the directory".
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the runtime directory {reason}; {RUNTIME_DIR_VARIABLE} can name another one")
        self.path = path
        self.reason = reason


def runtime_dir() -> Path:
    """Return the runtime directory, created if it wasn't there.

    Raises:
        RuntimeDirRefused: None can be had that is ours alone.
    """
    named = _named()
    if named is not None:
        try:
            named.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RuntimeDirRefused(named, f"can't be created: {error.strerror}") from None
        return private_dir(named)
    *preferred, last = _candidates()
    for path in preferred:
        try:
            return private_dir(path)
        except RuntimeDirRefused as refusal:
            logger.info("%s", refusal)
    return private_dir(last)


def known_runtime_dirs() -> list[Path]:
    """Return the directories in which a server may have left word, the preferred one first. Creates nothing.

    More than one, because the environment that chose the server's need not be the caller's: agents are often started
    with most variables taken away.

    Raises:
        RuntimeDirRefused: ``$DSH_LSP_RUNTIME_DIR`` is not an absolute path.
    """
    known: list[Path] = []
    for path in possible_runtime_dirs():
        try:
            known.append(private_dir(path, create=False))
        except RuntimeDirRefused as refusal:
            logger.debug("%s", refusal)
    return known


def possible_runtime_dirs() -> list[Path]:
    """Return where the runtime directory may be, the preferred place first, without looking at any of them.

    Raises:
        RuntimeDirRefused: ``$DSH_LSP_RUNTIME_DIR`` is not an absolute path.
    """
    named = _named()
    return _candidates() if named is None else [named]


def private_dir(path: Path, *, create: bool = True) -> Path:
    """Return ``path`` once it is a real directory that belongs to us and that nobody else can enter.

    One of ours with a wider mode is narrowed to 0700. The check is made on the opened directory, so that nothing can
    take its place meanwhile. Its parents are neither created nor judged: whoever could swap the directory for another
    one could still not make that one ours.

    Args:
        path: An absolute path.
        create: Whether to create it, mode 0700, if it isn't there.

    Raises:
        RuntimeDirRefused: It isn't there, is a symbolic link or no directory, or belongs to somebody else.
    """
    if create:
        try:
            path.mkdir(0o700)
        except FileExistsError:
            pass
        except OSError as error:
            raise RuntimeDirRefused(path, f"can't be created: {error.strerror}") from None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise RuntimeDirRefused(path, f"can't be opened as a directory: {error.strerror}") from None
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            raise RuntimeDirRefused(path, "belongs to another user")
        if _mode(descriptor) != 0o700:
            os.fchmod(descriptor, 0o700)
            if _mode(descriptor) != 0o700:  # some file systems accept the call and have no modes to change
                raise RuntimeDirRefused(path, "can't be closed to other users")
    except OSError as error:
        raise RuntimeDirRefused(path, f"can't be closed to other users: {error.strerror}") from None
    finally:
        os.close(descriptor)
    return path


def _mode(descriptor: int) -> int:
    return stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o777


def _named() -> Path | None:
    """The directory that the environment names for us in particular."""
    value = os.environ.get(RUNTIME_DIR_VARIABLE)
    if not value:
        return None
    path = Path(value)
    if not path.is_absolute():  # it would be a different one for each working directory
        raise RuntimeDirRefused(path, "is not an absolute path")
    return path


def _candidates() -> list[Path]:
    uid = os.geteuid()
    last = Path(tempfile.gettempdir()) / f"{_NAME}-{uid}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that XDG_RUNTIME_DIR is not set is nothing to bother the user with
            preferred = Path(platformdirs.user_runtime_dir(_NAME, appauthor=False))
    except OSError:
        return [last]
    # platformdirs 4.14 has a fallback of its own among the temporary files, 4.3 has none: two installations must agree
    return [last] if preferred.parent.name == f"runtime-{uid}" else [preferred, last]
