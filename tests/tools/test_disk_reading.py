"""What the disk backend reads and lists, whole and in pieces."""

import os
from pathlib import Path

import pytest

from dsh_ledger.errors import (
    FsNotDirectory,
    FsNotFound,
    FsNotText,
    FsTooLarge,
)
from dsh_ledger.guards import Unconditional
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import FileSystem, Missing, TextRead
from dsh_tools.fs.streaming import PIECE, TextStream
from tests.support.disk_faults import names

ANY = Unconditional()


def test_it_is_a_file_system(disk: DiskFileSystem) -> None:
    """The type checkers see that the disk is the port; so does a reader."""
    port: FileSystem = disk

    assert port is disk


# ---- reading and listing


async def test_reading(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A read gives the logical text, its version and where it is from; a miss is a value."""
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa\r\nb")
    expected = TextRead("a\nb", version_of_text("a\nb"), "disk")

    assert expected == await disk.read_text(await disk.resolve("f"))
    assert b"\xef\xbb\xbfa\r\nb" == await disk.read_bytes(await disk.resolve("f"))
    for missing in ("none", "none/none"):
        target = await disk.resolve(missing)
        assert [Missing()] * 3 == [await disk.read_text(target), await disk.read_bytes(target), await disk.stat(target)]


async def test_listing(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Names come sorted with their kinds, links as links; what can't be listed is refused."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a").touch()
    (tmp_path / "c").symlink_to("/")

    assert [("a", "file"), ("b", "directory"), ("c", "link")] == [
        (entry.name, entry.kind) for entry in await disk.list_dir(await disk.resolve("."))
    ]
    for name, error in (("a", FsNotDirectory), ("none", FsNotFound), ("none/none", FsNotFound)):
        with pytest.raises(error):
            await disk.list_dir(await disk.resolve(name))


async def test_a_limit_is_a_limit(tmp_path: Path) -> None:
    """A file over the limit is refused with its size, a write that would go over it too, and a stream has none."""
    (tmp_path / "f").write_bytes(b"12345")
    disk = DiskFileSystem(Workspace([tmp_path]), limit=4)
    target = await disk.resolve("f")

    for attempt in (disk.read_text(target), disk.write_text(await disk.resolve("g"), "12345", ANY)):
        with pytest.raises(FsTooLarge, match="has 5 bytes; the limit is 4 bytes"):
            await attempt
    assert ["12345"] == [piece async for piece in disk.stream_text(target)]
    disk.close()
    assert ["f"] == names(tmp_path)


async def test_the_limit_is_asked_before_reading(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A terabyte is refused for its size, without being read."""
    (tmp_path / "f").touch()
    os.truncate(tmp_path / "f", 1 << 40)

    with pytest.raises(FsTooLarge):
        await disk.read_bytes(await disk.resolve("f"))


async def test_files_without_a_size_are_read_to_their_end() -> None:
    """Some files say that they are empty and are not; the limit holds for them too."""
    process = Workspace([Path("/proc/self")])
    for limit in (10, 10_000_000):
        disk = DiskFileSystem(process, limit=limit)
        reading = disk.read_bytes(await disk.resolve("status"))
        if limit == 10:
            with pytest.raises(FsTooLarge):
                await reading
        else:
            data = await reading
            assert isinstance(data, bytes)
            assert data.startswith(b"Name:")
            assert data.endswith(b"\n")
        disk.close()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbfa",
        b"\r",
        b"x" * (PIECE - 1) + b"\r\n" + b"y",
        b"x" * (PIECE - 1) + b"\ry\r",
        b"\xef\xbb\xbf" + "é\r\n".encode() * PIECE,
    ],
)
async def test_a_stream_is_the_read_in_pieces(tmp_path: Path, disk: DiskFileSystem, data: bytes) -> None:
    """The pieces add up to the logical text, with pairs and characters that are cut in two put together again."""
    (tmp_path / "f").write_bytes(data)
    target = await disk.resolve("f")
    read = await disk.read_text(target)

    assert isinstance(read, TextRead)
    assert read.text == "".join([piece async for piece in disk.stream_text(target)])


async def test_a_stream_refuses_what_does_not_decode(tmp_path: Path, disk: DiskFileSystem) -> None:
    """The offset in the refusal counts from the start of the file, also across pieces."""
    (tmp_path / "f").write_bytes(b"x" * (PIECE - 1) + b"\xc3" + b"\xc3")
    with pytest.raises(FsNotText, match=f"the byte at offset {PIECE - 1} does not decode"):
        [piece async for piece in disk.stream_text(await disk.resolve("f"))]


def test_a_stream_can_be_left(tmp_path: Path) -> None:
    """A closed stream has no more pieces and no descriptor of the file."""
    (tmp_path / "f").write_bytes(b"x" * 2 * PIECE)
    workspace = Workspace([tmp_path])
    stream = TextStream(workspace, workspace.resolve("f"))
    stream.next_piece()
    stream.close()

    assert stream.next_piece() is None
    assert tmp_path / "f" not in {fd.resolve() for fd in Path("/proc/self/fd").iterdir()}


async def test_sessions_share_a_disk(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A disk for other roots resolves against them and has the same locks and threads."""
    (tmp_path / "w").mkdir()
    other = disk.for_workspace(Workspace([tmp_path / "w"]))
    await other.write_text(await other.resolve("f"), "x", ANY)

    assert "w/f" == (await disk.resolve("w/f")).path
    assert b"x" == (tmp_path / "w/f").read_bytes()
