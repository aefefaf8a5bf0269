"""Line splitting as LSP defines it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.text.lines import content_end, split_lines

TEXTS = st.text(
    st.sampled_from("\r\n")
    | st.sampled_from("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029ab \0\ufeff\u0301\u200d漢😋\ud83d\ude0b")
)


def naive_lines(text: str) -> list[str]:
    """The definition, one character after the other."""
    lines = [""]
    for index, char in enumerate(text):
        lines[-1] += char
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            lines.append("")
    return lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("\n", ["\n", ""]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("\r\r\n\n", ["\r", "\r\n", "\n", ""]),
        ("\n\r", ["\n", "\r", ""]),
        ("\u2028", ["\u2028"]),
    ],
)
def test_a_text_has_the_lines_of_lsp(text: str, lines: list[str]) -> None:
    r"""Only ``\n``, ``\r\n`` and ``\r`` end a line, and a text that ends with one has an empty last line."""
    assert lines == split_lines(text)


@pytest.mark.parametrize("char", [*"\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"])
def test_the_line_ends_of_python_alone_end_no_line(char: str) -> None:
    """Characters at which only ``str.splitlines`` ends a line are content."""
    assert ["a" + char + "b\r\n", char + "\r", char] == split_lines(f"a{char}b\r\n{char}\r{char}")


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_lines_agree_with_the_definition(text: str) -> None:
    """Any text has the lines that the definition gives when read character by character."""
    assert naive_lines(text) == split_lines(text)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=20_000, deadline=None)
@given(TEXTS)
def test_lines_agree_with_the_definition_on_many_texts(text: str) -> None:
    """As above, many times."""
    assert naive_lines(text) == split_lines(text)


@pytest.mark.parametrize(
    ("line", "end"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\r\n", 1), ("a\r", 1), ("\n", 0), ("\r\n", 0), ("a\u2028", 2), ("😋\r\n", 1)],
)
def test_the_content_of_a_line_stops_before_its_end(line: str, end: int) -> None:
    """The end of a line is not part of its content, and one that has none is content to the last character."""
    assert end == content_end(line)
