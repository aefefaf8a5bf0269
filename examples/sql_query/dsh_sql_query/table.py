"""Rows as text, one a line, cells between bars. Pure."""

from collections.abc import Sequence
from typing import Any, Final

MOST_CHARACTERS: Final = 50_000


def table(columns: Sequence[Any], rows: Sequence[Any], limit: int = MOST_CHARACTERS) -> tuple[int, str]:
    """The first rows as text.

    Args:
        columns: The names of the columns.
        rows: Rows of cells.
        limit: Characters after which no further row is shown.

    Returns:
        How many of the rows are in the text, and the text.
    """
    lines = [_line(columns)]
    length = len(lines[0])
    for row in rows:
        line = _line(row)
        length += len(line) + 1
        if length > limit:
            break
        lines.append(line)
    return len(lines) - 1, "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    return " | ".join(map(_cell, cells))


def _cell(value: object) -> str:
    """A cell in one line; a bar in it is escaped, so that cells can be told apart."""
    if value is None:
        return "NULL"
    text = str(value).replace("\\", "\\\\").replace("|", "\\|")
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)
