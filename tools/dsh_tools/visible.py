r"""Characters that a reader would not see, made visible: what is shown is all that there is.

Hidden are control characters (and with them every ANSI escape), zero-width, bidirectional and tag characters, variation
selectors, line and paragraph separators, fillers, lone surrogates, noncharacters, and spaces that look like a space and
are none. A control character shows as its abbreviation in ASCII (``⟨ESC⟩``: many fonts lack the pictures of them), any
other as its number (``⟨U+202E⟩``). Line feeds and tabs stay. Text that shows itself stays too, in any script; a
symbol keeps the selector that makes it an emoji.

Held: what is hidden and how it is written. Deliberately absent: markup, colours, and look-alike letters.
"""

import re
from collections.abc import Iterator
from typing import Final

_CONTROLS: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_LAST_OF_PLANES: Final = "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000)
)
_HIDDEN: Final = re.compile(
    # The rest of an escape sequence is shown with its escape character, as one thing.
    r"(?:\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    rf"|[{_CONTROLS}"
    "\u00a0\u1680\u2000-\u200a\u202f\u205f"  # spaces; not U+3000, an everyday character where it is used
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff\ufe00-\ufe0d\ud800-\udfff"
    rf"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff{_LAST_OF_PLANES}]"
    "|(?<![\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
    r")+"
)
# fmt: off
_ABBREVIATIONS: Final = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)
# fmt: on


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """A text as it is shown, in pieces: each with whether it stands for characters that would not be seen."""
    if text.isascii() and text.isprintable():  # most are
        yield text, False
        return
    at = 0
    for found in _HIDDEN.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], False
        yield "".join(map(_written, found[0])), True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def visible(text: str) -> str:
    """A text as it is shown, in one piece."""
    return _HIDDEN.sub(lambda found: "".join(map(_written, found[0])), text)


def one_line(text: str) -> str:
    """The same for a place that has one line: line feeds and tabs are made visible too."""
    return visible(text).replace("\n", _written("\n")).replace("\t", _written("\t"))


def _written(character: str) -> str:
    code = ord(character)
    if 0x20 <= code < 0x7F:  # of an escape sequence
        return character
    name = _ABBREVIATIONS[code] if code < 0x20 else "DEL" if code == 0x7F else f"U+{code:04X}"
    return f"\u27e8{name}\u27e9"
