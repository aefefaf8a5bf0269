"""Temporary files beside their targets.

Held here: their names, their removal, and the sweeping of those that nobody wrote down. A name is short however long
the target's is, random, and made with ``O_EXCL``. It says what may be under it: ``.tmp`` is ours alone, ``.swap`` may
be what came out of the target's place, which can be the only copy of what another program wrote.

Deliberately absent: what is in them.
"""

import os
import re
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from dsh_tools.fs.crash_log import CrashLog, Entry
from dsh_tools.fs.places import Place

Holds: TypeAlias = Literal["ours", "unknown", "nothing"]
"""What is under a temporary name: what may be removed; perhaps the only copy of something; nothing any more."""

_NAME = re.compile(rb"\.dsh-[0-9a-f]{16}\.tmp")


def temporary_names(token: bytes) -> tuple[bytes, bytes]:
    """The names of a temporary file: until it is swapped with its target, and from then on."""
    return b".dsh-%s.tmp" % token, b".dsh-%s.swap" % token


@dataclass(slots=True)
class Temporary:
    """A temporary file that is being written; at the end of its ``with`` block it is gone, if it is ours.

    Attributes:
        fd: Open for writing.
        name: Its name in the target's directory.
        directory: A descriptor of that directory.
        token: What its names are made of.
        entry: Where it is written down.
        holds: What is under its name.
    """

    fd: int
    name: bytes
    directory: int
    token: bytes
    entry: Entry
    holds: Holds = "ours"

    @classmethod
    def beside(cls, place: Place, mode: int, log: CrashLog, old: bytes | None, new: bytes) -> "Temporary":
        """A new, empty file in a target's directory, written down first.

        Args:
            place: The target.
            mode: Permission bits, which the process's umask narrows.
            log: Where to write it down.
            old: What is at the target; None when it is to be created.
            new: What will be in it.
        """
        token = secrets.token_hex(8).encode("ascii")
        name, _ = temporary_names(token)
        entry = log.replacing(place, token, old, new)
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=place.directory)
        except BaseException:
            entry.end()
            raise
        return cls(fd, name, place.directory, token, entry)

    def to_be_swapped(self) -> None:
        """Take the name that says that somebody else's bytes may be under it."""
        _, name = temporary_names(self.token)
        os.rename(self.name, name, src_dir_fd=self.directory, dst_dir_fd=self.directory)
        self.name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)
        if self.holds == "ours":
            with suppress(FileNotFoundError):
                os.unlink(self.name, dir_fd=self.directory)
        if self.holds != "unknown":
            self.entry.end()


class Sweeper:
    """Removes what killed processes left and nobody has written down, when something is first published beside it.

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
