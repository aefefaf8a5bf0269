"""Windows of a text: which lines, what was cut, and how many there are in all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tools.windows import LINE_CUT, LINE_NUMBER, ClippedLine, WindowOfPieces, number, window


@given(st.text("ab\r\x0b\u2028\n", max_size=40), st.integers(1, 12), st.integers(1, 12))
def test_a_window_is_a_slice_of_the_lines(text: str, offset: int, limit: int) -> None:
    r"""Lines end at ``\n`` alone; a last line without an end is a line, an empty rest is none."""
    lines = text.split("\n") if text else []
    if lines and not lines[-1]:
        lines.pop()
    shown = window(text, offset, limit)

    assert tuple(lines[offset - 1 : offset - 1 + limit]) == shown.lines
    assert len(lines) == shown.total_lines
    assert (offset <= len(lines) and offset + limit <= len(lines)) == shown.truncated
    assert text.endswith("\n") == shown.ends_with_newline


@given(st.text("ab\n", max_size=40), st.integers(1, 12), st.integers(1, 12))
def test_windows_side_by_side_are_the_text(text: str, offset: int, limit: int) -> None:
    """Reading on after the last line shown gives every code point once."""
    parts: list[str] = []
    shown = window(text, 1, limit)
    parts.append(shown.text)
    while shown.truncated:
        shown = window(text, shown.last + 1, limit)
        parts.append(shown.text)

    assert text == "".join(parts)


@pytest.mark.parametrize(("text", "total"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\nb\n", 2), ("\n", 1)])
def test_the_number_of_lines(text: str, total: int) -> None:
    """A final newline begins no line."""
    assert total == window(text).total_lines
    assert total == window(text, 7).total_lines


def test_an_offset_after_the_end_shows_nothing() -> None:
    """No lines, the offset asked for, and the number of lines that there are."""
    shown = window("a\nb\n", 3)

    assert ((), 3, 2, 2, None) == (shown.lines, shown.first, shown.last, shown.total_lines, shown.cut)


def test_offsets_in_long_texts() -> None:
    """The line is found by counting in chunks; every line begins where it begins."""
    text = "".join(f"{'x' * (index % 97)}{index}\n" for index in range(1, 5_001))

    for line in (1, 2, 300, 1_234, 4_999, 5_000):
        assert window(text, line, 1).lines == (f"{'x' * (line % 97)}{line}",)


def test_lines_longer_than_a_chunk() -> None:
    """A line that spans several chunks is passed over as one."""
    text = "a" * 100_000 + "\n" + "b" * 100_000 + "\nc\n"

    assert ("c",) == window(text, 3).lines
    assert 3 == window(text, 2, 1).total_lines


def test_B15_a_long_line_is_clipped_and_said() -> None:
    """Number of the line, code points shown, code points in all."""
    shown = window("a" * 3000 + ";\nb\n")

    assert (ClippedLine(1, 2000, 3001),) == shown.clipped
    assert ("a" * 2000, "b") == shown.lines
    assert not shown.truncated


def test_B15_the_rest_of_a_long_line_can_be_had() -> None:
    """From a column of the first line on; what is shown of it is never taken for all of it."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 3001))) + "\nb\n"
    shown = window(text, column=2001)

    assert (text[2000:3001], "b") == shown.lines
    assert (ClippedLine(1, 1001, 3001),) == shown.clipped
    assert "… [cut: 2001 to 3001 of 3001 characters shown]" in number(shown)
    assert ("",) == window("ab\n", column=3).lines
    assert (ClippedLine(1, 0, 2),) == window("ab\n", column=3).clipped


def test_a_line_of_the_limit_is_whole() -> None:
    """2,000 code points are not too many."""
    assert () == window("😀" * 2000 + "\n").clipped


def test_the_limit_of_lines_is_a_cut_only_if_lines_follow() -> None:
    """Exactly as many lines as asked for is all of the text."""
    assert "limit" == window("a\nb\nc\n", 1, 2).cut
    assert None is window("a\nb\n", 1, 2).cut


def test_the_limit_of_bytes() -> None:
    """Bytes of UTF-8 are counted, with line ends; the line that would pass the limit is not shown."""
    assert (("é", "é"), None) == (window("é\né\n", max_bytes=6).lines, window("é\né\n", max_bytes=6).cut)
    assert (("é",), "bytes") == (window("é\né\n", max_bytes=5).lines, window("é\né\n", max_bytes=5).cut)


def test_the_first_line_is_shown_whatever_its_size() -> None:
    """A reader always gets on."""
    assert ("abc",) == window("abc\nd\n", max_bytes=1).lines


def test_clipped_lines_count_as_shown() -> None:
    """What is not shown uses no bytes."""
    assert ("aa", "b") == window("a" * 100 + "\nb\n", max_line=2, max_bytes=5).lines


def test_lone_surrogates_have_a_size() -> None:
    """Text that UTF-8 can't hold is shown all the same."""
    assert ("\ud800",) == window("\ud800\n").lines


@pytest.mark.parametrize(("offset", "limit"), [(0, 1), (1, 0)])
def test_no_window(offset: int, limit: int) -> None:
    """There is no line 0, and no window without lines."""
    with pytest.raises(ValueError, match="no window"):
        window("a", offset, limit)


def test_A21_numbers_are_not_glued_with_a_tab() -> None:
    """A line's own tabs stay its own, and an empty line has no blank after the bar."""
    assert "     1| all:\n     2| \tcc a.c\n     3|" == number(window("all:\n\tcc a.c\n\n"))


def test_numbers_of_a_clipped_line() -> None:
    """The mark says how much of the line is shown."""
    assert "     7| aa… [cut: 2 of 5 characters shown]" == number(window("\n" * 6 + "aaaaa\n", 7, max_line=2))


@given(st.text("ab1|\t ", max_size=8), st.integers(1, 2_000_000))
def test_the_number_is_recognised_and_taken_off(line: str, count: int) -> None:
    """What is put in front of a line is what the pattern finds there."""
    shown = window(line + "\n" if line else "\n")
    rendered = number(type(shown)(count, shown.lines, (), count, None, ends_with_newline=True))

    assert line == LINE_NUMBER.sub("", rendered, count=1)


def test_the_mark_of_a_cut_is_recognised() -> None:
    """What is put after a clipped line is what the pattern finds there."""
    rendered = number(window("aaaaa\n", max_line=2))

    assert ["     1| aa", ""] == LINE_CUT.split(rendered)


@given(
    st.lists(st.text("ab\n\u00e9", max_size=12), max_size=8),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 30),
)
def test_a_window_of_pieces_is_the_window_of_the_whole(
    pieces: list[str], offset: int, limit: int, column: int, max_line: int, max_bytes: int
) -> None:
    """However the text is cut: lines, totals and everything that is said of what is not shown."""
    made = WindowOfPieces(offset, limit, column=column, max_line=max_line, max_bytes=max_bytes)
    for piece in pieces:
        made.feed(piece)

    whole = window("".join(pieces), offset, limit, column=column, max_line=max_line, max_bytes=max_bytes)
    assert whole == made.window()
