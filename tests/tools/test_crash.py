"""``kill -9`` at every system call of a publication: the file is whole, and the next start leaves nothing over."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support import crash_driver
from tests.support.crash_driver import SCENARIOS, Scenario
from tests.support.kill_points import CALLS
from tests.support.python_child import python
from tests.support.repository import ROOT
from tests.support.strace import strace

DRIVER = str(ROOT / "tests" / "support" / "crash_driver.py")

AT_ONCE = {
    "edit, swapped in": {"old", "new"},
    "edit, renamed over": {"old", "new"},
    "edit, contended": {"old", "theirs", "new"},
    "create, renamed": {"absent", "new"},
    "create, linked": {"absent", "new"},
    "create, neither": {"absent", "half written", "new"},
    "in place, longer": {"old", "half written", "new"},
    "in place, shorter": {"old", "half written", "new"},
}
"""What the file may be when the process has been killed."""

AFTERWARDS = {
    "edit, swapped in": {"old", "new"},
    "edit, renamed over": {"old", "new"},
    "edit, contended": {"old", "theirs"},
    "create, renamed": {"absent", "new"},
    "create, linked": {"absent", "new"},
    "create, neither": {"absent", "new"},
    "in place, longer": {"old", "new"},
    "in place, shorter": {"old", "new"},
}
"""What it may be after the next start. What another program wrote meanwhile is there, and nothing over it."""


def beside(scenario: Scenario, state: str) -> list[str]:
    """The names that there should be."""
    return [] if state == "absent" else ["f", "other"] if scenario.linked else ["f"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SCENARIOS)
def test_C17_killed_at_every_system_call(tmp_path: Path, name: str) -> None:
    """Old or new, never anything else, with mode, owner and attributes; the next start leaves no trace (C17).

    Where a file can't be replaced it may be half written until the next start, which puts the old content back. The
    next start may be killed at every call, too.
    """
    done = python(DRIVER, str(tmp_path / "x"), name)
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]

    assert (b"", 0) == (done.stderr, done.returncode)
    of_publication = [line for line in lines if not line["call"].startswith("recovery")]
    assert AT_ONCE[name] == {line["at_once"] for line in of_publication}
    assert AFTERWARDS[name] == {line["after"] for line in lines}
    for line in lines:
        assert beside(SCENARIOS[name], line["after"]) == line["names"], line
        assert ([], True) == (line["log"], line["attributes"]), line
        if line["at_once"] in AFTERWARDS[name]:
            assert line["at_once"] == line["after"], line
    assert {"open", "write", "half a write", "fsync", "unlink"} <= {line["call"] for line in of_publication}
    assert len(of_publication) >= 40


KNOWN = {
    "open": "openat",
    "rename": "renameat",
    "link": "linkat",
    "unlink": "unlinkat",
    "mkdir": "mkdirat",
    "rmdir": "unlinkat",
    "setxattr": "fsetxattr",
    "removexattr": "fremovexattr",
    "posix_fallocate": "fallocate",
}
"""How a call of Python's looks to the kernel, where it has another name there."""

CHANGES = (
    "rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,truncate,ftruncate,"
    "fallocate,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,setxattr,lsetxattr,fsetxattr,removexattr,"
    "lremovexattr,fremovexattr,write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,splice,fsync,fdatasync,"
    "sync_file_range,utimensat,mknod,mknodat,creat"
)
"""System calls that change what is on a disk, other than by opening."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SCENARIOS if not SCENARIOS[name].contended])
def test_C17_no_other_call_changes_anything(tmp_path: Path, name: str) -> None:
    """The calls at which the process is killed above are all that change something, as the kernel sees them (C17)."""
    crash_driver.prepare(tmp_path / "x", SCENARIOS[name])
    log = tmp_path / "calls"
    done = python(DRIVER, str(tmp_path / "x"), name, "once", under=strace("-o", str(log), "-e", f"trace={CHANGES}"))
    seen = set(re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE))

    assert (b"", 0) == (done.stderr, done.returncode)
    assert seen <= {KNOWN.get(call, call) for call in (*CALLS, "renameat2")}
    assert {"write", "fsync", "unlinkat"} <= seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call", "at_once", "after"),
    [
        ("edit, swapped in", "fsetxattr:when=1", "old", "old"),
        ("edit, swapped in", "fsync:when=1", "old", "old"),
        ("edit, swapped in", "renameat2:when=1", "old", "old"),
        ("edit, swapped in", "unlinkat:when=1", "new", "new"),
        ("edit, contended", "renameat2:when=2", "new", "theirs"),
        ("create, linked", "linkat:when=1", "absent", "absent"),
        ("create, linked", "unlinkat:when=1", "new", "new"),
        ("in place, longer", "fallocate:when=1", "old", "old"),
        ("in place, shorter", "ftruncate:when=1", "half written", "old"),
    ],
)
def test_C17_killed_by_the_kernel(tmp_path: Path, name: str, call: str, at_once: str, after: str) -> None:
    """A sample of the same, with the kill in the kernel at the entry of a call, with no help of the process (C17)."""
    root, scenario = tmp_path / "x", SCENARIOS[name]
    crash_driver.prepare(root, scenario)
    under = strace("-o", "/dev/null", "-e", f"inject={call}:signal=KILL")
    # strace ends as its child does, also by a signal.
    assert -signal.SIGKILL == python(DRIVER, str(root), name, "once", under=under).returncode
    assert at_once == crash_driver.state(root, scenario)
    crash_driver.recover(root / "log")
    assert (after, beside(scenario, after)) == (
        crash_driver.state(root, scenario),
        sorted(path.name for path in (root / "w").iterdir()),
    )
