"""What tools that show a file have in common: a window of it as a value, and its projections."""

import hashlib
from collections.abc import Callable
from typing import Final, Literal

from dsh_ledger.errors import FsNotFound, FsTooLarge
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.observations import LineSpan
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version
from dsh_tools.cards import CutLine, ReadResult
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.contract import ToolRun
from dsh_tools.fs.port import Missing, TextRead
from dsh_tools.models import Items, WireModel, optional
from dsh_tools.windows import ClippedLine, Window, WindowOfPieces, number, window

LARGEST: Final = 1 << 30
"""Bytes of a file of which a window is read: all of it has to pass by, for its version."""

UNKNOWN: Final = "unknown"
"""The encoding of a file that was not held as a whole."""


class NoSuchLine(FsNotFound):
    """The file is there, and has not as many lines. To look elsewhere, or to write it, would be the wrong thing."""

    remedy = "Name a line that there is."

    def __init__(self, path: str, line: int, total: int, details: JsonObject) -> None:
        lines = f"{total} line" + ("" if total == 1 else "s")
        super().__init__(path, f"{path} has {lines}; there is no line {line}.", {**details, "totalLines": total})


class NoSuchColumn(FsNotFound):
    """The line is there, and has not as many characters."""

    remedy = "Name a column that there is."

    def __init__(self, path: str, line: int, column: int, total: int) -> None:
        characters = f"{total} character" + ("" if total == 1 else "s")
        message = f"Line {line} of {path} has {characters}; there is no column {column}."
        super().__init__(path, message, {"offset": line, "column": column, "totalColumns": total})


class ReadValue(WireModel):
    """The canonical value of a read.

    Attributes:
        version: The version of the whole content.
        via: Read from the editor's buffer, or from the disk.
        dirty: The buffer holds typing that the disk does not have.
        encoding: The codec's name; ``unknown`` for a window of a file that is too large to be held.
        offset: 1-based number of the first line in ``text``.
        column: 1-based code point of that line that ``text`` begins with, if it is not the first one.
        lines: How many lines ``text`` has.
        total_lines: How many the file has.
        text: The lines, exact but for lines that are cut; without numbers.
        ends_with_newline: The file's last line has an end.
        truncated: Something of the file is not in ``text``.
        truncated_by: What ended the window before the end of the file.
        cut_lines: Lines of which only the beginning is in ``text``.
        notes: What else a reader should know, as sentences.
    """

    path: str
    uri: str
    version: str
    via: Literal["buffer", "disk"]
    dirty: bool
    encoding: str
    offset: int
    lines: int
    total_lines: int
    text: str
    ends_with_newline: bool
    truncated: bool
    truncated_by: Literal["limit", "bytes"] | None
    cut_lines: Items[CutLine]
    notes: Items[str]
    column: int | None = optional()


async def read_window(
    run: ToolRun, target: Target, offset: int, limit: int, *, column: int = 1, is_asked: bool
) -> JsonObject:
    """Read a window of a target, note what the session has seen, and make the canonical value of it.

    Args:
        run: The call.
        target: What to read.
        offset: 1-based number of the first line.
        limit: How many lines at most.
        column: 1-based code point of the first line that is shown first.
        is_asked: It is the window that the caller asked for, and is had of a file of any size.

    Raises:
        FsNotFound: There is no such file, no such line in it, or no such column in that.
        FsError: As for the port's `read_text`.
    """
    try:
        found = await run.fs.read_text(target)
    except FsTooLarge as refusal:
        if not is_asked:
            raise
        if refusal.size > LARGEST:
            refusal.remedy = "Look for what you need with grep, or show a part of it with bash."
            raise
        found, shown = await _of_pieces(run, target, WindowOfPieces(offset, limit, column=column))
    else:
        if isinstance(found, Missing):
            run.ledger.saw_nothing(target)
            raise FsNotFound(target.path)
        run.snapshots.keep(found.version, found.text)
        shown = window(found.text, offset, limit, column=column)
    if not shown.lines and offset > 1:
        raise NoSuchLine(target.path, offset, shown.total_lines, {"offset": offset})
    if column > 1 and not (shown.lines and shown.lines[0]):
        raise NoSuchColumn(target.path, offset, column, shown.clipped[0].total if shown.clipped else 0)
    whole = len(shown.lines) == shown.total_lines and not shown.clipped
    run.ledger.saw(target, found.version, None if whole else LineSpan(shown.first - 1, shown.last))
    return ReadValue(
        path=target.path,
        uri=target.uri,
        version=found.version,
        via=found.via,
        dirty=found.dirty,
        encoding=found.encoding,
        offset=shown.first,
        column=shown.column if shown.column > 1 else None,
        lines=len(shown.lines),
        total_lines=shown.total_lines,
        text=shown.text,
        ends_with_newline=shown.ends_with_newline,
        truncated=not whole,
        truncated_by=shown.cut,
        cut_lines=tuple(CutLine(line=cut.line, shown=cut.shown, total=cut.total) for cut in shown.clipped),
        notes=found.notes,
    ).to_wire()


async def _of_pieces(run: ToolRun, target: Target, made: WindowOfPieces) -> tuple[TextRead, Window]:
    """A window of a file that is too large to hold, and all about the file but its text."""
    digest = hashlib.sha256()
    async for piece in run.fs.stream_text(target):
        digest.update(piece.encode("utf-8", "surrogatepass"))
        made.feed(piece)
    return TextRead("", Version(digest.hexdigest()), "disk", encoding=UNKNOWN), made.window()


def render(
    value: JsonObject,
    onward: Callable[[int], str] = lambda line: f"read on with offset={line}",
    across: Callable[[int, int], str] | None = lambda line, column: f"read on with offset={line} and column={column}",
) -> tuple[ContentBlock, ...]:
    """The numbered lines, and before them what a reader must know: what is not shown, and where it comes from.

    Args:
        value: The canonical value.
        onward: How the tool is asked for what comes after, from a line on.
        across: How it is asked for the rest of a line, from a column on; None where it can't be.
    """
    read = ReadValue.model_validate(value)
    last = read.offset + read.lines - 1
    about = [
        f"{read.path}: " + (f"lines {read.offset}-{last} of {read.total_lines}" if read.lines else "an empty file")
    ]
    if read.via == "buffer":
        about.append("from the editor's buffer, with unsaved changes" if read.dirty else "from the editor's buffer")
    if read.lines and not read.ends_with_newline and last == read.total_lines:
        about.append("no newline at the end")
    head = [", ".join(about) + ".", *read.notes]
    if read.truncated_by is not None:
        why = "50 KB are shown at most" if read.truncated_by == "bytes" else "the limit was reached"
        head.append(f"Not all is shown, since {why}: {onward(last + 1)}.")
    if read.cut_lines:
        head.append(_of_long_lines(read, across))
    if not read.lines:
        return text_content("\n".join(head))
    has_end = read.ends_with_newline or last < read.total_lines
    lines = tuple((read.text[:-1] if has_end else read.text).split("\n"))
    shown = Window(
        read.offset,
        lines,
        tuple(ClippedLine(cut.line, cut.shown, cut.total) for cut in read.cut_lines),
        read.total_lines,
        read.truncated_by,
        read.ends_with_newline,
        read.column or 1,
    )
    return text_content("\n".join([*head, number(shown)]))


def _of_long_lines(read: ReadValue, across: Callable[[int, int], str] | None) -> str:
    """What is said of lines that are shown in part, and how to see more of the first one that goes on."""
    first = read.offset, read.column or 1
    starts = [(cut, first[1] if cut.line == first[0] else 1) for cut in read.cut_lines]
    count = len(starts)
    said = "1 long line is shown in part" if count == 1 else f"{count} long lines are shown in part"
    going_on = next(((cut.line, start + cut.shown) for cut, start in starts if start + cut.shown <= cut.total), None)
    if going_on is not None and across is not None:
        said += f": {across(*going_on)}" if count == 1 else f"; of the first that goes on, {across(*going_on)}"
    return f"{said}; an edit needs only a unique part of a line."


def meta(value: JsonObject) -> JsonValue:
    """What is recorded for the card."""
    return {key: value[key] for key in _SHOWN}


_SHOWN = ("path", "uri", "offset", "lines", "totalLines", "text", "truncated", "cutLines", "via", "dirty", "notes")
"""Members of the value that the card shows, under the card's names."""


def card(recorded: JsonObject) -> ReadResult:
    """The card of a window, from what was recorded."""
    return ReadResult.model_validate({**recorded, "title": f"Read {recorded['path']}"})
