"""ripgrep as a subprocess: found, started, read piece by piece, and ended whatever happens.

It reads no configuration file, and nothing from our standard input. Its folder is given as a descriptor, so that a path
that is swapped for a link after it was resolved leads nowhere else.
"""

import asyncio
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dsh_ledger.errors import FsIoError
from dsh_tools.contract import SessionTraits

_PIECE = 1 << 16
_COMPLAINTS = 4_096

WALKING = ("--no-config", "--hidden", "--no-require-git", "--no-ignore-messages", "--glob=!.git")
"""Which files there are: hidden ones too, ``.git`` never, and ``.gitignore`` counts without a repository as well."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Attributes:
        stopped: Its reader wanted no more.
        code: 0 for hits, 1 for none, 2 when something could not be read or the arguments are wrong.
        complaints: How many lines it wrote to its standard error.
        said: The first of them.
    """

    stopped: bool
    code: int
    complaints: int
    said: str


def program() -> str | None:
    """The path of ``rg``: beside this Python, where it was installed with us, else on ``PATH``; None if nowhere."""
    beside = Path(sysconfig.get_path("scripts")) / "rg"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("rg")


def withheld(_traits: SessionTraits) -> str | None:
    """Why a session does not get a tool that searches, or None if it does."""
    return None if program() else "the program rg (ripgrep) is not installed"


async def run(
    arguments: Sequence[str | bytes],
    feed: Callable[[bytes], bool],
    *,
    folder: int | None = None,
    stdin: int = subprocess.DEVNULL,
) -> Ended:
    """Run ripgrep to its end. When this is left, however it is, no process is.

    Args:
        arguments: What follows the program's name.
        feed: Takes each piece of its output, in another thread, one at a time; False ends the run.
        folder: Descriptor of the folder it works in.
        stdin: Descriptor of what it reads.

    Raises:
        FsIoError: It was ended by a signal that is not ours.
    """
    process = await asyncio.create_subprocess_exec(
        program() or "rg",
        *arguments,
        cwd=None if folder is None else f"/proc/self/fd/{folder}",
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None  # noqa: S101 - asked for above
    assert process.stderr is not None  # noqa: S101 - asked for above
    complaining = asyncio.create_task(_complaints(process.stderr))
    stopped = False
    try:
        while not stopped and (piece := await process.stdout.read(_PIECE)):
            stopped = not await asyncio.to_thread(feed, piece)
        if not stopped:
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
        # What is still in the pipe is little, and a process whose pipe is not at its end counts as running.
        await process.stdout.read()
        complaints, said = await complaining
        code = await process.wait()
    if code < 0 and not stopped:
        raise FsIoError(".", "SEARCH_ENDED", f"The search was ended from outside, by signal {-code}.")
    return Ended(stopped, code, complaints, said)


async def _complaints(stream: asyncio.StreamReader) -> tuple[int, str]:
    """How many lines a stream has, and its beginning."""
    lines, said = 0, b""
    while piece := await stream.read(_PIECE):
        lines += piece.count(b"\n")
        said += piece[: _COMPLAINTS - len(said)]
    return lines, said.decode("utf-8", "replace")
