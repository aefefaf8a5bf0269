"""What would not be seen is written out; what shows itself stays as it is."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tools.visible import one_line, pieces, visible

SHOWN_ALTHOUGH_FORMAT = {
    *range(0x600, 0x606),
    0x6DD,
    0x70F,
    0x890,
    0x891,
    0x8E2,
    0x110BD,
    0x110CD,
    *range(0x13430, 0x13440),
}
"""Format characters that have a glyph: number signs of Arabic and the like, joiners of hieroglyphs."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "⟨ESC⟩[31mred⟨ESC⟩[0m"),
        ("a\rb\x00\x7f\x85", "a⟨CR⟩b⟨NUL⟩⟨DEL⟩⟨U+0085⟩"),
        ("abc\u202etxt.exe", "abc⟨U+202E⟩txt.exe"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("\ud800 alone", "⟨U+D800⟩ alone"),
        ("a\u00a0b\u2028c", "a⟨U+00A0⟩b⟨U+2028⟩c"),
        ("variation \ufe0e\ufe01\U000e0100", "variation ⟨U+FE0E⟩⟨U+FE01⟩⟨U+E0100⟩"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f⟨U+FE0F⟩"),
    ],
)
def test_what_is_hidden_is_written_out(text: str, expected: str) -> None:
    """Control characters go by their abbreviation, all else by its number."""
    assert expected == visible(text)


@pytest.mark.parametrize(
    "text", ["plain\n\ttext", "Größe 漢字 עברית हिन्दी", "\u2764\ufe0f \U0001f600", "a\u3000b", "e\u0301"]
)
def test_what_shows_itself_stays(text: str) -> None:
    """Line feeds, tabs, any script, combining marks and emoji are as they were."""
    assert text == visible(text)


def test_pieces_tell_what_was_written_out_from_what_looks_like_it() -> None:
    """A text that has ``⟨ESC⟩`` in it is not marked, an escape character is, with the sequence that it begins."""
    assert [("⟨ESC⟩ ", False), ("⟨ESC⟩[1m", True), ("x", False)] == list(pieces("⟨ESC⟩ \x1b[1mx"))


def test_a_place_of_one_line_has_no_line_feed() -> None:
    """Where there is room for one line, line feeds and tabs are written out too."""
    assert "a⟨LF⟩b⟨TAB⟩c" == one_line("a\nb\tc")


def test_every_character_that_unicode_calls_invisible_is_written_out() -> None:
    """No control, format, surrogate, separator or unusual space of Unicode passes as it is."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
    stays = {0x20, 0x3000, 0x09, 0x0A, *SHOWN_ALTHOUGH_FORMAT}
    passed = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in hidden and code not in stays and visible(chr(code)) == chr(code)
    ]

    assert [] == passed


@given(st.text(st.characters() | st.characters(categories=["Cs", "Cc", "Cf"])))
def test_what_is_shown_can_be_encoded_and_is_shown_as_it_is(text: str) -> None:
    """The result has UTF-8 bytes, has nothing left to write out, and its pieces are the whole of it."""
    shown = visible(text)

    assert shown == shown.encode().decode()
    assert shown == visible(shown)
    assert shown == "".join(part for part, _ in pieces(text))
