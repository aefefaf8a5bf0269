"""Why a string was not found: the nearest line and the first kind of difference, in words that quote nothing."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.errors import FsEditNotFound
from dsh_tools.matching import Replace
from dsh_tools.near_misses import SOUGHT, Difference, explain_not_found, near_miss
from dsh_tools.windows import number, window


def found(text: str, wanted: str) -> tuple[int, str] | None:
    """Line and kind of the near miss."""
    miss = near_miss(text, wanted)
    return (miss.line, miss.kind.value) if miss else None


@pytest.mark.parametrize(
    ("text", "wanted", "line", "kind"),
    [
        ("a\nif x:\n   foo\n", "if x:\n    foo", 2, "whitespace"),
        ("a\n\tfoo(1)\n", "  foo(1)", 2, "tabs"),
        ("a\n  foo(1)\n", "\tfoo(1)", 2, "tabs"),
        ("a\nfoo \nbar\n", "foo\nbar", 2, "trailing whitespace"),
        ("a\nfoo\nbar\n", "foo  \nbar", 2, "trailing whitespace"),
        ("a\nfoo\nbar\n", "foo ", 2, "trailing whitespace"),
        ("a\nb\u00a0c\n", "b c", 2, "no-break space"),
        ("a\nzero\u200bwidth\n", "zerowidth", 2, "invisible character"),
        ("a\nFoo\n", "foo", 2, "case"),
        ("a\nstraße Ä\n", "STRAßE Ä", 2, "case"),
        ("a\nx = 'y'\n", "x = ‘y’", 2, "quotes"),
        ("a\nx = “y”\n", 'x = "y"', 2, "quotes"),
        ("a\nx – y\n", "x - y", 2, "dashes"),
        ("a\nx - y\n", "x — y", 2, "dashes"),
        ("a\ncaf\u00e9 x\n", "cafe\u0301 x", 2, "unicode form"),
        ("a\ncafe\u0301 x\n", "caf\u00e9 x", 2, "unicode form"),
        ("a\n\u00e9t\u00e9\n", "e\u0301te\u0301", 2, "unicode form"),
        ("a\n\u1112\u1161\u11ab x  y\n", "x y", 2, "whitespace"),
        ("a\nb\nc\n", "     2| b\n     3| c\n", 2, "line-number prefix"),
        ("a\nb\n\nc\n", "2\tb\n3\t\n4\tc", 2, "line-number prefix"),
        ("a\nbcd\nc\n", "cd\n     3| c", 2, "line-number prefix"),
        ("a\nb\nc\n", "b\\nc", 2, "escaped newline"),
        ("a\nb\tc\n", "b\\tc", 2, "escaped newline"),
        ('a\np("x")\n', 'p(\\"x\\")', 2, "escaped newline"),
        ("a\np('x\\ny')\n", "p('x\ny')", 2, "escaped newline"),
        ("a\nif (x \u202e) {\n", "if (x ) {", 2, "invisible character"),
        ("a\nred \u2764\ufe0f heart\n", "red \u2764 heart", 2, "invisible character"),
        ("a\nk = 'a\0b'\n", "k = 'ab'", 2, "invisible character"),
        ("a\nfoo bar\u2028baz\n", "foo bar baz", 2, "invisible character"),
        ("a\n<a & b>\n", "&lt;a &amp; b&gt;", 2, "HTML entities"),
        ("a\n&lt;a &amp; b&gt;\n", "<a & b>", 2, "HTML entities"),
        ("a\nb\rc\rd\r", "b\nc", 2, "line ends"),
        ("a\nbcd\n", "\n\nbcd", 2, "blank lines"),
        ("a\nb", "b\n", 2, "final newline"),
        ("a\nb\n", "b\n\n", 2, "final newline"),
        ("a\ndef f():\n    return 1\n", "def f():\n    return 2\n", 2, "text"),
        ("a\n\n\nfoo_bar_baz()\n", "\nsomething()\nfoo_bar_baz()\n", 2, "text"),
    ],
)
def test_the_first_difference_is_named(text: str, wanted: str, line: int, kind: str) -> None:
    """Each kind of slip has its name, and the nearest line is the line where the match would have begun."""
    assert (line, kind) == found(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"), [("", "x"), ("hello\n", "zzz"), ("abc\n", "   "), ("a b\n", "\n\n"), ("x", "xy")]
)
def test_nothing_like_it(text: str, wanted: str) -> None:
    """Two or three letters in common are no resemblance."""
    assert None is near_miss(text, wanted)
    assert {"nearestLine": None, "reason": None} == explain_not_found("p", text, wanted)[1]


def test_a_difference_further_down_says_its_line() -> None:
    """The nearest line is where the text begins; the note has the line of the difference."""
    miss = near_miss("x\nif a:\n    b\n    c\n", "if a:\n    b\n\tc\n")

    assert miss is not None
    assert (2, "whitespace differs: the file has 4 spaces where old_string has 1 tab, on line 4") == (
        miss.line,
        miss.note,
    )


def test_where_only_the_beginning_is_the_same() -> None:
    """The line from which the texts go apart is said."""
    miss = near_miss("x\nfirst line\nsecond line\nthird\n", "first line\nsecond line\nanother\n")

    assert miss is not None
    assert (2, "it is different from line 4 on") == (miss.line, miss.note)


def test_where_the_place_in_the_line_is_not_known() -> None:
    """Far out in a line, the kinds that it can be are named."""
    miss = near_miss(f"a\n{'ab' * 20_000}x  y\n", "x y")

    assert miss is not None
    assert (2, "whitespace, case, quotes, dashes or unicode form differ") == (miss.line, miss.note)


def test_blanks_are_counted_from_where_they_begin() -> None:
    """Of blanks that differ in part, all are told."""
    miss = near_miss("a \tb\n", "a  b\n")

    assert miss is not None
    assert "whitespace differs: the file has 1 tab and 1 space where old_string has 2 spaces" == miss.note


def test_blanks_that_can_not_be_seen_are_named() -> None:
    """By code point and name: who is to copy them must know which they are."""
    miss = near_miss("a\u00a0 \u202eb c\n", "a b c\n")

    assert miss is not None
    assert miss.note == (
        "invisible characters differ: the file has 1 space and 1 U+00A0 NO-BREAK SPACE and 1 U+202E RIGHT-TO-LEFT "
        "OVERRIDE where old_string has 1 space"
    )


def test_blank_lines_at_the_beginning_count() -> None:
    """The nearest text begins with them."""
    assert (2, "text") == found("a\n\n\nfirst line\nx\n", "\n\nfirst line\ny\n")


def test_of_a_very_long_string_the_beginning_is_looked_for() -> None:
    """Above the bound no kind of difference is worked out."""
    assert (2, "case") == found("x\n" + "a" * SOUGHT, "A" * SOUGHT)
    assert (2, "text") == found("x\n" + "a" * SOUGHT + "a", "A" * SOUGHT + "A")


def test_a_slip_and_another_difference() -> None:
    """Line numbers and blanks together: the slip is named, and that it is not all."""
    miss = near_miss("a\n\tb(1)\n", "     2|     b(1)\n")

    assert miss is not None
    assert (2, Difference.LINE_NUMBERS) == (miss.line, miss.kind)
    assert miss.note.endswith("there are other differences")


@given(st.lists(st.text(" \tab1|→", max_size=8), min_size=2, max_size=12), st.data())
def test_numbers_from_a_numbered_window_are_recognised(lines: list[str], data: st.DataObject) -> None:
    """Whatever the lines are: copied with their numbers they are not found, and the reason is the numbers."""
    text = "".join(f"{line}\n" for line in lines)
    first = data.draw(st.integers(1, len(lines) - 1))
    shown = window(text, first, 3)
    copied = number(shown)
    if copied not in text and "".join(shown.lines).strip():
        miss = near_miss(text, copied)

        assert miss is not None
        assert Difference.LINE_NUMBERS == miss.kind


def test_A21_tabs_are_named() -> None:
    """Blanks typed for a tab: not found, the line is named and the file is not touched."""
    with pytest.raises(FsEditNotFound) as caught:
        Replace("    cc a.c", "    cc b.c", path="Makefile")("all:\n\tcc a.c\n")

    assert caught.value.message == (
        "old_string does not occur in Makefile exactly as it was given. The nearest text is on line 2; whitespace "
        "differs: the file has 1 tab where old_string has 4 spaces."
    )
    assert {"path": "Makefile", "nearestLine": 2, "reason": "tabs"} == caught.value.details


def test_B08_the_nearest_candidate_is_named() -> None:
    """Blanks inside a call: the line and the kind, the same each time."""
    expected = {"nearestLine": 1, "reason": "whitespace"}

    assert [expected] * 2 == [explain_not_found("c.js", "  foo( 1 )\n", "foo(1)")[1] for _ in range(2)]


def test_B09_the_message_says_that_matching_is_exact() -> None:
    """Four blanks where the file has three are not found, and nobody is told that blanks don't matter."""
    with pytest.raises(FsEditNotFound) as caught:
        Replace("    x", "y", path="p")("   x\n")

    assert "does not occur in p exactly" in caught.value.message
    assert "matching is exact" in caught.value.remedy


@pytest.mark.parametrize("mark", ["... (line truncated)", "… [cut: 2000 of 3001 characters shown]", "...[truncated]"])
def test_B15_the_mark_of_a_cut_line_is_recognised(mark: str) -> None:
    """What a view adds to a line that it shows in part is not in the file."""
    assert (1, "cut line") == found("a" * 3000 + ";\n", "aaa" + mark)


def test_the_mark_of_our_own_view_is_recognised() -> None:
    """A cut line copied from a numbered window, number and mark and all."""
    text = "x\n" + "a" * 3000 + ";\n"

    assert (2, "cut line") == found(text, number(window(text, 2)).removeprefix("     2| "))


@given(
    st.text("ab\n\t '‘-–éÉ\u0301\u00a0\\1|", max_size=30),
    st.text("ab\n\t '‘-–éÉ\u0301\u00a0\\1|", min_size=1, max_size=12),
)
def test_every_text_has_an_explanation_on_one_of_its_lines(text: str, wanted: str) -> None:
    """No pair of strings makes it fail, and a nearest line exists."""
    if wanted not in text:
        miss = near_miss(text, wanted)

        assert miss is None or 1 <= miss.line <= text.count("\n") + 1


def test_messages_quote_nothing() -> None:
    """Neither the file's words nor those looked for are repeated."""
    message, _ = explain_not_found("p", "alpha  beta\n", "alpha beta")

    assert "alpha" not in message
    assert "beta" not in message


_DECOMPOSED = "Tie\u0302\u0301ng Vie\u0323\u0302t"


@pytest.mark.parametrize(
    "letters",
    [
        *("x", "é", "ж", "中", "😀", "한국어", "e\u0301", _DECOMPOSED, "Tiếng Việt", f"Tiếng Việt {_DECOMPOSED}"),
        *("“x” – ‘y’", "“”‘’–—\u00a0" * 6),
    ],
)
@pytest.mark.parametrize(
    "wanted", ["nothing like it " * 50, "line 150000  {0}", "line 150000 {0}\nand more", "{0}" * (SOUGHT * 2)]
)
def test_large_texts_are_searched_in_bounded_time(letters: str, wanted: str) -> None:
    """In 5 MB of any script and unicode form it takes at most 0.2 s; the bound leaves room for a slow machine."""
    line_count = 5_000_000 // len(f"line 100000 {letters}\n".encode())
    text = "".join(f"line {index} {letters}\n" for index in range(line_count))
    sought = wanted.format(letters)
    took = []
    for _ in range(2):
        began = process_time()
        near_miss(text, sought)
        took.append(process_time() - began)

    assert min(took) < 0.4
