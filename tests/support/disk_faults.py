"""Things that happen to a file while it is being published, and other conditions that a disk can be in.

Everything is done to real files: other writers write, directories are swapped, users lack permissions, disks are full.
"""

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsEditNotFound
from dsh_ledger.guards import Guard, Unconditional
from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.places import Place
from dsh_tools.fs.port import EditPlan, WriteOutcome
from dsh_tools.fs.publish import Publisher, Stage

NOBODY = 65534


class Interrupted(Publisher):
    """A publisher to which something happens at its stages.

    Args:
        events: What happens at a stage, the first time it is reached.
        always: What happens at a stage, each time.
        kernel_renames: As for `Publisher`.
        crash_log: As for `Publisher`.
    """

    def __init__(
        self,
        events: Mapping[Stage, Callable[[], object]] | None = None,
        *,
        always: Mapping[Stage, Callable[[], object]] | None = None,
        kernel_renames: bool = True,
        crash_log: CrashLog | None = None,
    ) -> None:
        super().__init__(crash_log=crash_log, kernel_renames=kernel_renames)
        self._events = dict(events or {})
        self._always = dict(always or {})
        self.stages: list[Stage] = []

    def reached(self, stage: Stage, place: Place) -> None:
        """Let it happen."""
        self.stages.append(stage)
        self._events.pop(stage, lambda: None)()
        self._always.get(stage, lambda: None)()


class CapsWrites(Publisher):
    """A mount that takes no more than some bytes and says that it took all."""

    def __init__(self, cap: int, *, kernel_renames: bool = True) -> None:
        super().__init__(kernel_renames=kernel_renames)
        self._cap = cap
        self.writes = 0

    def write_all(self, fd: int, data: bytes) -> None:
        """Write the first bytes only, and count."""
        self.writes += 1
        super().write_all(fd, data[: self._cap])


def replacing(old: str, new: str) -> EditPlan:
    """A plan that replaces every occurrence of a text."""

    def plan(text: str) -> Change:
        edits, at = [], text.find(old)
        while at >= 0:
            edits.append(Edit(at, at + len(old), new))
            at = text.find(old, at + len(old))
        if not edits:
            raise FsEditNotFound("-")
        return Change.of(*edits)

    return plan


def mutated(
    root: Path, name: str, what: EditPlan | str, guard: Guard | None = None, publisher: Publisher | None = None
) -> WriteOutcome:
    """Edit a file by a plan, or write a text to it, with a disk of its own; unconditionally if there is no guard."""

    async def mutate() -> WriteOutcome:
        disk = DiskFileSystem(Workspace([root]), publisher=publisher)
        try:
            target = await disk.resolve(name)
            if isinstance(what, str):
                return await disk.write_text(target, what, guard or Unconditional())
            return await disk.edit_text(target, what, guard or Unconditional())
        finally:
            disk.close()

    return asyncio.run(mutate())


def names(folder: Path) -> list[str]:
    """Every name in a folder, temporary files included."""
    return sorted(path.name for path in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    """Every name in a folder of files, and its bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def replaced(path: Path, data: bytes) -> Callable[[], object]:
    """Another program replaces a file by a new one, as editors do."""

    def replace() -> None:
        other = path.with_name("other-writer")
        other.write_bytes(data)
        other.replace(path)

    return replace


def overwritten(path: Path, data: bytes) -> Callable[[], object]:
    """Another program truncates a file and writes it anew."""
    return lambda: path.write_bytes(data)


@contextmanager
def without_privileges() -> Iterator[None]:
    """The block runs as a user who owns nothing, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@contextmanager
def mounted(*arguments: str, at: Path) -> Iterator[None]:
    """Something is mounted at a path for the block; the test is skipped where that is not allowed."""
    if subprocess.run(["mount", *arguments, str(at)], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount")
    try:
        yield
    finally:
        subprocess.run(["umount", str(at)], check=True)


async def edited(disk: DiskFileSystem, name: str, old: str, new: str) -> bytes:
    """The bytes of a file after an edit."""
    target = await disk.resolve(name)
    await disk.edit_text(target, replacing(old, new), Unconditional())
    return (disk.workspace.roots[0] / name).read_bytes()


Tool = Literal["write", "edit"]


def run(root: Path, tool: Tool, guard: Guard, publisher: Publisher | None = None) -> WriteOutcome:
    """One mutation of ``f``: a write of ``new``, or an edit of ``n`` to ``N``."""
    return mutated(root, "f", "new\n" if tool == "write" else replacing("n", "N"), guard, publisher)


def content(root: Path) -> bytes | None:
    """The bytes of ``f``, or None."""
    return (root / "f").read_bytes() if (root / "f").exists() else None
