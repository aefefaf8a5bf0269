"""Commands of the program as real processes, in a test's world. Whatever is started is ended by its process id."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from tests.support.repository import ROOT
from tests.support.world import World

PROGRAM: Final = (sys.executable, "-m", "dsh_lsp")
_PYTHONPATH: Final = ":".join(str(ROOT / part) for part in ("", "ledger", "tools"))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        code: Its exit code.
        out: Its standard output.
        err: Its standard error.
    """

    code: int | None
    out: str
    err: str


def environment(world: World) -> dict[str, str]:
    """The environment of a command in a world."""
    return {**world.env, "PYTHONPATH": _PYTHONPATH, "NO_COLOR": "1"}


async def command(world: World, *words: str, stdin: str = "", within: float = 30.0) -> Ended:
    """Run a command in the workspace to its end."""
    return await program(world, (*PROGRAM, *words), environment(world), stdin, within)


async def program(
    world: World, words: Sequence[str], env: Mapping[str, str], stdin: str = "", within: float = 30.0
) -> Ended:
    """Run any program in the workspace to its end."""
    async with _started(world, words, env) as process, asyncio.timeout(within):
        out, err = await process.communicate(stdin.encode())
    return Ended(process.returncode, out.decode(), err.decode())


def started(world: World, *words: str) -> AbstractAsyncContextManager[asyncio.subprocess.Process]:
    """A command that runs in the workspace; it is killed at the end if it still does."""
    return _started(world, (*PROGRAM, *words), environment(world))


@asynccontextmanager
async def _started(
    world: World, words: Sequence[str], env: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=world.workspace,
        env=env,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
