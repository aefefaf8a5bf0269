"""A hub without an editor: agents have the same guarantees, on the disk alone. An editor may attach later."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from dsh_lsp.handlers.initialize import Options
from dsh_lsp.hub import Hub
from dsh_lsp.joining.folder_locks import FolderLocks
from dsh_lsp.memory import give_back
from dsh_lsp.server import new_host


class FolderTaken(Exception):
    """Another process is the hub of a folder. Agents attach to that one (`dsh_lsp.discovery.find`), or try again."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"another server has the folder {folder.name} already; agents can attach to that one. End it first, or "
            "leave the folder out."
        )
        self.folder = folder


class NoDoor(Exception):
    """Nobody could attach: there is no trustworthy place for the socket. The log says why."""

    def __init__(self) -> None:
        super().__init__("agents could not attach, see above; DSH_LSP_RUNTIME_DIR can name another directory")


@asynccontextmanager
async def headless(folders: Sequence[Path], options: Options | None = None) -> AsyncIterator[Hub]:
    """Be the hub of some folders for the block; when it begins, the hub is started, and agents can attach.

    Args:
        folders: At least one; relative paths of agents start from the first.
        options: As an editor gives them.

    Raises:
        FolderTaken: Another process is the hub of one of them. Nothing was done.
        NoDoor: Nobody could attach.
    """
    locks = FolderLocks()
    taken = await asyncio.to_thread(locks.claim, folders)
    if taken is not None:
        raise FolderTaken(taken)
    host = new_host(folders, options, locks=locks)
    try:
        await host.start()
        if not host.is_open:
            raise NoDoor
        yield host.hub
    finally:
        await host.close()


async def serve_headless(folders: Sequence[Path]) -> int:
    """Be the hub of some folders until SIGTERM or SIGINT; the exit code."""
    give_back()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    try:
        async with headless(folders):
            sys.stderr.write("dsh-lsp: ready for agents\n")
            sys.stderr.flush()
            await ended.wait()
    except (FolderTaken, NoDoor) as refusal:
        sys.stderr.write(f"dsh-lsp: {refusal}\n")
        return 1
    return 0
