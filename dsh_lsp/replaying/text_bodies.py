"""What stands under the rule of a card in a terminal, one function for each kind of card."""

from collections.abc import Iterator
from typing import Final, assert_never

from dsh_ledger.hunks import LineKind
from dsh_lsp.replaying import wording
from dsh_lsp.replaying.diff_lines import DiffLine
from dsh_lsp.replaying.text_lines import QUIET, Line, cut, left_out, row
from dsh_lsp.replaying.views import DiffView, GenericView, ReadView, SearchView, TerminalView, View, WebView

_DIFF: Final = 80
_READ: Final = 8
_HITS: Final = 20
_TEXT: Final = 16
_OUTPUT: Final = (4, 12)
"""How many lines of each are shown; of an output the first and the last."""

_STYLES: Final = {
    LineKind.CONTEXT: ("", ""),
    LineKind.REMOVED: ("red", "bold red underline"),
    LineKind.ADDED: ("green", "bold green underline"),
}


def body(view: View, width: int) -> Iterator[Line]:
    """The lines of a card."""
    match view:
        case DiffView():
            yield from _diff(view, width)
        case ReadView():
            yield from _read(view, width)
        case TerminalView():
            yield from _terminal(view, width)
        case SearchView():
            yield from _search(view, width)
        case WebView():
            if wording.brief(view.url) != view.url:  # which stands in the title already
                yield from row([("  ", "")], view.url, width, "cyan")
            yield from _lines(view.text, width, _TEXT)
        case GenericView():
            yield from _lines(view.text, width, _TEXT)
        case _:
            assert_never(view)


def _diff(view: DiffView, width: int) -> Iterator[Line]:
    numbers = [n for block in view.blocks for line in block.lines for n in (line.old, line.new) if n is not None]
    digits = len(str(max(numbers))) if numbers else 0
    rows: list[DiffLine | str] = []
    for place, block in enumerate(view.blocks):
        if block.at is not None or place:
            rows.append(block.at or "⋯")
        rows += block.lines
        if (said := wording.unended(block)) is not None:
            rows.append(said)
    if not rows:
        yield [("  No lines.", QUIET)]
    shown, more, _ = cut(rows, _READ if view.operation == "unchanged" else _DIFF)
    for line in shown:
        if isinstance(line, str):
            yield [(f"  {line}", QUIET)]
            continue
        style, strong = _STYLES[line.kind]
        numbers_shown = f"  {line.old or '':>{digits}} {line.new or '':>{digits}} " if digits else "  "
        gutter = [(numbers_shown, QUIET), (f"{line.kind.value} ", style)]
        yield from row(gutter, line.text, width, style, line.changed, strong)
    if more:
        yield left_out(more)


def _read(view: ReadView, width: int) -> Iterator[Line]:
    digits = len(str(view.offset + len(view.lines)))
    shown, more, _ = cut(view.lines, _READ)
    for number, line in enumerate(shown, start=view.offset):
        yield from row([(f"  {number:>{digits}} │ ", QUIET)], line, width)
        if (part := view.cut_lines.get(number)) is not None:
            yield [(f"  {'':>{digits}} │ ({part[0]:,} of {part[1]:,} characters shown)", QUIET)]
    if more:
        yield left_out(more)
    before, after = view.not_shown
    if before or after:
        sides = [wording.many(n, "line") + where for n, where in ((before, " before"), (after, " after")) if n]
        yield [(f"  Not shown: {' and '.join(sides)}.", QUIET)]


def _terminal(view: TerminalView, width: int) -> Iterator[Line]:
    mark = "  $ "
    for line in view.command.split("\n"):
        yield from row([(mark, QUIET)], line, width, "bold")
        mark = "    "
    if view.cwd:
        yield from row([("  in ", QUIET)], view.cwd, width, QUIET)
    if view.output:
        yield from _lines(view.output, width, *_OUTPUT)
    elif view.output is not None:
        yield [("  No output.", QUIET)]


def _search(view: SearchView, width: int) -> Iterator[Line]:
    if not view.hits:
        yield [("  Nothing found.", QUIET)]
    shown, more, _ = cut(view.hits, _HITS)
    wide = min(max((len(hit.place) for hit in shown), default=0), width // 2)
    for hit in shown:
        text = hit.place if hit.text is None else f"{hit.place:<{wide}}  {hit.text}"
        yield from row([("  ", "")], text, width, "", (0, len(hit.place)), "cyan")
    if more:
        yield left_out(more, "hit")


def _lines(text: str, width: int, head: int, tail: int = 0) -> Iterator[Line]:
    if not text:
        return
    first, more, last = cut(text.removesuffix("\n").split("\n"), head, tail)
    for line in first:
        yield from row([("  ", "")], line, width)
    if more:
        yield left_out(more)
    for line in last:
        yield from row([("  ", "")], line, width)
