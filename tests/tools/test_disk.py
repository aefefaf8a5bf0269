"""The disk backend on a real disk: what is read, what an edit leaves alone, and what is refused."""

import asyncio
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.errors import (
    FsEditNotFound,
    FsIoError,
    FsNotDirectory,
    FsNotFound,
    FsNotRegularFile,
    FsNotText,
    FsSandboxDenied,
    FsTooLarge,
)
from dsh_ledger.guards import Unconditional
from dsh_ledger.versions import logical_text, version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import NUL_NOTE
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import DirEntry, FileStat, FileSystem, Missing, TextRead
from dsh_tools.fs.streaming import PIECE, TextStream
from tests.support.disk_faults import names, replacing

ANY = Unconditional()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskFileSystem]:
    """A disk whose workspace is the temporary folder."""
    disk = DiskFileSystem(Workspace([tmp_path]))
    yield disk
    disk.close()


async def edited(disk: DiskFileSystem, name: str, old: str, new: str) -> bytes:
    """The bytes of a file after an edit."""
    target = await disk.resolve(name)
    await disk.edit_text(target, replacing(old, new), ANY)
    return (disk.workspace.roots[0] / name).read_bytes()


def test_it_is_a_file_system(disk: DiskFileSystem) -> None:
    """The type checkers see that the disk is the port; so does a reader."""
    port: FileSystem = disk

    assert port is disk


# ---- edits and the bytes around them


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(
            b"alpha\r\nbeta\r\ngamma\r\n", "alpha\nbeta", "alpha\nBETA", b"alpha\r\nBETA\r\ngamma\r\n", id="A01"
        ),
        pytest.param(b"a;\r\nb;\r\nc;\r\n", "b;", "B;", b"a;\r\nB;\r\nc;\r\n", id="A02"),
        pytest.param(b"A\r\nB\r\n", "A", "A\nA2\nA3", b"A\r\nA2\r\nA3\r\nB\r\n", id="A04"),
        pytest.param(b"\xef\xbb\xbfclass A{}\n", "A", "B", b"\xef\xbb\xbfclass B{}\n", id="A08"),
        pytest.param(b"# t\n", "# t", "# T", b"# T\n", id="A09"),
        pytest.param(b"\xef\xbb\xbf# t\r\n", "# t", "# T", b"\xef\xbb\xbf# T\r\n", id="A09-after-mark"),
        pytest.param(b"{\n 'a':1\n}", "1", "2", b"{\n 'a':2\n}", id="A15"),
        pytest.param(b"k='a'\0'b'\n", "k=", "key=", b"key='a'\0'b'\n", id="A20"),
        pytest.param(b"a,\nb,\n", "a,", "a,\nx,", b"a,\nx,\nb,\n", id="A24"),
        pytest.param(b"<i>&amp;</i>\n", "&amp;", "&lt;&amp;amp;", b"<i>&lt;&amp;amp;</i>\n", id="A22"),
        pytest.param(b"a\r\nb\nc\r\n", "b", "B\nB2", b"a\r\nB\nB2\nc\r\n", id="mixed"),
        pytest.param(b"a\rb\r\n", "a", "A", b"A\rb\r\n", id="lone-return"),
    ],
)
async def test_an_edit_leaves_everything_else(
    tmp_path: Path, disk: DiskFileSystem, before: bytes, old: str, new: str, after: bytes
) -> None:
    """Only the replaced span changes, in the line ends that are around it."""
    (tmp_path / "f").write_bytes(before)

    assert after == await edited(disk, "f", old, new)


async def test_a05_line_ends_never_double(tmp_path: Path, disk: DiskFileSystem) -> None:
    r"""``\r\n`` in a new text is one line end, however often it is written (A05)."""
    (tmp_path / "r.txt").write_bytes(b"x\r\ny\r\n")
    for _ in range(3):
        await edited(disk, "r.txt", "x", "x1\r\n")

    assert b"x1\r\n1\r\n1\r\n\r\ny\r\n".count(b"\r\n") == (tmp_path / "r.txt").read_bytes().count(b"\r\n")
    assert b"\r\r" not in (tmp_path / "r.txt").read_bytes()


async def test_a11_bytes_that_do_not_decode_are_refused(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A Latin-1 byte anywhere makes an edit a refusal that changes nothing (A11)."""
    (tmp_path / "l.php").write_bytes(b"line1\ncaf\xe9\n")

    with pytest.raises(FsNotText, match=r"l\.php is not text in utf-8: the byte at offset 9"):
        await edited(disk, "l.php", "line1", "LINE1")
    assert (["l.php"], b"line1\ncaf\xe9\n") == (names(tmp_path), (tmp_path / "l.php").read_bytes())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("it\u2019s \u201cok\u201d", id="A17"),
        pytest.param("<p>&lt;b&gt; &amp;amp;</p>\n", id="A22"),
        pytest.param("\u30db\uff08\U0001f600\u2028\u0301e\u0301\x00\x1b", id="any-code-point"),
        pytest.param("echo 1\r\necho 2\r\n", id="returns"),
        pytest.param("", id="empty"),
    ],
)
async def test_a_new_file_has_the_bytes_of_the_argument(tmp_path: Path, disk: DiskFileSystem, text: str) -> None:
    """Nothing is folded, escaped or completed between the argument and the bytes."""
    target = await disk.resolve("new")
    outcome = await disk.write_text(target, text, ANY)

    assert text.encode() == (tmp_path / "new").read_bytes()
    assert (None, logical_text(text), version_of_text(text)) == (outcome.before, outcome.after, outcome.version)


async def test_a20_nul_is_mentioned(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Reading and editing a text with NULs says so (A20)."""
    (tmp_path / "z.ts").write_bytes(b"k='a'\0'b'\n")
    target = await disk.resolve("z.ts")

    read = await disk.read_text(target)
    outcome = await disk.edit_text(target, replacing("k=", "key="), ANY)

    assert isinstance(read, TextRead)
    assert ((NUL_NOTE,), (NUL_NOTE,)) == (read.notes, outcome.notes)


async def test_overwriting_keeps_mark_and_line_ends(tmp_path: Path, disk: DiskFileSystem) -> None:
    """A whole-file write over an existing file takes its byte order mark and line ends (A08)."""
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    outcome = await disk.write_text(await disk.resolve("f"), "x\ny\n", ANY)

    assert (b"\xef\xbb\xbfx\r\ny\r\n", "a\nb\n", "x\ny\n") == (
        (tmp_path / "f").read_bytes(),
        outcome.before,
        outcome.after,
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["\n", "\r\n", "\r", "a", "é", "\U0001f600"]), max_size=12).map("".join),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from(["", "x", "1\n2", "\r\n", "ü"]),
)
def test_an_edit_round_trip(physical: str, bom: bytes, new: str) -> None:
    """What an outcome says is there is what a read then finds, for any mixture of line ends and marks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(bom + b"<" + physical.encode() + b"@" + physical.encode() + b">")
        before = path.read_bytes()

        async def edit_and_read() -> tuple[str, str, str, str]:
            disk = DiskFileSystem(Workspace([Path(folder)]))
            target = await disk.resolve("f")
            outcome = await disk.edit_text(target, replacing("@", new), ANY)
            read = await disk.read_text(target)
            disk.close()
            assert isinstance(read, TextRead)
            return outcome.after, outcome.version, read.text, read.version

        after, version, text, read_version = asyncio.run(edit_and_read())
        at, tail = before.index(b"@"), len(before) - before.index(b"@") - 1

        assert (after, version) == (text, read_version)
        assert (before[:at], before[at + 1 :]) == (path.read_bytes()[:at], path.read_bytes()[-tail:])


async def test_a_change_that_changes_nothing_publishes_nothing(tmp_path: Path, disk: DiskFileSystem) -> None:
    """An edit to the same text is a success that leaves the very same file."""
    (tmp_path / "f").write_bytes(b"a\r\n")
    was = (tmp_path / "f").stat()
    outcome = await disk.edit_text(await disk.resolve("f"), replacing("a", "a"), ANY)

    assert (was.st_ino, was.st_ctime_ns) == ((now := (tmp_path / "f").stat()).st_ino, now.st_ctime_ns)
    assert (outcome.before, outcome.before_version) == (outcome.after, outcome.version)


async def test_the_plan_s_refusal_passes(tmp_path: Path, disk: DiskFileSystem) -> None:
    """What the plan raises is what the caller gets, and nothing is written."""
    (tmp_path / "f").write_bytes(b"a\n")
    with pytest.raises(FsEditNotFound):
        await edited(disk, "f", "z", "y")
    assert b"a\n" == (tmp_path / "f").read_bytes()


# ---- links, kinds, names


async def test_f01_a_link_stays_a_link(tmp_path: Path, disk: DiskFileSystem) -> None:
    """An edit through a symbolic link goes to the file and leaves the link (F01)."""
    (tmp_path / "real.txt").write_bytes(b"a\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    await edited(disk, "link.txt", "a", "b")

    assert ("real.txt", b"b\n") == (str((tmp_path / "link.txt").readlink()), (tmp_path / "real.txt").read_bytes())


async def test_f03_a_dangling_link_creates_its_target(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Reading a dangling link is a miss, writing creates what it leads to (F03)."""
    (tmp_path / "d.txt").symlink_to("missing.txt")
    target = await disk.resolve("d.txt")

    assert Missing() == await disk.read_text(target)
    await disk.write_text(target, "x", ANY)
    assert (True, b"x") == ((tmp_path / "d.txt").is_symlink(), (tmp_path / "missing.txt").read_bytes())


async def test_f12_names_that_are_not_utf8(tmp_path: Path, disk: DiskFileSystem) -> None:
    """They are listed escaped, read by URI, and edited (F12)."""
    (tmp_path / os.fsdecode(b"\xff\xfe.txt")).write_bytes(b"a\n")
    target = await disk.resolve(tmp_path.as_uri() + "/%FF%FE.txt")
    outcome = await disk.edit_text(target, replacing("a", "b"), ANY)

    assert (DirEntry("%FF%FE.txt", "file"),) == await disk.list_dir(await disk.resolve("."))
    assert ("b\n", target) == (outcome.after, await disk.resolve(target.path))


@pytest.mark.parametrize("kind", ["directory", "FIFO", "socket", "device"])
async def test_f15_only_regular_files_are_text(tmp_path: Path, disk: DiskFileSystem, kind: str) -> None:
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


async def test_f15_missing_parents_are_made_and_reported(tmp_path: Path, disk: DiskFileSystem) -> None:
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


async def test_f18_i01_a_target_from_outside_is_denied(tmp_path: Path) -> None:
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


async def test_a_file_swapped_for_a_link_is_denied(tmp_path: Path, disk: DiskFileSystem) -> None:
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
