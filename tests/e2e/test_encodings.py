"""Public bug reports about encodings, as tiny inputs; each test is named by its case.

What a file's bytes are is the disk's business while it is closed, and the editor's while it is open.
"""

from typing import Any

import pytest

from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import Via, World

NUL_NOTE = "The text contains NUL characters."


async def edited(
    world: World, via: Via, name: str, content: bytes, old: str, new: str, **options: Any
) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """What reading and editing a closed file gave, and its bytes afterwards."""
    world.file(name, content)
    await world.editor(OwnClient, initialization_options=options)
    agent = await world.agent(via=via)
    read = await agent.read(name)
    edit = await agent.run("edit", file_path=name, old_string=old, new_string=new)
    return read, edit, world.bytes(name)


async def test_A05_line_ends_are_converted_once(world: World, via: Via) -> None:
    r"""A new text with `\r\n` in a file with `\r\n` gives one line end each, however often it is edited."""
    world.file("r.txt", b"x\r\ny\r\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.read("r.txt")
    for _ in range(3):
        assert (await agent.edit("r.txt", "x", "x1\r\n"))["isError"] is False

    assert b"x1\r\n1\r\n1\r\n\r\ny\r\n" == world.bytes("r.txt")


async def test_A07_a_new_file_takes_the_line_ends_that_the_workspace_asks_for(world: World, via: Via) -> None:
    """A batch file gets its line ends and says so; the file that was there keeps its own."""
    world.file(".editorconfig", "[*.bat]\nend_of_line = crlf\ninsert_final_newline = true\n")
    world.file("old.bat", b"echo 0\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    made = await agent.write("run.bat", "echo 1\necho 2")
    await agent.read("old.bat")
    await agent.write("old.bat", "echo 1\necho 2\n")
    again = await agent.edit("run.bat", "echo 1", "echo 0\necho 1")

    assert b"echo 0\r\necho 1\r\necho 2\r\n" == world.bytes("run.bat")
    assert b"echo 1\necho 2\n" == world.bytes("old.bat")
    assert [
        "As the workspace's settings ask, the new file was given CRLF line ends and a line end after the last line."
    ] == made["value"]["notes"]
    assert again["isError"] is False


async def test_A09_no_mark_is_added(world: World, via: Via) -> None:
    """A file without a byte order mark has none after an edit at its start, whatever is asked of new files."""
    world.file(".editorconfig", "[*]\ncharset = utf-8-bom\n")
    _, edit, data = await edited(world, via, "n.md", b"# t\n", "# t", "# T")

    assert edit["isError"] is False
    assert b"# T\n" == data


async def test_A11_bytes_that_nobody_declared_are_left_alone(world: World, via: Via) -> None:
    """The refusal says where the bytes stop being text, for the read and for the edit."""
    read, edit, data = await edited(world, via, "l.php", b"line1\ncaf\xe9\n", "line1", "LINE1")

    assert ["FS_NOT_TEXT", "FS_NOT_OBSERVED"] == [result["error"]["code"] for result in (read, edit)]
    assert "l.php is not text in utf-8: the byte at offset 9 does not decode." == read["error"]["message"]
    assert b"line1\ncaf\xe9\n" == data


@pytest.mark.parametrize(
    ("codec", "comment"), [("gbk", b"\xc4\xe3\xba\xc3"), ("shift_jis", b"\x83\x5c\x82\xa0"), ("euc_kr", b"\xb0\xa1")]
)
async def test_A12_legacy_text_keeps_its_bytes(world: World, via: Via, codec: str, comment: bytes) -> None:
    """With a setting for the glob the file is read, and what is not edited stays."""
    content = b"// " + comment + b"\nint x;\n"
    read, edit, data = await edited(world, via, "g.cpp", content, "int x", "int y", encodings={"*.cpp": codec})

    assert (content.decode(codec), codec) == (read["value"]["text"], read["value"]["encoding"])
    assert edit["isError"] is False
    assert b"// " + comment + b"\nint y;\n" == data


async def test_A12_a_character_that_can_not_be_written_is_named(world: World, via: Via) -> None:
    """By code point, name and place; nothing is written, and a bad setting is no obstacle to a good one."""
    settings = {"*.cpp": "gbk", "*.h": "no-such-encoding"}
    content = b"// \xc4\xe3\nint x;\n"
    _, edit, data = await edited(world, via, "g.cpp", content, "int x", "x = \u0e01", encodings=settings)

    assert "FS_NOT_TEXT" == edit["error"]["code"]
    assert (
        "g.cpp is not text in gbk: the new text has U+0E01 THAI CHARACTER KO KAI at line 2, column 5, "
        "which it can't hold." == edit["error"]["message"]
    )
    assert content == data


@pytest.mark.parametrize("declared", [True, False])
async def test_A12_an_open_file_has_the_encoding_of_its_editor(world: World, via: Via, declared: bool) -> None:
    """What the editor has decoded is what is read and edited, and the editor writes it.

    Where the server was not told the encoding, it can't see that the buffer is what the disk has, and has it not saved.
    """
    file = world.file("g.cpp", b"// \xc4\xe3\xba\xc3\nint x;\n")
    options = {"encodings": {"*.cpp": "gbk"}} if declared else None
    editor = await world.editor(OwnClient, initialization_options=options)
    uri = editor.open(file, codec="gbk")
    agent = await world.agent(via=via)
    read = await agent.read("g.cpp")
    edit = await agent.edit("g.cpp", "int x", "int \u597d")

    assert "// \u4f60\u597d\nint x;\n" == read["value"]["text"]
    assert ("buffer", declared) == (edit["value"]["via"], edit["value"]["saved"])
    assert "// \u4f60\u597d\nint \u597d;\n" == editor.text(uri)
    assert (b"// \xc4\xe3\xba\xc3\nint " + (b"\xba\xc3" if declared else b"x") + b";\n") == world.bytes("g.cpp")


@pytest.mark.parametrize(("mark", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")])
async def test_A13_utf_16_keeps_its_mark_and_its_order(world: World, via: Via, mark: bytes, codec: str) -> None:
    """The mark says the encoding; it is kept, and so are the line ends."""
    content = mark + "a\r\nb\r\n".encode(codec)
    read, edit, data = await edited(world, via, "u.reg", content, "b", "c\nd")

    assert ("a\nb\n", codec) == (read["value"]["text"], read["value"]["encoding"])
    assert edit["isError"] is False
    assert mark + "a\r\nc\r\nd\r\n".encode(codec) == data


async def test_A13_utf_16_that_does_not_say_so_is_refused(world: World, via: Via) -> None:
    """Without a mark or a declaration it is not guessed, nor taken for UTF-8 with NULs."""
    content = "Windows Registry\r\n".encode("utf-16-le")
    read, _, data = await edited(world, via, "u.reg", content, "W", "V")

    assert "FS_NOT_TEXT" == read["error"]["code"]
    assert content == data


async def test_A14_a_closed_file_has_the_charset_of_the_editor_config(world: World, via: Via) -> None:
    """Declared in `.editorconfig`, it is read, edited and written in it."""
    world.file(".editorconfig", "root = true\n[*.prg]\ncharset = latin1\n")
    read, edit, data = await edited(world, via, "a.prg", b"a\xe7\nb\n", "b", "\u00e9")

    assert ("a\u00e7\nb\n", "iso8859-1") == (read["value"]["text"], read["value"]["encoding"])
    assert edit["isError"] is False
    assert b"a\xe7\n\xe9\n" == data


async def test_A17_quotes_are_what_was_sent(world: World, via: Via) -> None:
    """No quote is made straight or curly, and no code point is left out on the way."""
    text = "it\u2019s \u201cok\u201d " + "".join(map(chr, [*range(1, 0x300), 0x2028, 0xFFFD, 0xFFFF, 0x10FFFF]))
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    assert (await agent.write("t.txt", text))["isError"] is False
    assert text.encode() == world.bytes("t.txt")


async def test_A20_nul_is_kept_and_said(world: World, via: Via) -> None:
    """Read, edited and written with a note; every byte stays. A file of nothing but NULs is no text."""
    world.file("bin", b"\0" * 100)
    read, edit, data = await edited(world, via, "z.ts", b"k='a'\0'b'\n", "k=", "key=")
    agent = await world.agent(via=via)
    binary, written = await agent.read("bin"), await agent.write("new.ts", "n\0l\n")

    assert "k='a'\0'b'\n" == read["value"]["text"]
    assert [[NUL_NOTE]] * 3 == [result["value"]["notes"] for result in (read, edit, written)]
    assert NUL_NOTE in edit["content"][0]["text"]
    assert (b"key='a'\0'b'\n", b"n\0l\n") == (data, world.bytes("new.ts"))
    assert "FS_NOT_TEXT" == binary["error"]["code"]


async def test_A22_entities_are_what_was_sent(world: World, via: Via) -> None:
    """Nothing is escaped or unescaped between the argument and the bytes."""
    text = "<p>&lt;b&gt; &amp;amp;</p>\n"
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.write("h.html", text)
    edit = await agent.edit("h.html", "&lt;b&gt;", "&quot;&#39;")

    assert edit["isError"] is False
    assert b"<p>&quot;&#39; &amp;amp;</p>\n" == world.bytes("h.html")


async def test_A26_the_locale_does_not_matter(world: World, via: Via) -> None:
    """With the C locale and no UTF-8 mode, texts, names of files and settings for them are what they are."""
    world.env |= {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    world.file("caf\u00e9.prg", b"\x82\n")
    editor = await world.editor(VsCodeLike, initialization_options={"encodings": {"caf\u00e9.*": "cp437"}})
    editor.open(world.file("open.md", "\u30db\uff08"))
    agent = await world.agent(via=via)
    made = await agent.write("j.md", "\u30db\uff08")
    closed, opened = await agent.read("caf\u00e9.prg"), await agent.read("open.md")

    assert made["isError"] is False
    assert b"\xe3\x83\x9b\xef\xbc\x88" == world.bytes("j.md")
    assert ("\u00e9\n", "\u30db\uff08") == (closed["value"]["text"], opened["value"]["text"])


async def test_the_card_of_a_created_file_shows_what_was_written(world: World, via: Via) -> None:
    """With the final newline that was added, as the file has it."""
    world.file(".editorconfig", "root = true\n[*]\ninsert_final_newline = true\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    result = await agent.write("new.txt", "one\ntwo")

    assert "one\ntwo\n" == result["meta"]["diffs"][0]["newText"] == world.bytes("new.txt").decode()
