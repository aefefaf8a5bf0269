"""What ``.editorconfig`` asks of files, where it is looked for, and what can be wrong with it."""

import logging
import os
from pathlib import Path

import pytest

from dsh_ledger.errors import FsNotText
from dsh_ledger.guards import Unconditional
from dsh_tools.fs import editor_config
from dsh_tools.fs.charsets import charset_of
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.editor_config import LIMIT, LONGEST_LINE, editor_config_style
from dsh_tools.fs.file_style import NO_STYLE, FileStyle
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import TextRead
from tests.support.disk_faults import edited, replacing

ANY = Unconditional()


@pytest.fixture(autouse=True)
def nothing_warned_of() -> None:
    """Warnings come once in a process, and each test wants its own."""
    editor_config._warn.cache_clear()


def config(folder: Path, text: str | bytes) -> None:
    """Write an ``.editorconfig``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".editorconfig").write_bytes(text.encode() if isinstance(text, str) else text)


def asked(root: Path, name: str) -> FileStyle:
    """What is asked of a file."""
    workspace = Workspace([root])
    return editor_config_style(workspace, workspace.resolve(name))


async def created(disk: DiskFileSystem, name: str, text: str) -> tuple[bytes, str, tuple[str, ...]]:
    """The bytes of a new file, the text that the outcome says, and its notes."""
    outcome = await disk.write_text(await disk.resolve(name), text, ANY)
    return (disk.workspace.roots[0] / name).read_bytes(), outcome.after, outcome.notes


# ---- where it is looked for


def test_the_nearest_one_counts_and_the_root_ends_it(tmp_path: Path) -> None:
    """Nearer properties go before others; nothing above ``root = true`` is asked."""
    config(tmp_path, "[*]\ncharset = latin1\nend_of_line = crlf\n")
    config(tmp_path / "a", "[*.txt]\ncharset = utf-16be\n")
    config(tmp_path / "b", "root = true\n[*]\ninsert_final_newline = true\n")

    assert FileStyle(charset_of("utf-16be"), "\r\n") == asked(tmp_path, "a/new/f.txt")
    assert FileStyle(charset_of("latin1"), "\r\n") == asked(tmp_path, "a/f.c")
    assert FileStyle(final_newline=True) == asked(tmp_path, "b/f")


def test_nothing_outside_of_the_workspace_is_asked(tmp_path: Path) -> None:
    """The folder above has no say, by its place or through a link; a link within the workspace is followed."""
    config(tmp_path, "[*]\ncharset = latin1\n")
    (tmp_path / "w" / "linked").mkdir(parents=True)
    config(tmp_path / "w" / "shared", "[*]\ncharset = utf-16le\n")
    (tmp_path / "w" / ".editorconfig").symlink_to("../.editorconfig")
    (tmp_path / "w" / "linked" / ".editorconfig").symlink_to("../shared/.editorconfig")

    assert NO_STYLE == asked(tmp_path / "w", "f")
    assert FileStyle(charset_of("utf-16le")) == asked(tmp_path / "w", "linked/f")


def test_the_second_folder_of_a_workspace_has_its_own(tmp_path: Path) -> None:
    """A file is asked for in its own folder."""
    config(tmp_path / "one", "[*]\ncharset = latin1\n")
    config(tmp_path / "two", "[*]\nend_of_line = lf\n")
    workspace = Workspace([tmp_path / "one", tmp_path / "two"])

    style = editor_config_style(workspace, workspace.resolve(str(tmp_path / "two" / "f")))

    assert FileStyle(line_end="\n") == style


def test_names_of_folders_are_no_globs(tmp_path: Path) -> None:
    """A workspace may lie in a folder with brackets in its name, and have names that are not UTF-8."""
    config(tmp_path / "[id]{a}*", "[sub/*.txt]\ncharset = latin1\n")
    root = tmp_path / "[id]{a}*"
    (root / "sub").mkdir()
    uri = (root / "sub").as_uri() + "/%FF.txt"

    assert charset_of("latin1") == asked(root, "sub/f.txt").charset == asked(root, uri).charset
    assert NO_STYLE == asked(root, "other/f.txt")


@pytest.mark.parametrize(
    ("section", "name", "matches"),
    [
        ("*", "a/b.c", True),
        ("*.bat", "a/run.bat", True),
        ("{*.bat,*.ps1}", "run.ps1", True),
        ("/*.c", "a/b.c", False),
        ("a/**.c", "a/b/c.c", True),
        ("file{1..3}", "file2", True),
        ("file{1..3}", "file4", False),
        ("[!a].c", "b.c", True),
        ("caf\u00e9", "caf\u00e9", True),
    ],
)
def test_globs_of_sections(tmp_path: Path, section: str, name: str, matches: bool) -> None:
    """Globs are EditorConfig's."""
    config(tmp_path, f"[{section}]\ncharset = latin1\n")

    assert matches == (asked(tmp_path, name).charset is not None)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ("charset = UTF-8-BOM", FileStyle(charset_of("utf-8-sig"))),
        ("charset = unset\nend_of_line = unset\ninsert_final_newline = unset", NO_STYLE),
        ("charset = nonsense\nend_of_line = cr\ninsert_final_newline = false", NO_STYLE),
        ("CHARSET : Shift_JIS ; a comment\nEnd_Of_Line=LF\ninsert_final_newline = TRUE", None),
        ("charset = latin1\n[*]\ncharset = unset", NO_STYLE),
    ],
)
def test_values(tmp_path: Path, properties: str, expected: FileStyle | None) -> None:
    """Case does not count; what is unset, unknown or about nothing here asks for nothing; later sections win."""
    config(tmp_path, f"[*]\n{properties}\n")

    assert (expected or FileStyle(charset_of("shift_jis"), "\n", True)) == asked(tmp_path, "f")


# ---- what can be wrong with it


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[*]\ncharset = latin1\nwhat is this\n", "a line of it is neither a section nor a property"),
        (b"[*]\ncharset = latin1\n# caf\xe9\n", "it is not UTF-8"),
        (b"[*]\ncharset = latin1\n" + b"#" * LIMIT, "FS_TOO_LARGE"),
        (b"[*]\ncharset = latin1\n" + b" " * (LONGEST_LINE + 1), f"it has a line of {LONGEST_LINE + 1} characters"),
        (b"[z-a[*]\ncharset = latin1\n[[z-a]]\ncharset = latin1\n", "a section is left out, since it is no glob"),
        (b"[" + b"*a" * 9 + b"]\ncharset = latin1\n", "it has too many wildcards"),
        (b"[{" + b"*a*a*a,b}{" * 3 + b"}]\ncharset = latin1\n", "it has too many wildcards"),
    ],
)
async def test_a_broken_one_asks_for_nothing(
    tmp_path: Path, disk: DiskFileSystem, content: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is left out with one warning, and the user's write goes through."""
    config(tmp_path, content)
    name = "a" * 100
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert b"x" == (await created(disk, name, "x"))[0]
            (tmp_path / name).unlink()
        assert NO_STYLE == asked(tmp_path, name)

    [warning] = caplog.records
    assert why in warning.getMessage()


def test_what_is_no_file_asks_for_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A FIFO is not waited for, a folder not read, a loop of links not followed; those above still count."""
    config(tmp_path, "[*]\ncharset = latin1\n")
    for folder in "abc":
        (tmp_path / folder).mkdir()
    os.mkfifo(tmp_path / "a" / ".editorconfig")
    (tmp_path / "b" / ".editorconfig").mkdir()
    (tmp_path / "c" / ".editorconfig").symlink_to(".editorconfig")

    for folder in "abc":
        assert charset_of("latin1") == asked(tmp_path, f"{folder}/f").charset
    assert 3 == len(caplog.records)


# ---- new files


async def test_A07_a_new_file_has_the_line_ends_that_are_asked_for(tmp_path: Path, disk: DiskFileSystem) -> None:
    r"""``\n`` and ``\r\n`` are both line ends, the outcome is what a read finds, and a note says what was adapted."""
    config(tmp_path, "[*.bat]\nend_of_line = crlf\n[*.sh]\nend_of_line = lf\n")
    note = "As the workspace's settings ask, the new file was given {} line ends."

    assert (b"a\r\nb\r\n", "a\nb\n", (note.format("CRLF"),)) == await created(disk, "run.bat", "a\nb\r\n")
    assert (b"a\nb\n", "a\nb\n", (note.format("LF"),)) == await created(disk, "run.sh", "a\nb\r\n")
    assert (b"a\r\nb\r\n", "a\nb\n", ()) == await created(disk, "same.bat", "a\r\nb\r\n")
    assert (b"a\n", "a\n", ()) == await created(disk, "else.txt", "a\n")


@pytest.mark.parametrize(
    ("text", "expected", "adapted"),
    [
        ("a", b"a\n", "a line end after the last line"),
        ("a\r\nb", b"a\r\nb\r\n", "a line end after the last line"),
        ("a\n", b"a\n", None),
        ("\n", b"\n", None),
        ("", b"", None),
    ],
)
async def test_a_final_line_end(
    tmp_path: Path, disk: DiskFileSystem, text: str, expected: bytes, adapted: str | None
) -> None:
    """It is added where it is asked for and not there, in the text's own line ends, and never to an empty file."""
    config(tmp_path, "[*]\ninsert_final_newline = true\n")
    notes = () if adapted is None else (f"As the workspace's settings ask, the new file was given {adapted}.",)

    assert (expected, expected.decode().replace("\r\n", "\n"), notes) == await created(disk, "f", text)


@pytest.mark.parametrize(
    ("charset", "text", "expected", "adapted"),
    [
        ("latin1", "\u00e9\n", b"\xe9\n", "the encoding iso8859-1"),
        ("latin1", "e\n", b"e\n", None),
        ("utf-8", "\u00e9\n", b"\xc3\xa9\n", None),
        ("utf-8-bom", "e\n", b"\xef\xbb\xbfe\n", "the encoding utf-8 with a byte order mark"),
        ("utf-8-bom", "\ufeffe\n", b"\xef\xbb\xbfe\n", "the encoding utf-8 with a byte order mark"),
        ("utf-16le", "\u00e9\n", b"\xff\xfe\xe9\0\n\0", "the encoding utf-16-le with a byte order mark"),
        ("utf-16be", "\u00e9\n", b"\xfe\xff\0\xe9\0\n", "the encoding utf-16-be with a byte order mark"),
        ("utf-16be", "", b"", None),
    ],
)
async def test_the_encoding_of_a_new_file(
    tmp_path: Path, disk: DiskFileSystem, charset: str, text: str, expected: bytes, adapted: str | None
) -> None:
    """UTF-16 gets a byte order mark, without which nobody would know it; what is read back is what was written."""
    config(tmp_path, f"[*]\ncharset = {charset}\n")
    data, after, notes = await created(disk, "f", text)
    read = await disk.read_text(await disk.resolve("f"))

    assert (expected, text.removeprefix("\ufeff")) == (data, after)
    assert (
        () if adapted is None else (f"As the workspace's settings ask, the new file was given {adapted}.",)
    ) == notes
    assert isinstance(read, TextRead)
    assert after == read.text


async def test_all_that_was_adapted_is_one_sentence(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Whoever reads it knows the bytes."""
    config(tmp_path, "[*]\ncharset = latin1\nend_of_line = crlf\ninsert_final_newline = true\n")

    assert (
        b"\xe9\r\nb\r\n",
        "\u00e9\nb\n",
        (
            "As the workspace's settings ask, the new file was given CRLF line ends, the encoding iso8859-1 and a line "
            "end after the last line.",
        ),
    ) == await created(disk, "f", "\u00e9\nb")


async def test_an_existing_file_keeps_its_own(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Line ends, byte order mark, encoding and a missing last line end stay; an empty file has none, and is new."""
    config(tmp_path, "[*]\ncharset = utf-8-bom\nend_of_line = crlf\ninsert_final_newline = true\n")
    (tmp_path / "f").write_bytes(b"a\nb")
    (tmp_path / "u").write_bytes("\u00e9\n".encode())
    (tmp_path / "empty").touch()

    assert b"a\nB\nc" == await edited(disk, "f", "b", "B\nc")
    assert (b"x\ny", "x\ny", ()) == await created(disk, "f", "x\ny")
    assert (b"\xc3\xbc\n", "\u00fc\n", ()) == await created(disk, "u", "\u00fc\n")
    assert b"\xef\xbb\xbfx\r\n" == (await created(disk, "empty", "x"))[0]


async def test_A14_a_closed_file_has_the_declared_charset(tmp_path: Path, disk: DiskFileSystem) -> None:
    """Without the declaration the same file is refused; the declaration is looked at anew each time."""
    (tmp_path / "a.prg").write_bytes(b"a\xe7\n")
    target = await disk.resolve("a.prg")
    with pytest.raises(FsNotText, match="not text in utf-8: the byte at offset 1 does not decode"):
        await disk.read_text(target)
    config(tmp_path, "[*.prg]\ncharset = latin1\n")
    read = await disk.read_text(target)
    await disk.edit_text(target, replacing("a", "\u00e0"), ANY)
    config(tmp_path, "[*.prg]\ncharset = utf-8\n")

    assert isinstance(read, TextRead)
    assert ("a\u00e7\n", "iso8859-1", b"\xe0\xe7\n") == (read.text, read.encoding, (tmp_path / "a.prg").read_bytes())
    with pytest.raises(FsNotText, match="not text in utf-8: the byte at offset 0 does not decode"):
        await disk.read_text(target)


async def test_a_plain_file_asks_nobody(tmp_path: Path, disk: DiskFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads and edits of UTF-8, and edits of ASCII that stay ASCII, don't look at ``.editorconfig`` at all."""

    def asked_for(*_: object) -> FileStyle:
        raise AssertionError("the style was asked for")

    monkeypatch.setattr(disk.styles, "of", asked_for)
    for text, new in (("a\n", "b"), ("\u00e9a\n", "\u00fc")):
        (tmp_path / "f").write_bytes(text.encode())
        await disk.read_text(await disk.resolve("f"))
        assert text.replace("a", new).encode() == await edited(disk, "f", "a", new)
        assert b"x\n" == (await created(disk, "f", "x\n"))[0]
