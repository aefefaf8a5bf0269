r"""A window of a text: some of its lines, numbered, bounded, and honest about what was left out.

Lines end at ``\n`` and nowhere else. Held here: what is cut, and the two marks that a numbered rendering puts around a
line, with the patterns that recognise them when they come back. Deliberately absent: a split of the whole text. Lines
outside the window are only counted.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

DEFAULT_LINES = 2_000
"""How many lines a window has at most, unless asked otherwise."""

MAX_LINE = 2_000
"""How many code points of one line are shown."""

MAX_BYTES = 50_000
"""How many bytes of UTF-8, line ends included, a window has."""

Cut: TypeAlias = Literal["limit", "bytes"]
"""What ended a window before the end of the text."""

LINE_NUMBER = re.compile(r"[ \t]*[0-9]+(?:\| ?|\t|→)")
"""What stands before a line in `number`'s rendering; also the tab and the arrow that other renderings put there."""

LINE_CUT = re.compile(r"(?:…|\.\.\.) *[\[(][^\n\[\]()]*\b(?:cut|truncated|shown)\b[^\n\[\]()]*[\])]")
"""What stands after a line that `number` shows the beginning of; also in the words that other renderings use."""

_CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class ClippedLine:
    """A line of which only a part is in the window: its beginning, or what the window's column begins with.

    Attributes:
        line: Its 1-based number.
        shown: How many code points of it are in the window.
        total: How many it has, without its end.
    """

    line: int
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class Window:
    r"""Some lines of a text.

    Attributes:
        first: 1-based number of the first line asked for. With no lines: the text does not have that line.
        lines: The lines without their ends.
        clipped: The lines of which only a part is in ``lines``.
        total_lines: How many lines the text has; an empty text has none, and ``"a"`` and ``"a\n"`` have one.
        cut: What ended the window although lines follow, or None when the last line of the text is in it.
        ends_with_newline: The last line of the text has an end.
        column: 1-based code point of the first line that the window begins with; of the others it is the first one.
    """

    first: int
    lines: tuple[str, ...]
    clipped: tuple[ClippedLine, ...]
    total_lines: int
    cut: Cut | None
    ends_with_newline: bool
    column: int = 1

    @property
    def last(self) -> int:
        """1-based number of the last line in the window; ``first - 1`` when there is none."""
        return self.first + len(self.lines) - 1

    @property
    def truncated(self) -> bool:
        """Lines follow after the window."""
        return self.cut is not None

    @property
    def text(self) -> str:
        r"""The lines, each with a ``\n``, save a last line of the text that has none."""
        text = "\n".join(self.lines)
        has_end = self.last < self.total_lines or self.ends_with_newline
        return text + "\n" if self.lines and has_end else text


def window(
    text: str,
    offset: int = 1,
    limit: int = DEFAULT_LINES,
    *,
    column: int = 1,
    max_line: int = MAX_LINE,
    max_bytes: int = MAX_BYTES,
) -> Window:
    """The lines of a text from one line on.

    Args:
        text: The logical text.
        offset: 1-based number of the first line.
        limit: How many lines at most.
        column: 1-based code point of the first line that the window begins with.
        max_line: How many code points of each line.
        max_bytes: How many bytes of UTF-8 in all; the first line is shown whatever its size.

    Raises:
        ValueError: ``offset``, ``limit`` or ``column`` is less than 1.
    """
    if offset < 1 or limit < 1 or column < 1:
        raise ValueError(f"there is no window of {limit} lines from line {offset}, column {column} on")
    at, before = _find_line(text, offset)
    ended = text.endswith("\n")
    rest, lines_left = _fitting(text, at, limit, max_line, max_bytes)
    if lines_left is not None and column == 1:
        total = before + len(lines_left) + _lines_from(text, rest, ended=ended)
        return Window(offset, lines_left, (), total, "limit" if rest < len(text) else None, ended)
    lines: list[str] = []
    clipped: list[ClippedLine] = []
    size = 0
    cut: Cut | None = None
    while at < len(text):
        if len(lines) == limit:
            cut = "limit"
            break
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        start = at if lines else min(end, at + column - 1)
        line = text[start : min(end, start + max_line)]
        size += _utf8_size(line) + 1
        if lines and size > max_bytes:
            cut = "bytes"
            break
        if end - at > len(line):
            clipped.append(ClippedLine(offset + len(lines), len(line), end - at))
        lines.append(line)
        at = end + 1
    total = before + len(lines) + _lines_from(text, at, ended=ended)
    return Window(offset, tuple(lines), tuple(clipped), total, cut, ended, column)


class WindowOfPieces:
    """The same window as `window` makes, of a text that comes in pieces and is not held.

    Args:
        offset: As for `window`.
        limit: The same.
        column: The same.
        max_line: The same.
        max_bytes: The same.
    """

    def __init__(
        self, offset: int, limit: int, *, column: int = 1, max_line: int = MAX_LINE, max_bytes: int = MAX_BYTES
    ) -> None:
        self._offset, self._limit, self._max_line, self._max_bytes = offset, limit, max_line, max_bytes
        self._column = column
        self._passed = self._ends = self._size = self._length = 0
        self._line, self._ended = "", True
        self._lines: list[str] = []
        self._clipped: list[ClippedLine] = []
        self._cut: Cut | None = None

    def feed(self, piece: str) -> None:
        """Take in the next piece."""
        if not piece:
            return
        at = self._skip(piece)
        while self._cut is None and at < len(piece):
            if len(self._lines) == self._limit:
                self._cut = "limit"
                break
            end = piece.find("\n", at)
            stop = end if end >= 0 else len(piece)
            start = at if self._lines else min(stop, at + max(0, self._column - 1 - self._length))
            self._line += piece[start : min(stop, start + self._max_line - len(self._line))]
            self._length += stop - at
            if end >= 0:
                self._end_line()
            at = stop + 1
        self._ends += piece.count("\n")
        self._ended = piece.endswith("\n")

    def window(self) -> Window:
        """The window, once all pieces are in."""
        if self._length and self._cut is None:
            self._end_line()
        total = self._ends + (0 if self._ended else 1)
        has_end = self._ended and self._ends > 0
        return Window(self._offset, tuple(self._lines), tuple(self._clipped), total, self._cut, has_end, self._column)

    def _skip(self, piece: str) -> int:
        """Where the window begins in a piece, or goes on; its end if it does not begin in it."""
        at, missing = 0, self._offset - 1 - self._passed
        here = piece.count("\n") if missing else 0
        if here < missing:
            self._passed += here
            return len(piece)
        for _ in range(missing):
            at = piece.index("\n", at) + 1
        self._passed += missing
        return at

    def _end_line(self) -> None:
        self._size += _utf8_size(self._line) + 1
        if self._lines and self._size > self._max_bytes:
            self._cut = "bytes"
            return
        if self._length > len(self._line):
            self._clipped.append(ClippedLine(self._offset + len(self._lines), len(self._line), self._length))
        self._lines.append(self._line)
        self._line, self._length = "", 0


def number(shown: Window) -> str:
    """The window as text for a model: each line with its number, a bar and a space before it.

    The separator is not a tab: glued to a line that begins with tabs, one could not be told from the other.
    """
    if not shown.clipped:
        return "\n".join(
            [f"{count:>6}| {line}" if line else f"{count:>6}|" for count, line in enumerate(shown.lines, shown.first)]
        )
    totals = {line.line: line for line in shown.clipped}
    rendered: list[str] = []
    for count, line in enumerate(shown.lines, shown.first):
        mark = totals.get(count)
        end = f"… [cut: {_part(mark, shown.column if count == shown.first else 1)} shown]" if mark else ""
        rendered.append(f"{count:>6}| {line}{end}" if line or end else f"{count:>6}|")
    return "\n".join(rendered)


def _part(line: ClippedLine, column: int) -> str:
    of = f"of {line.total} characters"
    return f"{line.shown} {of}" if column == 1 else f"{column} to {column + line.shown - 1} {of}"


def _fitting(text: str, at: int, limit: int, max_line: int, max_bytes: int) -> tuple[int, tuple[str, ...] | None]:
    """The lines from an offset on when nothing but ``limit`` can cut them, and where they end; None when bytes may.

    The usual case, ten times as fast as looking at line after line.
    """
    piece = text[at : at + max_bytes + 1]
    lines = piece.split("\n", limit)
    if len(lines) <= limit and len(piece) > max_bytes:
        return at, None
    shown = lines[:limit] if len(lines) > limit else lines if lines[-1] else lines[:-1]
    size = sum(map(len, shown)) + len(shown)
    if not piece.isascii():
        size = _utf8_size("\n".join(shown)) + 1
    if size > max_bytes or max(map(len, shown), default=0) > max_line:
        return at, None
    return min(len(text), at + sum(map(len, shown)) + len(shown)), tuple(shown)


def _lines_from(text: str, at: int, *, ended: bool) -> int:
    return text.count("\n", at) + (0 if ended or at >= len(text) else 1)


def _find_line(text: str, line: int) -> tuple[int, int]:
    """Where a 1-based line begins, and how many lines are before it; the text's end when it has no such line."""
    passed, at = 0, 0
    while at < len(text) and passed < line - 1:
        here = text.count("\n", at, at + _CHUNK)
        if passed + here >= line - 1:
            break
        passed += here
        at += _CHUNK
    while passed < line - 1:
        end = text.find("\n", at)
        if end < 0:
            return len(text), passed + (0 if not text or text.endswith("\n") else 1)
        passed, at = passed + 1, end + 1
    return at, passed


def _utf8_size(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))
