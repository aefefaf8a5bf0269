"""Edits on a real disk: what changes, and the bytes that do not."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.errors import (
    FsEditNotFound,
    FsNotText,
)
from dsh_ledger.guards import Unconditional
from dsh_ledger.versions import logical_text, version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import NUL_NOTE
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import TextRead
from tests.support.disk_faults import edited, names, replacing

ANY = Unconditional()


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
