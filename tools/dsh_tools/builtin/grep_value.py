"""The canonical value of grep, and what the model, people and programs get of it."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.builtin import searching
from dsh_tools.builtin.searching import counted, one_line
from dsh_tools.cards import SearchHit, SearchResult
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.models import Items, WireModel, optional
from dsh_tools.search.clipping import marked

OutputMode: TypeAlias = Literal["content", "files", "count"]


class GrepLine(WireModel):
    """A line of a file.

    Attributes:
        line: Its 1-based number.
        text: What is shown of it, without its end; bytes that don't decode as U+FFFD.
        column: Where the first match that begins in it begins, 1-based in code points; left out for a line that is
            shown beside a hit, or that a match from above goes on in.
        matches: How many matches begin in it.
        hidden_before: How many of its code points before ``text`` are not shown.
        hidden_after: How many after it.
        hidden_lines: How many lines below it, of the same match, are not shown.
    """

    line: int
    text: str
    column: int | None = optional()
    matches: int = 0
    hidden_before: int = 0
    hidden_after: int = 0
    hidden_lines: int = 0


class GrepFile(WireModel):
    """A file with hits.

    Attributes:
        via: The disk was searched, or the unsaved text of an editor's buffer.
        dirty: The buffer holds typing that the disk does not have.
        hits: How many hits it has.
        lines: The lines that are shown.
    """

    path: str
    uri: str
    via: searching.Place
    dirty: bool
    hits: int
    lines: Items[GrepLine] = ()


class GrepValue(WireModel):
    """The canonical value of a grep. A hit is a line in which a match begins.

    Attributes:
        mode: What was asked for.
        files: The first files with hits, by path.
        shown: How many hits are shown; how many files, in the other modes.
        total: How many hits there are; how many files with hits, in the other modes.
        total_hits: How many hits there are.
        total_files: How many files have hits.
        at_least: Counting was given up: there are more than ``total``.
        truncated: Fewer are shown than there are.
        truncated_by: What ended the list.
        searched: How many files were searched.
        ignored: How many more were not, since ignore files hide them.
        ignored_exact: It is not more than that.
        notes: What else a reader should know, as sentences.
    """

    mode: OutputMode
    files: Items[GrepFile]
    shown: int
    total: int
    total_hits: int
    total_files: int
    at_least: bool
    truncated: bool
    truncated_by: Literal["limit", "size", "line"] | None
    searched: int
    ignored: int
    ignored_exact: bool
    notes: Items[str]


def render(value: JsonObject, context: int) -> tuple[ContentBlock, ...]:
    """What was found in numbers, what is not shown, and the hits by file."""
    found = GrepValue.model_validate(value)
    lines = [_summary(found), *_what_to_do(found), *found.notes]
    for file in found.files:
        lines += _of_file(file, found.mode, context)
    return text_content("\n".join(lines))


def meta(value: JsonObject, title: str, query: str) -> JsonValue:
    """What is recorded for the card: the card itself."""
    found = GrepValue.model_validate(value)
    return SearchResult(
        title=title,
        query=query,
        hits=tuple(hit for file in found.files for hit in _card_hits(file, found.mode)),
        total=found.total,
        truncated=found.truncated,
        at_least=True if found.at_least else None,
        notes=found.notes,
    ).to_wire()


def _summary(found: GrepValue) -> str:
    hits = (
        f"{counted(found.total_hits, 'hit')} in {counted(found.total_files, 'file')}" if found.total_hits else "No hits"
    )
    return f"{'At least ' if found.at_least else ''}{hits}; {counted(found.searched, 'file')} searched."


def _what_to_do(found: GrepValue) -> list[str]:
    if found.truncated_by is None:
        return []
    of = f"{found.shown} of {'more than ' if found.at_least else ''}{found.total}"
    listed = f"The first {of} {'hits' if found.mode == 'content' else 'files'} are shown"
    narrow = "search for something more exact, narrow it with path, glob or type"
    match found.truncated_by:
        case "limit":
            return [f"{listed}: {narrow}, or set a limit of up to {searching.MOST}."]
        case "size":
            return [f"{listed}, since {searching.MOST_CHARACTERS} characters are shown at most: {narrow}."]
        case "line":
            return [f"{listed}; the others are on lines too large to be shown."]


def _of_file(file: GrepFile, mode: OutputMode, context: int) -> Iterator[str]:
    path = one_line(file.path, file.uri)
    buffer = " (unsaved text in the editor)" if file.via == "buffer" else ""
    if mode != "content":
        yield path + (f": {counted(file.hits, 'hit')}" if mode == "count" else "") + buffer
        return
    yield f"\n{path}{buffer}"
    last = None
    for line in file.lines:
        if context and last is not None and line.line > last + 1:
            yield "--"
        yield _numbered(line)
        last = line.line + line.hidden_lines
        if line.hidden_lines:
            yield f"       … [cut: {line.hidden_lines} lines of this match]"


def _numbered(line: GrepLine) -> str:
    text = marked(line.text, line.hidden_before, line.hidden_after)
    if line.column is None:
        return f"{line.line:>6}- {text}" if text else f"{line.line:>6}-"
    if line.hidden_before or line.hidden_after:
        first = "match" if line.matches == 1 else f"first of {line.matches} matches"
        text += f" [{first} at column {line.column}]"
    return f"{line.line:>6}| {text}" if text else f"{line.line:>6}|"


def _card_hits(file: GrepFile, mode: OutputMode) -> Iterator[SearchHit]:
    if mode != "content":
        yield SearchHit(path=file.path, text=counted(file.hits, "hit") if mode == "count" else None)
    for line in file.lines:
        if line.column is not None:
            text = marked(line.text, line.hidden_before, line.hidden_after)
            yield SearchHit(path=file.path, line=line.line, column=line.column, text=text)
