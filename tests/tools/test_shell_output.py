"""What is kept of an output: its beginning and its end, with exact numbers for the rest."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tools.shell.output import LIMIT, BoundedOutput, Shown
from dsh_tools.shell.showing import marked, one_line, plain

PIECES = st.lists(st.binary(max_size=40), max_size=12)


def shown(*pieces: bytes, limit: int = LIMIT) -> Shown:
    """What is shown of these pieces."""
    output = BoundedOutput(limit)
    for piece in pieces:
        output.add(piece)
    return output.shown()


def test_an_output_within_the_limit_is_whole() -> None:
    """Up to the limit nothing is left out, however many bytes the characters take."""
    for character in ("x", "é", "😀"):
        text = character * LIMIT

        assert Shown(text, "", len(text.encode())) == shown(text.encode())


@pytest.mark.parametrize("character", ["x", "é", "€", "😀"])
def test_one_character_over_the_limit_is_left_out_and_counted(character: str) -> None:
    """The first and the last half of the limit are shown, and exactly the rest is said to be missing."""
    text = "a" * 15_000 + character + "b" * 15_000

    cut = shown(text.encode())

    assert Shown("a" * 15_000, "b" * 15_000, len(text.encode()), 1, 0) == cut


@pytest.mark.parametrize("piece", [1, 7, 64, 1000])
def test_far_over_the_limit_the_numbers_are_still_exact(piece: int) -> None:
    """Characters and lines that passed are counted as they pass, whatever the pieces were cut into."""
    data = "".join(f"line é {n}\n" for n in range(3_000)).encode()
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]

    cut = shown(*pieces, limit=100)

    text = data.decode()
    assert text.startswith(cut.head)
    assert text.endswith(cut.tail)
    between = text[len(cut.head) : len(text) - len(cut.tail)]
    assert (len(between), between.count("\n"), len(data)) == (cut.left_out, cut.left_out_lines, cut.total_bytes)
    assert (True, "\n") == (cut.head.endswith("\n"), between[-1])


def test_it_is_cut_at_line_ends_where_that_costs_less_than_half() -> None:
    """Whole lines are shown; a line that is most of the room is cut where the room ends."""
    lines = shown(b"one\ntwo\nthree\n" * 10, limit=20)
    long = shown(b"a\n" + b"x" * 50 + b"\nb\n", limit=20)

    assert ("one\ntwo\n", "two\nthree\n") == (lines.head, lines.tail)
    assert ("a\nxxxxxxxx", "xxxxxxx\nb\n") == (long.head, long.tail)
    assert (35, 0) == (long.left_out, long.left_out_lines)


@given(PIECES, st.integers(1, 20))
def test_the_numbers_of_text_add_up(pieces: list[bytes], half: int) -> None:
    """For all UTF-8, however it arrives in pieces: what is shown and what is left out are the text."""
    text = b"".join(pieces).decode("latin-1") * 3
    data = text.encode()

    cut = shown(*(data[at : at + 5] for at in range(0, len(data), 5)), limit=2 * half)

    assert len(text) == len(cut.head) + cut.left_out + len(cut.tail)
    assert text.count("\n") == cut.head.count("\n") + cut.left_out_lines + cut.tail.count("\n")
    assert text.startswith(cut.head)
    assert text.endswith(cut.tail)
    assert (len(text) > 2 * half) == (cut.left_out > 0)


@given(PIECES, st.integers(1, 20))
def test_bytes_that_are_no_text_are_shown_within_the_limit(pieces: list[bytes], half: int) -> None:
    """Whatever is printed, what is shown is a text that fits, and no count is negative."""
    cut = shown(*pieces * 4, limit=2 * half)

    assert len(cut.head) + len(cut.tail) <= 2 * half
    assert cut.left_out >= 0
    assert cut.left_out_lines >= 0
    assert sum(map(len, pieces * 4)) == cut.total_bytes


def test_memory_is_bounded() -> None:
    """A hundred megabytes pass through less than two."""
    output = BoundedOutput()
    piece = b"y\n" * 32_768
    tracemalloc.start()
    try:
        for _ in range(1_600):
            output.add(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2_000_000
    assert 1_600 * 65_536 == output.shown().total_bytes


def test_the_mark_says_how_much_is_missing() -> None:
    """Characters and lines, on a line of its own, wherever the cut was."""
    assert "all" == marked(Shown("all", "", 3))
    assert "a\n[… 1,234 characters (1 line) left out …]\nb" == marked(Shown("a", "b", 0, 1_234, 1))
    assert "a\n[… 1 character (0 lines) left out …]\nb" == marked(Shown("a\n", "b", 0, 1, 0))


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("\x1b[1;31mred\x1b[0m\x1b[K", "red"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(B\x1b7c", "abc"),
        ("10%\r20%\r\ndone\r\n", "10%\n20%\ndone\n"),
        ("a\0b\x08\x7f\x9b\t", "a␀b␈␡\ufffd\t"),
        ("\x1b]" * 3, "␛]" * 3),
        ("\x1b]0;never ends", "␛]0;never ends"),
    ],
)
def test_a_model_reads_no_escape_sequences(printed: str, read: str) -> None:
    """Sequences that are whole go; a control character by itself is shown, and none is dropped."""
    assert read == plain(printed)


@pytest.mark.parametrize(
    ("command", "shown_as"),
    [
        ("a\nb", "a⏎b"),
        ("a\tb\x1b[2K\r", "a⟨TAB⟩b⟨ESC⟩[2K⟨CR⟩"),
        ("\u202etxt", "⟨U+202E⟩txt"),
        ("a\u200b\u00a0\u3164\ufe0f\U000e0041", "a⟨U+200B⟩⟨U+00A0⟩⟨U+3164⟩⟨U+FE0F⟩⟨U+E0041⟩"),
        ("größe 'x' 日本", "größe 'x' 日本"),
    ],
)
def test_a_title_hides_nothing(command: str, shown_as: str) -> None:
    """Line ends, controls, characters that turn the direction, and blanks that are none are all made visible."""
    assert shown_as == one_line(command)


def test_a_long_title_is_cut_in_the_middle_and_says_so() -> None:
    """Beginning and end are shown, and how many characters are not; what is written out counts as it shows."""
    assert "aaaaa … (90 characters not shown) … bbbbb" == one_line("a" * 50 + "b" * 50, 10)
    assert "a⟨NUL⟩ … (10 characters not shown) … ⟨NUL⟩rm" == one_line("a" + "\0" * 12 + "rm", 20)
    assert "x" * 1_000 == one_line("x" * 1_000)
    assert len(one_line("\0" * 100_000)) < 1_100
