"""A disk in bad condition: links, permissions, mounts, no room, lies, crashes. Nothing is lost, nothing left over."""

import asyncio
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_ledger.errors import FsIoError, FsPermissionDenied, FsSandboxDenied
from dsh_ledger.guards import Unconditional
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.fs.publish import Publisher, Stage
from tests.support.disk_faults import CapsWrites, Interrupted, contents, mounted, names, replacing, without_privileges
from tests.support.repository import ROOT

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def edit(root: Path, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Edit ``a`` to ``b`` in a file."""
    return _run(root, name, None, publisher)


def write(root: Path, text: str, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Write a whole text."""
    return _run(root, name, text, publisher)


def _run(root: Path, name: str, text: str | None, publisher: Publisher | None) -> WriteOutcome:
    async def mutate() -> WriteOutcome:
        disk = DiskFileSystem(Workspace([root]), publisher=publisher)
        try:
            target = await disk.resolve(name)
            if text is None:
                return await disk.edit_text(target, replacing("a", "b"), Unconditional())
            return await disk.write_text(target, text, Unconditional())
        finally:
            disk.close()

    return asyncio.run(mutate())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without privileges can reach; pytest's own can't be."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


# ---- what a replacement takes over


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o640])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    """The permission bits of a file survive an edit."""
    (tmp_path / "f").write_bytes(b"a")
    (tmp_path / "f").chmod(mode)
    edit(tmp_path)

    assert mode == (tmp_path / "f").stat().st_mode & 0o7777


def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    """A created file has the mode that any program's would have."""
    before = os.umask(0o027)
    try:
        write(tmp_path, "x", "d/f")
    finally:
        os.umask(before)

    assert (0o640, 0o750) == ((tmp_path / "d/f").stat().st_mode & 0o777, (tmp_path / "d").stat().st_mode & 0o777)


@as_root
def test_f06_owner_group_and_attributes_stay(tmp_path: Path) -> None:
    """Owner, group, mode and extended attributes are those of the old file (F06)."""
    path = tmp_path / "f"
    path.write_bytes(b"a")
    os.chown(path, 1234, 50)
    path.chmod(0o640)
    os.setxattr(path, "user.test", b"v")
    outcome = edit(tmp_path)

    status = path.stat()
    assert (1234, 50, 0o640, b"v") == (
        status.st_uid,
        status.st_gid,
        status.st_mode & 0o777,
        os.getxattr(path, "user.test"),
    )
    assert () == outcome.notes


def test_f06_a_folder_s_default_list_is_not_added(tmp_path: Path) -> None:
    """A replacement does not pick up an access control list that new files of its folder get (F06)."""
    entries = [(1, 7, -1), (2, 6, 1234), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    (tmp_path / "f").write_bytes(b"a")
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", acl)
    except OSError:
        pytest.skip("no access control lists on this file system")
    edit(tmp_path)
    write(tmp_path, "x", "new")

    assert ([], ["system.posix_acl_access"]) == (os.listxattr(tmp_path / "f"), os.listxattr(tmp_path / "new"))


@as_root
def test_f06_who_may_not_give_away_writes_in_place(open_folder: Path) -> None:
    """Where the owner can't be kept by a replacement, the file itself is written, and the result says so (F06)."""
    path = open_folder / "f"
    path.write_bytes(b"a")
    path.chmod(0o666)
    inode = path.stat().st_ino
    with without_privileges():
        outcome = edit(open_folder)

    assert (inode, 0, b"b") == (path.stat().st_ino, path.stat().st_uid, path.read_bytes())
    assert ("Written in place, not atomically: its owner or group can't be given to a new file.",) == outcome.notes


@pytest.mark.parametrize("publisher", [Publisher(), Publisher(kernel_renames=False)])
def test_without_faults_there_is_nothing_to_say(tmp_path: Path, publisher: Publisher) -> None:
    """An atomic replacement has no note and gives the file a new inode, with and without kernel swaps."""
    (tmp_path / "f").write_bytes(b"a")
    inode = (tmp_path / "f").stat().st_ino

    assert () == edit(tmp_path, publisher=publisher).notes
    assert inode != (tmp_path / "f").stat().st_ino


# ---- what can't be replaced is written in place


@pytest.mark.parametrize("text", ["longer than before", "", "b"])
def test_f04_hard_links_stay_linked(tmp_path: Path, text: str) -> None:
    """Both names of a file see the new text, and the result says that it was not atomic (F04)."""
    (tmp_path / "f").write_bytes(b"a\n" * 3)
    (tmp_path / "other").hardlink_to(tmp_path / "f")
    outcome = write(tmp_path, text)

    assert text.encode() == (tmp_path / "f").read_bytes() == (tmp_path / "other").read_bytes()
    assert ("Written in place, not atomically: the file has 2 hard links.",) == outcome.notes


def test_f20_a_mounted_file_is_written_in_place(tmp_path: Path) -> None:
    """A file that is a mount point can't be renamed over, and is written all the same (F20)."""
    (tmp_path / "source").write_bytes(b"a")
    (tmp_path / "w").mkdir()
    (tmp_path / "w/f").touch()
    with mounted("--bind", str(tmp_path / "source"), at=tmp_path / "w/f"):
        for publisher, old in ((Publisher(), b"a"), (Publisher(kernel_renames=False), b"a")):
            (tmp_path / "w/f").write_bytes(old)
            outcome = edit(tmp_path / "w", publisher=publisher)

            assert b"b" == (tmp_path / "source").read_bytes()
            assert len(outcome.notes) == 1
            assert "in place" in outcome.notes[0]
        assert ["f"] == names(tmp_path / "w")


def test_f08_a_folder_that_takes_no_files(open_folder: Path) -> None:
    """A file that may be written in a folder that may not is written in place; a new one is refused (F08)."""
    folder = open_folder / "d"
    folder.mkdir()
    (folder / "f").write_bytes(b"a")
    (folder / "f").chmod(0o666)
    folder.chmod(0o555)
    try:
        with without_privileges():
            outcome = edit(open_folder, "d/f")
            with pytest.raises(FsPermissionDenied, match=r"Permission denied for d/new\."):
                write(open_folder, "x", "d/new")
    finally:
        folder.chmod(0o755)

    assert ("Written in place, not atomically: its directory does not take new files.",) == outcome.notes
    assert (b"b", ["f"]) == ((folder / "f").read_bytes(), names(folder))


def test_in_place_too_another_writer_s_bytes_stay(tmp_path: Path) -> None:
    """Before the first byte is written in place, the file is compared with what was read."""
    path = tmp_path / "f"
    path.write_bytes(b"a")
    (tmp_path / "other").hardlink_to(path)
    publisher = Interrupted({"checked": lambda: path.write_bytes(b"theirs, with a")})
    outcome = edit(tmp_path, publisher=publisher)

    assert ("theirs, with a", b"theirs, with b") == (outcome.before, path.read_bytes())


# ---- permissions


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555])
def test_f07_a_read_only_file_stays(tmp_path: Path, mode: int) -> None:
    """Without the owner's write bit nothing is written, by root neither, and the error has the mode (F07)."""
    path = tmp_path / "f"
    path.write_bytes(b"a")
    path.chmod(mode)
    for text in (None, "x"):
        with pytest.raises(FsPermissionDenied, match=rf"f is read-only \(mode 0{mode:o}\)\."):
            _run(tmp_path, "f", text, None)

    assert (b"a", ["f"]) == (path.read_bytes(), names(tmp_path))


@as_root
def test_somebody_else_s_file_is_not_replaced(open_folder: Path) -> None:
    """A folder that may be written to is no permission to replace a file that may not."""
    (open_folder / "f").write_bytes(b"a")
    with without_privileges(), pytest.raises(FsPermissionDenied, match=r"This user may not write to f\."):
        edit(open_folder)

    assert b"a" == (open_folder / "f").read_bytes()


@as_root
def test_what_may_not_be_read(open_folder: Path) -> None:
    """Neither a file nor a folder without permission says more than that."""
    (open_folder / "f").write_bytes(b"a")
    (open_folder / "f").chmod(0o600)
    (open_folder / "d").mkdir(mode=0o700)
    with without_privileges():
        for name in ("f", "d/f"):
            with pytest.raises(FsPermissionDenied) as caught:
                edit(open_folder, name)
            assert f"Permission denied for {name}." == caught.value.message


# ---- no room, lies, crashes


@pytest.mark.parametrize("link", [False, True])
def test_f16_a_full_disk_keeps_the_old_bytes(tmp_path: Path, link: bool) -> None:
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


def test_f16_room_is_reserved_before_a_byte_is_lost(tmp_path: Path) -> None:
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
def test_c16_a_mount_that_lies_is_found_out(tmp_path: Path, kernel_renames: bool, link: bool) -> None:
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
def test_c16_a_file_that_could_not_be_made_is_gone(tmp_path: Path, kernel_renames: bool) -> None:
    """A new file that does not read back is removed, and so are the folders that were made for it (C16)."""
    with pytest.raises(FsIoError, match="did not read back"):
        write(tmp_path, "new", "d/e/f", CapsWrites(1, kernel_renames=kernel_renames))

    assert [] == names(tmp_path)


CRASH = """
import asyncio, os, signal, sys
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


def python(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script in a process of its own that imports what the tests import."""
    path = os.pathsep.join(str(ROOT / folder) for folder in (".", "ledger", "tools"))
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(("stage", "there"), [("written", b"old"), ("checked", b"old"), ("published", b"new")])
def test_c17_a_killed_process_leaves_one_of_both_texts(tmp_path: Path, stage: str, there: bytes) -> None:
    """Killed at any stage, the file is whole: old or new; what is left beside it is swept later (C17)."""
    (tmp_path / "f").write_bytes(b"old")

    assert -signal.SIGKILL == python(CRASH, str(tmp_path), stage).returncode
    assert there == (tmp_path / "f").read_bytes()
    assert 2 == len(names(tmp_path))

    write(tmp_path, "x", "g")
    assert 3 == len(names(tmp_path)), "a fresh temporary file may be in use"
    write(tmp_path, "y", "g", Publisher(abandoned_after=0))
    assert ["f", "g"] == names(tmp_path)


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
    (tmp_path / ".dsh-0123456789abcdef.tmp").mkdir()
    (tmp_path / ".dsh-0123456789abcde0.tmp").touch()
    write(tmp_path, "x", publisher=Publisher(abandoned_after=0))

    assert sorted([*others, ".dsh-0123456789abcdef.tmp", "f"]) == names(tmp_path)


LOCALE = """
import asyncio, os, sys
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


def test_a26_the_locale_has_no_say(tmp_path: Path) -> None:
    """In the C locale, without Python's UTF-8 mode, names and texts are UTF-8 all the same (A26)."""
    done = python(LOCALE, str(tmp_path), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert (b"", 0) == (done.stderr, done.returncode)
    assert b"DirEntry(name='\\u30db.md', kind='file')" in done.stdout
    assert "\u30db\uff08".encode() == (tmp_path / "\u30db.md").read_bytes()


# ---- a path that is swapped while it is used


@pytest.mark.parametrize(
    ("stage", "kind", "kernel_renames"),
    [
        ("written", "edit", True),
        ("checked", "edit", True),
        ("published", "edit", True),
        ("written", "edit", False),
        ("written", "create", True),
        ("checked", "create", True),
        ("published", "create", False),
        ("checked", "hard link", True),
    ],
)
def test_i03_a_folder_swapped_for_a_link_leads_nowhere(
    tmp_path: Path, stage: Stage, kind: str, kernel_renames: bool
) -> None:
    """A folder that becomes a link to the outside after the check: nothing outside is touched (I03)."""
    folder, outside = tmp_path / "w/d", tmp_path / "outside"
    folder.mkdir(parents=True)
    outside.mkdir()
    (outside / "f").write_bytes(b"a")
    if kind != "create":
        (folder / "f").write_bytes(b"a")
    if kind == "hard link":
        (folder / "other").hardlink_to(folder / "f")

    def swap() -> None:
        folder.rename(tmp_path / "w/moved")
        folder.symlink_to(outside)

    publisher = Interrupted({stage: swap}, kernel_renames=kernel_renames)
    if kind == "hard link":
        edit(tmp_path / "w", "d/f", publisher)
        inside = {"f": b"b", "other": b"b"}
    else:
        with pytest.raises(FsSandboxDenied) as caught:
            _run(tmp_path / "w", "d/f", "x" if kind == "create" else None, publisher)
        assert "d/f leads through a link that can't be followed safely." == caught.value.message
        inside = {} if kind == "create" else {"f": b"a"}

    assert {"f": b"a"} == contents(outside)
    assert inside == contents(tmp_path / "w/moved")
