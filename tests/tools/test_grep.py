"""grep: hits counted in full, shown within limits, on the disk and in what editors hold unsaved."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsh_ledger.observations import Unseen
from dsh_tools.builtin.grep import GREP
from dsh_tools.content import content_text
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.search import messages, searching
from dsh_tools.search.filters import FileFilter, names_of_type
from dsh_tools.search.queries import Query
from tests.support.searches import Searcher, hits, paths


@pytest.fixture
def searcher(tmp_path: Path, disk: DiskFileSystem) -> Searcher:
    """Calls tools on the temporary folder."""
    return Searcher(tmp_path, disk)


def lines(value: Any) -> list[tuple[int, str, bool]]:
    """The lines that are shown: number, text, and whether a match begins in it."""
    return [(line["line"], line["text"], "column" in line) for file in value["files"] for line in file["lines"]]


# ---- numbers


@pytest.mark.parametrize(("count", "truncated"), [(50, False), (51, True)])
@pytest.mark.parametrize("mode", ["content", "files", "count"])
@pytest.mark.parametrize("spread", [False, True])
async def test_H01_truncated_is_exact(searcher: Searcher, count: int, truncated: bool, mode: str, spread: bool) -> None:
    """As many hits as the limit are all; one more is counted and said, in one file or in many, in every mode."""
    if spread or mode != "content":
        for number in range(count):
            searcher.write(f"{number:02}", "x\n")
    else:
        searcher.write("f", "x\n" * count)
    asked = {"pattern": "x", "limit": 50, "output_mode": mode}
    value = await searcher.value(GREP, **asked)
    card = await searcher.card(GREP, **asked)

    assert (50, count, truncated, False) == (value["shown"], value["total"], value["truncated"], value["atLeast"])
    assert (50, count, truncated, None) == (len(card.hits), card.total, card.truncated, card.at_least)
    assert truncated == (f"The first 50 of {count}" in await searcher.text(GREP, **asked))


async def test_the_first_by_path_are_shown(searcher: Searcher) -> None:
    """Whatever order ripgrep finds them in, and however many more there are."""
    for number in range(200):
        searcher.write(f"{number:03}/{number % 7}", "x\nx\n")
    value = await searcher.value(GREP, pattern="x", limit=3)

    assert [("000/0", 1), ("000/0", 2), ("001/1", 1)] == [(path, line) for path, line, _, _ in hits(value)]
    assert (400, 200, 200) == (value["total"], value["totalFiles"], value["searched"])
    count = await searcher.value(GREP, pattern="x", limit=3, output_mode="count")
    assert ([2, 2, 2], 400) == ([file["hits"] for file in count["files"]], count["totalHits"])


async def test_counting_ends_somewhere(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many hits are "at least" so many, and what is shown is the same each time."""
    monkeypatch.setattr(messages, "MOST_COUNTED", 500)
    for number in range(40):
        searcher.write(f"{number:02}", "x\n" * 100)
    value = await searcher.value(GREP, pattern="x", limit=2)

    assert [("00", 1, 1, "x"), ("00", 2, 1, "x")] == hits(value)
    assert (501, 6, True, True) == (value["total"], value["totalFiles"], value["atLeast"], value["truncated"])
    assert "The first 2 of more than 501 hits" in await searcher.text(GREP, pattern="x", limit=2)
    assert (await searcher.card(GREP, pattern="x", limit=2)).at_least is True


async def test_what_is_shown_has_a_size(searcher: Searcher) -> None:
    """Many long lines are cut by size, and the reader is told."""
    searcher.write("f", f"{'x' * 400}\n" * 500)
    value = await searcher.value(GREP, pattern="^x", limit=500)

    assert (500, 124, "size") == (value["total"], value["shown"], value["truncatedBy"])
    assert "since 50000 characters are shown at most" in await searcher.text(GREP, pattern="^x", limit=500)


async def test_the_last_hit_keeps_its_context(searcher: Searcher) -> None:
    """Where the limit cuts, the lines right below the last hit stay and those above the next go."""
    searcher.write("f", "x\n1\n2\n3\n4\n5\nx\n")
    value = await searcher.value(GREP, pattern="x", context=2, limit=1)

    assert [(1, "x", True), (2, "1", False), (3, "2", False)] == lines(value)
    text = await searcher.text(GREP, pattern="x", context=2)
    assert text.endswith("f\n     1| x\n     2- 1\n     3- 2\n--\n     5- 4\n     6- 5\n     7| x")


# ---- lines


async def test_H10_a_hit_on_a_long_line_is_clipped_and_never_dropped(searcher: Searcher) -> None:
    """One line of 100 KB: the hit is shown around its column, with how much is hidden on either side."""
    line = ("é" * 89_999 + "needle").ljust(100_000, "y")
    searcher.write("min.js", line)
    value = await searcher.value(GREP, pattern="needle")
    [shown] = value["files"][0]["lines"]

    assert (1, 1, 90_000) == (value["total"], shown["line"], shown["column"])
    assert line == "é" * shown["hiddenBefore"] + shown["text"] + "y" * shown["hiddenAfter"]
    assert "needle" in shown["text"]
    assert 500 == len(shown["text"])
    before, after = f"[cut: {shown['hiddenBefore']} characters] …", f"… [cut: {shown['hiddenAfter']} characters]"
    text = await searcher.text(GREP, pattern="needle")
    assert f"     1| {before}{shown['text']}{after} [match at column 90000]" in text
    [hit] = (await searcher.card(GREP, pattern="needle")).hits
    assert (f"{before}{shown['text']}{after}", 90_000) == (hit.text, hit.column)


async def test_a_line_that_is_too_large_is_counted_and_said(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even such a hit is dropped: its file is named, and it is counted."""
    monkeypatch.setattr(messages, "_MESSAGE_LIMIT", 100_000)
    searcher.write("f", "x" + "y" * 200_000 + "\n" + "x\n")
    searcher.write("g", "x" + "y" * 200_000)
    value = await searcher.value(GREP, pattern="x")

    assert (3, 1, True, "line") == (value["total"], value["shown"], value["truncated"], value["truncatedBy"])
    assert [("f", 2, 1, "x")] == hits(value)
    assert [("f", 2), ("g", 1)] == [(file["path"], file["hits"]) for file in value["files"]]
    assert "Hits on lines too large to be shown: 2." in value["notes"]


@pytest.mark.parametrize(
    ("content", "pattern", "expected"),
    [
        (b"a\r\nba\r\n", "a$", [(1, 1, "a"), (2, 2, "ba")]),
        (b"\xef\xbb\xbfxa", "a", [(1, 2, "xa")]),
        ("xßa".encode("utf-16"), "a", [(1, 3, "xßa")]),
        (b"\xffa\n", "a", [(1, 2, "\ufffda")]),
        ("😋a".encode(), "a", [(1, 2, "😋a")]),
        (b"-e\n", "-e", [(1, 1, "-e")]),
        (b"a\n\nb", "^$", [(2, 1, "")]),
        (b"a  b a", "a", [(1, 1, "a  b a")]),
    ],
)
async def test_what_a_line_is(
    searcher: Searcher, content: bytes, pattern: str, expected: list[tuple[int, int, str]]
) -> None:
    r"""``\n`` and ``\r\n`` end lines and are not shown; columns are code points from 1; encodings are seen through."""
    searcher.write("f", content)

    assert expected == [hit[1:] for hit in hits(await searcher.value(GREP, pattern=pattern))]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_matches_that_span_lines(searcher: Searcher, end: str) -> None:
    r"""``\n`` in a pattern is either end of a line; each line in which a match begins is a hit."""
    searcher.write("f", end.join(["a", "b", "c", "a", "b", ""]))

    literal: dict[str, Any] = {"pattern": "a\nb", "fixed_strings": True}
    for asked in ({"pattern": r"a\nb"}, literal, {"pattern": "a.{1,2}b"}):
        value = await searcher.value(GREP, multiline=True, **asked)
        assert [(1, "a", True), (2, "b", False), (4, "a", True), (5, "b", False)] == lines(value)
        assert 2 == value["total"]


async def test_a_match_of_many_lines_is_cut(searcher: Searcher) -> None:
    """Of a match that goes on and on the first lines are shown, and how many more it has is said."""
    searcher.write("f", "a\n" + "b\n" * 99 + "c\nd\n")
    value = await searcher.value(GREP, pattern="a.*c", multiline=True)

    assert (1, 50, 51) == (value["total"], len(lines(value)), value["files"][0]["lines"][-1]["hiddenLines"])
    assert "… [cut: 51 lines of this match]" in await searcher.text(GREP, pattern="a.*c", multiline=True)


def test_line_ends_in_a_pattern_are_widened_outside_of_classes() -> None:
    """A class stays as it is, an escaped backslash is no escape, and a verbose pattern's line ends are layout."""
    for pattern, widened in [
        (r"a\nb", r"a(?:\r?\n)b"),
        (r"[^\n]\n", r"[^\n](?:\r?\n)"),
        (r"[]\n]\n", r"[]\n](?:\r?\n)"),
        (r"\[\n", r"\[(?:\r?\n)"),
        (r"\\n", r"\\n"),
        ("a\nb", r"a(?:\r?\n)b"),
        ("(?x)a\nb", "(?x)a\nb"),
    ]:
        assert f"--regexp={widened}".encode() == Query(pattern, multiline=True).arguments()[-1]


# ---- files


async def test_which_files_are_searched(searcher: Searcher) -> None:
    """By glob, by type and by folder; hidden ones too, ``.git`` and links not; a glob does not override ignoring."""
    for name in ("a.py", "d/b.py", "d/c.txt", ".h/d.py", ".git/e.py", "x.log"):
        searcher.write(name, "x")
    searcher.write(".ignore", "x.log\n")
    (searcher.root / "link.py").symlink_to("d/c.txt")

    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, [".h/d.py", "a.py", "d/b.py", "d/c.txt"]),
        ({"glob": "*.py"}, [".h/d.py", "a.py", "d/b.py"]),
        ({"glob": "d/*.{py,txt}"}, ["d/b.py", "d/c.txt"]),
        ({"glob": "d/"}, ["d/b.py", "d/c.txt"]),
        ({"glob": "!*.py"}, ["d/c.txt"]),
        ({"glob": "*.log"}, []),
        ({"type": "py"}, [".h/d.py", "a.py", "d/b.py"]),
        ({"type": "py", "glob": "d/**"}, ["d/b.py"]),
        ({"path": "d"}, ["d/b.py", "d/c.txt"]),
        ({"path": "d/c.txt"}, ["d/c.txt"]),
        ({"path": "link.py"}, ["d/c.txt"]),
        ({"path": "x.log"}, ["x.log"]),
        ({"include_ignored": True, "glob": "*.log"}, ["x.log"]),
    ]
    for asked, expected in cases:
        assert expected == paths(await searcher.value(GREP, pattern="x$", **asked)), asked


async def test_H11_files_that_ignore_files_hide_are_counted(searcher: Searcher) -> None:
    """How many were not searched, of those that glob and type ask for, and what has them searched."""
    searcher.write(".gitignore", "dist/\n")
    searcher.write("dist/a.js", "x")
    searcher.write("dist/b.css", "x")
    value = await searcher.value(GREP, pattern="x", glob="*.js")

    assert (0, 1, True) == (value["total"], value["ignored"], value["ignoredExact"])
    said = "1 file ignored by .gitignore or the like is not searched: set include_ignored to search it."
    assert said in (await searcher.card(GREP, pattern="x", glob="*.js")).notes
    assert f"No hits; 0 files searched.\n{said}" == await searcher.text(GREP, pattern="x", glob="*.js")
    assert ["dist/a.js", "dist/b.css"] == paths(await searcher.value(GREP, pattern="x", include_ignored=True))
    assert ["dist/a.js"] == paths(await searcher.value(GREP, pattern="x", path="dist/a.js"))


async def test_ignored_files_are_not_counted_for_ever(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many are "more than" so many."""
    monkeypatch.setattr("dsh_tools.search.walks.MOST_IGNORED", 5)
    searcher.write(".gitignore", "d\n")
    for number in range(9):
        searcher.write(f"d/{number}")
    value = await searcher.value(GREP, pattern="x")

    assert (5, False) == (value["ignored"], value["ignoredExact"])
    assert "More than 5 files ignored by" in value["notes"][0]


async def test_binary_files_are_not_shown_and_it_is_said(searcher: Searcher) -> None:
    """Whether the bytes that are no text come before the hit or long after it."""
    searcher.write("a", b"x\n\0\xff")
    searcher.write("b", b"x\n" + b"y" * 300_000 + b"\0\xff\n")
    searcher.write("c", "x")

    for mode in ("content", "files", "count"):
        value = await searcher.value(GREP, pattern="x", output_mode=mode)
        assert (["c"], 1) == (paths(value), value["total"])
        assert ["Binary files with hits that are neither counted nor shown: 2."] == value["notes"]
    assert 0 == (await searcher.value(GREP, pattern="x", path="a"))["total"]


async def test_what_can_not_be_read_is_said(searcher: Searcher) -> None:
    """The rest is searched all the same; no path of it is told twice, and no text of the system."""
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    searcher.write("a", "x").chmod(0)
    searcher.write("b", "x")
    value = await searcher.value(GREP, pattern="x")

    assert (["b"], ["Files or folders that could not be read: 1."]) == (paths(value), value["notes"])


async def test_F12_names_that_are_no_utf8(searcher: Searcher) -> None:
    """Hits are told by the file's URI, and a glob's ``?`` is one such byte."""
    (searcher.root / os.fsdecode(b"\xff\xfe.txt")).write_bytes(b"x")

    assert [f"{searcher.root.as_uri()}/%FF%FE.txt"] == paths(await searcher.value(GREP, pattern="x", glob="??.txt"))


async def test_types_are_ripgreps(searcher: Searcher) -> None:
    """What a type means is asked of ripgrep; ``all`` is every type."""
    assert {"*.py", "*.pyi"} <= set(await names_of_type("py"))
    assert {"*.rs", "*.pyi"} <= set(await names_of_type("all"))
    makefiles = FileFilter(None, await names_of_type("make"))
    assert [True, True, False] == [makefiles.accepts(name) for name in (b"Makefile", b"d/x.mk", b"d.mk/x")]


# ---- refusals


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"pattern": "a("}, "INVALID_ARGS: pattern: regex parse error: unclosed group."),
        ({"pattern": "(?=a)"}, "INVALID_ARGS: pattern: regex parse error: look-around"),
        ({"pattern": r"a\nb"}, "set multiline for a pattern that spans lines"),
        ({"pattern": "a\nb", "fixed_strings": True}, "set multiline for a pattern that spans lines"),
        ({"pattern": "a\0b"}, "INVALID_ARGS: pattern: has a NUL character"),
        ({"pattern": "a", "type": "\0"}, "INVALID_ARGS: type: has a NUL character"),
        ({"pattern": "a", "glob": "\0"}, "INVALID_ARGS: glob: has a NUL character"),
        ({"pattern": "a\udfff"}, "INVALID_ARGS: pattern: "),
        ({"pattern": r"\w{9999}{9999}"}, "INVALID_ARGS: pattern: "),
        ({"pattern": "a", "type": "none"}, "INVALID_ARGS: type: unrecognized file type: none."),
        ({"pattern": "a", "type": "-x"}, "INVALID_ARGS: type: "),
        ({"pattern": "a", "glob": "*/../x"}, "INVALID_ARGS: glob: has .. after"),
        ({"pattern": "a", "context": 11}, "INVALID_ARGS: context: "),
        ({"pattern": "a", "limit": 1001}, "INVALID_ARGS: limit: "),
        ({"pattern": "a", "path": "none"}, "FS_NOT_FOUND: none does not exist."),
        ({"pattern": "a", "path": ".."}, "FS_SANDBOX_DENIED: "),
        ({"pattern": "a", "path": "out"}, "FS_SANDBOX_DENIED: "),
        ({"pattern": "a", "path": "fifo"}, "FS_NOT_REGULAR_FILE: "),
    ],
)
async def test_refusals(searcher: Searcher, asked: dict[str, Any], said: str) -> None:
    """The argument that is wrong is named, with ripgrep's reason; paths are decided on as for every tool."""
    (searcher.root / "out").symlink_to("/etc")
    os.mkfifo(searcher.root / "fifo")

    assert said in await searcher.refusal(GREP, **asked)


# ---- what editors hold


async def test_D02_unsaved_text_is_searched_in_place_of_the_file(searcher: Searcher) -> None:
    """What was typed is found, what it replaced is not, and the result says where it looked."""
    for name in ("a.txt", "b.txt"):
        searcher.write(name, "x\n")
    searcher.files.open("a.txt", "y\n")
    searcher.files.open("b.txt", "ignored, since it is not dirty", dirty=False)
    new = await searcher.value(GREP, pattern="y|x")
    [was_a, b] = new["files"]

    assert [("a.txt", 1, 1, "y"), ("b.txt", 1, 1, "x")] == hits(new)
    assert (("buffer", True), ("disk", False)) == ((was_a["via"], was_a["dirty"]), (b["via"], b["dirty"]))
    assert 2 == new["searched"]
    note = "Searched as unsaved text in the editor, not as on the disk: a.txt."
    assert [note] == new["notes"]
    assert (note,) == (await searcher.card(GREP, pattern="y")).notes
    assert "a.txt (unsaved text in the editor)\n     1| y" in await searcher.text(GREP, pattern="y")
    assert [] == hits(await searcher.value(GREP, pattern="x", path="a.txt"))
    assert [("a.txt", 1, 1, "y")] == hits(await searcher.value(GREP, pattern="y", path="a.txt"))


async def test_unsaved_texts_are_filtered_as_files_are(searcher: Searcher) -> None:
    """By folder, glob, type and ignore files; a text without a file counts too."""
    searcher.write(".gitignore", "dist\n")
    for name in ("dist/a.py", "d/b.py", "d/c.txt"):
        searcher.write(name, "old")
        searcher.files.open(name, "new")
    searcher.files.open("e/f.py", "new")

    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["d/b.py", "d/c.txt", "e/f.py"]),
        ({"glob": "*.py"}, ["d/b.py", "e/f.py"]),
        ({"glob": "d/*"}, ["d/b.py", "d/c.txt"]),
        ({"type": "py"}, ["d/b.py", "e/f.py"]),
        ({"path": "d"}, ["d/b.py", "d/c.txt"]),
        ({"path": "e"}, ["e/f.py"]),
        ({"path": "e/f.py"}, ["e/f.py"]),
        ({"path": "dist/a.py"}, ["dist/a.py"]),
        ({"include_ignored": True, "type": "py"}, ["d/b.py", "dist/a.py", "e/f.py"]),
    ]
    for asked, expected in cases:
        value = await searcher.value(GREP, pattern="new", **asked)
        assert (expected, len(expected)) == (paths(value), value["total"]), asked
        assert 0 == (await searcher.value(GREP, pattern="old", **asked))["total"], asked


_TEXT = st.text(st.sampled_from("aAbß😋 .*[\\\t\r\n\u2028"), max_size=40)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_TEXT, st.sampled_from(["a", "^", "$", "a$", r"\bA", "ß|😋", r"[^a]\s", r"\.\*", r"(?i)a+", "a.", r"\\"]))
async def test_the_same_text_gives_the_same_hits(searcher: Searcher, text: str, pattern: str) -> None:
    """One dialect: on the disk, in a buffer, and in a file with other line ends."""
    logical = text.replace("\r\n", "\n")
    found = []
    for name, content, buffer in [
        ("disk", logical, None),
        ("buffer", "z", logical),
        ("crlf", "\r\n".join(logical.split("\n")), None),
    ]:
        searcher.write(name, content)
        if buffer is not None:
            searcher.files.open(name, buffer)
        value = await searcher.value(GREP, pattern=pattern, path=name, context=1)
        found.append([hit[1:] for hit in hits(value)])

    assert found[0] == found[1]
    if "\r" not in logical:
        assert found[0] == found[2]


async def test_a_search_is_no_read(searcher: Searcher) -> None:
    """Neither hits nor misses are observations, of a file or of a folder."""
    searcher.write("a", "x")
    await searcher.value(GREP, pattern="x", path="a")
    await searcher.call(GREP, pattern="x", path="none")

    for name in ("a", "none"):
        assert Unseen() == searcher.ledger.observation(await searcher.files.resolve(name))


# ---- projections


async def test_what_the_model_reads_is_made_from_value_and_arguments_alone(searcher: Searcher) -> None:
    """The projections give the same again when the files are gone."""
    searcher.write("a", "x")
    result = await searcher.call(GREP, pattern="x")
    (searcher.root / "a").unlink()
    args = GREP.params(pattern="x")

    assert isinstance(result.value, dict)
    assert content_text(result.content) == content_text(GREP.render(args, result.value))
    assert GREP.presentation_meta is not None
    assert result.meta == GREP.presentation_meta(args, result.value)


# ---- texts that are not plain UTF-8


async def test_A20_a_text_with_nuls_is_searched(searcher: Searcher) -> None:
    """What a read takes for text is searched as text, on the disk and unsaved; what it refuses is binary."""
    searcher.write("z.ts", b"k='a\0b' needle\nneedle\n")
    searcher.write("p.png", b"\x89PNG\r\n\x1a\n\0\0\0needle\xff\n")
    searcher.files.open("new.ts", "a\0b needle\n")

    value = await searcher.value(GREP, pattern="needle")
    named = await searcher.value(GREP, pattern="needle", path="z.ts")

    assert [("new.ts", 1), ("z.ts", 1), ("z.ts", 2)] == [(path, line) for path, line, _, _ in hits(value)]
    assert "Binary files with hits that are neither counted nor shown: 1." in value["notes"]
    assert ["k='a\0b' needle", "needle"] == [text for _, _, _, text in hits(named)]


@pytest.mark.parametrize("path", [".", "a.txt"])
async def test_A12_a_file_in_a_declared_encoding_is_searched_as_it_reads(searcher: Searcher, path: str) -> None:
    """Its characters are found and shown, each hit once; columns count characters."""
    searcher.write(".editorconfig", "[a.txt]\ncharset = latin1\n")
    searcher.write("a.txt", "café needle\r\nneedle\r\n".encode("latin-1"))
    searcher.write("plain.txt", "nothing\n")

    accented = await searcher.value(GREP, pattern="café", path=path)
    plain = await searcher.value(GREP, pattern="^(?:caf. )?needle$", path=path)
    either = await searcher.value(GREP, pattern="é|^needle", path=path)

    assert [("a.txt", 1, 1, "café needle")] == hits(accented)
    assert [("a.txt", 1, 4, "café needle"), ("a.txt", 2, 1, "needle")] == hits(either)
    assert (2, 1) == (either["total"], either["totalFiles"])
    assert ("a.txt", 2, 1, "needle") in hits(plain)


async def test_a_file_in_an_encoding_that_nobody_declared_is_searched_by_its_bytes(searcher: Searcher) -> None:
    """What can't be read is still found where it is ASCII; what it holds else is not known."""
    searcher.write("a.txt", "café needle\n".encode("latin-1"))

    value = await searcher.value(GREP, pattern="needle")

    assert [("a.txt", 1, 6, "caf\ufffd needle")] == hits(value)
    assert [] == value["notes"]
    for path in (".", "a.txt"):
        missed = await searcher.value(GREP, pattern="café", path=path)
        assert 0 == missed["total"]
        assert missed["notes"][-1].endswith("may have been missed in them: 1.")


async def test_not_all_files_that_are_not_utf_8_are_looked_at_and_that_is_said(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count that is not exact says so; of exactly as many as are looked at, it is."""
    monkeypatch.setattr(searching, "_MOST_LISTED", 2)
    said = []
    for name in ("a.txt", "b.txt", "c.txt"):
        searcher.write(name, "café\n".encode("latin-1"))
        said.append((await searcher.value(GREP, pattern="café"))["notes"][-1].rpartition(": ")[2])

    assert ["1.", "2.", "at least 2."] == said


@pytest.mark.parametrize("glob", ["*.ts,*.tsx", "*.TS", "/no/such/*.ts"])
async def test_a_glob_that_no_file_matches_is_named(searcher: Searcher, glob: str) -> None:
    """No hits, since nothing was searched, is another thing than no hits."""
    searcher.write("a.ts", "needle\n")

    none = await searcher.text(GREP, pattern="needle", glob=glob)
    some = await searcher.text(GREP, pattern="other", glob="*.ts")

    assert none.startswith("No hits; 0 files searched.\nNo file there matches the glob, so nothing was searched: ")
    assert "No hits; 1 file searched." == some
