"""64 agents with 200 calls each on one server: nothing lost, the slowest answers, and the server's memory.

Each agent edits a file of its own and files that all share, half of which an editor has open; it counts up in the one
and adds lines of its own to the others. An edit that is refused as stale is read again and repeated. At the end every
acknowledged edit must be there exactly once, or the measurement fails. ``p50``, ``p99`` and ``worst`` are milliseconds
for an answer with all 64 at once; ``alone`` is the median of the same calls by one agent. ``rss_half`` and ``rss_end``
are the server's resident memory in MB, after half of the calls and at the end.
"""

import asyncio
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from dsh_lsp.client import Agent, Refused, connect
from dsh_lsp.demo.editor import HeadlessEditor

AGENTS = 64
CALLS = 200
SHARED = 8
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Tally:
    """What all agents have done, and how long each call took."""

    took: list[float] = field(default_factory=list)
    stale: int = 0
    lines: set[str] = field(default_factory=set)


class Worker:
    """One agent with its own file."""

    def __init__(self, number: int, agent: Agent, tally: Tally) -> None:
        self.number = number
        self.count = 0
        self._agent = agent
        self._tally = tally
        self._calls = 0

    async def work(self, calls: int) -> None:
        """Make so many calls."""
        self._calls = 0
        await self._call("read", file_path=f"own-{self.number}.txt")
        while self._calls < calls:
            own = {"file_path": f"own-{self.number}.txt", "replace_all": False}
            await self._call("edit", **own, old_string=f"={self.count}\n", new_string=f"={self.count + 1}\n")
            self.count += 1
            await self._add(f"shared-{(self.number + self.count) % SHARED}.txt", calls)

    async def _add(self, path: str, calls: int) -> None:
        line = f"{self.number}:{self.count}"
        await self._call("read", file_path=path)
        while self._calls < calls:
            try:
                await self._call("edit", file_path=path, old_string="end\n", new_string=f"{line}\nend\n")
            except Refused as refusal:
                if refusal.code != "FS_STALE_VERSION":
                    raise
                self._tally.stale += 1
                await self._call("read", file_path=path)
            else:
                self._tally.lines.add(line)
                return

    async def _call(self, tool: str, **arguments: object) -> None:
        self._calls += 1
        began = time.perf_counter()
        try:
            await self._agent.run(tool, dict(arguments))
        finally:
            self._tally.took.append(1000 * (time.perf_counter() - began))


def measure() -> dict[str, float]:
    """See above."""
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="dsh-") as scratch:
        workspace, runtime = Path(scratch) / "w", Path(scratch) / "r"
        workspace.mkdir()
        os.environ |= {"DSH_LSP_RUNTIME_DIR": str(runtime), "DSH_LSP_STATE_DIR": str(Path(scratch) / "s")}
        for number in range(AGENTS + 1):
            (workspace / f"own-{number}.txt").write_text("=0\n")
        for number in range(SHARED):
            (workspace / f"shared-{number}.txt").write_text("begin\nend\n")
        editor = HeadlessEditor(workspace, os.environ)
        await editor.start()
        for number in range(0, SHARED, 2):
            editor.open(workspace / f"shared-{number}.txt")
        try:
            return await _all(workspace, editor)
        finally:
            await editor.stop()


async def _all(workspace: Path, editor: HeadlessEditor) -> dict[str, float]:
    async with connect(workspace, name="alone") as agent:
        alone = Tally()
        await Worker(AGENTS, agent, alone).work(CALLS // 4)
    tally = Tally()
    ready = [connect(workspace, name=f"agent {number}") for number in range(AGENTS)]
    agents = [await each.__aenter__() for each in ready]
    workers = [Worker(number, agent, tally) for number, agent in enumerate(agents)]
    began = time.perf_counter()
    await asyncio.gather(*(worker.work(CALLS // 2) for worker in workers))
    half = _resident(editor.pid)
    await asyncio.gather(*(worker.work(CALLS // 2) for worker in workers))
    end, took = _resident(editor.pid), time.perf_counter() - began
    for each in ready:
        await each.__aexit__(None, None, None)
    _verify(workspace, editor, workers, alone.lines | tally.lines)
    slowest = quantiles(tally.took, n=100)
    return {
        "calls": len(tally.took),
        "calls_per_second": len(tally.took) / took,
        "stale": tally.stale,
        "p50": median(tally.took),
        "p99": slowest[98],
        "worst": max(tally.took),
        "alone": median(alone.took),
        "ratio_p50": median(tally.took) / median(alone.took) / AGENTS,
        "rss_half": half,
        "rss_end": end,
    }


def _verify(workspace: Path, editor: HeadlessEditor, workers: list[Worker], acknowledged: set[str]) -> None:
    """Every acknowledged edit is there, once.

    Raises:
        AssertionError: One is lost, or there twice.
    """
    found: list[str] = []
    for number in range(SHARED):
        path = workspace / f"shared-{number}.txt"
        document = editor.buffers.get(path.as_uri())
        text = path.read_text() if document is None else document.text
        found += [line for line in text.splitlines() if line not in {"begin", "end"}]
    if sorted(found) != sorted(acknowledged):
        missing, extra = len(acknowledged - set(found)), len(found) - len(acknowledged & set(found))
        raise AssertionError(f"{missing} acknowledged edits are lost, and {extra} are there that nobody knows of")
    for worker in workers:
        if (workspace / f"own-{worker.number}.txt").read_text() != f"={worker.count}\n":
            raise AssertionError(f"the counter of agent {worker.number} is wrong")


def _resident(pid: int) -> float:
    """Resident memory of a process in MB; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
