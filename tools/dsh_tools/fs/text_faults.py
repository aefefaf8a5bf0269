"""Reading bytes in one encoding, and what is wrong where that can't be done.

Held here: the proof that a text would be written back as the bytes it was read from, the line between text and binary
content, and how a character is named. Deliberately absent: which encoding to try.
"""

from dataclasses import dataclass
from typing import Final

from dsh_tools.fs.charsets import NARROW, UTF8

FEW_NULS: Final = 8
"""So many NULs a text may have whatever its length."""

_DENSE: Final = 4
"""Beyond that, one character in so many may be a NUL. UTF-16 that is taken for UTF-8 has one in two."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why bytes are not text in an encoding: a clause that needs no full stop."""

    reason: str


def text_in(data: bytes | memoryview, codec: str, offset: int = 0) -> str | Fault:
    """The text that bytes are in an encoding.

    Args:
        data: The bytes, without byte order mark.
        codec: The codec's name.
        offset: Where in the file they begin.
    """
    try:
        text = str(data, codec)
    except UnicodeDecodeError as error:
        return Fault(f"the byte at offset {offset + error.start} does not decode")
    if codec != UTF8 and (kept := _kept(text, data, codec)) < len(data):
        return Fault(f"the bytes from offset {offset + kept} on would not be written back as they are")
    if "\0" in text and (codec in NARROW or (is_dense(text) and text.count("\0") > FEW_NULS)):
        return Fault(f"{text.count(chr(0))} of {len(text)} characters are NUL, as in a binary file")
    return text


def is_dense(text: str) -> bool:
    """Whether so many characters are NUL that the text is most likely in another encoding, if it is one."""
    return text.count("\0") * _DENSE > len(text)


def named_character(text: str, at: int) -> str:
    """A character by its code point, its name and its place, both counted from 1; without itself.

    Args:
        text: The physical text.
        at: Its offset.
    """
    import unicodedata

    character = text[at]
    name = unicodedata.name(character, "")
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return f"U+{ord(character):04X}{name and f' {name}'} at line {line}, column {column}"


def first_difference(one: str | bytes, other: str | bytes | memoryview) -> int:
    """The first offset at which two sequences differ; the length of the shorter if it is the start of the other."""
    same, differ = 0, min(len(one), len(other)) + 1
    while differ - same > 1:
        middle = (same + differ) // 2
        same, differ = (middle, differ) if one[:middle] == other[:middle] else (same, middle)
    return same


def _kept(text: str, data: bytes | memoryview, codec: str) -> int:
    """How many of the bytes encoding the text gives back, from the first on."""
    try:
        again = text.encode(codec)
    except UnicodeEncodeError as error:
        again = text[: error.start].encode(codec)
    return len(data) if again == data else min(first_difference(again, data), len(data) - 1)
