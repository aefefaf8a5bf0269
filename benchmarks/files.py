"""edit and read over the socket on closed files, beside the floor: the same bytes read, hashed, written and renamed.

Milliseconds, medians. ``floor_edit`` is read, decode, SHA-256, encode, write, fsync and rename in one process, with
nothing around it; ``edit`` is the whole call as an agent sees it: guard, match, publish, verify, diff, value, cards and
wire. ``read_2000`` reads the first 2,000 lines (or all there are), which are cut at 50 KB.
"""

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from dsh_lsp.demo.agent import ScriptedAgent
from dsh_lsp.demo.editor import HeadlessEditor

SIZES = (100, 1_000, 10_000, 100_000)
ROUNDS = {100: 60, 1_000: 60, 10_000: 40, 100_000: 15}


def measure() -> dict[str, float]:
    """Medians by number of lines, and ``ratio_edit``: how many times the floor an edit takes."""
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    row: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="dsh-bench-", dir=Path.cwd()) as scratch:
        # On the disk that the project is on: the temporary directory may be in memory, where fsync costs nothing.
        workspace = Path(scratch) / "workspace"
        workspace.mkdir()
        with tempfile.TemporaryDirectory(prefix="dsh-") as runtime:
            os.environ["DSH_LSP_RUNTIME_DIR"] = runtime
            editor = HeadlessEditor(workspace, os.environ)
            await editor.start()
            agent = ScriptedAgent()
            await agent.attach(workspace)
            for lines in SIZES:
                await _one_size(agent, workspace, lines, row)
            await agent.leave()
            await editor.stop()
    return row


async def _one_size(agent: ScriptedAgent, workspace: Path, lines: int, row: dict[str, float]) -> None:
    path = workspace / f"{lines}.txt"
    middle = lines // 2
    path.write_bytes(b"".join(f"{n:_>49}\n".encode() if n != middle else b"needle 0\n" for n in range(lines)))
    rounds = ROUNDS[lines]

    async def floor(n: int) -> None:
        _floor(path, n)

    row[f"floor_edit_{lines}"] = await _median_ms(rounds, floor)
    path.write_bytes(path.read_bytes().replace(path.read_bytes().split(b"\n")[middle], b"needle 0"))
    await agent.call("read", file_path=path.name)

    async def edit(n: int) -> None:
        result = await agent.call("edit", file_path=path.name, old_string=f"needle {n}", new_string=f"needle {n + 1}")
        assert not result.is_error, result.error

    async def read(_: int) -> None:
        result = await agent.call("read", file_path=path.name, limit=2_000)
        assert not result.is_error, result.error

    row[f"edit_{lines}"] = await _median_ms(rounds, edit)
    row[f"ratio_edit_{lines}"] = row[f"edit_{lines}"] / row[f"floor_edit_{lines}"]
    row[f"read_2000_{lines}"] = await _median_ms(rounds, read)


def _floor(path: Path, n: int) -> None:
    text = path.read_bytes().decode("utf-8")
    hashlib.sha256(text.encode("utf-8")).hexdigest()
    data = text.replace(f"needle {n}", f"needle {n + 1}").encode("utf-8")
    temporary = path.with_name(".floor.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


async def _median_ms(rounds: int, action: Callable[[int], Awaitable[None]]) -> float:
    taken: list[float] = []
    for n in range(rounds):
        started = time.perf_counter()
        await action(n)
        taken.append(time.perf_counter() - started)
    return median(taken) * 1e3


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:24} {value:10.2f}")
