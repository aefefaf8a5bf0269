"""Characters of each encoding, and what a reader of a file would find in bytes, told as plainly as can be."""

import unicodedata
from functools import cache

from dsh_tools.fs.charsets import MARKS, NARROW, WIDE

UNICODE = "\u00e9e\u0301\u2028\u0085\u3042\u4e2d\uac00\u201c\U0001f600\U00020000"
"""Composed and decomposed, line ends that are none, scripts, quotes, and what takes two units of UTF-16."""

_SCRIPTS = (
    *range(0xA1, 0x250),
    *range(0x386, 0x460),
    *range(0x3041, 0x3100),
    *range(0x4E00, 0x4E80),
    *range(0xAC00, 0xAC40),
)

ENCODINGS = tuple(sorted(NARROW | WIDE | {"utf-8"}))


@cache
def alphabet(codec: str) -> str:
    """Some characters beyond ASCII that an encoding has and gives back."""
    if codec in WIDE or codec == "utf-8":
        return UNICODE
    upper = bytes(range(0x80, 0x100)).decode(codec, "ignore")
    found = dict.fromkeys((*upper, *map(chr, _SCRIPTS)))
    return "".join(character for character in found if ord(character) >= 0x80 and _kept(character, codec))


@cache
def lacking(codec: str) -> str:
    """A character with a name that an encoding does not have, or in which it has another one."""
    return next(character for character in "\u2603\u0e01\u05d0\u00e9\u1234" if not _kept(character, codec))


def described(character: str) -> str:
    """How an error names a character."""
    return f"U+{ord(character):04X} {unicodedata.name(character)}"


def read_as(data: bytes, declared: str | None) -> tuple[str, str] | None:
    """The text in a file's bytes and its encoding, by the rules as the design states them; None for no text."""
    for mark, codec in sorted(MARKS, key=lambda each: -len(each[0])):
        if data.startswith(mark):
            text = _text(data[len(mark) :], codec)
            if text is not None or not codec.startswith("utf-32"):
                return None if text is None or _binary(text) else (text, codec)
    text = _text(data, "utf-8")
    if text is not None and 4 * text.count("\0") <= len(text):
        return text, "utf-8"
    other = _text(data, declared) if declared is not None and (text is None or declared in WIDE) else None
    if other is not None and declared is not None and other.encode(declared) == data:
        return None if _binary(other) or ("\0" in other and declared in NARROW) else (other, declared)
    return None if text is None or _binary(text) else (text, "utf-8")


def _binary(text: str) -> bool:
    return text.count("\0") > max(8, len(text) // 4)


def _text(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _kept(character: str, codec: str) -> bool:
    try:
        return character.encode(codec).decode(codec) == character
    except UnicodeError:
        return False
