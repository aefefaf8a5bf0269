"""Positions inside a line, in each of the three encodings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.text.positions import PositionEncoding, character_at, column_at, join_surrogates, units_in

ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")
CONTENT = st.text(st.sampled_from("ab\u2028\x0c\ufeffé\u0301\u200d漢😋🧑\U0010ffff\ud83d\ude0b"), max_size=12)
LINES = st.builds(str.__add__, CONTENT, st.sampled_from(["", "\n", "\r\n", "\r"]))
CHARACTERS = st.integers(0, 60) | st.sampled_from([2**31 - 1, 2**32 - 1, 2**64])


def naive_width(char: str, encoding: PositionEncoding) -> int:
    """Units of one code point, by the ranges of the standard."""
    if encoding == "utf-32":
        return 1
    if encoding == "utf-16":
        return 2 if ord(char) > 0xFFFF else 1
    return 1 + (ord(char) > 0x7F) + (ord(char) > 0x7FF) + (ord(char) > 0xFFFF)


def check_columns(line: str, character: int, encoding: PositionEncoding) -> None:
    """Compare a line's conversions with a walk over its code points."""
    content = line.rstrip("\r\n")
    widths = [naive_width(char, encoding) for char in content]
    column = 0
    while column < len(content) and sum(widths[: column + 1]) <= character:
        column += 1

    assert column == column_at(line, character, encoding)
    assert [sum(widths[:c]) for c in range(len(content) + 1)] == [
        character_at(line, c, encoding) for c in range(len(content) + 1)
    ]
    assert list(range(len(content) + 1)) == [
        column_at(line, character_at(line, c, encoding), encoding) for c in range(len(content) + 1)
    ]
    assert sum(widths) == character_at(line, len(line), encoding)
    assert sum(widths) == units_in(content, encoding)


@settings(max_examples=300, deadline=None)
@given(LINES, CHARACTERS, st.sampled_from(ENCODINGS))
def test_columns_agree_with_a_walk_over_the_code_points(line: str, character: int, encoding: PositionEncoding) -> None:
    """Characters and columns of any line are those of its code points' widths, and there and back is the identity."""
    check_columns(line, character, encoding)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=20_000, deadline=None)
@given(LINES, CHARACTERS, st.sampled_from(ENCODINGS))
def test_columns_agree_with_a_walk_many_times(line: str, character: int, encoding: PositionEncoding) -> None:
    """As above, many times."""
    check_columns(line, character, encoding)


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [
        ("utf-8", [0, 1, 1, 2, 2, 2, 2, 3, 4, 4]),
        ("utf-16", [0, 1, 2, 2, 3, 4, 4, 4, 4, 4]),
        ("utf-32", [0, 1, 2, 3, 4, 4, 4, 4, 4, 4]),
    ],
)
def test_a_character_inside_a_code_point_is_its_start(encoding: PositionEncoding, columns: list[int]) -> None:
    """A position between the units of one code point goes back to before it, and one past the content to its end."""
    assert columns == [column_at("aé😋b\r\n", character, encoding) for character in range(10)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line", ["abc", "abc\n", "abc\r", "abc\r\n", "äb漢\r\n"])
def test_a_character_past_the_content_is_its_end(encoding: PositionEncoding, line: str) -> None:
    """No character reaches into or past the line end, however large it is."""
    assert [3, 3, 3] == [column_at(line, character, encoding) for character in (10, 2**31 - 1, 2**40)]


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 3), ("utf-16", 1), ("utf-32", 1)])
def test_a_lone_surrogate_has_the_width_of_its_unit(encoding: PositionEncoding, width: int) -> None:
    """Half a pair is one unit in utf-16 and three bytes in utf-8, and what follows it is found."""
    for lone in "\ud83d", "\ude0b":
        assert width + 1 == units_in(f"a{lone}", encoding)
        assert 2 == column_at(f"a{lone}b", 1 + width, encoding)


def test_surrogates_that_meet_are_one_character() -> None:
    """A high surrogate and the low one after it become the code point they stand for; others stay as they are."""
    assert "\ude0b😋a\ud83d漢\ud83d" == join_surrogates("\ude0b\ud83d\ude0ba\ud83d漢\ud83d")
    assert "äö" == join_surrogates("äö")
