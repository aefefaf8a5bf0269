"""Temporary files beside their targets.

Held here: their names (short however long the target's is, random, made with ``O_EXCL``), their removal, and the
sweeping of those that a killed process left behind. Deliberately absent: what is in them.
"""

import os
import re
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from dsh_tools.fs.places import Place

_NAME = re.compile(rb"\.dsh-[0-9a-f]{16}\.tmp")


@dataclass(slots=True)
class Temporary:
    """A temporary file that is being written; at the end of its ``with`` block it is gone, if it is disposable.

    Attributes:
        fd: Open for writing.
        name: Its name in the target's directory.
        directory: A descriptor of that directory.
        disposable: Whether the name may be removed: what is there under it is nobody's but ours, or is known to be
            the content that was replaced.
    """

    fd: int
    name: bytes
    directory: int
    disposable: bool = True

    @classmethod
    def beside(cls, place: Place, mode: int) -> "Temporary":
        """A new, empty file in a target's directory.

        Args:
            place: The target.
            mode: Permission bits, which the process's umask narrows.
        """
        name = b".dsh-%s.tmp" % secrets.token_hex(8).encode("ascii")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        return cls(os.open(name, flags, mode, dir_fd=place.directory), name, place.directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)
        if self.disposable:
            with suppress(FileNotFoundError):
                os.unlink(self.name, dir_fd=self.directory)


class Sweeper:
    """Removes what killed processes left, once per directory, when something is first published there.

    Args:
        abandoned_after: Seconds since the last change after which a temporary file is nobody's: far longer than any
            write takes.
    """

    def __init__(self, abandoned_after: float) -> None:
        self._abandoned_after = abandoned_after
        self._seen: set[tuple[int, int]] = set()

    def sweep(self, place: Place) -> None:
        """Remove abandoned temporary files of ours beside a place. Failures are of no consequence."""
        status = os.fstat(place.directory)
        directory = (status.st_dev, status.st_ino)
        if directory in self._seen:
            return
        self._seen.add(directory)
        with suppress(OSError):
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=place.directory)
            try:
                with os.scandir(readable) as entries:
                    names = [name for entry in entries if _NAME.fullmatch(name := os.fsencode(entry.name))]
                for name in names:
                    self._remove_if_abandoned(readable, name)
            finally:
                os.close(readable)

    def _remove_if_abandoned(self, directory: int, name: bytes) -> None:
        with suppress(OSError):
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_ctime <= time.time() - self._abandoned_after:
                os.unlink(name, dir_fd=directory)
