"""Positions inside one line: between LSP characters in the negotiated encoding and columns in code points.

LSP counts code units of the negotiated encoding (LSP 3.17, "Position" and "PositionEncodingKind"); Python counts code
points. A lone surrogate, which a UTF-16 editor can hold, is one unit in utf-16, three in utf-8 and one in utf-32.
Deliberately absent: whole documents. Nothing here costs more than the length of the line it is given.
"""

from typing import Literal, assert_never

from dsh_lsp.text.lines import content_end

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]
"""What a ``character`` counts: bytes of UTF-8, code units of UTF-16, or code points."""


def units_in(text: str, encoding: PositionEncoding) -> int:
    """The length of a text in units of the encoding."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    assert_never(encoding)


def column_at(line: str, character: int, encoding: PositionEncoding) -> int:
    """The column (code points) that an LSP character of this line means.

    Args:
        line: One line, with or without its end.
        character: An offset from the start of the line in units of the encoding, not negative, of any size.
        encoding: The negotiated encoding.

    Returns:
        A column from 0 to the end of the line's content. A character past the content, the line end included, is the
        end of the content ("defaults back to the line length", LSP 3.17 "Position"). A character inside a surrogate
        pair or a UTF-8 sequence is the start of that code point.
    """
    end = content_end(line)
    # No code point is shorter than one unit, so that the column is never past the character.
    furthest = min(character, end)
    if encoding == "utf-32" or line.isascii():
        return furthest
    before = line[:furthest]
    if encoding == "utf-16":
        codec, unit_bytes = "utf-16-le", 2
    elif encoding == "utf-8":
        codec, unit_bytes = "utf-8", 1
    else:
        assert_never(encoding)
    try:
        encoded = before.encode(codec)
    except UnicodeEncodeError:
        return _column_by_walking(before, character, encoding)
    # "ignore" drops the code point that the cut has left incomplete. There is nothing else to be ignored.
    return len(encoded[: character * unit_bytes].decode(codec, "ignore"))


def character_at(line: str, column: int, encoding: PositionEncoding) -> int:
    r"""The LSP character (units of the encoding) of a column (code points) of this line.

    A column past the content is the end of the content: LSP has no position inside or after a line's end. A position
    between the ``\r`` and the ``\n`` of one line end is therefore told as the one before the ``\r``.
    """
    return units_in(line[: min(column, content_end(line))], encoding)


def join_surrogates(text: str) -> str:
    """The text with every high surrogate that a low one follows joined with it, as any UTF-16 editor sees the two.

    A client may send the halves of one character in two changes. Two Python strings that hold a half each don't join
    by themselves, and their digest would differ from the editor's for ever.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")  # a tenth of the time of looking for the pairs with a regular expression
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _column_by_walking(before: str, character: int, encoding: PositionEncoding) -> int:
    """As `column_at`, for content with lone surrogates, which the codecs would refuse or join."""
    units = 0
    for column, char in enumerate(before):
        units += units_in(char, encoding)
        if units > character:
            return column
    return len(before)
