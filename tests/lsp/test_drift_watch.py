"""A look at a file never takes an agent's own edit, or what it has just read, for somebody else's change."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from types import SimpleNamespace
from typing import Any

import pytest

from dsh_ledger.guards import MayHaveDrifted, MustBeAbsent, MustBeVersion
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Present
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_lsp.buffers.workspace_files import _as_loaded
from dsh_lsp.drift import DriftWatch
from dsh_tools.fs.locks import TargetLocks
from dsh_tools.fs.port import TextRead
from dsh_tools.snapshots import SnapshotStore

TARGET = Target("file:///w/a.txt", "a.txt")


class Files:
    """One file, that takes as long to read as the test wants."""

    def __init__(self) -> None:
        self.text = "old\n"
        self.reading, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.documents = self.disk = self
        self._locks = TargetLocks()

    def undisturbed(self, target: Target) -> AbstractAsyncContextManager[None]:
        """As the real ones."""
        return self._locks.hold(target)

    async def find(self, _target: Target) -> None:
        """It is not open."""

    async def read_text(self, _target: Target) -> TextRead:
        """What was there when the reading began."""
        text = self.text
        self.reading.set()
        await self.go_on.wait()
        return TextRead(text, version_of_text(text), "disk")


class Desk:
    """A drift watch, and what sessions were told."""

    def __init__(self) -> None:
        self.notes: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
        self.ledger, self.files = Ledger(), Files()
        sessions: Any = SimpleNamespace(get=lambda name: SimpleNamespace(peer=self))
        files: Any = self.files
        self.watch = DriftWatch(self.ledger, sessions, SnapshotStore(), lambda: files)

    def notify(self, _method: str, note: Any) -> None:
        """What a session's connection is for."""
        self.notes.put_nowait((note.session_id, note.to))

    def saw(self, session: str, text: str) -> None:
        """A session has seen a text."""
        self.ledger.apply(Observed(session, TARGET, Present(version_of_text(text))))

    async def looked(self) -> None:
        """Wait for the end of a look."""
        await self.files.reading.wait()
        while self.watch._looking:
            await asyncio.wait(self.watch._looking)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    """A desk where two sessions have read the file."""
    made = Desk()
    made.saw("one", "old\n")
    made.saw("two", "old\n")
    yield made
    await made.watch.close()


async def test_while_an_edit_is_under_way_nobody_looks(desk: Desk) -> None:
    """When it has been recorded, who made it has seen its outcome: only the other session is told."""
    async with desk.files.undisturbed(TARGET):
        desk.files.text = "new\n"
        desk.watch.file_changed(TARGET)
        begun = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_at(desk.watch._due[TARGET][1].when() + 0.01, begun.set_result, None)
        await begun
        assert not desk.files.reading.is_set()
        desk.saw("one", "new\n")

    assert ("two", version_of_text("new\n")) == await asyncio.wait_for(desk.notes.get(), 5)
    await desk.looked()
    assert desk.notes.empty()


async def test_who_has_read_during_a_look_knows_better(desk: Desk) -> None:
    """What the look has found is older than what that session has seen."""
    desk.files.text = "newer\n"
    desk.files.go_on.clear()
    desk.watch.file_changed(TARGET)
    await desk.files.reading.wait()
    desk.saw("one", "newest\n")
    desk.files.go_on.set()

    assert ("two", version_of_text("newer\n")) == await asyncio.wait_for(desk.notes.get(), 5)
    await desk.looked()
    assert desk.notes.empty()


async def test_a_change_is_told_once(desk: Desk) -> None:
    """However often something happens to the file afterwards; when it is as it was, the next change is told again."""
    told = []
    for text in ("new\n", "new\n", "old\n", "new\n"):
        desk.files.text = text
        desk.files.reading.clear()
        desk.watch.file_changed(TARGET)
        await desk.looked()
        told.append(desk.notes.qsize())

    assert [2, 2, 2, 4] == told


async def test_what_nobody_has_seen_is_not_looked_at(desk: Desk) -> None:
    """Nothing is due for it, and nothing is kept."""
    desk.watch.file_changed(Target("file:///w/b.txt", "b.txt"))

    assert {} == desk.watch._due


async def test_what_was_told_is_forgotten_with_the_session(desk: Desk) -> None:
    """No table grows with sessions that have gone."""
    desk.files.text = "new\n"
    desk.watch.file_changed(TARGET)
    await desk.looked()
    desk.watch.forget("one")
    desk.watch.forget("two")

    assert {} == desk.watch._told


def test_a_guard_for_the_disks_text_is_one_for_what_loading_made_of_it() -> None:
    """Whether it asks for the version or lets the text have drifted; any other guard, and any other version, stays."""
    document: Any = SimpleNamespace(disk_version="d", clean_version="c")

    assert MustBeVersion("c") == _as_loaded(MustBeVersion("d"), document)
    assert MayHaveDrifted("c", "text") == _as_loaded(MayHaveDrifted("d", "text"), document)
    for other in (MustBeVersion("x"), MayHaveDrifted("x", "text"), MustBeAbsent()):
        assert other == _as_loaded(other, document)
