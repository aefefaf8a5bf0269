"""What a command changed of the files that a session has read or an editor has open.

Compared is content, by version, before and after; a file that was only touched is not changed. What somebody else saves
meanwhile is found too: the disk does not say who it was. Deliberately absent: every other file of the disk, and any
judgement of staleness beyond the ledger's (an edit compares versions itself).
"""

import asyncio
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dsh_ledger.errors import FsError, FsNotText
from dsh_ledger.observations import Absent, Observation, Present
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_bytes
from dsh_tools.fs.encoding import decode, text_content
from dsh_tools.fs.port import FileSystem, Missing, OpenText
from dsh_tools.fs.uris import uri_path

_KNOWN: Final = 20_000
"""Versions that are remembered at most."""

_SETTLED: Final = 2_000_000_000
"""Nanoseconds. A file that was changed more recently can change again without its times showing it."""

Content: TypeAlias = str | None
"""The version of a file on the disk, the error's code where there is none to be had, or None where there is no file."""

Change: TypeAlias = Literal["modified", "deleted", "created"]

_Identity: TypeAlias = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that changed.

    Attributes:
        target: Which.
        change: How.
        is_open: An editor has it open.
        is_stale: What the session has seen of it is no longer so: an edit is refused until it is read again.
    """

    target: Target
    change: Change
    is_open: bool
    is_stale: bool


@dataclass(frozen=True, slots=True)
class Before:
    """How things were before a command.

    Attributes:
        contents: What the disk had, for each file that is watched.
        observed: What the session knew of them.
        open_texts: What editors had open, by file.
    """

    contents: Mapping[Target, Content]
    observed: Mapping[Target, Observation]
    open_texts: Mapping[Target, OpenText]

    def unsaved_edits(self) -> Sequence[Target]:
        """The files whose agent's edits the disk did not have."""
        return [
            target
            for target, text in self.open_texts.items()
            if text.agent_edited and text.dirty and self.contents.get(target) != text.version
        ]


class Changes:
    """Finds changes. Remembers versions by stat identity, so that a file is read again only if it may have changed."""

    def __init__(self) -> None:
        self._known: dict[Target, tuple[_Identity, Content]] = {}

    async def before(self, fs: FileSystem, observed: Mapping[Target, Observation]) -> Before:
        """Take note of how things are."""
        seen = dict(observed)
        open_texts = {text.target: text for text in await fs.open_texts()}
        files = [target for target in (seen | open_texts) if uri_path(target.uri) is not None]
        return Before(await self._contents(fs, files), seen, open_texts)

    async def since(self, before: Before, fs: FileSystem) -> Sequence[ChangedFile]:
        """What has changed, in the order in which the files were first seen."""
        now = await self._contents(fs, before.contents)
        return [
            _changed_file(target, before, now[target])
            for target, content in before.contents.items()
            if content != now[target]
        ]

    async def _contents(self, fs: FileSystem, targets: Iterable[Target]) -> dict[Target, Content]:
        contents: dict[Target, Content] = {}
        for target, (identity, is_settled) in (await asyncio.to_thread(_identities, list(targets))).items():
            known = self._known.get(target)
            if known is not None and known[0] == identity:
                contents[target] = known[1]
                continue
            contents[target] = await _content(fs, target)
            if identity is not None and is_settled:
                if len(self._known) >= _KNOWN:
                    self._known.clear()
                self._known[target] = identity, contents[target]
        return contents


def _changed_file(target: Target, before: Before, now: Content) -> ChangedFile:
    change: Change = "modified"
    if now is None:
        change = "deleted"
    elif before.contents[target] is None:
        change = "created"
    text = before.open_texts.get(target)
    # What was typed and not saved is what the session sees of the file, whatever the disk has.
    is_hidden = text is not None and text.dirty
    match before.observed.get(target):
        case Present(version):
            is_stale = not is_hidden and version != now
        case Absent():
            is_stale = not is_hidden and now is not None
        case _:
            is_stale = False
    return ChangedFile(target, change, text is not None, is_stale)


def _identities(targets: Sequence[Target]) -> dict[Target, tuple[_Identity | None, bool]]:
    """The stat identity of each, and whether it can be relied on. Nothing is read; the port does that."""
    found: dict[Target, tuple[_Identity | None, bool]] = {}
    for target in targets:
        now = time.time_ns()
        try:
            stat = os.lstat(uri_path(target.uri) or b"")
        except OSError:
            found[target] = None, False
            continue
        identity = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        found[target] = identity, now - max(stat.st_mtime_ns, stat.st_ctime_ns) > _SETTLED
    return found


async def _content(fs: FileSystem, target: Target) -> Content:
    try:
        data = await fs.read_bytes(target)
    except FsError as error:
        return error.code
    return None if isinstance(data, Missing) else await asyncio.to_thread(_version, data)


def _version(data: bytes) -> str:
    try:
        return text_content(decode(data, ""), data).version
    except FsNotText:
        return version_of_bytes(data)
