"""A program that publishes, and is killed at every system call of it; it prints what was there each time.

Run as ``crash_driver.py FOLDER SCENARIO`` in a process of its own, since it forks. One line of JSON for each kill: the
call before which it was killed; what the file was at once, what the next start did, and what it was after that; every
name beside it and in the log's directory; whether mode, owner and attributes were right. With ``once`` as a third
argument it publishes and is not killed.
"""

import asyncio
import errno
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from dsh_ledger.errors import FsError
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.in_place import is_half_written
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.places import Place
from dsh_tools.fs.publish import Publisher, Stage
from dsh_tools.fs.recovery import recover
from tests.support.kill_points import Where, killed_at, points

OLD = b"old\n" + b"o" * 300_000 + b"\n"
LONGER = b"new\n" + b"n" * 400_000 + b"\n"
SHORTER = b"new\n"
THEIRS = b"theirs\n"
OWNER = (1234, 50)
MODE = 0o640


@dataclass(frozen=True)
class Scenario:
    """One way of publishing. ``contended``: another program replaces the file at the last moment."""

    new: bytes = LONGER
    exists: bool = True
    linked: bool = False
    kernel_renames: bool = True
    links: bool = True
    contended: bool = False


SCENARIOS = {
    "edit, swapped in": Scenario(),
    "edit, renamed over": Scenario(kernel_renames=False),
    "edit, contended": Scenario(contended=True),
    "create, renamed": Scenario(exists=False),
    "create, linked": Scenario(exists=False, kernel_renames=False),
    "create, neither": Scenario(exists=False, kernel_renames=False, links=False),
    "in place, longer": Scenario(linked=True),
    "in place, shorter": Scenario(linked=True, new=SHORTER),
}


class _Publisher(Publisher):
    """Publishes in a scenario's way."""

    def __init__(self, root: Path, scenario: Scenario) -> None:
        super().__init__(crash_log=CrashLog(lambda: root / "log"), kernel_renames=scenario.kernel_renames)
        self._root, self._scenario = root, scenario
        self._done = False

    def reached(self, stage: Stage, place: Place) -> None:
        """Let the other program write, once, through calls that are not counted as ours."""
        if self._scenario.contended and stage == "checked" and not self._done:
            self._done = True
            other = self._root / "theirs"
            other.rename(self._root / "w" / "f")


def main(root: Path, name: str) -> None:
    """Kill it everywhere; and for each kind of thing that was left, kill what sets it right everywhere."""
    scenario = SCENARIOS[name]
    known = set()
    for call, where in points(lambda: publish(root, scenario), lambda: prepare(root, scenario)):
        left = report(root, scenario, call)
        if left not in known:
            known.add(left)
            kill_recovery(root, scenario, where)


def kill_recovery(root: Path, scenario: Scenario, where: Where) -> None:
    """Kill the next start, too, at every call of its recovery."""

    def prepare_again() -> None:
        prepare(root, scenario)
        killed_at(where, lambda: publish(root, scenario))

    for call, _ in points(lambda: recover(root / "log"), prepare_again):
        report(root, scenario, f"recovery: {call}")


def prepare(root: Path, scenario: Scenario) -> None:
    """Make the folder anew."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "log").mkdir(parents=True, mode=0o700)
    folder = root / "w"
    folder.mkdir()
    (root / "theirs").write_bytes(THEIRS)
    if scenario.exists:
        path = folder / "f"
        path.write_bytes(OLD)
        if os.geteuid() == 0:
            os.chown(path, *OWNER)
        path.chmod(MODE)
        os.setxattr(path, "user.test", b"v")
        if scenario.linked:
            (folder / "other").hardlink_to(path)


def publish(root: Path, scenario: Scenario) -> None:
    """The publication."""
    guard: Guard = MustBeVersion(version_of_text(OLD.decode())) if scenario.exists else MustBeAbsent()
    if not scenario.links:
        os.link = _no_links

    async def write() -> None:
        disk = DiskFileSystem(Workspace([root / "w"]), publisher=_Publisher(root, scenario))
        try:
            await disk.write_text(await disk.resolve("f"), scenario.new.decode(), guard)
        except FsError:
            if not scenario.contended:
                raise

    asyncio.run(write())


def _no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "no links here")


def report(root: Path, scenario: Scenario, call: str) -> tuple[str, ...]:
    """Say what is there; have the next start set it right; say what is there then. What was left, in short."""
    at_once = state(root, scenario)
    outcomes = [each.outcome for each in recover(root / "log")]
    line = {
        "call": call,
        "at_once": at_once,
        "outcomes": outcomes,
        "after": state(root, scenario),
        "names": sorted(path.name for path in (root / "w").iterdir()),
        "log": sorted(path.name for path in (root / "log").iterdir()),
        "attributes": attributes_are_right(root / "w" / "f", scenario),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    return at_once, *outcomes


def state(root: Path, scenario: Scenario) -> str:
    """What the file is."""
    path = root / "w" / "f"
    if not path.exists():
        return "absent"
    there = path.read_bytes()
    whole: dict[bytes, str] = {scenario.new: "new", OLD: "old", THEIRS: "theirs"}
    if there in whole:
        return whole[there]
    return "half written" if is_half_written(there, OLD if scenario.exists else b"", scenario.new) else "broken"


def attributes_are_right(path: Path, scenario: Scenario) -> bool:
    """Whether mode, owner and extended attributes are the old file's."""
    if not scenario.exists or scenario.contended:
        return True
    status = path.stat()
    owner = OWNER if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    return (MODE, *owner, b"v") == (
        status.st_mode & 0o7777,
        status.st_uid,
        status.st_gid,
        os.getxattr(path, "user.test"),
    )


if __name__ == "__main__":
    if sys.argv[3:] == ["once"]:
        publish(Path(sys.argv[1]), SCENARIOS[sys.argv[2]])
    else:
        main(Path(sys.argv[1]), sys.argv[2])
