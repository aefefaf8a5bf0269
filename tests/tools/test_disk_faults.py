"""A disk in bad condition: no room, lies, crashes. Nothing is lost, nothing left over."""

import os
import signal
from pathlib import Path

import pytest

from dsh_ledger.errors import FsIoError
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.fs.publish import Publisher
from tests.support.disk_faults import CapsWrites, contents, mounted, mutated, names, replacing
from tests.support.python_child import python
from tests.support.strace import strace

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def edit(root: Path, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Edit ``a`` to ``b`` in a file."""
    return mutated(root, name, replacing("a", "b"), publisher=publisher)


def write(root: Path, text: str, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Write a whole text."""
    return mutated(root, name, text, publisher=publisher)


# ---- no room, lies, crashes


@pytest.mark.parametrize("link", [False, True])
def test_F16_a_full_disk_keeps_the_old_bytes(tmp_path: Path, link: bool) -> None:
    """No room for the new content is ENOSPC, with the old content there and no temporary file (F16); in place too."""
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=tmp_path):
        (tmp_path / "f").write_bytes(b"old")
        if link:
            (tmp_path / "other").hardlink_to(tmp_path / "f")
        with pytest.raises(FsIoError, match="f: the file system that holds it is full") as caught:
            write(tmp_path, "x" * 1_000_000)
        with pytest.raises(FsIoError):
            write(tmp_path, "x" * 1_000_000, "d/new")

        assert ("ENOSPC", b"old") == (caught.value.reason, (tmp_path / "f").read_bytes())
        assert ["f", "other"][: 1 + link] == names(tmp_path)


def test_F16_room_is_reserved_before_a_byte_is_lost(tmp_path: Path) -> None:
    """In place, a full disk is found out before anything is written over (F16)."""
    publisher = CapsWrites(10**9)
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=tmp_path):
        (tmp_path / "f").write_bytes(b"old")
        (tmp_path / "other").hardlink_to(tmp_path / "f")
        with pytest.raises(FsIoError):
            write(tmp_path, "x" * 1_000_000, publisher=publisher)

        assert (0, b"old") == (publisher.writes, (tmp_path / "f").read_bytes())


@pytest.mark.parametrize("kernel_renames", [True, False])
@pytest.mark.parametrize("link", [False, True])
def test_C16_a_mount_that_lies_is_found_out(tmp_path: Path, kernel_renames: bool, link: bool) -> None:
    """A write that stops at the old size is VERIFY_FAILED with the sizes; where possible the old bytes return (C16)."""
    path = tmp_path / "f"
    path.write_bytes(b"o" * 340)
    if link:
        (tmp_path / "other").hardlink_to(path)
    publisher = CapsWrites(340, kernel_renames=kernel_renames)
    with pytest.raises(FsIoError) as caught:
        write(tmp_path, "n" * 1100, publisher=publisher)

    restored = kernel_renames or link
    assert ("VERIFY_FAILED", 1100, restored) == (
        caught.value.reason,
        caught.value.details["meant"],
        caught.value.details["restored"],
    )
    assert (b"o" if restored else b"n") * 340 == path.read_bytes()
    assert ["f", "other"][: 1 + link] == names(tmp_path)


@pytest.mark.parametrize("kernel_renames", [True, False])
def test_C16_a_file_that_could_not_be_made_is_gone(tmp_path: Path, kernel_renames: bool) -> None:
    """A new file that does not read back is removed, and so are the folders that were made for it (C16)."""
    with pytest.raises(FsIoError, match="did not read back"):
        write(tmp_path, "new", "d/e/f", CapsWrites(1, kernel_renames=kernel_renames))

    assert [] == names(tmp_path)


CRASH = """
import asyncio, os, signal, sys
from collections.abc import Sequence
from pathlib import Path
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from tests.support.disk_faults import Interrupted, replacing
from dsh_ledger.guards import Unconditional

async def main():
    publisher = Interrupted({sys.argv[2]: lambda: os.kill(os.getpid(), signal.SIGKILL)})
    disk = DiskFileSystem(Workspace([Path(sys.argv[1])]), publisher=publisher)
    await disk.edit_text(await disk.resolve("f"), replacing("old", "new"), Unconditional())

asyncio.run(main())
"""


@pytest.mark.parametrize(("stage", "there"), [("written", b"old"), ("checked", b"old"), ("published", b"new")])
def test_C17_without_a_crash_log_age_decides(tmp_path: Path, stage: str, there: bytes) -> None:
    """Killed at any stage, the file is whole: old or new; what is ours alone beside it is swept when it is old (C17).

    What was swapped out could be the only copy of what another program wrote. Without a record that tells, it stays.
    """
    (tmp_path / "f").write_bytes(b"old")

    assert -signal.SIGKILL == python("-c", CRASH, str(tmp_path), stage).returncode
    assert there == (tmp_path / "f").read_bytes()
    [beside] = set(names(tmp_path)) - {"f"}

    write(tmp_path, "x", "g")
    assert 3 == len(names(tmp_path)), "a fresh temporary file may be in use"
    write(tmp_path, "y", "g", Publisher(abandoned_after=0))
    assert sorted([*([beside] if stage == "published" else []), "f", "g"]) == names(tmp_path)
    assert beside.endswith(".swap") == (stage == "published")


def test_the_sweep_takes_nothing_else(tmp_path: Path) -> None:
    """Only regular files with exactly our form of name are swept."""
    others = [
        ".dsh-notes.tmp",
        ".dsh-0123456789abcdef.tmp.bak",
        "dsh-0123456789abcdef.tmp",
        ".dsh-0123456789ABCDEF.tmp",
    ]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / ".dsh-0123456789abcdef.tmp").symlink_to("elsewhere")
    (tmp_path / ".dsh-0123456789abcde0.tmp").touch()
    write(tmp_path, "x", publisher=Publisher(abandoned_after=0))

    assert sorted([*others, ".dsh-0123456789abcdef.tmp", "f"]) == names(tmp_path)


CREATE_AND_EDIT = """
import sys
from collections.abc import Sequence
from pathlib import Path
from dsh_ledger.errors import FsNotObserved
from dsh_ledger.guards import MustBeAbsent
from tests.support.disk_faults import Interrupted, mutated, overwritten, replacing

root = Path(sys.argv[1])
mutated(root, "f", "old")
mutated(root, "f", replacing("old", "new"))
try:
    mutated(root, "g", "ours", MustBeAbsent(), Interrupted({"checked": overwritten(root / "g", b"theirs")}))
except FsNotObserved:
    print("refused")
"""


@pytest.mark.parametrize(
    "faults",
    [
        ["renameat2:error=EINVAL"],
        ["fsync:error=EINVAL"],
        ["renameat2:error=ENOSYS", "linkat:error=EPERM"],
        ["renameat2:error=EINVAL", "linkat:error=EOPNOTSUPP", "/^fsetxattr:error=EOPNOTSUPP"],
    ],
)
def test_file_systems_that_lack_calls(tmp_path: Path, faults: list[str]) -> None:
    """Without swaps, renames that don't replace, links or syncs: files are made, changed and not replaced."""
    injected = [argument for fault in faults for argument in ("-e", f"inject={fault}")]
    done = python("-c", CREATE_AND_EDIT, str(tmp_path), under=strace("-o", "/dev/null", *injected))

    assert (b"refused\n", 0) == (done.stdout, done.returncode), done.stderr.decode()
    assert {"f": b"new", "g": b"theirs"} == contents(tmp_path)


LOCALE = """
import asyncio, os, sys
from collections.abc import Sequence
from pathlib import Path
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_ledger.guards import Unconditional

async def main():
    disk = DiskFileSystem(Workspace([Path(sys.argv[1])]))
    await disk.write_text(await disk.resolve("\\u30db.md"), "\\u30db\\uff08", Unconditional())
    print(ascii(await disk.list_dir(await disk.resolve("."))))

asyncio.run(main())
"""


def test_A26_the_locale_has_no_say(tmp_path: Path) -> None:
    """In the C locale, without Python's UTF-8 mode, names and texts are UTF-8 all the same (A26)."""
    done = python("-c", LOCALE, str(tmp_path), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert (b"", 0) == (done.stderr, done.returncode)
    assert b"DirEntry(name='\\u30db.md', kind='file')" in done.stdout
    assert "\u30db\uff08".encode() == (tmp_path / os.fsdecode("\u30db.md".encode())).read_bytes()
