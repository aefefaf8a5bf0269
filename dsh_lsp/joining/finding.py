"""Becoming the hub of some folders, or an editor of the hub that has them; the lock decides which.

Deliberately absent: what is done as either.
"""

import asyncio
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_lsp.discovery import Found, find
from dsh_lsp.joining.attaching import AttachResult, attach_request, attach_result
from dsh_lsp.joining.folder_locks import FolderLocks, same_folder, secret_of
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.runtime_dir import RuntimeDirRefused
from dsh_lsp.tcp import connected

_log = logging.getLogger(__name__)

_ANSWER: Final = 5.0
"""Seconds that a hub has to answer."""

_FIRST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.2
"""Seconds between two attempts: a hub is announced some milliseconds after it has its locks."""

PATIENCE: Final = 10.0
"""Seconds in which whoever has the lock must have become a hub that can be joined."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A connection to a hub on which an editor may begin its life, and what the hub said."""

    connection: Connection
    said: AttachResult


class NotReached(Exception):
    """Another process has a folder's lock, and can't be joined. The message says it for a person."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"another server has the folder {folder.name} and does not answer. This window works without it: agents "
            "find either of the two. End that server (dsh-lsp), and restart the one of this window."
        )


async def claim_or_join(
    locks: FolderLocks, folders: Sequence[Path], home: Path | None = None, *, patience: float = PATIENCE
) -> Joined | None:
    """Claim all the folders, and return None; or join a hub that has one of them, the first that is found.

    Args:
        locks: Where the claims are kept.
        folders: The editor's folders, in its order.
        home: A further folder to claim, where the last hub kept sessions.
        patience: Seconds.

    Raises:
        NotReached: Neither was possible in time.
    """
    wanted = list(folders) if home is None or any(same_folder(home, each) for each in folders) else [*folders, home]
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + patience, _FIRST_PAUSE
    while (taken := await asyncio.to_thread(locks.claim, wanted)) is not None:
        if (joined := await join(wanted, folders)) is not None:
            return joined
        if loop.time() > deadline:
            raise NotReached(taken)
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return None


async def join(places: Iterable[Path], folders: Sequence[Path]) -> Joined | None:
    """Join the first hub that has one of the places, as an editor with these folders."""
    for found in await asyncio.to_thread(_hubs, list(places)):
        joined = await _attach(found, folders)
        if joined is not None:
            return joined
    return None


def hub_of_folder(folder: Path) -> Found | None:
    """The hub of exactly this folder, if there is one that can be connected to. Blocks."""
    return next(iter(_hubs([folder])), None)


def _hubs(places: Iterable[Path]) -> list[Found]:
    hubs: dict[str, Found] = {}
    for place in places:
        try:
            found = find(place)
        except RuntimeDirRefused:
            return []
        real = Path(os.path.realpath(place))
        for each in found:
            if each.folder == real and each.pid != os.getpid():
                hubs.setdefault(each.endpoint, each)
    return list(hubs.values())


async def _attach(found: Found, folders: Sequence[Path]) -> Joined | None:
    try:
        secret = await asyncio.to_thread(secret_of, found.folder)
        connection = await connected(found, "hub")
    except (OSError, RuntimeDirRefused):
        return None
    try:
        connection.send(attach_request(0, folders, secret))
        async with asyncio.timeout(_ANSWER):
            said = attach_result(await connection.read())
    except (TimeoutError, OSError):
        said = None
    if said is None:
        connection.drop("it could not be joined")
        _log.info("a server of this workspace could not be joined")  # it may be on its way out
        return None
    return Joined(connection, said)
