"""The second try: what is taken as equal and what never is, ambiguity, whole characters, and time."""

import unicodedata
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.errors import LISTED, FsAmbiguousEdit, FsEditNotFound
from dsh_ledger.ledger import Ledger
from dsh_tools.builtin import EDIT, MULTI_EDIT, READ, STR_REPLACE_EDITOR
from dsh_tools.contract import AnyTool, ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.matching import Planned, Replace
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.second_try import TABLE, Alike
from dsh_tools.snapshots import Snapshots


def plan(text: str, old: str, new: str = "X", **more: Any) -> Planned:
    """The plan of a session that wants a second try."""
    return Replace(old, new, path="p", second_try=True, **more).plan(text)


def edited(text: str, old: str, new: str = "X", **more: Any) -> str:
    """The text after it."""
    return plan(text, old, new, **more).change.apply(text)


@pytest.mark.parametrize(("plain", "other"), [(plain, other) for plain, others in TABLE.items() for other in others])
def test_each_character_of_the_table_is_taken_as_its_plain_one(plain: str, other: str) -> None:
    """Whichever side has it; the file's own character is what is replaced, and the new text is put in as it is."""
    assert f"a {other}|" == edited(f"a b{other}c|", f"b{plain}c", other)
    assert f"a {other}|" == edited(f"a b{plain}c|", f"b{other}c", other)


@pytest.mark.parametrize("text", ["café", "한국", "ệ", "Å"])
def test_composed_and_decomposed_forms_are_equal(text: str) -> None:
    """Whichever side has which."""
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)

    assert "1X2" == edited(f"1{composed}2", decomposed) == edited(f"1{decomposed}2", composed)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a  b’", "a b'"),
        ("A’", "a'"),
        ("a\tb’", "a b'"),
        ("zero\u200bwidth’", "zerowidth'"),
        ("`x’", "'x'"),
        ("wait…’", "wait...'"),
        ("a\u3000b’", "a b'"),
        ("x′s’", "x's'"),
        ("line’\n", "line'\n\n"),
    ],
)
def test_nothing_else_is_taken_as_equal(text: str, old: str) -> None:
    """No case, no amount or kind of blanks, no backquotes, primes or dots, nothing invisible."""
    with pytest.raises(FsEditNotFound):
        plan(text, old)


def test_it_is_off_by_default() -> None:
    """Without it matching is exact."""
    with pytest.raises(FsEditNotFound) as caught:
        Replace("it's", "X", path="p").plan("it’s")

    assert "quotes" == caught.value.details["reason"]


def test_an_exact_match_wins() -> None:
    """Where the string occurs exactly, what is alike is another text."""
    planned = plan("it’s, it's", "it's")

    assert ("it’s, X", None) == (planned.change.apply("it’s, it's"), planned.second_try)


def test_what_is_alike_in_different_ways_is_ambiguous_together() -> None:
    """Two places that differ from the string, and from each other, are two places."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        plan("it’s\nit‘s\n", "it's")

    assert (2, [1, 2]) == (caught.value.details["count"], caught.value.details["lines"])
    assert "not told apart" in caught.value.message


def test_of_many_places_the_first_ten_are_named() -> None:
    """The count is of all of them."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        plan("’\n" * 25, "'")

    assert (25, list(range(1, 11)), True) == tuple(caught.value.details[key] for key in ("count", "lines", "truncated"))


def test_all_may_be_replaced() -> None:
    """Left to right, without overlap, each with its own characters."""
    planned = plan("‘a’ ’a‘ 'a ", "'a'", replace_all=True)

    assert ("X X 'a ", 2) == (planned.change.apply("‘a’ ’a‘ 'a "), planned.count)


def test_how_it_was_found_is_told() -> None:
    """The lines, and each kind of difference once."""
    tried = plan("x\nsay “hi” – ok\n", 'say "hi" - ok').second_try

    assert tried is not None
    assert ((2,), [("“", '"'), ("”", '"'), ("–", "-")]) == (
        tried.lines,
        [(d.there, d.given) for d in tried.differences],
    )
    assert "the file has U+2013 EN DASH where old_string has U+002D HYPHEN-MINUS" == str(tried.differences[2])


def test_differences_of_forms_are_told_by_whole_characters() -> None:
    """A letter and its accent are one."""
    tried = plan("cafe\u0301", "caf\u00e9").second_try

    assert tried is not None
    assert [("e\u0301", "\u00e9")] == [(d.there, d.given) for d in tried.differences]


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("‘e\u0301", "'e"),
        ("‘é", "'e"),
        ("“한", '"\u1112\u1161'),
        ("“\u1112\u1161\u11ab", '"하'),
        ("ệ", "ẹ"),
        ("‘\u0995\u09cb", "'\u0995\u09c7"),
    ],
)
def test_only_whole_characters_match(text: str, old: str) -> None:
    """Half a character is never cut off, however it is written."""
    with pytest.raises(FsEditNotFound):
        plan(text, old)


LETTERS = st.text(alphabet="ae'’–- \u00a0éé\u0301ệ한\u1112\u1161\u11ab\n", max_size=12)


@given(LETTERS, LETTERS.filter(bool), LETTERS)
def test_every_place_is_one_that_reads_alike(before: str, wanted: str, after: str) -> None:
    """What is found equals the string when both are plain and decomposed; and the string itself is always found."""

    def plain(text: str) -> str:
        for to, others in TABLE.items():
            for other in others:
                text = text.replace(other, to)
        return unicodedata.normalize("NFD", text)

    text = before + wanted + after
    found = list(Alike(text, wanted).all())

    assert all(plain(text[start:end]) == plain(wanted) for start, end in found)
    assert sorted(set(found)) == found
    alone = list(Alike(f"\n{wanted}\n", wanted).all())
    assert unicodedata.combining(wanted[0]) or "\u1160" <= wanted[0] <= "\u11ff" or (1, 1 + len(wanted)) in alone


@pytest.mark.parametrize(
    ("unit", "old"),
    [
        ("line ’é’\n", "'é' is not there"),
        ("’", "'" * 50_000 + "x"),
        ("e\u0301", "é" * 50_000 + "x"),
        ("–é", "-e\u0301" * 1_000),
        ("한국어 ", "한국어\u00a0한"),
    ],
)
@pytest.mark.parametrize("replace_all", [False, True])
def test_time_is_linear_in_the_text(unit: str, old: str, *, replace_all: bool) -> None:
    """Megabytes take a fraction of a second also where there is a place at every offset."""
    text = unit * (1_500_000 // len(unit))
    began = process_time()
    alike = Alike(text, old)
    places = alike.apart() if replace_all else alike.all()
    for _, _place in zip(range(LISTED + 1 if not replace_all else 10_000_000), places, strict=False):
        pass

    assert process_time() - began < 5


# ---- the tools


async def run(folder: Path, tool: AnyTool, **arguments: Any) -> Any:
    """Read ``a.txt`` and run a tool on it, in a session that wants a second try."""
    ledger, disk = Ledger(), DiskFileSystem(Workspace([folder]))
    call = ToolRun("s", "c", disk, SessionLedger(ledger, "s", ledger.apply), Snapshots(), second_try=True)
    try:
        await run_tool(READ, {"file_path": "a.txt"}, call)
        return await run_tool(tool, arguments, call)
    finally:
        disk.close()


async def test_the_result_says_where_and_what_was_different(tmp_path: Path) -> None:
    """In the value, in the model's text and on the card; the new text is put in as it was given."""
    (tmp_path / "a.txt").write_text("one\nit’s\n", encoding="utf-8")
    result = await run(tmp_path, EDIT, file_path="a.txt", old_string="it's", new_string="it'll")

    assert "one\nit'll\n" == (tmp_path / "a.txt").read_text(encoding="utf-8")
    assert [{"lines": [2], "differences": [{"there": "’", "given": "'"}], "truncated": False}] == result.value[
        "secondTries"
    ]
    [note] = result.meta["notes"]
    assert note in result.content[0].text
    assert note.startswith(
        "old_string did not occur exactly, and was found on line 2 with typography taken as equal: the file has U+2019 "
        "RIGHT SINGLE QUOTATION MARK where old_string has U+0027 APOSTROPHE."
    )


async def test_each_of_several_edits_may_need_it(tmp_path: Path) -> None:
    """The result says which."""
    (tmp_path / "a.txt").write_text("one\nit’s\n", encoding="utf-8")
    edits = [{"old_string": "one", "new_string": "1"}, {"old_string": "it's", "new_string": "2"}]
    result = await run(tmp_path, MULTI_EDIT, file_path="a.txt", edits=edits)

    assert [1] == [tried["edit"] for tried in result.value["secondTries"]]
    assert "The old_string of edits[1] did not occur exactly" in result.content[0].text


async def test_the_thin_face_has_it_too(tmp_path: Path) -> None:
    """str_replace is an edit like any other; an exact one has nothing to say."""
    (tmp_path / "a.txt").write_text("it’s\n", encoding="utf-8")
    about = {"command": "str_replace", "path": "a.txt"}
    tried = await run(tmp_path, STR_REPLACE_EDITOR, **about, old_str="it's", new_str="x")
    exact = await run(tmp_path, STR_REPLACE_EDITOR, **about, old_str="x", new_str="y")

    assert ([1], False) == (tried.value["change"]["secondTries"][0]["lines"], "secondTries" in exact.value["change"])
