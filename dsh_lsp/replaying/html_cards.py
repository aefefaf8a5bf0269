"""The cards of a page: one article for each call, which opens with what happened and where."""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from dsh_ledger.hunks import LineKind
from dsh_lsp.replaying import wording
from dsh_lsp.replaying.diff_lines import DiffBlock, DiffLine
from dsh_lsp.replaying.markup import Html, join, link, tag, text
from dsh_lsp.replaying.summary import DENIED, ShownCard
from dsh_lsp.replaying.views import DiffView, GenericView, ReadView, SearchView, TerminalView, View, WebView

_OPEN_CHARACTERS: Final = 40_000
"""How much markup of a block is open at first; the rest is one click away."""

_WIDEST: Final = 9
"""Digits that a column of line numbers has room for."""

_LINES: Final = {
    LineKind.CONTEXT: ("l", " ", "code"),
    LineKind.REMOVED: ("l del", "-", "del"),
    LineKind.ADDED: ("l add", "+", "ins"),
}
"""The class, the mark and the element of a line."""


def card(shown: ShownCard) -> Html:
    """One call with its result."""
    label = f"c{shown.number}-title"
    parts = [_head(shown, label)]
    said = [*wording.warnings(shown), *wording.notes(shown)]
    if shown.result is None:
        said.insert(0, wording.NEVER_ENDED)
    if said:
        parts.append(tag("ul", *(tag("li", each) for each in said), class_="notes"))
    parts.append(_error(shown) if shown.card.is_error else _body(shown.main, shown.card.name))
    if shown.with_call:
        parts.append(_call(shown))
    return tag(
        "article",
        join(parts),
        id=f"c{shown.number}",
        class_=f"card {shown.status.split()[0]}",
        aria_labelledby=label,
    )


def counts(added: int, removed: int) -> Html:
    """Added and removed lines: always both, told apart by their signs."""
    words = f"{wording.many(added, 'line')} added, {wording.many(removed, 'line')} removed"
    return tag(
        "span",
        tag("span", f"+{added}", class_="plus"),
        " ",
        tag("span", f"-{removed}", class_="minus"),
        class_="counts",
        role="img",
        aria_label=words,
    )


def _head(shown: ShownCard, label: str) -> Html:
    main = shown.main
    title = [tag("span", f"#{shown.number}", class_="number"), " ", tag("span", shown.card.name, class_="tool")]
    if isinstance(main, WebView):
        title += [" ", tag("code", link(main.url), class_="subject")]
    elif not isinstance(main, TerminalView) and (about := wording.about(shown)):
        title += [" ", tag("code", about, class_="subject")]
    parts = [tag("h3", *title, id=label)]
    if isinstance(main, DiffView):
        parts += [_operation(main, shown), counts(main.added, main.removed)]
    if isinstance(main, TerminalView) and main.exit_code is not None:
        parts.append(tag("span", f"exit code {main.exit_code}", class_="badge failed" if main.exit_code else "badge"))
    if shown.status != "done":
        parts.append(tag("span", shown.status, class_=f"badge {shown.status.split()[0]}"))
    if shown.code and shown.code != DENIED:  # which the badge says already
        parts.append(tag("code", shown.code, class_="code-name"))
    facts = [fact for fact in (wording.extra_title(shown), *wording.facts(shown)) if fact]
    if facts:
        parts.append(tag("span", " · ".join(facts), class_="about"))
    parts.append(_when(shown))
    return tag("header", join(parts, " "))


def _operation(view: DiffView, shown: ShownCard) -> Html:
    done = view.operation or ("changed" if shown.result is not None else "asked for")
    kind = done if done in {"created", "modified", "unchanged"} else "other"
    return tag("span", done, class_=f"badge {kind}")


def _when(shown: ShownCard) -> Html:
    parts = []
    if at := wording.clock_time(shown.card.started_at):
        instant = wording.instant(shown.card.started_at)
        parts.append(tag("time", at, datetime=None if instant is None else instant.isoformat()))
    if lasted := wording.duration(shown.card.started_at, shown.card.ended_at):
        parts.append(text(lasted))
    return tag("span", join(parts, " · "), class_="when") if parts else Html()


def _error(shown: ShownCard) -> Html:
    if not isinstance(shown.main, GenericView):
        return _body(shown.main, shown.card.name)
    return tag("pre", wording.error_text(shown), class_="error") if shown.main.text else Html()


def _call(shown: ShownCard) -> Html:
    if isinstance(shown.call, GenericView) and not shown.call.text:
        return Html()
    body = [_body(shown.call, f"{shown.card.name}, as called")]
    if isinstance(shown.call, DiffView) and shown.card.is_error:
        body.insert(0, tag("p", wording.NOT_APPLIED, class_="quiet"))
    name = {DiffView: "Change asked for", TerminalView: "Command"}.get(type(shown.call), "Arguments")
    return tag("details", tag("summary", name), *body, class_="call")


def _body(view: View, label: str) -> Html:
    match view:
        case DiffView():
            return _diff(view, label)
        case ReadView():
            return _read(view, label)
        case TerminalView():
            return _terminal(view, label)
        case SearchView():
            return _search(view, label)
        case WebView():
            return _lines(view.text, label, 8)
        case GenericView():
            return _lines(view.text, label, 12) if view.text else Html()
        case _:
            assert_never(view)


def _diff(view: DiffView, label: str) -> Html:
    numbers = [n for block in view.blocks for line in block.lines for n in (line.old, line.new) if n is not None]
    rows: list[Html] = []
    for number, block in enumerate(view.blocks):
        if block.at is not None or number:
            rows.append(tag("div", block.at or "⋯", class_="at"))
        rows += _block(block, numbered=bool(numbers))
    if not rows:
        return tag("p", "No lines.", class_="quiet")
    unchanged = view.operation == "unchanged"
    return _code(rows, "diff" if numbers else "diff bare", label, numbers, head=6 if unchanged else 240)


def _block(block: DiffBlock, *, numbered: bool) -> Iterable[Html]:
    for line in block.lines:
        kind, mark, element = _LINES[line.kind]
        places = f"<i>{line.old or ''}</i><i>{line.new or ''}</i>" if numbered else ""
        yield Html(f'<div class="{kind}">{places}<b>{mark}</b><{element}>{_marked(line)}</{element}></div>')
    if (said := wording.unended(block)) is not None:
        yield tag("div", said, class_="end")


def _marked(line: DiffLine) -> Html:
    if line.changed is None:
        return text(line.text)
    start, end = line.changed
    changed = text(line.text[start:end])
    return Html(text(line.text[:start]) + (f"<mark>{changed}</mark>" if changed else "") + text(line.text[end:]))


def _read(view: ReadView, label: str) -> Html:
    before, after = view.not_shown
    rows: list[Html] = []
    for number, line in enumerate(view.lines, start=view.offset):
        cut = view.cut_lines.get(number)
        rest = "" if cut is None else tag("em", f"{cut[0]:,} of {cut[1]:,} characters shown")
        rows.append(Html(f'<div class="l"><i>{number}</i><code>{text(line)}{rest}</code></div>'))
    parts = [_code(rows, "window", label, [view.offset + len(rows)], head=6)] if rows else []
    if before or after:
        sides = [wording.many(n, "line") + where for n, where in ((before, " before"), (after, " after")) if n]
        parts.append(tag("p", f"Not shown: {' and '.join(sides)}.", class_="quiet"))
    return join(parts)


def _terminal(view: TerminalView, label: str) -> Html:
    prompt = [tag("b", "$ "), view.command]
    where = [tag("span", f"in {view.cwd}", class_="cwd")] if view.cwd else []
    parts = [tag("pre", *prompt, class_="command"), *where]
    if view.output:
        parts.append(_lines(view.output, f"{label}: output", 4, 10))
    elif view.output is not None:
        parts.append(tag("p", "No output.", class_="quiet"))
    return join(parts)


def _search(view: SearchView, label: str) -> Html:
    rows = [
        tag(
            "li",
            tag("code", hit.place, class_="place"),
            *([] if hit.text is None else [" ", tag("code", hit.text, class_="hit")]),
        )
        for hit in view.hits
    ]
    if not rows:
        return tag("p", "Nothing found.", class_="quiet")
    return _folded(rows, label, 12, 0, "hit", "ul", "hits")


def _lines(content: str, label: str, head: int, tail: int = 0) -> Html:
    lines = content.removesuffix("\n").split("\n")
    rows = [Html(f'<div class="l"><code>{text(line)}</code></div>') for line in lines]
    return _code(rows, "plain", label, [], head=head, tail=tail)


def _code(rows: Sequence[Html], kind: str, label: str, numbers: Sequence[int], *, head: int, tail: int = 0) -> Html:
    width = min(len(str(max(numbers))), _WIDEST) if numbers else 0
    return _folded(rows, label, head, tail, "line", "div", f"code {kind}", f"--n:{width}ch" if width else None)


def _folded(
    rows: Sequence[Html],
    label: str,
    head: int,
    tail: int,
    thing: str,
    element: str,
    class_: str,
    style: str | None = None,
) -> Html:
    """Rows, of which those in the middle are folded away if there are many of them or they are long."""
    budget, first = _OPEN_CHARACTERS, 0
    while first < min(head, len(rows)) and (budget := budget - len(rows[first])) >= 0:
        first += 1
    last = len(rows)
    while last > max(first, len(rows) - tail) and (budget := budget - len(rows[last - 1])) >= 0:
        last -= 1
    if budget >= 0 and last - first <= 3:  # a fold takes as much room as they do
        return tag(element, join(rows), class_=class_, style=style)
    more = wording.many(last - first, f"more {thing}" if first else thing)
    region = tag(
        "div",
        tag(element, join(rows[first:last]), class_=class_, style=style),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=f"{more} of {label}",
    )
    parts = [tag(element, join(rows[:first]), class_=class_, style=style)] if first else []
    parts.append(tag("details", tag("summary", more), region, class_="fold"))
    if last < len(rows):
        parts.append(tag(element, join(rows[last:]), class_=class_, style=style))
    return join(parts)
