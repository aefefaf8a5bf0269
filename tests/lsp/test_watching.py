"""Which directories are watched, when, and what is said when the system has no more watches to give."""

import asyncio
import errno
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Absent, Present
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_lsp import watching
from dsh_lsp.watching import FileWatch

VERSION = version_of_text("x")


class Documents:
    """What editors have open, as far as the watch asks."""

    def __init__(self) -> None:
        self.open: set[Target] = set()

    def has(self, target: Target) -> bool:
        """Whether it is open."""
        return target in self.open


class Desk:
    """A watch with a ledger, and what it told."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.ledger = Ledger()
        self.documents = Documents()
        self.told: list[Target] = []
        self.news = asyncio.Event()
        self.watch = FileWatch(self.ledger, self.documents, self.tell, enabled=enabled)  # type: ignore[arg-type]

    def sees(self, path: Path, session: str = "s") -> Target:
        """A session reads a file."""
        target = Target(path.as_uri(), path.name)
        self.ledger.apply(Observed(session, target, Present(VERSION)))
        self.watch.observed(target)
        return target

    def tell(self, target: Target) -> None:
        """What the watch calls."""
        self.told.append(target)
        self.news.set()

    async def until_told(self, condition: Callable[[], bool], within: float = 10.0) -> None:
        """Wait until something holds of what was told."""
        async with asyncio.timeout(within):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def settled(self) -> None:
        """Wait until the watch has done what it has to do by itself."""
        while (due := self.watch._due) is not None or self.watch._changing is not None:
            if self.watch._changing is not None:
                await asyncio.wait((self.watch._changing,))
            if due is not None and not due.cancelled():
                loop = asyncio.get_running_loop()
                over = loop.create_future()
                loop.call_at(due.when(), over.set_result, None)
                await over

    async def watches(self, *directories: Path) -> None:
        """These and no others are watched, once all is done."""
        await self.settled()
        assert frozenset(map(str, directories)) == self.watch.watched


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    """A desk."""
    made = Desk()
    yield made
    await made.watch.close()


async def test_the_parents_of_what_was_read_are_watched_and_nothing_else(desk: Desk, tmp_path: Path) -> None:
    """One watch for each directory, not one for each file; not those above, below or beside; not what is absent."""
    for name in ("a/x", "a/y", "a/below/z", "b/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    first, second = desk.sees(tmp_path / "a/x"), desk.sees(tmp_path / "a/y")
    desk.ledger.apply(Observed("s", Target((tmp_path / "b/none").as_uri(), "none"), Absent()))
    desk.ledger.apply(Observed("s", Target("untitled:one", "one"), Present(VERSION)))
    await desk.watches(tmp_path / "a")
    await desk.until_told(lambda: set(desk.told) == {first, second})
    desk.told.clear()

    (tmp_path / "a/below/z").write_text("z")
    (tmp_path / "a/other").write_text("other")
    (tmp_path / "a/y").write_text("y")
    await desk.until_told(lambda: bool(desk.told))

    assert ({second}, set()) == (set(desk.told), desk.watch._lost)


async def test_a_directory_is_watched_as_long_as_somebody_has_seen_something_in_it(desk: Desk, tmp_path: Path) -> None:
    """The last session that ends, or the last file that is opened, ends the watch."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    target = desk.sees(tmp_path / "a/x", "one")
    desk.sees(tmp_path / "a/y", "two")
    desk.sees(tmp_path / "b/y", "two")
    await desk.watches(tmp_path / "a", tmp_path / "b")

    desk.ledger.forget("two")
    desk.watch.update()
    await desk.watches(tmp_path / "a")

    desk.documents.open.add(target)
    desk.watch.update()
    await desk.watches()


async def test_what_is_read_in_a_directory_that_is_watched_matters_at_once(desk: Desk, tmp_path: Path) -> None:
    """There is no moment between two arrangements in which a change goes unnoticed."""
    desk.sees(tmp_path / "x")
    await desk.watches(tmp_path)
    target = desk.sees(tmp_path / "y")
    (tmp_path / "y").write_text("y")
    await desk.until_told(lambda: target in desk.told)


async def test_nothing_is_watched_where_it_is_switched_off(tmp_path: Path) -> None:
    """No thread is started."""
    desk = Desk(enabled=False)
    before = threading.active_count()
    desk.sees(tmp_path / "x")

    assert (frozenset(), None, before) == (desk.watch.watched, desk.watch._due, threading.active_count())
    await desk.watch.close()


async def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    """The end of the watch ends its threads."""
    desk = Desk()
    before = set(threading.enumerate())
    desk.sees(tmp_path / "x")
    await desk.watches(tmp_path)
    await desk.watch.close()

    assert [] == [t for t in set(threading.enumerate()) - before if "asyncio" not in t.name]


async def test_a_directory_that_comes_back_is_watched_again(desk: Desk, tmp_path: Path) -> None:
    """It is another one; all its files are looked at when it goes, and when something next is read."""
    (tmp_path / "a").mkdir()
    target = desk.sees(tmp_path / "a/x")
    await desk.watches(tmp_path / "a")
    desk.told.clear()
    (tmp_path / "a").rmdir()
    await desk.until_told(lambda: target in desk.told)
    await desk.watches()

    (tmp_path / "a").mkdir()
    desk.sees(tmp_path / "a/x")
    await desk.watches(tmp_path / "a")
    desk.told.clear()
    (tmp_path / "a/x").write_text("x")
    await desk.until_told(lambda: target in desk.told)


@pytest.mark.parametrize(("number", "name"), [(errno.ENOSPC, "ENOSPC"), (errno.EMFILE, "EMFILE")])
async def test_a_limit_of_the_system_is_said_once_and_the_rest_goes_on(
    desk: Desk, tmp_path: Path, monkeypatch: Any, caplog: pytest.LogCaptureFixture, number: int, name: str
) -> None:
    """What is watched stays watched; no path is logged; nothing else changes."""
    from watchdog.observers import Observer

    for directory in "abc":
        (tmp_path / directory).mkdir()
    seen = desk.sees(tmp_path / "a/x")
    await desk.watches(tmp_path / "a")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(number, "no more")

    monkeypatch.setattr(Observer, "schedule", full)
    with caplog.at_level(logging.WARNING):
        for directory in "bc":
            desk.sees(tmp_path / directory / "x")
            await desk.settled()
    desk.told.clear()
    (tmp_path / "a/x").write_text("x")
    await desk.until_told(lambda: seen in desk.told)

    assert [f"changes of some files are not noticed until they are used: {name}"] == caplog.messages


async def test_only_so_many_directories_are_watched(
    desk: Desk, tmp_path: Path, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Those with the latest files; that it is not all of them is said once."""
    monkeypatch.setattr(watching, "MOST", 2)
    for directory in "abcd":
        (tmp_path / directory).mkdir()
        desk.sees(tmp_path / directory / "x")
    await desk.watches(tmp_path / "c", tmp_path / "d")
    desk.watch.update()
    await desk.settled()

    assert ["files in more than 2 directories have been read: not all of them are watched"] == caplog.messages


def test_watchdog_is_not_loaded_at_import() -> None:
    """A server that nobody reads with does not load it."""
    code = "import sys, dsh_lsp.server; sys.exit('watchdog' in sys.modules)"

    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode
