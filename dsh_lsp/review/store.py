"""Pending hunks on the disk, so that they outlive the server.

One record for each file that has any, and the text that its hunks are in, named by its version. Who opens the store
holds a lock; a second server of the same workspace goes without. Bounded: when the texts are too many, the records that
were not touched for the longest time go. Everything here blocks: run it in an executor.
"""

import fcntl
import hashlib
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_ledger.json_values import JsonObject
from dsh_ledger.pending import PendingHunks
from dsh_ledger.pending_json import UnreadableHunks, hunks_from_json, hunks_to_json
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, version_of_logical

_log = logging.getLogger(__name__)

LIMIT: Final = 256 * 2**20
"""Bytes of texts that are kept in all."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What is pending in one file.

    Attributes:
        target: Which file.
        hunks: What is pending.
        version: The version of the text that the hunks are in.
        is_created: An agent created the file.
        saved: What is pending in other texts that the file may have, and their versions.
    """

    target: Target
    hunks: PendingHunks
    version: Version
    is_created: bool = False
    saved: tuple[tuple[PendingHunks, Version], ...] = ()

    @property
    def versions(self) -> tuple[Version, ...]:
        """Those of the texts that it needs."""
        return (self.version, *(version for _, version in self.saved))


class StoreBusy(Exception):
    """Another server keeps the pending hunks of this workspace."""


class ReviewStore:
    """The store of one workspace.

    Args:
        directory: A directory that is the user's alone.
        limit: Bytes of texts that are kept in all.

    Raises:
        StoreBusy: Another process has it.
        OSError: It can't be used.
    """

    def __init__(self, directory: Path, limit: int = LIMIT) -> None:
        self._directory = directory
        self._limit = limit
        self._texts = directory / "texts"
        self._texts.mkdir(mode=0o700, exist_ok=True)
        self._versions: dict[Path, tuple[Version, ...]] = {}  # of the texts that each record needs
        self._lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise StoreBusy from None

    def load(self) -> list[Stored]:
        """All that is pending; a record that can't be read is skipped, and said."""
        found: list[Stored] = []
        for path in self._records():
            try:
                stored = _stored(json.loads(path.read_bytes()))
                found.append(stored)
                self._versions[path] = stored.versions
            except (OSError, ValueError, UnreadableHunks):
                _log.warning("the pending hunks of a file can't be read, and are skipped")
        self.sweep()
        return found

    def text(self, version: Version) -> str | None:
        """The text of a version, or None if it is not there, or not what it was."""
        try:
            text = (self._texts / version).read_bytes().decode("utf-8", "surrogatepass")
        except (OSError, UnicodeDecodeError):
            return None
        return text if version_of_logical(text) == version else None

    def save(self, stored: Stored, text: str | None, saved: Sequence[str] = ()) -> None:
        """Keep what is pending in a file. The texts come first, so that a record never lacks one; None: it is there.

        The texts that the record needed before go, unless another record needs them.
        """
        for version, each in zip(stored.versions, (text, *saved), strict=True):
            path = self._texts / version
            if each is not None and not path.exists():
                _write(path, each.encode("utf-8", "surrogatepass"))
        record: JsonObject = {
            "v": 1,
            "uri": stored.target.uri,
            "path": stored.target.path,
            "version": stored.version,
            "created": stored.is_created,
            "hunks": hunks_to_json(stored.hunks),
        }
        if stored.saved:
            record["saved"] = [{"version": version, "hunks": hunks_to_json(hunks)} for hunks, version in stored.saved]
        kept = self._path(stored.target)
        _write(kept, json.dumps(record, separators=(",", ":")).encode("ascii"))
        self._needs(kept, stored.versions)

    def drop(self, target: Target) -> None:
        """Nothing is pending in a file any more."""
        kept = self._path(target)
        kept.unlink(missing_ok=True)
        self._needs(kept, ())

    def _needs(self, kept: Path, versions: tuple[Version, ...]) -> None:
        before = self._versions.pop(kept, ())
        if versions:
            self._versions[kept] = versions
        for version in {*before}.difference(*self._versions.values()):
            (self._texts / version).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove texts that no record needs, and the oldest records while there are too many bytes of texts."""
        records = sorted(self._records(), key=lambda path: path.stat().st_mtime_ns)
        needed: dict[Path, tuple[str, ...]] = {}
        for path in records:
            try:
                needed[path] = _stored(json.loads(path.read_bytes())).versions
            except (OSError, ValueError, UnreadableHunks):
                continue
        sizes = {path.name: path.stat().st_size for path in self._texts.iterdir()}
        while needed and sum(sizes.get(version, 0) for version in _all(needed)) > self._limit:
            oldest = next(iter(needed))
            _log.warning("the pending hunks of a file are not kept any more: there are too many texts")
            oldest.unlink(missing_ok=True)
            del needed[oldest]
        for name in sizes.keys() - _all(needed):
            (self._texts / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let another server have it."""
        os.close(self._lock)

    def _records(self) -> Iterator[Path]:
        yield from sorted(self._directory.glob("*.json"))

    def _path(self, target: Target) -> Path:
        name = hashlib.sha256(target.uri.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._directory / f"{name}.json"


def _stored(record: object) -> Stored:
    match record:
        case {
            "uri": str(uri),
            "path": str(path),
            "version": str(version),
            "created": bool(created),
            "hunks": hunks,
            **more,
        }:
            saved = more.get("saved", [])
            if not isinstance(saved, list):
                raise UnreadableHunks("no list")
            return Stored(
                Target(uri, path), hunks_from_json(hunks), Version(version), created, tuple(map(_saved, saved))
            )
        case _:
            raise UnreadableHunks("no record")


def _saved(record: object) -> tuple[PendingHunks, Version]:
    match record:
        case {"version": str(version), "hunks": hunks}:
            return hunks_from_json(hunks), Version(version)
        case _:
            raise UnreadableHunks("no record")


def _all(needed: Mapping[Path, tuple[str, ...]]) -> set[str]:
    return set[str]().union(*needed.values())


def _write(path: Path, data: bytes) -> None:
    """Replace a file as a whole."""
    scratch = path.with_name(f".{path.name}.new")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    scratch.replace(path)
