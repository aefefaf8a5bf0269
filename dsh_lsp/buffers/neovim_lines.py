r"""A text in which a stock Neovim counts lines otherwise than LSP does.

LSP's lines end with ``\n``, ``\r\n`` and ``\r`` (LSP 3.17, "Text Documents"). A Neovim's end with the one kind that the
file has, and a ``\r`` in a line is a character like any other; it tells of changes in those lines, and puts edits into
them. (Measured on 0.11.4: an edit of another line lands in the wrong place, and everybody believes that it went well.)
So its changes are read as it means them, and no edit is sent to it. A client of ours knows the difference itself.
"""

import re
from typing import Final

from dsh_lsp.editor import EditorTraits
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding, column_at

MISCOUNTS: Final = (
    "it counts lines otherwise than the protocol in a text with lone carriage returns (^M), and would put the edit in "
    "the wrong place; the user can remove them (:%s/\\r//g), or use the dsh plug-in"
)

_LONE_RETURN: Final = re.compile("\r(?!\n)")


def may_miscount(traits: EditorTraits, text: str) -> bool:
    r"""Whether the editor counts the lines of a text otherwise: a stock Neovim, one with a lone ``\r`` in its lines.

    Where all lines end with ``\r``, the last one too, that is the file's kind of line end ('fileformat' mac).
    """
    if not traits.is_stock_neovim or "\r" not in text or _LONE_RETURN.search(text) is None:
        return False
    return "\n" in text or not text.endswith("\r")


def changed_text(mirror: Document, place: tuple[int, int, int, int], new: str) -> str:
    r"""The text after a change that was told in lines which ``\n`` alone ends.

    Args:
        mirror: The document before.
        place: Start line and character, end line and character, in those lines, 0-based and in the document's encoding;
            clamped.
        new: The new text.
    """
    text = mirror.text
    start, end = sorted((_offset(text, *place[:2], mirror.encoding), _offset(text, *place[2:], mirror.encoding)))
    return text[:start] + new + text[end:]


def _offset(text: str, line: int, character: int, encoding: PositionEncoding) -> int:
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    end = text.find("\n", at)
    rest = text[at:] if end < 0 else text[at:end]
    # With something behind it, for a return at the end would be taken for the line's end.
    return at + min(column_at(f"{rest}.", character, encoding), len(rest))
