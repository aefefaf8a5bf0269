"""Cards: what people see of a call and of its result, as data.

Six kinds, told apart by ``card``. A client switches on it once and knows no tool name. A card is made by a pure
function of the arguments (call) or of the recorded result (result), so that a replay shows the same bytes.
Deliberately absent: colours, widths, markup. Every text is literal and is to be escaped by whoever draws it.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from dsh_tools.hunk_models import FileDiff
from dsh_tools.models import Items, WireModel, optional

Operation: TypeAlias = Literal["created", "modified", "unchanged"]
"""What a mutation did to its file."""


class GenericCall(WireModel):
    """A call with nothing special to show. ``input`` is the arguments as they were sent."""

    card: Literal["generic"] = "generic"
    title: str
    input: Any = optional()


class TerminalCall(WireModel):
    """A command about to run."""

    card: Literal["terminal"] = "terminal"
    title: str
    command: str
    cwd: str | None = optional()


class DiffCall(WireModel):
    """A change about to be made, as the arguments describe it; positions are not known yet."""

    card: Literal["diff"] = "diff"
    title: str
    path: str
    diffs: Items[FileDiff]


class GenericResult(WireModel):
    """A result with nothing special to show, and every error."""

    card: Literal["generic"] = "generic"
    title: str
    text: str
    code: str | None = optional()


class TerminalResult(WireModel):
    """What a command printed. ``exit_code`` is None when it did not end by itself."""

    card: Literal["terminal"] = "terminal"
    title: str
    command: str
    output: str
    exit_code: int | None
    truncated: bool


class DiffResult(WireModel):
    """A change as it was applied.

    Attributes:
        operation: What happened to the file.
        via: Into the editor's buffer, or on the disk.
        saved: The disk has the new text too.
        added: Number of added lines, from the hunks.
        removed: Number of removed lines, from the hunks.
        diffs: One block a hunk, with positions.
        notes: What else people should know, as sentences.
        truncated: The change was too large to be told apart line by line: it is shown as one block.
    """

    card: Literal["diff"] = "diff"
    title: str
    path: str
    uri: str
    operation: Operation
    via: Literal["buffer", "disk"]
    saved: bool
    added: int
    removed: int
    diffs: Items[FileDiff]
    notes: Items[str] = ()
    truncated: bool = False


class CutLine(WireModel):
    """A line that is longer than what was shown of it: 1-based number, characters shown and in all."""

    line: int
    shown: int
    total: int


class ReadResult(WireModel):
    """A window of a file.

    Attributes:
        offset: 1-based number of the first line shown.
        lines: How many lines are shown.
        total_lines: How many the file has.
        text: The lines, without numbers.
        truncated: Lines or parts of lines of the file are not shown.
        cut_lines: Lines that are shown in part.
    """

    card: Literal["read"] = "read"
    title: str
    path: str
    uri: str
    offset: int
    lines: int
    total_lines: int
    text: str
    truncated: bool
    cut_lines: Items[CutLine] = ()
    via: Literal["buffer", "disk"]
    dirty: bool
    notes: Items[str] = ()


class SearchHit(WireModel):
    """One hit; ``line`` and ``column`` are 1-based, both None for a hit that is a file."""

    path: str
    line: int | None = optional()
    column: int | None = optional()
    text: str | None = optional()


class SearchResult(WireModel):
    """What a search found. ``total`` counts all hits, also those not listed; ``truncated`` says that some are not.

    ``at_least`` is there only where counting was given up, and there are more than ``total``.
    """

    card: Literal["search"] = "search"
    title: str
    query: str
    hits: Items[SearchHit]
    total: int
    truncated: bool
    at_least: Literal[True] | None = optional()
    notes: Items[str] = ()


class WebResult(WireModel):
    """What came from the web."""

    card: Literal["web"] = "web"
    title: str
    url: str
    status: int | None = optional()
    text: str
    truncated: bool


CallCard: TypeAlias = Annotated[GenericCall | TerminalCall | DiffCall, Field(discriminator="card")]
ResultCard: TypeAlias = Annotated[
    GenericResult | TerminalResult | DiffResult | ReadResult | SearchResult | WebResult, Field(discriminator="card")
]
