"""Modes, owners, links, mounts and permissions: what a changed file keeps, and how it is written then."""

import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_ledger.errors import FsPermissionDenied
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.fs.publish import Publisher
from tests.support.disk_faults import NOBODY, Interrupted, mounted, mutated, names, replacing, without_privileges

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def edit(root: Path, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Edit ``a`` to ``b`` in a file."""
    return mutated(root, name, replacing("a", "b"), publisher=publisher)


def write(root: Path, text: str, name: str = "f", publisher: Publisher | None = None) -> WriteOutcome:
    """Write a whole text."""
    return mutated(root, name, text, publisher=publisher)


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
def test_F06_owner_group_and_attributes_stay(tmp_path: Path) -> None:
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


def test_F06_a_folder_s_default_list_is_not_added(tmp_path: Path) -> None:
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


def test_F06_an_access_control_list_stays(tmp_path: Path) -> None:
    """Who else may read a file may read the edited one (F06)."""
    entries = [(1, 6, -1), (2, 4, 1234), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    (tmp_path / "f").write_bytes(b"a")
    try:
        os.setxattr(tmp_path / "f", "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("no access control lists on this file system")
    edit(tmp_path)

    assert acl == os.getxattr(tmp_path / "f", "system.posix_acl_access")


@as_root
def test_F06_set_user_id_survives_without_privileges(open_folder: Path) -> None:
    """The system takes the bit away from a file that is written by anybody but root; the replacement has it (F06)."""
    path = open_folder / "f"
    path.write_bytes(b"a")
    os.chown(path, NOBODY, NOBODY)
    path.chmod(0o4755)
    with without_privileges():
        outcome = edit(open_folder)

    assert (0o4755, b"b", ()) == (path.stat().st_mode & 0o7777, path.read_bytes(), outcome.notes)


@as_root
def test_F06_who_may_not_give_away_writes_in_place(open_folder: Path) -> None:
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
def test_F04_hard_links_stay_linked(tmp_path: Path, text: str) -> None:
    """Both names of a file see the new text, and the result says that it was not atomic (F04)."""
    (tmp_path / "f").write_bytes(b"a\n" * 3)
    (tmp_path / "other").hardlink_to(tmp_path / "f")
    outcome = write(tmp_path, text)

    assert text.encode() == (tmp_path / "f").read_bytes() == (tmp_path / "other").read_bytes()
    assert ("Written in place, not atomically: the file has 2 hard links.",) == outcome.notes


def test_F20_a_mounted_file_is_written_in_place(tmp_path: Path) -> None:
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


def test_F08_a_folder_that_takes_no_files(open_folder: Path) -> None:
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
def test_F07_a_read_only_file_stays(tmp_path: Path, mode: int) -> None:
    """Without the owner's write bit nothing is written, by root neither, and the error has the mode (F07)."""
    path = tmp_path / "f"
    path.write_bytes(b"a")
    path.chmod(mode)
    for what in (replacing("a", "b"), "x"):
        with pytest.raises(FsPermissionDenied, match=rf"f is read-only \(mode 0{mode:o}\)\."):
            mutated(tmp_path, "f", what)

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
