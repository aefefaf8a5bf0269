"""Links, kinds of files and names on a real disk."""

import os
import socket
from pathlib import Path

import pytest

from dsh_ledger.errors import (
    FsIoError,
    FsNotDirectory,
    FsNotRegularFile,
    FsSandboxDenied,
)
from dsh_ledger.guards import Unconditional
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import DirEntry, FileStat, Missing
from tests.support.disk_faults import edited, replacing

ANY = Unconditional()


# ---- links, kinds, names


async def test_F01_a_link_stays_a_link(tmp_path: Path, disk: DiskFileSystem) -> None:
    """An edit through a symbolic link goes to the file and leaves the link (F01)."""
    (tmp_path / "real.txt").write_bytes(b"a\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    await edited(disk, "link.txt", "a", "b")

    assert ("real.txt", b"b\n") == (str((tmp_path / "link.txt").readlink()), (tmp_path / "real.txt").read_bytes())


async def test_F03_a_dangling_link_creates_its_target(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Reading a dangling link is a miss, writing creates what it leads to (F03)."""
    (tmp_path / "d.txt").symlink_to("missing.txt")
    target = await disk.resolve("d.txt")

    assert Missing() == await disk.read_text(target)
    await disk.write_text(target, "x", ANY)
    assert (True, b"x") == ((tmp_path / "d.txt").is_symlink(), (tmp_path / "missing.txt").read_bytes())


async def test_F12_names_that_are_not_utf8(tmp_path: Path, disk: DiskFileSystem) -> None:
    """They are listed escaped, read by URI, and edited (F12)."""
    (tmp_path / os.fsdecode(b"\xff\xfe.txt")).write_bytes(b"a\n")
    target = await disk.resolve(tmp_path.as_uri() + "/%FF%FE.txt")
    outcome = await disk.edit_text(target, replacing("a", "b"), ANY)

    assert (DirEntry("%FF%FE.txt", "file"),) == await disk.list_dir(await disk.resolve("."))
    assert ("b\n", target) == (outcome.after, await disk.resolve(target.path))


@pytest.mark.parametrize("kind", ["directory", "FIFO", "socket", "device"])
async def test_F15_only_regular_files_are_text(tmp_path: Path, disk: DiskFileSystem, kind: str) -> None:
    """Anything else is refused at once, by all of read, write and edit (F15)."""
    path = tmp_path / "it"
    match kind:
        case "directory":
            path.mkdir()
        case "FIFO":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(path))
        case _:
            if os.geteuid() != 0:
                pytest.skip("only root makes devices")
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3))
    target = await disk.resolve("it")

    for attempt in (
        disk.read_text(target),
        disk.read_bytes(target),
        disk.write_text(target, "x", ANY),
        disk.edit_text(target, replacing("a", "b"), ANY),
        anext(disk.stream_text(target)),
    ):
        with pytest.raises(FsNotRegularFile) as caught:
            await attempt
        assert f"it is a {kind}, not a regular file." == caught.value.message
    assert FileStat(kind, path.lstat().st_size, True) == await disk.stat(target)


async def test_F15_missing_parents_are_made_and_reported(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A write makes the parents that are missing and lists them, outermost first (F15)."""
    (tmp_path / "a").mkdir()
    outcome = await disk.write_text(await disk.resolve("a/b/c/f"), "x", ANY)

    assert (("a/b", "a/b/c"), b"x") == (outcome.created_directories, (tmp_path / "a/b/c/f").read_bytes())


async def test_a_parent_that_is_a_file_by_now(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A folder that became a file after it was resolved is FS_NOT_DIRECTORY, and nothing is made."""
    target = await disk.resolve("f/child")
    (tmp_path / "f").touch()

    with pytest.raises(FsNotDirectory):
        await disk.write_text(target, "x", ANY)


async def test_a_name_that_is_too_long(disk: DiskFileSystem) -> None:
    """The file system's limit on names is an error with its reason, and no text of the system's."""
    with pytest.raises(FsIoError, match=r": a name in it is too long \(ENAMETOOLONG\)\.$"):
        await disk.resolve("n" * 256)


async def test_long_names_have_short_temporaries(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A name of the greatest length can be written and edited."""
    name = "n" * 255
    await disk.write_text(await disk.resolve(name), "a", ANY)

    assert b"b" == await edited(disk, name, "a", "b")


async def test_F18_I01_a_target_from_outside_is_denied(tmp_path: Path) -> None:
    """A target of one workspace means nothing to the disk of another, for any operation (F18, I01)."""
    (tmp_path / "w").mkdir()
    (tmp_path / "s").write_bytes(b"a")
    outside = Workspace([tmp_path]).resolve("s")
    disk = DiskFileSystem(Workspace([tmp_path / "w"]))

    for attempt in (disk.read_text(outside), disk.write_text(outside, "x", ANY), disk.stat(outside)):
        with pytest.raises(FsSandboxDenied):
            await attempt
    disk.close()
    assert b"a" == (tmp_path / "s").read_bytes()


async def test_I10_a_file_swapped_for_a_link_is_denied(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A link that took the file's name after it was resolved is not followed, and not named (I10)."""
    (tmp_path / "f").write_bytes(b"a")
    target = await disk.resolve("f")
    (tmp_path / "f").unlink()
    (tmp_path / "f").symlink_to("/etc/hostname")

    for attempt in (disk.read_text(target), disk.write_text(target, "x", ANY), anext(disk.stream_text(target))):
        with pytest.raises(FsSandboxDenied) as caught:
            await attempt
        assert "etc" not in caught.value.model_text()
    assert (tmp_path / "f").is_symlink()
