"""Recorded views as values: one class for each kind of card, the same for calls and results.

A view comes from a file that may be damaged or of a newer version. So nothing here fails: a member that is missing or
of another type is as if it had nothing to say, and a kind of card that is not known is a generic one that shows its
JSON. Deliberately absent: markup, and URIs, which tell where somebody's home directory is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dsh_ledger.hunks import LineKind
from dsh_lsp.replaying.diff_lines import DiffBlock, blocks
from dsh_lsp.replaying.members import boolean, integer, items, pretty, string, strings


@dataclass(frozen=True, slots=True)
class GenericView:
    """Text, or JSON.

    Attributes:
        title: Empty when there is none.
        text: What to show: the text of a result, or JSON.
        code: The code of an error.
        unknown: The kind of card, when it is one that is not known here.
    """

    title: str
    text: str
    code: str | None = None
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class TerminalView:
    """A command; ``output`` is None before it has run, ``exit_code`` when it did not end by itself."""

    title: str
    command: str
    cwd: str | None
    output: str | None
    exit_code: int | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class DiffView:
    """A change, made or about to be made.

    Attributes:
        title: Empty when there is none.
        path: The file.
        operation: ``created``, ``modified``, ``unchanged``; None before it was made.
        via: ``buffer`` or ``disk``; None before it was made.
        saved: The disk has it too; None before it was made.
        added: Number of added lines, as recorded from the hunks; counted from the blocks where none was recorded.
        removed: Number of removed lines, the same way.
        blocks: The lines.
        notes: Sentences for people.
        truncated: Too large to be told apart line by line.
        unreadable: Blocks that could not be read.
    """

    title: str
    path: str
    operation: str | None
    via: str | None
    saved: bool | None
    added: int
    removed: int
    blocks: tuple[DiffBlock, ...]
    notes: tuple[str, ...]
    truncated: bool
    unreadable: int


@dataclass(frozen=True, slots=True)
class ReadView:
    """A window of a file. ``cut_lines`` has, by line number, how many characters are shown and how many there are."""

    title: str
    path: str
    offset: int
    lines: tuple[str, ...]
    total_lines: int | None
    truncated: bool
    cut_lines: dict[int, tuple[int, int]]
    via: str | None
    dirty: bool
    notes: tuple[str, ...]

    @property
    def not_shown(self) -> tuple[int, int]:
        """How many lines of the file stand before and after the window."""
        before = max(self.offset - 1, 0) if self.lines else 0
        total = len(self.lines) if self.total_lines is None else self.total_lines
        return before, max(total - before - len(self.lines), 0)


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of a search; ``place`` is ``path:line:column``, as far as it is known."""

    place: str
    text: str | None


@dataclass(frozen=True, slots=True)
class SearchView:
    """What a search found.

    Attributes:
        total: Counts the hits that are not listed too; None when that is not known.
        at_least: There are more than ``total``.
    """

    title: str
    query: str
    hits: tuple[Hit, ...]
    total: int | None
    truncated: bool
    notes: tuple[str, ...]
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class WebView:
    """What came from the web."""

    title: str
    url: str
    status: int | None
    text: str
    truncated: bool


View: TypeAlias = GenericView | TerminalView | DiffView | ReadView | SearchView | WebView


def view_of(view: object) -> View:
    """The value of a recorded view, of a call or of a result."""
    if not isinstance(view, Mapping):
        return GenericView("", pretty(view), unknown="")
    match view.get("card"):
        case "generic":
            return _generic(view)
        case "terminal":
            return TerminalView(
                string(view, "title") or "",
                string(view, "command") or "",
                string(view, "cwd"),
                string(view, "output"),
                integer(view, "exitCode"),
                boolean(view, "truncated") or False,
            )
        case "diff":
            return _diff(view)
        case "read":
            return _read(view)
        case "search":
            return _search(view)
        case "web":
            return WebView(
                string(view, "title") or "",
                string(view, "url") or "",
                integer(view, "status"),
                string(view, "text") or "",
                boolean(view, "truncated") or False,
            )
        case kind:
            return GenericView(
                string(view, "title") or "", pretty(view), unknown=kind if isinstance(kind, str) else pretty(kind)
            )


def _generic(view: Mapping[str, Any]) -> GenericView:
    text = string(view, "text")
    if text is None:
        text = pretty(view["input"]) if "input" in view else ""
    return GenericView(string(view, "title") or "", text, string(view, "code"))


def _diff(view: Mapping[str, Any]) -> DiffView:
    operation = string(view, "operation")
    kind = LineKind.CONTEXT if operation == "unchanged" else LineKind.ADDED
    recorded = items(view, "diffs")
    readable = [diff for diff in recorded if isinstance(diff, Mapping)]
    whole = operation in {"created", "unchanged"}
    found = tuple(block for diff in readable for block in blocks(diff, whole=whole, kind=kind))
    added, removed = integer(view, "added"), integer(view, "removed")
    return DiffView(
        title=string(view, "title") or "",
        path=string(view, "path") or next(filter(None, (string(diff, "path") for diff in readable)), ""),
        operation=operation,
        via=string(view, "via"),
        saved=boolean(view, "saved"),
        added=sum(block.count(LineKind.ADDED) for block in found) if added is None or added < 0 else added,
        removed=sum(block.count(LineKind.REMOVED) for block in found) if removed is None or removed < 0 else removed,
        blocks=found,
        notes=strings(view, "notes"),
        truncated=boolean(view, "truncated") or False,
        unreadable=len(recorded) - len(readable),
    )


def _read(view: Mapping[str, Any]) -> ReadView:
    text = string(view, "text") or ""
    count = integer(view, "lines")
    lines = text.split("\n")
    if lines[-1] == "" and (count is None or len(lines) > count):  # the end of the last line, not a line after it
        lines.pop()
    offset = integer(view, "offset")
    cuts = [cut for cut in items(view, "cutLines") if isinstance(cut, Mapping)]
    places = [(integer(cut, "line"), integer(cut, "shown"), integer(cut, "total")) for cut in cuts]
    return ReadView(
        title=string(view, "title") or "",
        path=string(view, "path") or "",
        offset=1 if offset is None else offset,
        lines=tuple(lines),
        total_lines=integer(view, "totalLines"),
        truncated=boolean(view, "truncated") or False,
        cut_lines={
            line: (shown, total)
            for line, shown, total in places
            if line is not None and shown is not None and total is not None
        },
        via=string(view, "via"),
        dirty=boolean(view, "dirty") or False,
        notes=strings(view, "notes"),
    )


def _search(view: Mapping[str, Any]) -> SearchView:
    hits = [hit for hit in items(view, "hits") if isinstance(hit, Mapping)]
    return SearchView(
        title=string(view, "title") or "",
        query=string(view, "query") or "",
        hits=tuple(Hit(_place(hit), string(hit, "text")) for hit in hits),
        total=integer(view, "total"),
        truncated=boolean(view, "truncated") or False,
        notes=strings(view, "notes"),
        at_least=boolean(view, "atLeast") or False,
    )


def _place(hit: Mapping[str, Any]) -> str:
    numbers = [integer(hit, "line"), integer(hit, "column")]
    return ":".join([string(hit, "path") or "", *(str(number) for number in numbers if number is not None)])
