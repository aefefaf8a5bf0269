"""Locks by target, and what a cancellation may and may not interrupt."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_ledger.guards import MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.threads import DiskThreads
from tests.support.disk_faults import Interrupted, contents, replacing

ANY = Unconditional()
ABSENT = MustBeAbsent()
SEEN = MustBeVersion(version_of_text("seen\n"))


# ---- locks


async def test_one_at_a_time_in_order() -> None:
    """Who asked first has the target first, and everybody has it alone."""
    locks, target, log = TargetLocks(), Target("file:///f", "f"), []

    async def use(number: int) -> None:
        async with locks.hold(target):
            log.append(number)
            await asyncio.sleep(0)
            log.append(number)

    await asyncio.gather(*map(use, range(3)))

    assert [0, 0, 1, 1, 2, 2] == log


async def test_other_targets_don_t_wait() -> None:
    """A held target holds up nobody else."""
    locks = TargetLocks()
    async with locks.hold(Target("file:///f", "f")), locks.hold(Target("file:///g", "g")):
        assert 2 == len(locks)


async def test_nothing_is_kept_of_unused_targets() -> None:
    """Entries go with their last user, also when the block fails or the wait is cancelled."""
    locks, target = TargetLocks(), Target("file:///f", "f")

    async def use() -> None:
        async with locks.hold(target):
            raise ValueError

    async with locks.hold(target):
        waiting = asyncio.create_task(use())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert 1 == len(locks)
    with pytest.raises(ValueError):
        await use()

    assert 0 == len(locks)


# ---- many at once


async def test_C15_many_at_once_leave_nothing_behind(tmp_path: Path) -> None:
    """A hundred creations and a hundred edits in one folder, and only the files are there (C15)."""
    disk = DiskFileSystem(Workspace([tmp_path]))
    targets = [await disk.resolve(f"f{number}") for number in range(100)]
    await asyncio.gather(*(disk.write_text(target, "new", ABSENT) for target in targets))
    await asyncio.gather(*(disk.edit_text(target, replacing("n", "N"), ANY) for target in targets))
    disk.close()

    assert {f"f{number}": b"New" for number in range(100)} == contents(tmp_path)


async def test_mutations_of_one_file_take_turns(tmp_path: Path) -> None:
    """Fifty appends by two disks with the same locks are fifty lines: no edit is lost."""
    (tmp_path / "f").write_bytes(b"end\n")
    one = DiskFileSystem(Workspace([tmp_path]))
    two = one.for_workspace(Workspace([tmp_path]))
    target = await one.resolve("f")
    plans = [replacing("end\n", f"{number}\nend\n") for number in range(50)]
    await asyncio.gather(*((one, two)[n % 2].edit_text(target, plan, ANY) for n, plan in enumerate(plans)))
    one.close()

    assert sorted([*map(str, range(50)), "end"]) == sorted((tmp_path / "f").read_text(encoding="utf-8").split())


async def test_sessions_wait_for_each_other(tmp_path: Path) -> None:
    """Disks for several sessions, and whoever else has their locks, hold each other up."""
    (tmp_path / "f").write_bytes(b"a")
    locks = TargetLocks()
    disk = DiskFileSystem(Workspace([tmp_path]), locks=locks, threads=DiskThreads(operations=1))
    other = disk.for_workspace(Workspace([tmp_path]))
    target = await disk.resolve("f")
    async with locks.hold(target):
        waiting = asyncio.create_task(other.edit_text(target, replacing("a", "b"), ANY))
        await asyncio.sleep(0)
        # The only thread serves in order: what the edit had asked for would be done by the time of the read.
        assert b"a" == await disk.read_bytes(target)

    assert "b" == (await waiting).after
    disk.close()


async def test_two_with_the_same_credential_make_one_edit(tmp_path: Path) -> None:
    """Of two guarded edits from the same version one succeeds and one is stale."""
    (tmp_path / "f").write_bytes(b"seen\n")
    disk = DiskFileSystem(Workspace([tmp_path]))
    target = await disk.resolve("f")
    both = (disk.edit_text(target, replacing("s", new), SEEN) for new in "12")
    results = await asyncio.gather(*both, return_exceptions=True)
    disk.close()

    assert sorted(["WriteOutcome", "FsStaleVersion"]) == sorted(type(result).__name__ for result in results)


# ---- cancellation


class Gate:
    """Holds a publication up until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self) -> None:
        """Arrive, and wait."""
        self.reached.set()
        assert self.opened.wait(30)


@pytest.fixture
def gate() -> Iterator[Gate]:
    """A gate that opens at the end, whatever the test did."""
    gate = Gate()
    yield gate
    gate.opened.set()


async def test_a_begun_mutation_ends_and_says_so(tmp_path: Path, gate: Gate) -> None:
    """A cancellation that comes too late does not lose the outcome, and the lock is held until the end."""
    (tmp_path / "f").write_bytes(b"a")
    disk = DiskFileSystem(Workspace([tmp_path]), publisher=Interrupted({"written": gate}))
    target = await disk.resolve("f")
    first = asyncio.create_task(disk.edit_text(target, replacing("a", "b"), ANY))
    assert await asyncio.to_thread(gate.reached.wait, 30)
    first.cancel()
    second = asyncio.create_task(disk.edit_text(target, replacing("b", "c"), ANY))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.opened.set()

    assert ["b", "c"] == [(await first).after, (await second).after]
    disk.close()


async def test_a_mutation_that_has_not_begun_does_not(tmp_path: Path, gate: Gate) -> None:
    """Cancelled while it waits for a thread, it changes nothing and is cancelled."""
    (tmp_path / "f").write_bytes(b"a")
    threads = DiskThreads(operations=1)
    disk = DiskFileSystem(Workspace([tmp_path]), threads=threads)
    target = await disk.resolve("f")
    threads.operations.submit(gate)
    waiting = asyncio.create_task(disk.edit_text(target, replacing("a", "b"), ANY))
    await asyncio.sleep(0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.opened.set()
    assert "a" == (await disk.edit_text(target, replacing("a", "c"), ANY)).before
    disk.close()


async def test_what_was_asked_for_before_the_end_is_done(tmp_path: Path, gate: Gate) -> None:
    """A disk that is closed still carries out what waits for a thread, a large edit with its digest included."""
    (tmp_path / "f").write_bytes(b"a" + b"x" * 2_000_000)
    threads = DiskThreads(operations=1)
    disk = DiskFileSystem(Workspace([tmp_path]), threads=threads)
    target = await disk.resolve("f")
    threads.operations.submit(gate)
    waiting = asyncio.create_task(disk.edit_text(target, replacing("a", "b"), ANY))
    await asyncio.sleep(0)
    disk.close()
    gate.opened.set()
    outcome = await waiting

    assert (version_of_text(outcome.after), "b") == (outcome.version, outcome.after[0])


async def test_a_mutation_cancelled_in_the_queue_does_not_begin(tmp_path: Path, gate: Gate) -> None:
    """Cancelled while it waits for its turn, it changes nothing and leaves the turn to the next."""
    (tmp_path / "f").write_bytes(b"a")
    disk = DiskFileSystem(Workspace([tmp_path]), publisher=Interrupted({"written": gate}))
    target = await disk.resolve("f")
    plans = [replacing("a", "b"), replacing("b", "x"), replacing("b", "c")]
    tasks = [asyncio.create_task(disk.edit_text(target, plan, ANY)) for plan in plans]
    assert await asyncio.to_thread(gate.reached.wait, 30)
    tasks[1].cancel()
    await asyncio.sleep(0)
    gate.opened.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    disk.close()

    assert isinstance(results[1], asyncio.CancelledError)
    assert b"c" == (tmp_path / "f").read_bytes()
