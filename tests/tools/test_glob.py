"""glob: which files there are, those hidden by ignore files and those that only an editor has included."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.errors import FsSandboxDenied
from dsh_tools.builtin.glob import GLOB
from dsh_tools.content import content_text
from dsh_tools.contract import SessionTraits
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.port import TextRead
from dsh_tools.search import ripgrep
from dsh_tools.search.globs import Glob, GlobRefused
from tests.support.searches import Searcher, paths


@pytest.fixture
def searcher(tmp_path: Path, disk: DiskFileSystem) -> Searcher:
    """Calls tools on the temporary folder."""
    return Searcher(tmp_path, disk)


# ---- patterns


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a.py", True),
        ("*.py", "d/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "d/e/a.py", True),
        ("d/**", "d/e/f", True),
        ("d/**", "d", False),
        ("d/", "d/e", True),
        ("d/**/f", "d/f", True),
        ("d/**/f", "d/e/e/f", True),
        ("**/d/**/f", "x/d/d/e/f", True),
        ("?.py", "é.py", True),
        ("?.py", "ab.py", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[^a-c]x", "dx", True),
        ("app/[id]/p", "app/[id]/p", True),
        ("app/[id]/p", "app/d/p", True),
        ("*.{ts,tsx}", "a.tsx", True),
        ("*.{ts,tsx}", "a.t", False),
        ("{a,b/{c,d}}/*", "b/d/x", True),
        ("{a", "{a", True),
        ("{}", "", False),
        (r"\*", "*", True),
        (r"\*", "a", False),
        (r"\{a,b\}", "{a,b}", True),
        ("./a//b", "a/b", True),
        ("*", ".hidden", True),
        ("**", "a/b", True),
    ],
)
def test_what_a_glob_matches(pattern: str, path: str, expected: bool) -> None:
    """Names are matched name by name, ``**`` is any number of folders, hidden names are names."""
    assert expected == Glob(pattern).matches(path)


@given(st.lists(st.sampled_from(["*", "?", "a", "b", "**", "a*", "*b*a"]), min_size=1, max_size=5), st.data())
def test_globs_are_what_their_definition_says(names: list[str], data: st.DataObject) -> None:
    """The matcher gives what a plain regular expression that backtracks without limits gives."""
    path = "/".join(data.draw(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5)))
    parts = [*names, "*"] if names[-1] == "**" else names
    expression = ""
    for at, name in enumerate(parts):
        last = at == len(parts) - 1
        one = name.replace("*", "[^/]*").replace("?", "[^/]")
        expression += "(?:[^/]+/)*" if name == "**" else one + ("" if last else "/")

    assert (re.fullmatch(expression, path) is not None) == Glob("/".join(names)).matches(path)


def test_a_glob_that_is_made_to_take_long_does_not() -> None:
    """Many stars don't multiply."""
    assert not Glob("/".join(["**", "*a*a*a*a*a*a*a*a*a*a*b"] * 8)).matches("/".join(["a" * 100] * 60))


def test_braces_have_a_limit() -> None:
    """What would become very many patterns is refused."""
    with pytest.raises(GlobRefused, match="more than 64 alternatives"):
        Glob("{a,b}" * 7)
    with pytest.raises(GlobRefused, match="more than 64 braces"):
        Glob("{" * 400 + "}" * 400)


# ---- files


async def test_files_are_listed_by_path(searcher: Searcher) -> None:
    """Folder by folder, as a listing would have them; links and ``.git`` are not in it, hidden files are."""
    for name in ("b", "a/z", "a+", "a/.x/y", ".git/config", "c\nd"):
        searcher.write(name)
    (searcher.root / "link").symlink_to("b")
    (searcher.root / "out").symlink_to("/etc")

    assert ["a/.x/y", "a/z", "a+", "b", "c\nd"] == paths(await searcher.value(GLOB, pattern="**"))


async def test_a_name_with_a_line_end_does_not_break_the_list(searcher: Searcher) -> None:
    """The model reads the URI of such a name."""
    searcher.write("a\nb")

    assert f"1 file found.\n{searcher.root.as_uri()}/a%0Ab" == await searcher.text(GLOB, pattern="*")


@pytest.mark.parametrize(("count", "truncated"), [(50, False), (51, True)])
async def test_H01_truncated_is_exact(searcher: Searcher, count: int, truncated: bool) -> None:
    """Exactly as many files as the limit are all of them; one more is one too many, and is counted."""
    for number in range(count):
        searcher.write(f"{number:02}")
    value = await searcher.value(GLOB, pattern="*", limit=50)
    card = await searcher.card(GLOB, pattern="*", limit=50)

    assert (count, truncated, 50) == (value["total"], value["truncated"], len(value["files"]))
    assert (count, truncated, 50) == (card.total, card.truncated, len(card.hits))
    assert [f"{number:02}" for number in range(50)] == paths(value)
    assert truncated == ("The first 50 by path are listed" in await searcher.text(GLOB, pattern="*", limit=50))


async def test_H11_ignored_files_are_counted_and_an_exact_path_is_answered(searcher: Searcher) -> None:
    """A file that .gitignore hides is found by its path; a wildcard says how many it hides and what shows them."""
    searcher.write(".gitignore", "dist/\n")
    searcher.write("dist/a.js")
    exact = await searcher.value(GLOB, pattern="dist/a.js")
    hidden = await searcher.value(GLOB, pattern="**/*.js")
    shown = await searcher.value(GLOB, pattern="**/*.js", include_ignored=True)

    assert (["dist/a.js"], 0) == (paths(exact), exact["ignored"])
    assert ([], 1, 0) == (paths(hidden), hidden["ignored"], hidden["total"])
    assert (["dist/a.js"], 0) == (paths(shown), shown["ignored"])
    said = "1 file ignored by .gitignore or the like is not listed: set include_ignored to list it."
    assert said in await searcher.text(GLOB, pattern="**/*.js")
    assert (said,) == (await searcher.card(GLOB, pattern="**/*.js")).notes
    assert ["dist/a.js"] == paths(await searcher.value(GLOB, pattern="dist/*"))


async def test_H11_a_glob_does_not_override_gitignore(searcher: Searcher) -> None:
    """A pattern that names an ignored kind of file does not list it; one that is the file's very name does."""
    searcher.write(".gitignore", "*.log\n")
    searcher.write("[a].log")
    searcher.write("b.log")

    assert ([], 2) == ((value := await searcher.value(GLOB, pattern="*.log"))["files"], value["ignored"])
    exact = await searcher.value(GLOB, pattern="[a].log")
    assert (["[a].log"], 1, 0) == (paths(exact), exact["total"], exact["ignored"])


async def test_F12_names_that_are_no_utf8(searcher: Searcher) -> None:
    """They are listed as URIs, and read and found again by them; nothing raw gets out."""
    (searcher.root / os.fsdecode(b"\xff\xfe.txt")).write_bytes(b"hello")
    uri = f"{searcher.root.as_uri()}/%FF%FE.txt"
    result = await searcher.call(GLOB, pattern="*")
    read = await searcher.files.read_text(await searcher.files.resolve(uri))

    assert [uri] == paths(result.value)
    assert uri in content_text(result.content)
    assert isinstance(read, TextRead)
    assert "hello" == read.text
    assert [uri] == paths(await searcher.value(GLOB, pattern=uri))
    assert [uri] == paths(await searcher.value(GLOB, pattern="??.txt"))


async def test_names_that_lie_deeper_are_told(searcher: Searcher) -> None:
    """A pattern without folders that finds less than it may be meant to says so, with the pattern that finds more."""
    searcher.write("d/a.py")
    searcher.write("d/e/b.py")

    assert "2 more files of such a name lie deeper: **/*.py finds them." in await searcher.text(GLOB, pattern="*.py")
    text = await searcher.text(GLOB, pattern="d/*.py")
    assert "1 more file of such a name lies deeper: d/**/*.py finds it.\nd/a.py" in text


async def test_a_directory_is_no_file(searcher: Searcher) -> None:
    """A pattern that names a directory says so."""
    searcher.write("d/a")

    for pattern in ("d", "d/"):
        assert "names a directory: add /** to list what is in it" in await searcher.text(GLOB, pattern=pattern)
    assert ["d/a"] == paths(await searcher.value(GLOB, pattern="d/**"))


async def test_D02_files_that_only_an_editor_has_are_listed(searcher: Searcher) -> None:
    """A buffer without a file is listed in its place and marked; so is a file with unsaved typing."""
    searcher.write("a.py")
    searcher.write("c.py")
    searcher.files.open("b.py", "new")
    searcher.files.open("c.py", "changed")
    searcher.files.open("d/e.py", "elsewhere")
    searcher.files.open("a.py", "", dirty=False)
    value = await searcher.value(GLOB, pattern="*.py")

    places = [("disk", False), ("buffer", True), ("disk", True)]
    assert (["a.py", "b.py", "c.py"], 3) == (paths(value), value["total"])
    assert places == [(file["via"], file["dirty"]) for file in value["files"]]
    assert "b.py (unsaved, not on the disk)\nc.py (unsaved changes)" in await searcher.text(GLOB, pattern="*.py")
    assert ["d/e.py"] == paths(await searcher.value(GLOB, pattern="d/e.py"))
    assert ["d/e.py"] == paths(await searcher.value(GLOB, pattern="*", path="d"))


@pytest.mark.parametrize("pattern", ["../*", "d/../../*", "/etc/*", "/etc/passwd", "out/*", "file:///etc/passwd"])
async def test_I07_a_pattern_that_leads_outside_is_refused(searcher: Searcher, pattern: str) -> None:
    """By the decision that every other path goes by."""
    searcher.write("d/a")
    (searcher.root / "out").symlink_to("/etc")

    assert "FS_SANDBOX_DENIED" in await searcher.refusal(GLOB, pattern=pattern)
    with pytest.raises(FsSandboxDenied):
        await searcher.files.resolve(pattern.removesuffix("/*"))


async def test_patterns_may_go_up_inside(searcher: Searcher) -> None:
    """``..`` is fine as long as it stays in the workspace, and refused behind a wildcard."""
    searcher.write("d/a")
    searcher.write("b")

    assert ["b"] == paths(await searcher.value(GLOB, pattern="../*", path="d"))
    assert ["b"] == paths(await searcher.value(GLOB, pattern=f"{searcher.root}/[b]"))
    assert "INVALID_ARGS: pattern: has .. after" in await searcher.refusal(GLOB, pattern="*/../../x")
    assert "INVALID_ARGS: pattern:" in await searcher.refusal(GLOB, pattern="a\0/*")


async def test_a_path_that_is_no_folder(searcher: Searcher) -> None:
    """One that does not exist and one that is a file are refused; a folder in a pattern need not exist."""
    searcher.write("a")

    assert "FS_NOT_FOUND" in await searcher.refusal(GLOB, pattern="*", path="none")
    assert "FS_NOT_DIRECTORY" in await searcher.refusal(GLOB, pattern="*", path="a")
    assert [] == paths(await searcher.value(GLOB, pattern="none/*"))


async def test_a_configuration_file_is_not_read(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user's ripgrep is configured to do is nothing to us."""
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(searcher.write("config", "--max-depth=1\n--glob=!b\n")))
    searcher.write("d/b")

    assert ["config", "d/b"] == paths(await searcher.value(GLOB, pattern="**"))


def test_without_ripgrep_there_is_no_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program beside this Python is taken first, then one on PATH; without either the tool is withheld."""
    assert GLOB.withheld is not None
    assert GLOB.withheld(SessionTraits()) is None
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert "the program rg (ripgrep) is not installed" == GLOB.withheld(SessionTraits())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/rg").touch(mode=0o755)
    assert str(tmp_path / "bin/rg") == ripgrep.program()
