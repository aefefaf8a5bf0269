"""Files in every encoding that there is: read, edited, and left as they were everywhere else."""

import codecs
from pathlib import Path

import pytest

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsNotText
from dsh_ledger.guards import MustBeVersion, Unconditional
from dsh_ledger.versions import version_of_text
from dsh_tools.fs.charsets import MARKS, NARROW, WIDE, Charset, charset_of
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.encoding import NUL_NOTE, Decoded, decode, text_content
from dsh_tools.fs.file_style import FileStyle, StyleOf
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import TextRead
from dsh_tools.fs.recent import SMALLEST, RecentContents
from dsh_tools.fs.streaming import PIECE
from tests.support.disk_faults import edited, names, replacing
from tests.support.encoded_texts import ENCODINGS, alphabet, described, lacking

ANY = Unconditional()
DECLARED = sorted(NARROW)


def style(codec: str | None) -> StyleOf:
    """A style with an encoding."""
    asked = FileStyle(Charset(codec) if codec else None)
    return lambda: asked


def never() -> FileStyle:
    """A style that must not be asked for."""
    raise AssertionError("the style was asked for")


def body(codec: str) -> str:
    """A text with every line end and as many characters of the encoding as will do."""
    characters = alphabet(codec)
    return f"one\n{characters[:40]}\r\nb\rc {characters[-40:]}\nlast {characters[:3]}"


# ---- the list


@pytest.mark.parametrize("codec", DECLARED)
def test_ascii_is_ascii_in_every_narrow_encoding(codec: str) -> None:
    """Each of the 128 bytes is the character of that number, and back."""
    plain = "".join(map(chr, range(128)))

    assert (plain, plain.encode()) == (plain.encode().decode(codec), plain.encode(codec))


@pytest.mark.parametrize("codec", ENCODINGS)
def test_a_text_is_encoded_character_by_character(codec: str) -> None:
    """No character's bytes depend on its neighbours."""
    characters = alphabet(codec) + "a\\~\n"

    for one in characters:
        for other in characters[:12] + characters[-4:]:
            assert one.encode(codec) + other.encode(codec) == (one + other).encode(codec)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("latin1", Charset("iso8859-1")),
        ("ISO-8859-15", Charset("iso8859-15")),
        ("windows-1252", Charset("cp1252")),
        ("CP437", Charset("cp437")),
        ("gbk", Charset("gbk")),
        ("Shift-JIS", Charset("shift_jis")),
        ("euc-kr", Charset("euc_kr")),
        ("utf-8", Charset("utf-8")),
        ("utf-8-bom", Charset("utf-8", codecs.BOM_UTF8)),
        ("utf-16le", Charset("utf-16-le", codecs.BOM_UTF16_LE)),
        ("utf-16be", Charset("utf-16-be", codecs.BOM_UTF16_BE)),
        *((name, None) for name in ("utf-16", "utf-32", "utf-7", "iso2022_jp", "hz", "idna", "rot13", "cp037", "hex")),
        *((name, None) for name in ("shift_jisx0213", "big5hkscs", "unset", "", "\0", "\u00e9", "../x")),
    ],
)
def test_names_of_encodings(name: str, expected: Charset | None) -> None:
    """Python's names, their aliases and EditorConfig's are known; what has states or is no text encoding is not."""
    assert expected == charset_of(name)


# ---- reading and editing, for each


@pytest.mark.parametrize("codec", DECLARED)
def test_a12_edits_leave_what_they_do_not_touch(codec: str) -> None:
    """Inside and outside of legacy spans, at every line end, bytes elsewhere stay and the new text is read back."""
    text, extra = body(codec), alphabet(codec)[5]
    data = text.encode(codec)
    decoded = decode(data, "f", style(codec))

    assert (text, codec, b"") == (decoded.text, decoded.encoding, decoded.bom)
    for at in (0, 3, text.index("\r\n") - 2, text.index("\r\n"), text.index("\rc"), len(text)):
        for length in (0, 1):
            change = Change.of(Edit(at, min(at + length, len(text)), f"<{extra}>"))
            after, written = decoded.spliced(data, change, "f")
            expected = text[:at].encode(codec) + f"<{extra}>".encode(codec) + text[at + length :].encode(codec)
            assert (expected, expected.decode(codec)) == (written, after.text)


@pytest.mark.parametrize(("mark", "codec"), MARKS)
def test_a13_a_mark_says_the_encoding_and_stays(mark: bytes, codec: str) -> None:
    """With a mark nothing has to be declared, what is declared does not count, and the mark is kept."""
    text = body(codec)
    data = mark + text.encode(codec)
    decoded = decode(data, "f", never)
    _, written = decoded.spliced(data, Change.of(Edit(0, 3, "\u4e8c")), "f")

    assert Decoded(text, mark, codec) == decoded
    assert mark + ("\u4e8c" + text[3:]).encode(codec) == written


@pytest.mark.parametrize("codec", sorted(WIDE))
def test_a_declared_wide_encoding_needs_no_mark_and_gets_none(codec: str) -> None:
    """A file in UTF-16 without a mark, which is UTF-8 with NULs to anybody who was not told, stays without."""
    data = "a\r\nb\r\n".encode(codec)
    decoded = decode(data, "f", style(codec))
    _, written = decoded.spliced(data, Change.of(Edit(0, 1, "\u4e8c")), "f")

    assert Decoded("a\r\nb\r\n", b"", codec) == decoded
    assert "\u4e8c\r\nb\r\n".encode(codec) == written


def test_valid_utf_8_goes_before_what_is_declared() -> None:
    """Nobody is asked of a file that is UTF-8, and one that can be both is UTF-8."""
    assert Decoded("\u00e9") == decode("\u00e9".encode(), "f", never)
    assert Decoded("k\0abc") == decode(b"k\0abc", "f", never)


@pytest.mark.parametrize(
    ("data", "codec", "encodings", "reason"),
    [
        (b"a\xe9\n", None, "utf-8", "the byte at offset 1 does not decode"),
        (b"a\xe9\n", "utf-8", "utf-8", "the byte at offset 1 does not decode"),
        (b"a\xe9\x81\n", "cp1252", "utf-8 or cp1252", "as cp1252, the byte at offset 2 does not decode"),
        (b"a\xe9", "gbk", "utf-8 or gbk", "as gbk, the byte at offset 1 does not decode"),
        (b"a\x87\x90\n", "cp932", "utf-8 or cp932", "the bytes from offset 1 on would not be written back as they are"),
        (b"\xff\xfea\0b", None, "utf-16-le", "the byte at offset 4 does not decode"),
        (b"\xfe\xff\xd8\0", "latin-1", "utf-16-be", "the byte at offset 2 does not decode"),
        (
            b"\x89PNG\r\n\x1a\n\0\0",
            "iso8859-1",
            "utf-8 or iso8859-1",
            "2 of 10 characters are NUL, as in a binary file",
        ),
    ],
)
def test_a11_what_is_no_text_is_refused(data: bytes, codec: str | None, encodings: str, reason: str) -> None:
    """The refusal names each encoding that was tried, and the offset, and nothing of the content."""
    with pytest.raises(FsNotText) as caught:
        decode(data, "f", style(codec))

    assert encodings == caught.value.details["encoding"]
    assert str(caught.value.details["reason"]).endswith(reason)


@pytest.mark.parametrize("codec", ["utf-8", "cp932", "euc_jp", "gb18030"])
def test_bytes_are_given_back_or_refused(codec: str) -> None:
    """Every pair of bytes after an ASCII letter is either read and would be written the same, or refused."""
    for first in range(0x80, 0x100):
        for second in range(0x100):
            data = bytes([0x61, first, second])
            try:
                decoded = decode(data, "f", style(codec))
            except FsNotText:
                continue
            assert data == decoded.text.encode(decoded.encoding)


# ---- new text


@pytest.mark.parametrize("codec", DECLARED)
def test_a12_a_character_that_the_encoding_lacks_is_named(codec: str) -> None:
    """By its code point, its name and its place in the new text; gb18030 has all there are."""
    if codec == "gb18030":
        pytest.skip("it has every character")
    text, foreign = body(codec), lacking(codec)
    data = text.encode(codec)
    decoded = decode(data, "f", style(codec))

    with pytest.raises(FsNotText) as caught:
        decoded.spliced(data, Change.of(Edit(2, 2, f"1\n23{foreign}")), "f")

    assert (
        f"f is not text in {codec}: the new text has {described(foreign)} at line 2, column 3, which it can't hold."
        == caught.value.message
    )


@pytest.mark.parametrize(
    ("codec", "new", "what"),
    [
        ("shift_jis", "\u00a5", "U+00A5 YEN SIGN at line 1, column 2"),
        ("cp932", "\u00a2", "U+00A2 CENT SIGN at line 1, column 2"),
        ("euc_kr", "\u3164\u3131\u314f\u3131", "U+3164 HANGUL FILLER at line 1, column 2"),
    ],
)
def test_a_character_that_would_become_another_is_refused(codec: str, new: str, what: str) -> None:
    """An encoder that writes a yen sign as a backslash is not let do it."""
    text = "a" + alphabet(codec)[-3:]
    data = text.encode(codec)

    with pytest.raises(FsNotText) as caught:
        decode(data, "f", style(codec)).spliced(data, Change.of(Edit(1, 1, new)), "f")
    assert f"the new text has {what}, which would be read back as something else" == caught.value.details["reason"]


def test_bytes_that_would_be_taken_for_utf_8_are_refused() -> None:
    """What is left of a Latin-1 file must not read as another text in UTF-8."""
    data = "\u00c3\u00a9 \u00e9".encode("latin-1")
    decoded = decode(data, "f", style("iso8859-1"))

    with pytest.raises(FsNotText, match=r"U\+00C3 LATIN CAPITAL LETTER A WITH TILDE at line 1, column 1, which would"):
        decoded.spliced(data, Change.of(Edit(3, 4, "")), "f")


@pytest.mark.parametrize("data", [b"a\n", codecs.BOM_UTF8 + b"a\n", "\u00e9\n".encode()])
def test_a_lone_surrogate_is_named_with_its_place(data: bytes) -> None:
    """UTF-8 has no bytes for it; the place is that in the file."""
    decoded = decode(data, "f", never)

    with pytest.raises(FsNotText, match=r"the new text has U\+D800 at line 2, column 2, which it can't hold"):
        decoded.spliced(data, Change.of(Edit(2, 2, "b\ud800")), "f")


# ---- NUL


def test_a20_a_few_nuls_are_text() -> None:
    """Up to eight always, beyond that one character in four."""
    for data in (b"k='a'\0'b'\n", b"\0" * 8, b"abc\0" * 100):
        assert (NUL_NOTE,) == text_content(decode(data, "f"), data).notes


@pytest.mark.parametrize("data", [b"\0" * 9, b"a\0" * 9, codecs.BOM_UTF16_LE + b"\0\0" * 9 + b"a\0" * 9])
def test_a20_many_nuls_are_not(data: bytes) -> None:
    """UTF-16 that nobody declared is not taken for UTF-8."""
    with pytest.raises(FsNotText, match="characters are NUL"):
        decode(data, "f")


@pytest.mark.parametrize("change", [Edit(0, 0, "\0" * 20), Edit(0, 40, "")])
def test_a20_a_text_does_not_become_binary(change: Edit) -> None:
    """A change after which the file could not be read is refused."""
    data = b"x" * 40 + b"\0" * 9

    with pytest.raises(FsNotText, match=r"could not be read back, since .* characters are NUL"):
        decode(data, "f").spliced(data, Change.of(change), "f")


# ---- the disk


@pytest.fixture
def declared(tmp_path: Path, disk: DiskFileSystem) -> DiskFileSystem:
    """A disk whose files are declared by their names: ``f.gbk`` is GBK."""
    disk.styles.set_encodings({f"*.{codec}": codec for codec in ENCODINGS})
    return disk


@pytest.mark.parametrize("codec", DECLARED)
async def test_reading_streaming_editing_and_writing(tmp_path: Path, declared: DiskFileSystem, codec: str) -> None:
    """The encoding is said, the stream is the read, the outcome is what a read then finds, a write keeps encoding."""
    file, text, extra = tmp_path / f"f.{codec}", body(codec), alphabet(codec)[7]
    file.write_bytes(text.encode(codec))
    target = await declared.resolve(file.name)
    read = await declared.read_text(target)
    streamed = "".join([piece async for piece in declared.stream_text(target)])
    logical = text.replace("\r\n", "\n")

    assert TextRead(logical, version_of_text(text), "disk", encoding=codec) == read
    assert logical == streamed
    done = await declared.edit_text(target, replacing("one", f"1{extra}"), MustBeVersion(version_of_text(text)))
    assert f"1{extra}{text[3:]}".encode(codec) == file.read_bytes()
    assert (done.after, done.version) == (f"1{extra}{logical[3:]}", version_of_text(done.after))
    await declared.write_text(target, f"{extra}\n{alphabet(codec)[:9]}", MustBeVersion(done.version))
    assert f"{extra}\n{alphabet(codec)[:9]}".encode(codec) == file.read_bytes().replace(b"\r\n", b"\n")


async def test_an_ascii_file_takes_the_declared_encoding(tmp_path: Path, declared: DiskFileSystem) -> None:
    """ASCII is both; the first character that is not is written as declared, and the result says so."""
    (tmp_path / "f.cp437").write_bytes(b"a\r\n")
    target = await declared.resolve("f.cp437")
    plain = await declared.edit_text(target, replacing("a", "b"), ANY)
    done = await declared.edit_text(target, replacing("b", "\u00fc"), ANY)

    assert ((), b"\x81\r\n") == (plain.notes, (tmp_path / "f.cp437").read_bytes())
    assert ("It was ASCII so far; what is not is written in cp437, as declared for it.",) == done.notes


async def test_an_ascii_file_does_not_become_utf_16(tmp_path: Path, declared: DiskFileSystem) -> None:
    """What is declared is about other bytes than those that are there: the file is UTF-8."""
    (tmp_path / "f.utf-16-le").write_bytes(b"a\n")

    assert b"\xc3\xbc\n" == await edited(declared, "f.utf-16-le", "a", "\u00fc")


async def test_what_can_not_be_encoded_changes_nothing(tmp_path: Path, declared: DiskFileSystem) -> None:
    """Neither an edit, nor a write, nor a new file: not a byte, not a name."""
    (tmp_path / "f.cp437").write_bytes(b"\x81\n")
    for name, edit in (("f.cp437", True), ("f.cp437", False), ("new.cp437", False)):
        target = await declared.resolve(name)
        with pytest.raises(FsNotText, match=r"U\+4E2D CJK UNIFIED IDEOGRAPH-4E2D at line 1, column 1, which it can't"):
            await (
                declared.edit_text(target, replacing("\u00fc", "\u4e2d"), ANY)
                if edit
                else declared.write_text(target, "\u4e2d", ANY)
            )

    assert (["f.cp437"], b"\x81\n") == (names(tmp_path), (tmp_path / "f.cp437").read_bytes())


async def test_a_setting_for_a_glob(tmp_path: Path, disk: DiskFileSystem) -> None:
    """The last glob that matches counts, and goes before ``.editorconfig``; what can't be used is left out."""
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = latin1\n", encoding="utf-8")
    disk.styles.set_encodings({"*.prg": "cp437", "legacy/**": "cp850", "*.x": "utf-7", "../*": "gbk"})
    found = []
    for name in ("a.prg", "sub/a.prg", "legacy/a.prg", "legacy/sub/b", "a.x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\x81\xe9\n")
        read = await disk.read_text(await disk.resolve(name))
        found.append(read.encoding if isinstance(read, TextRead) else None)

    assert ["cp437", "cp437", "cp850", "cp850", "iso8859-1"] == found


async def test_settings_hold_when_the_folders_change(tmp_path: Path, declared: DiskFileSystem) -> None:
    """Another workspace on the same disk has the same encodings, also those that are set later."""
    moved = declared.for_workspace(Workspace([tmp_path]))
    declared.styles.set_encodings({"f": "cp437"})
    (tmp_path / "f").write_bytes(b"\x81\n")
    read = await moved.read_text(await moved.resolve("f"))

    assert isinstance(read, TextRead)
    assert ("\u00fc\n", "cp437") == (read.text, read.encoding)


async def test_large_contents_are_known_by_their_encoding_too(tmp_path: Path, disk: DiskFileSystem) -> None:
    """The same bytes are another text as soon as another encoding is declared for them."""
    data = b"\xe9\n" * SMALLEST
    (tmp_path / "f").write_bytes(data)
    target, found = await disk.resolve("f"), []
    for codec in ("cp1252", "cp437", "cp1252", "gbk"):
        disk.styles.set_encodings({"f": codec})
        try:
            read = await disk.read_text(target)
        except FsNotText:
            found.append("")
        else:
            found.append(read.text[0] if isinstance(read, TextRead) else "")
    recent = RecentContents()
    recent.keep(kept := text_content(decode(plain := b"a\n" * SMALLEST, "f"), plain))

    assert ["\u00e9", "\u0398", "\u00e9", ""] == found
    assert kept is recent.find(plain, never)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "gb18030", "shift_jis", "euc_jp", "cp437"])
@pytest.mark.parametrize("shift", [0, 1, 2, 3])
async def test_a_stream_across_pieces(tmp_path: Path, declared: DiskFileSystem, codec: str, shift: int) -> None:
    """A character, and a pair of return and newline, that is cut in two by the end of a piece is put together."""
    text = ("x" * (shift + 1) + (alphabet(codec)[-2:] + "\r\n") * PIECE)[: PIECE // 2 + 100]
    (tmp_path / f"f.{codec}").write_bytes(text.encode(codec))
    target = await declared.resolve(f"f.{codec}")

    assert text.replace("\r\n", "\n") == "".join([piece async for piece in declared.stream_text(target)])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("undeclared", codecs.BOM_UTF16_LE + "\u00e9\n".encode("utf-16-le")),
        ("f.cp437", codecs.BOM_UTF16_BE + "\u00e9\n".encode("utf-16-be")),
        ("f.cp437", codecs.BOM_UTF8 + "\u00e9\n".encode()),
        ("f.utf-16-le", "\u00e9a\n".encode("utf-16-le")),
        ("f.utf-16-be", "ab\n".encode("utf-16-be")),
    ],
)
async def test_a_stream_has_the_encoding_of_a_read(
    tmp_path: Path, declared: DiskFileSystem, name: str, data: bytes
) -> None:
    """A mark goes before what is declared, and that before UTF-8 with many NULs."""
    (tmp_path / name).write_bytes(data)
    target = await declared.resolve(name)
    read = await declared.read_text(target)

    assert isinstance(read, TextRead)
    assert read.text == "".join([piece async for piece in declared.stream_text(target)])
    assert "\0" not in read.text


async def test_a_stream_refuses_what_a_read_would_refuse(tmp_path: Path, declared: DiskFileSystem) -> None:
    """Bytes that would not be written back, by their offset in the file; and a file that is cut in a character."""
    for end, reason in (
        (b"\x87\x90", "bytes from offset 1048580 on would not be written"),
        (b"\x87", "byte at offset"),
    ):
        (tmp_path / "f.cp932").write_bytes(b"\x82\xa0" * (PIECE // 2 + 2) + end)
        with pytest.raises(FsNotText, match=reason):
            [piece async for piece in declared.stream_text(await declared.resolve("f.cp932"))]


async def test_a_stream_of_utf_8_is_utf_8_whatever_is_declared(tmp_path: Path, declared: DiskFileSystem) -> None:
    """As for a read, also where only the last byte would tell."""
    text = "a" * PIECE + "\u00e9"
    (tmp_path / "f.cp437").write_bytes(text.encode())

    assert text == "".join([piece async for piece in declared.stream_text(await declared.resolve("f.cp437"))])
    assert "a" * PIECE + "\u00fc" == (await edited(declared, "f.cp437", "\u00e9", "\u00fc")).decode()
