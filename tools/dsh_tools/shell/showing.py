"""A command and its output as they are shown: nothing hidden, nothing that moves a cursor.

Pure. People decide by what they are shown of a command, so everything that does not show by itself is written out.
"""

import re
from collections.abc import Iterable
from itertools import accumulate, takewhile
from typing import Final

from dsh_tools.shell.output import Shown
from dsh_tools.visible import one_line as visible_in_line

_TITLE: Final = 1_000
"""Characters of a title that a command takes. A longer one is cut in the middle."""

_ESCAPE_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS and the like: titles, links
    r"|\x1b(?:[ -/]+[0-~]|[0-OQ-WYZ\\`-~])"  # the others
)
_CONTROL: Final = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}


def one_line(text: str, limit: int = _TITLE) -> str:
    """A text in one line that shows all that is in it: line ends as ``⏎``, what does not show by its code point.

    Args:
        text: The text.
        limit: Characters to take, as shown. Of what is longer the middle is left out, and it is said how much that is.
    """
    shown = [_visible(character) for character in text]
    if sum(map(len, shown)) <= limit:
        return "".join(shown)
    head = shown[: _fitting(shown, limit // 2)]
    tail = shown[len(shown) - _fitting(reversed(shown), limit // 2) :]
    return f"{''.join(head)} … ({len(shown) - len(head) - len(tail)} characters not shown) … {''.join(tail)}"


def marked(output: Shown) -> str:
    """The output as one text, with a line where something is left out that says how much."""
    if not output.left_out:
        return output.head
    lines = f"{output.left_out_lines:,} line" + ("" if output.left_out_lines == 1 else "s")
    characters = f"{output.left_out:,} character" + ("" if output.left_out == 1 else "s")
    end = "" if output.head.endswith("\n") else "\n"
    return f"{output.head}{end}[… {characters} ({lines}) left out …]\n{output.tail}"


def plain(text: str) -> str:
    r"""An output for a model: without escape sequences, ``\r\n`` and a lone ``\r`` as line ends.

    A model can't see colours, and a bar that draws itself over and over reads as the lines it is. Other control
    characters show as their pictures (``␀``), one character for one.
    """
    text = _ESCAPE_SEQUENCE.sub("", text)
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)


def _fitting(shown: Iterable[str], limit: int) -> int:
    """How many of these fit into so many characters."""
    return sum(1 for _ in takewhile(lambda total: total <= limit, accumulate(map(len, shown))))


def _visible(character: str) -> str:
    return "⏎" if character == "\n" else visible_in_line(character)
