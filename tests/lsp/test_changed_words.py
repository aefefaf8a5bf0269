"""Which words of a hunk changed."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers import changed_words as module
from dsh_lsp.buffers.changed_words import changed_words
from dsh_lsp.buffers.decorations import decorated_hunks
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding
from tests.support.naive_text import Encoding, offset_of

PIECES = ["foo", "bar", " ", "(", "e\u0301", "\U0001f600", "\U0001f469\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea", "_9"]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=5)


def words(base: list[str], current: list[str]) -> list[str]:
    """The changed words themselves."""
    return [current[line][start:end] for line, start, end in changed_words(base, current)]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("x = compute(1, other)", "x = compute(1, changed)", ["changed"]),
        ("return a + b", "return a - b", ["-"]),
        ("one two three four", "one 2 3 four", ["2 3"]),
        ("call(a, b, c)", "call(a, x, c, d)", ["x", ", d"]),
        ("a long line that ends", "a long line", []),
        ("nothing in common", "quite another thing", []),
        ("", "written", []),
        ("he said cafe\u0301 twice", "he said cafe twice", ["cafe"]),
        ("print('\U0001f600')", "print('\U0001f601')", ["\U0001f601"]),
        ("say '\U0001f469\u200d\U0001f4bb'", "say '\U0001f469\u200d\U0001f52c'", ["\U0001f469\u200d\U0001f52c"]),
    ],
)
def test_the_words_that_a_person_would_mark(old: str, new: str, changed: list[str]) -> None:
    """Whole words and characters as people see them; none where the lines have little in common."""
    assert changed == words([old], [new])


def test_lines_are_paired_with_what_they_are_like() -> None:
    """A line put in above, or one that moved on by one, is compared with its own old line."""
    assert ["2", "4"] == words(["one two", "three four"], ["zero", "one 2", "three 4", "five"])
    assert ["2"] == words(["one two", "three four"], ["one 2"])


def test_large_hunks_and_long_lines_have_no_words() -> None:
    """The cost is bounded; nothing is said where it would be more."""
    many, one = ["a b"] * (module.MAX_LINES + 1), ["a c"]

    assert () == changed_words(many, one) == changed_words(one, many)
    assert () == changed_words(["a " + "x" * module.MAX_CHARACTERS], ["b " + "x" * module.MAX_CHARACTERS])
    assert ["c"] * module.MAX_LINES == words(["a b"] * module.MAX_LINES, ["a c"] * module.MAX_LINES)


def test_lines_with_too_many_words_are_compared_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """All between the equal ends is one change then."""
    monkeypatch.setattr(module, "_COMPARED", 8)

    assert ["x b y"] == words(["begin a b c end"], ["begin x b y end"])


@given(LINES, LINES)
def test_words_are_in_order_and_never_cut_a_character(base: list[str], current: list[str]) -> None:
    """Whatever the lines: disjoint, not empty, inside their lines, and no mark is parted from what it is on."""
    found = changed_words(base, current)

    assert sorted(found) == list(found)
    for one, other in pairwise(found):
        assert one.line < other.line or one.end < other.start
    for line, start, end in found:
        text = current[line]
        assert 0 <= start < end <= len(text)
        for edge in (start, end):
            assert edge == len(text) or not unicodedata.category(text[edge]).startswith("M")
            assert "\u200d" not in text[max(0, edge - 1) : edge + 1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@given(data=st.data())
def test_ranges_are_in_the_negotiated_encoding(encoding: PositionEncoding, data: st.DataObject) -> None:
    """Read back in the encoding, a range is exactly the word, in the line where it is, inside the hunk's range."""
    base, current = data.draw(LINES.filter(bool)), data.draw(LINES.filter(bool))
    if base == current:
        return
    lines = ["above", *current, "below"]
    text = "\n".join(lines)
    mirror = Document("file:///a", text, language_id="x", version=1, epoch=1, encoding=encoding)
    hunks = PendingHunks.of([PendingHunk("h", 1, tuple(base), tuple(current), (("s", "c"),))])
    [shown] = [each.to_wire() for each in decorated_hunks(hunks, mirror)]
    named: Encoding = encoding

    assert words(base, current) == [
        text[offset_of(text, word["start"], named) : offset_of(text, word["end"], named)]
        for word in shown.get("words", [])
    ]
    for word in shown.get("words", []):
        assert shown["range"]["start"]["line"] <= word["start"]["line"] == word["end"]["line"]
        assert word["end"]["line"] < shown["range"]["end"]["line"]
