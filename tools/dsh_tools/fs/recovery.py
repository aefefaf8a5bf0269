"""What a killed process left, set right by the next one.

Held here: for each publication in the crash log of a dead process, what is still to be found of it, and what becomes of
that. A file of ours beside a target is removed. Another program's text that was swapped out at the last moment gets its
name back. A file that is half written gets its old content back. Where it can't be told what somebody wants there, the
target is left alone and the content is kept in ``recovered`` in the log's directory.

Deliberately absent: live processes. The lock on a process's directory says which those are.
"""

import fcntl
import json
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dsh_ledger.errors import FsError
from dsh_tools.fs import renameat2
from dsh_tools.fs.crash_log import DIRECTORY, NEW, OLD, RECORD, digest
from dsh_tools.fs.durable import sync, write_all
from dsh_tools.fs.in_place import is_half_written, overwrite
from dsh_tools.fs.leases import alone, opened
from dsh_tools.fs.paths import Location, joined
from dsh_tools.fs.places import Place, open_place
from dsh_tools.fs.process_turns import NAME as TURNS
from dsh_tools.fs.swapping import put_back
from dsh_tools.fs.temporary import temporary_names

Outcome: TypeAlias = Literal["swept", "restored", "returned", "kept"]
"""Our own file was removed; the old content is back; another program's file is back; a content was put aside."""

_KEPT: Final = "recovered"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of a publication that was cut off.

    Attributes:
        path: The real path of its target.
        outcome: What was done.
        kept: The file, within the log's directory, where a content was put; for ``kept`` alone.
    """

    path: bytes
    outcome: Outcome
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class _Record:
    """One entry of the log. ``token`` is None for a target that is written over."""

    number: str
    location: Location
    token: bytes | None
    old: str | None
    new: str | None

    @property
    def path(self) -> bytes:
        return joined(self.location.root, b"/".join(self.location.parts))


def recover(directory: Path) -> tuple[Recovered, ...]:
    """Set right what dead processes left. Blocks; processes that begin to publish meanwhile wait.

    Args:
        directory: The crash logs of all processes.

    Returns:
        What there was to do. What could not be done for now is tried again the next time.

    Raises:
        OSError: The directory can't be used.
    """
    done: list[Recovered] = []
    log = os.open(directory, DIRECTORY)
    try:
        fcntl.flock(log, fcntl.LOCK_EX)
        for name in sorted(set(_names(log)) - {_KEPT, TURNS}):
            with suppress(OSError):
                own = os.open(name, DIRECTORY, dir_fd=log)
                try:
                    fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its process lives
                    done += _after(own, log)
                finally:
                    os.close(own)
                os.rmdir(name, dir_fd=log)
    finally:
        os.close(log)
    return tuple(done)


def _after(own: int, log: int) -> list[Recovered]:
    """Deal with all entries of one dead process."""
    done: list[Recovered] = []
    names = _names(own)
    failed: set[str] = set()
    for name in sorted(names):
        if not name.endswith(RECORD.decode()):
            continue
        record = _read_record(own, name)
        # A record that is cut off was never followed by anything.
        if record is not None:
            try:
                recovered = _replacement(record, log) if record.token is not None else _overwriting(record, own, log)
            except (OSError, FsError):
                failed.add(record.number)
                continue
            done += [recovered] if recovered is not None else []
        os.unlink(name, dir_fd=own)
    for name in names:
        if name.partition(".")[0] not in failed:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=own)
    return done


def _replacement(record: _Record, log: int) -> Recovered | None:
    """A file was made beside its target, and perhaps swapped with it."""
    with open_place(record.location, "") as place:
        if place is None or record.token is None:
            return None
        temporary, swapped = temporary_names(record.token)
        if _unlinked(place.directory, temporary):
            return Recovered(record.path, "swept")
        out = _content(place.directory, swapped)
        if out is None:
            return None
        outcome: Outcome = "swept"
        kept: str | None = None
        if digest(out) not in (record.old, record.new):
            # It was swapped out, and is not what the edit was made from: another program's, of the last moment.
            if _given_back(place, swapped, record):
                outcome = "returned"
            else:
                outcome, kept = "kept", _keep(log, place.name, out)
        _unlinked(place.directory, swapped)
        place.sync_directory()
        return Recovered(record.path, outcome, kept)


def _given_back(place: Place, swapped: bytes, record: _Record) -> bool:
    """Give the target its name back, if what is there is our text, or nothing."""
    found = place.lstat()
    if found is None:
        with suppress(FileExistsError):
            return renameat2.rename_new(place.directory, swapped, place.name)
        return False
    there = _content(place.directory, place.name)
    if there is None or digest(there) != record.new:
        return False
    return put_back(place.directory, swapped, place.name, found, there)


def _overwriting(record: _Record, own: int, log: int) -> Recovered | None:
    """A target was written over, both contents being in the log."""
    new = _content(own, record.number.encode() + NEW)
    old = _content(own, record.number.encode() + OLD)
    if new is None:
        return None
    with open_place(record.location, "") as place:
        there = None if place is None else _content(place.directory, place.name)
        if there in (new, old):
            return None
        if place is not None and there is not None and is_half_written(there, old or b"", new):
            if old is None:
                os.unlink(place.name, dir_fd=place.directory)
            elif not _overwritten(place, there, old):
                raise BlockingIOError
            return Recovered(record.path, "restored")
    if old is None:
        return None
    name = record.location.parts[-1] if record.location.parts else b""
    return Recovered(record.path, "kept", _keep(log, name, old))


def _overwritten(place: Place, there: bytes, old: bytes) -> bool:
    fd = place.open(os.O_RDWR)
    try:
        with alone(fd):
            if _rest(fd) != there:
                return False
            overwrite(fd, old)
    finally:
        os.close(fd)
    return _content(place.directory, place.name) == old


def _read_record(own: int, name: str) -> _Record | None:
    data = _content(own, name.encode())
    try:
        said = json.loads(data or b"")
        parts = tuple(part.encode("utf-8", "surrogateescape") for part in said["parts"])
        location = Location(said["root"].encode("utf-8", "surrogateescape"), parts)
        token = said["token"]
        return _Record(
            name.removesuffix(RECORD.decode()),
            location,
            None if token is None else token.encode("ascii"),
            said["old"],
            said["new"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _names(directory: int) -> list[str]:
    with os.scandir(directory) as entries:
        return [entry.name for entry in entries]


def _unlinked(directory: int, name: bytes) -> bool:
    """Remove a regular file; whether it was there."""
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return False
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    return True


def _content(directory: int, name: bytes) -> bytes | None:
    """The bytes of a regular file; None for anything else.

    Raises:
        OSError: It can't be read.
    """
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            return None
        fd = opened(name, os.O_RDONLY, directory)
    except FileNotFoundError:
        return None
    try:
        return _rest(fd)
    finally:
        os.close(fd)


def _rest(fd: int) -> bytes:
    pieces = []
    while piece := os.read(fd, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _keep(log: int, name: bytes, data: bytes) -> str:
    """Put a content aside, durably; the path within the log's directory."""
    with suppress(FileExistsError):
        os.mkdir(_KEPT, 0o700, dir_fd=log)
    kept = os.open(_KEPT, DIRECTORY, dir_fd=log)
    try:
        given = f"{secrets.token_hex(4)}-{name[-100:].decode('utf-8', 'replace')}"
        fd = os.open(given.encode(), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=kept)
        try:
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        sync(kept)
    finally:
        os.close(kept)
    return f"{_KEPT}/{given}"
