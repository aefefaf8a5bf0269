r"""How a stock Neovim holds a text and edits it: lines, one kind of line end, and whether the last line has one.

Measured on 0.11.4: an edit can't add or take the final newline, an insert after the last line makes an empty line, line
ends in new text are normalised, and the empty file is one empty line. Deliberately absent: its own mistakes in what it
tells the server about such a text (a file without a final newline whose last line is added or deleted).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.support.naive_text import Encoding, Position, joined, offset_of

_LINE_END = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class VimText:
    r"""A buffer.

    Attributes:
        lines: At least one, without their ends.
        newline: ``\r\n`` if every line of the loaded text ended so ('fileformat' dos), else ``\n``.
        final_newline: The last line has an end ('endofline').
    """

    lines: tuple[str, ...]
    newline: str
    final_newline: bool

    @classmethod
    def load(cls, text: str) -> "VimText":
        """The buffer of a file's text, decoded and without a byte order mark."""
        dos = "\n" in text and text.count("\n") == text.count("\r\n")
        newline = "\r\n" if dos else "\n"
        lines = text.split(newline)
        final_newline = lines[-1] == ""
        if final_newline and len(lines) > 1:
            lines.pop()
        return cls(tuple(lines), newline, final_newline)

    @property
    def text(self) -> str:
        """What Neovim tells a server."""
        return self.newline.join(self.lines) + (self.newline if self.final_newline else "")

    def edited(self, edits: Sequence[Any], encoding: Encoding) -> "VimText":
        """The buffer after LSP text edits, which are not checked: a place outside is taken as the nearest one."""
        lines, past_the_end = list(self.lines), False
        ordered = sorted(edits, key=lambda edit: (edit["range"]["start"]["line"], edit["range"]["start"]["character"]))
        for edit in reversed(ordered):
            start, end = edit["range"]["start"], edit["range"]["end"]
            new = _LINE_END.split(edit["newText"])
            count = len(lines)
            if start["line"] >= count:
                lines.extend(new)
                continue
            head = lines[start["line"]][: _column(lines[start["line"]], start, encoding)]
            if end["line"] >= count:
                past_the_end = True
                tail, last = "", count
            else:
                tail, last = lines[end["line"]][_column(lines[end["line"]], end, encoding) :], end["line"] + 1
            new[0] = head + new[0]
            new[-1] += tail
            lines[start["line"] : last] = new
        if past_the_end and len(lines) > 1 and lines[-1] == "":
            lines.pop()
        return replace(self, lines=tuple(map(joined, lines)))


def _column(line: str, position: Position, encoding: Encoding) -> int:
    return offset_of(line, {"line": 0, "character": position["character"]}, encoding, clamp=True)
