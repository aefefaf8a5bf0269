"""What a terminal shows, with its colours, as a page: the output of ``tmux capture-pane -e -p -N`` as HTML."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_SEQUENCE = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)|\x1b[()][A-Z0-9]|[\x0e\x0f]")

_BASIC = ("000000", "cd3131", "0dbc79", "e5e510", "2472c8", "bc3fbc", "11a8cd", "e5e5e5")
_BRIGHT = ("666666", "f14c4c", "23d18b", "f5f543", "3b8eea", "d670d6", "29b8db", "ffffff")

_PAGE = """\
<!DOCTYPE html><meta charset="utf-8"><style>
body{{margin:0;padding:14px 16px;background:#{ground}}}
pre{{margin:0;font:14px/20px "DejaVu Sans Mono",monospace;color:#{text};background:#{ground}}}
span{{display:inline-block;height:20px;vertical-align:top;white-space:pre;overflow:hidden}}
</style><pre>{body}</pre>"""


@dataclass(frozen=True, slots=True)
class Look:
    """How a character looks; colours are six hexadecimal digits, None for the terminal's own."""

    colour: str | None = None
    ground: str | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False

    def css(self, text: str, ground: str) -> str:
        """The declarations of it, with the terminal's own colours."""
        front, back = self.colour, self.ground
        if self.reverse:
            front, back = back or ground, front or text
        parts = [
            f"color:#{front}" if front else "",
            f"background:#{back}" if back else "",
            "font-weight:bold" if self.bold else "",
            "font-style:italic" if self.italic else "",
            "text-decoration:underline" if self.underline else "",
        ]
        return ";".join(filter(None, parts))


def page(captured: str, text: str, ground: str) -> str:
    """The page of a screen.

    Args:
        captured: Its lines.
        text: The terminal's own text colour, as six hexadecimal digits.
        ground: Its background.
    """
    look, rows = Look(), []
    for line in captured.rstrip("\n").split("\n"):
        pieces, look = _pieces(line, look)
        rows.append("".join(_span(piece, its, text, ground) for piece, its in pieces) or " ")
    return _PAGE.format(text=text, ground=ground, body="\n".join(rows))


def _span(piece: str, look: Look, text: str, ground: str) -> str:
    # A character of another font is as wide as the terminal has it.
    width = len(piece)
    css = look.css(text, ground)
    return f'<span style="width:{width}ch;{css}">{html.escape(piece)}</span>'


def _pieces(line: str, look: Look) -> tuple[list[tuple[str, Look]], Look]:
    pieces, at = [], 0
    for found in _SEQUENCE.finditer(line):
        if found.start() > at:
            pieces.append((line[at : found.start()], look))
        at = found.end()
        if found[1] is not None:
            look = _changed(look, found[1])
    if at < len(line):
        pieces.append((line[at:], look))
    return pieces, look


def _changed(look: Look, codes: str) -> Look:
    numbers = iter([int(each.split(":")[0] or 0) for each in codes.split(";")])
    for number in numbers:
        match number:
            case 0:
                look = Look()
            case 1 | 22:
                look = replace(look, bold=number == 1)
            case 3 | 23:
                look = replace(look, italic=number == 3)
            case 4 | 24:
                look = replace(look, underline=number == 4)
            case 7 | 27:
                look = replace(look, reverse=number == 7)
            case 38 | 48 | 58:
                colour = _colour(numbers)
                if number != 58:
                    look = replace(look, **{"colour" if number == 38 else "ground": colour})
            case 39:
                look = replace(look, colour=None)
            case 49:
                look = replace(look, ground=None)
            case _ if 30 <= number <= 37:
                look = replace(look, colour=_BASIC[number - 30])
            case _ if 40 <= number <= 47:
                look = replace(look, ground=_BASIC[number - 40])
            case _ if 90 <= number <= 97:
                look = replace(look, colour=_BRIGHT[number - 90])
            case _ if 100 <= number <= 107:
                look = replace(look, ground=_BRIGHT[number - 100])
            case _:
                pass
    return look


def _colour(numbers: Iterator[int]) -> str:
    if next(numbers) == 2:
        return "".join(f"{next(numbers):02x}" for _ in range(3))
    index = next(numbers)
    if index < 16:
        return (_BASIC + _BRIGHT)[index]
    if index >= 232:
        return f"{8 + 10 * (index - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    index -= 16
    return "".join(f"{steps[part]:02x}" for part in (index // 36, index // 6 % 6, index % 6))
