"""Lines of a terminal: a gutter, a text that is literal, and what did not fit said.

Long lines are folded here and not by the terminal, so that what follows stays under the text and not under the numbers.
A line is a list of runs and no `rich.text.Text`: a session may have a hundred thousand of them.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from rich.cells import cell_len, chop_cells

from dsh_lsp.replaying import wording
from dsh_tools.visible import one_line, pieces

T = TypeVar("T")

Line: TypeAlias = list[tuple[str, str]]
"""One line: runs of text, each with the name of its style; no line ends and no control characters in it."""

QUIET: Final = "dim"
HIDDEN: Final = "black on yellow"
"""How characters that would not be seen are marked."""

_TAB: Final = 4
_ROWS: Final = 6
"""How many rows of a terminal a line may take."""

_NEAR: Final = 24
"""How many cells of a row may stay empty, so that a word stays whole."""


def literal(text: str, style: str = "", changed: tuple[int, int] | None = None, strong: str = "") -> Line:
    """A line as it is; what would not be seen is marked, and so are line feeds if there are any.

    Args:
        text: The line.
        style: Its style.
        changed: A part of it, as offsets, that has another style.
        strong: The style of that part.
    """
    start, end = (len(text), len(text)) if changed is None else changed
    made: Line = []
    for part, its in ((text[:start], style), (text[start:end], strong), (text[end:], style)):
        for shown, hidden in pieces(part):
            if hidden:
                made.append((shown, HIDDEN))
            elif "\n" in shown:  # a path, or an argument, that has more than one line
                made += [run for line in shown.split("\n") for run in ((one_line("\n"), HIDDEN), (line, its))][1:]
            else:
                made.append((shown, its))
    return made


def short(text: str, style: str = "") -> Line:
    """The same for a text that shares its line with others."""
    return _without_tabs(literal(text, style))


def row(
    gutter: Line,
    text: str,
    width: int,
    style: str = "",
    changed: tuple[int, int] | None = None,
    strong: str = "",
) -> Iterator[Line]:
    """A line behind its gutter, in as many rows as it needs; of a very long one the part around what changed.

    Args:
        gutter: What stands before it; as many spaces stand before its further rows.
        text: One line.
        width: Of the terminal, in cells.
        style: As for `literal`.
        changed: As for `literal`.
        strong: As for `literal`.
    """
    indent = cells(gutter)
    room = max(width - indent, 10)
    limit = room * _ROWS
    before = after = 0
    if len(text) > limit:
        before = 0 if changed is None or changed[1] <= limit else max(changed[0] - room, 0)
        after = max(len(text) - before - limit, 0)
        text = text[before : before + limit]
        changed = None if changed is None else (changed[0] - before, min(changed[1] - before, limit))
    shown = literal(text, style, changed, strong)
    if "\t" in text:
        shown = _without_tabs(shown)
    if before:
        shown.insert(0, (f"({wording.many(before, 'character')} before) ", QUIET))
    if after:
        shown.append((f" ({wording.many(after, 'more character')})", QUIET))
    first, *others = folded(shown, room)
    yield gutter + first
    for other in others:
        yield [(" " * indent, ""), *other]


def cells(line: Line) -> int:
    """How many cells of a terminal a line takes."""
    return sum(len(text) if text.isascii() else cell_len(text) for text, _ in line)


def folded(line: Line, width: int) -> list[Line]:
    """One line in rows of a width: broken after a space where there is one near the end of a row."""
    if cells(line) <= width:
        return [line]
    plain = "".join(text for text, _ in line)
    rows, at = [], 0
    while True:
        rest = plain[at : at + width + 1]
        if len(rest) <= width and cell_len(rest) <= width:
            break
        fits = len(chop_cells(rest, width)[0])
        space = plain.rfind(" ", at + max(fits - _NEAR, 1), at + fits)
        end = space + 1 if space >= 0 else at + max(fits, 1)
        rows.append(_slice(line, at, end))
        at = end
    if at < len(plain):
        rows.append(_slice(line, at, len(plain)))
    return rows


def cut(rows: Sequence[T], head: int, tail: int = 0) -> tuple[Sequence[T], int, Sequence[T]]:
    """The first and the last of many, and how many between them are left out."""
    if len(rows) <= head + tail + 1:  # the sentence about it takes a row too
        return rows, 0, ()
    return rows[:head], len(rows) - head - tail, rows[len(rows) - tail :]


def left_out(count: int, thing: str = "line") -> Line:
    """That some are left out, and how to see them."""
    return [(f"  ⋯ {wording.many(count, f'more {thing}')}; --format html shows all", QUIET)]


def _without_tabs(line: Line) -> Line:
    made: Line = []
    at = 0
    for text, style in line:
        for number, part in enumerate(text.split("\t")):
            shown = part if not number else " " * (_TAB - at % _TAB) + part
            at += cell_len(shown)
            made.append((shown, style))
    return made


def _slice(line: Line, start: int, end: int) -> Line:
    made: Line = []
    at = 0
    for text, style in line:
        if part := text[max(start - at, 0) : max(end - at, 0)]:
            made.append((part, style))
        at += len(text)
    return made
