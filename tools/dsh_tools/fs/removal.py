"""Removing a file whose content is known, and no other.

The file is moved aside within its directory, looked at there, and only then removed: what somebody else wrote in the
last moment is moved back. It is written down meanwhile, so that a killed process does not leave it under another name.
Blocks; run it in an executor.
"""

import os
import secrets

from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.places import Place
from dsh_tools.fs.renameat2 import rename_new
from dsh_tools.fs.temporary import temporary_names


def remove(place: Place, expected: bytes, log: CrashLog) -> bool:
    """Remove the file at a place if it has exactly these bytes.

    Args:
        place: Where.
        expected: The bytes.
        log: Where it is written down.

    Returns:
        False when it has others, or is gone; it is left as it is.

    Raises:
        OSError: The system failed. Where somebody made a new file of the name meanwhile, that one stays, and what was
            moved aside stays beside it.
    """
    token = secrets.token_hex(8).encode("ascii")
    entry = log.replacing(place, token, expected, b"")
    try:
        return _remove(place, expected, temporary_names(token)[1])
    finally:
        entry.end()


def _remove(place: Place, expected: bytes, aside: bytes) -> bool:
    try:
        os.rename(place.name, aside, src_dir_fd=place.directory, dst_dir_fd=place.directory)
    except FileNotFoundError:
        return False
    if _content(place.directory, aside, len(expected)) != expected:
        if not rename_new(place.directory, aside, place.name):
            os.link(aside, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory, follow_symlinks=False)
            os.unlink(aside, dir_fd=place.directory)
        return False
    os.unlink(aside, dir_fd=place.directory)
    place.sync_directory()
    return True


def _content(directory: int, name: bytes, size: int) -> bytes | None:
    """The bytes of a regular file, or None for anything else; one byte more than ``size`` is read at most."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(size + 1)
        except OSError:
            return None
