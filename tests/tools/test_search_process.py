"""The processes of searches: what they are told, and that none is left, however a search ends."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.errors import FsIoError
from dsh_tools.builtin.grep import GREP
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.search import ripgrep
from dsh_tools.search.filters import FileFilter
from dsh_tools.search.records import HEAD, Records
from tests.support.searches import Searcher


@pytest.fixture
def searcher(tmp_path: Path, disk: DiskFileSystem) -> Searcher:
    """Calls tools on the temporary folder."""
    return Searcher(tmp_path, disk)


def children() -> set[int]:
    """The process ids of this process's children that run."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(stat.parent.name))
    return found


def has_worked(process: int) -> bool:
    """Whether a process is a search of a folder that has used the processor for a while."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes()
        used = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return False
    return b"--json" in command and command.endswith(b"./\0") and used > 3


async def until(condition: Any) -> None:
    """Let the loop go on until something is so."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.to_thread(os.sched_yield)


async def test_a_cancelled_search_leaves_no_process(searcher: Searcher) -> None:
    """Everything that was started for it is gone by the time the call has ended."""
    before = children()
    for number in range(4):
        searcher.write(f"{number}", b"ab ab ab ab\n" * 3_000_000)
    call = asyncio.create_task(searcher.call(GREP, pattern=r"(\w{1,9}\s){1,9}z", multiline=True))
    await until(lambda: any(map(has_worked, children() - before)))
    call.cancel()
    result = await call

    assert "ABORTED" == (result.error and result.error.code)
    assert set() == children() - before


@pytest.fixture
def endless() -> Iterator[int]:
    """A descriptor that says ``y`` for ever."""
    saying = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    assert saying.stdout is not None
    yield saying.stdout.fileno()
    saying.kill()
    saying.wait()
    saying.stdout.close()


async def test_a_run_without_an_end_is_ended(endless: int) -> None:
    """One that would go on for ever is killed when it is called off."""
    before = children()
    loop, said = asyncio.get_running_loop(), asyncio.Event()

    def tell(_piece: bytes) -> bool:
        loop.call_soon_threadsafe(said.set)
        return True

    run = asyncio.create_task(ripgrep.run(["--no-config", "y", "-"], tell, stdin=endless))
    async with asyncio.timeout(10):
        await said.wait()
        assert set() != children() - before
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    assert set() == children() - before


async def test_a_run_that_has_said_enough_is_ended(searcher: Searcher) -> None:
    """Not the rest of a long output is read."""
    before = children()
    file = searcher.write("f", b"x\n" * 1_000_000)
    pieces: list[bytes] = []

    def three(piece: bytes) -> bool:
        pieces.append(piece)
        return len(pieces) < 3

    ended = await ripgrep.run(["--no-config", "x", str(file)], three)

    assert (True, 3) == (ended.stopped, len(pieces))
    assert set() == children() - before


def test_a_hint_never_hides_what_the_glob_lets_through() -> None:
    """The program is told of a glob only as the names that it ends in, and of nothing where that can't be said."""
    assert ["--type-add=dsh:*.py", "--type=dsh"] == FileFilter("src/**/*.py").hint()
    assert ["--type-add=dsh:*.ts", "--type-add=dsh:*.tsx", "--type=dsh"] == FileFilter("*.{ts,tsx}").hint()
    for glob in ("src/**", "!*.py", "[id].py", "a:b", r"\*", "*"):
        assert [] == FileFilter(glob).hint()
    assert FileFilter().accepts(b"anything")


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_records_are_put_together(size: int) -> None:
    """Whatever pieces they come in; of one that is over the limit the head is left."""
    long = b"x" * (HEAD + 100)
    output = b"a\n\nbc\n" + long + b"\nd\n"
    records = Records(b"\n", HEAD + 10)
    found = [record for at in range(0, len(output), size) for record in records.split(output[at : at + size])]

    assert [(b"a", True), (b"", True), (b"bc", True), (long[:HEAD], False), (b"d", True)] == found


async def test_a_run_that_is_ended_from_outside_is_no_answer(searcher: Searcher) -> None:
    """Half of an output is not taken for all of it."""
    waiting, never = os.pipe()
    before = children()
    try:
        run = asyncio.create_task(ripgrep.run(["--no-config", "x", "-"], lambda _piece: True, stdin=waiting))
        await until(lambda: children() - before)
        for process in children() - before:
            os.kill(process, 15)
        with pytest.raises(FsIoError, match="ended from outside, by signal 15"):
            await run
    finally:
        os.close(waiting)
        os.close(never)
