"""Large contents are known again by their bytes, and by nothing else."""

from pathlib import Path

from dsh_ledger.guards import MustBeVersion
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import TextContent, decode, text_content
from dsh_tools.fs.port import TextRead
from dsh_tools.fs.recent import SMALLEST, RecentContents
from tests.support.disk_faults import replacing

LARGE = b"0123456789abcde\n" * (SMALLEST // 16)


def content(data: bytes) -> TextContent:
    """The content of some bytes."""
    return text_content(decode(data, "f"), data)


def test_the_same_bytes_are_known_and_others_are_not() -> None:
    """One byte more, less or different is another content."""
    recent = RecentContents()
    kept = content(LARGE)
    recent.keep(kept)

    assert recent.find(bytes(bytearray(LARGE))) is kept
    assert recent.find(LARGE + b"x") is None
    assert recent.find(LARGE[:-1] + b"x") is None


def test_small_contents_are_not_kept() -> None:
    """To look for them would cost more than it saves."""
    recent = RecentContents()
    recent.keep(content(b"small\n"))

    assert recent.find(b"small\n") is None


def test_the_oldest_go_when_there_are_too_many_bytes() -> None:
    """The bound holds, and what is kept again counts once."""
    recent = RecentContents(limit=2 * len(LARGE) + 2)
    first, second, third = (content(LARGE + mark) for mark in (b"1", b"2", b"3"))
    for each in (first, second, first, third):
        recent.keep(each)

    assert recent.find(second.data) is None
    assert recent.find(first.data) is first
    assert recent.find(third.data) is third


async def test_edits_of_a_large_file_are_the_same_whether_it_is_known_or_not(
    tmp_path: Path, disk: DiskFileSystem
) -> None:
    """Versions and texts of one edit after another, and of one that somebody else made in between."""
    file = tmp_path / "f"
    file.write_bytes(LARGE.replace(b"0", b"\xc3\xbc", 1) + b"needle 0\r\n")
    target = await disk.resolve("f")
    read = await disk.read_text(target)
    assert isinstance(read, TextRead)
    version = read.version
    for n in range(3):
        edit = replacing(f"needle {n}", f"needle {n + 1}")
        done = await disk.edit_text(target, edit, MustBeVersion(version))
        version = done.version
        assert version == version_of_text(file.read_bytes().decode())
    file.write_bytes(file.read_bytes().replace(b"needle 3", b"NEEDLE 3"))

    again = await disk.read_text(target)

    assert isinstance(again, TextRead)
    assert again.version == version_of_text(file.read_bytes().decode()) != version
    assert "NEEDLE 3\n" in again.text
