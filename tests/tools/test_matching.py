"""Literal replacement: exact, counted by every start offset, never by a pattern."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsAmbiguousEdit, FsEditNotFound, InvalidArgs
from dsh_tools.matching import Occurrences, Replace, occurrences

SHORT = st.text("ab\n", max_size=20)


def edited(text: str, old: str, new: str, *, replace_all: bool = False) -> str:
    """The text after the replacement."""
    return Replace(old, new, path="p", replace_all=replace_all)(text).apply(text)


@given(SHORT, SHORT.filter(bool), SHORT)
def test_replacing_all_is_left_to_right_without_overlap(text: str, old: str, new: str) -> None:
    """The result and the count are those of ``str.replace`` and ``str.count``."""
    if old in text:
        planned = Replace(old, new, path="p", replace_all=True).plan(text)

        assert text.replace(old, new) == planned.change.apply(text)
        assert text.count(old) == planned.count


@given(SHORT, SHORT.filter(bool), SHORT)
def test_one_replacement_needs_one_occurrence(text: str, old: str, new: str) -> None:
    """With none it is not found, with more than one it is ambiguous, with one that one is replaced."""
    starts = [at for at in range(len(text)) if text.startswith(old, at)]
    replace = Replace(old, new, path="p")
    if not starts:
        with pytest.raises(FsEditNotFound):
            replace(text)
    elif len(starts) > 1:
        with pytest.raises(FsAmbiguousEdit) as caught:
            replace(text)
        assert len(starts) == caught.value.details["count"]
    else:
        assert Change.of(Edit(starts[0], starts[0] + len(old), new)) == replace(text)


@given(
    SHORT, st.one_of(SHORT.filter(bool), st.builds(lambda part, times: part * times, SHORT.filter(bool), st.just(3)))
)
def test_every_start_offset_counts(text: str, wanted: str) -> None:
    """Occurrences that overlap are counted, and the first ten have their lines."""
    text += wanted + text
    starts = [at for at in range(len(text)) if text.startswith(wanted, at)]

    assert Occurrences(len(starts), tuple(text.count("\n", 0, at) + 1 for at in starts[:10])) == occurrences(
        text, wanted
    )


@pytest.mark.parametrize(
    ("text", "wanted", "count"),
    [
        ("a" * 1_000_000, "aa", 999_999),
        ("a" * 1_000_000, "a" * 500_000, 500_001),
        ("a" * 5_000_000, "a", 5_000_000),
        ("ab" * 500_000, "ab" * 1_000, 499_001),
        ("ab" * 500_000, "aba", 499_999),
    ],
)
def test_counting_takes_time_in_proportion_to_the_text(text: str, wanted: str, count: int) -> None:
    """Strings that overlap themselves a million times are counted without finding each: one by one takes hours."""
    assert count == occurrences(text, wanted).count


def test_an_overlap_is_ambiguous() -> None:
    """``aa`` occurs twice in ``aaa``."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        edited("aaa", "aa", "b")

    assert 2 == caught.value.details["count"]


def test_carriage_returns_before_newlines_are_not_looked_for() -> None:
    r"""The text that an agent was shown has no ``\r\n``; a lone ``\r`` is a character like others."""
    assert "a\nc\nd" == edited("a\nb", "a\r\nb", "a\r\nc\r\nd")
    assert "x\ry" == edited("x\rz", "\rz", "\ry")


def test_nothing_to_look_for_is_refused() -> None:
    """An empty old_string matches everywhere and means nothing."""
    with pytest.raises(InvalidArgs) as caught:
        Replace("", "x", path="p")

    assert "old_string: must not be empty." == caught.value.message


def test_replacing_by_itself_changes_nothing() -> None:
    """The text stays as it is."""
    assert "abc" == edited("abc", "b", "b")


def test_A27_indentation_is_not_tolerated() -> None:
    """A block that differs by a blank is not found, and no new_string is indented for it."""
    with pytest.raises(FsEditNotFound) as caught:
        edited("\ndef foo():\n    pass\n", "def  foo():\n    pass", "def bar():\n    pass")

    assert {"path": "p", "nearestLine": 2, "reason": "whitespace"} == caught.value.details


def test_B01_two_occurrences_are_named_by_line() -> None:
    """The error has the count and the lines."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        edited("x=1\ny\nx=1\n", "x=1", "x=2")

    assert {"path": "p", "count": 2, "lines": [1, 3], "truncated": False} == caught.value.details


@pytest.mark.parametrize(
    ("text", "above"),
    [
        ("x=1\ny\nx=1\n", ((2, "y"),)),
        ("def a():\n\n    x=1\ndef b():\n    x=1\n", ((1, "def a():"), (4, "def b():"))),
        (f"{'y' * 300}\nx=1 x=1\n", ((1, f"{'y' * 100}…"),)),
        ("x=1 x=1\n", ()),
        ("\n" * 9 + "x=1\nx=1\nz\nx=1\ny\nx=1\n", ((10, "x=1"), (12, "z"))),
    ],
)
def test_B01_what_stands_above_tells_the_places_apart(text: str, above: tuple[tuple[int, str], ...]) -> None:
    """The nearest line with something in it; of the first few places, and cut where it is long."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        edited(text, "x=1", "x=2")

    assert above == caught.value.above
    assert "".join(f"\n{line:>6}| {shown}" for line, shown in above) in caught.value.model_text()


def test_B01_of_many_occurrences_the_first_ten_are_named() -> None:
    """The count is exact, the list is bounded."""
    with pytest.raises(FsAmbiguousEdit) as caught:
        edited("x\n" * 25, "x", "y")

    assert (25, list(range(1, 11)), True) == tuple(caught.value.details[key] for key in ("count", "lines", "truncated"))


def test_B03_replacing_all_of_a_string_that_overlaps_itself() -> None:
    """Left to right, without overlap; the count is of replacements, though touching ones are one edit."""
    planned = Replace("aa", "b", path="p", replace_all=True).plan("aaaa aa\n")

    assert ("bb b\n", 3) == (planned.change.apply("aaaa aa\n"), planned.count)
    assert Change((Edit(0, 4, "bb"), Edit(5, 7, "b"))) == planned.change


def test_B05_an_empty_new_string_deletes() -> None:
    """Nothing is put in the place."""
    assert "Hello\n" == edited("Hello World\n", " World", "")


@pytest.mark.parametrize("replace_all", [False, True])
def test_B06_the_new_string_is_literal(*, replace_all: bool) -> None:
    """No template of any language is read out of it."""
    new = "$& $$ $1 $` \\1 \\g<0> ${x} \\n"

    assert f'log("{new}")\n' == edited('log("done")\n', "done", new, replace_all=replace_all)


def test_B06_the_old_string_is_literal() -> None:
    """No pattern is read out of it."""
    assert "a+b x\n" == edited("a+b .*\n", ".*", "x")


def test_B10_blanks_are_not_tolerated() -> None:
    """Three blanks are not one."""
    with pytest.raises(FsEditNotFound) as caught:
        edited("foo   bar baz\n", "foo bar", "XY")

    assert "whitespace" == caught.value.details["reason"]


def test_B11_a_match_may_begin_and_end_within_lines() -> None:
    """A substring across lines."""
    assert "}\n// X with audio\n" == edited("}\n// Build trees with audio\n", "}\n// Build trees", "}\n// X")


def test_B15_a_unique_part_of_a_long_line_is_found() -> None:
    """How much of the line was shown has no bearing on the match."""
    assert "a" * 2999 + "b;\n" == edited("a" * 3000 + ";\n", "a;", "b;")


def test_finding_is_by_code_points() -> None:
    """Offsets count code points, whatever their width in an encoding."""
    assert "😀\U0001d11eyz" == edited("😀\U0001d11exz", "x", "y")


def test_random_texts_against_a_slow_count() -> None:
    """Two thousand texts of few letters."""
    random = Random(5)
    for _ in range(2_000):
        letters = "ab\n"[: random.randint(1, 3)]
        text = "".join(random.choices(letters, k=random.randint(0, 60)))
        wanted = "".join(random.choices(letters, k=random.randint(1, 3))) * random.randint(1, 4)
        expected = sum(text.startswith(wanted, at) for at in range(len(text)))

        assert expected == occurrences(text, wanted).count
