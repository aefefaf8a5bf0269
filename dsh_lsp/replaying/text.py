"""A replayed session in a terminal: a card begins with a rule that says what happened and where.

Long texts are cut, and it is said by how much; the HTML page has all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import StringIO
from typing import Final, TextIO

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text

from dsh_lsp.replaying import wording
from dsh_lsp.replaying.session_cards import ReplayedSession
from dsh_lsp.replaying.summary import DENIED, ShownCard, Summary, summary
from dsh_lsp.replaying.text_bodies import body
from dsh_lsp.replaying.text_lines import QUIET, Line, cells, folded, row, short
from dsh_lsp.replaying.views import DiffView, GenericView, TerminalView

_WIDTH: Final = 100
"""Of what is not a terminal."""

_STYLES: Final = {"done": QUIET, "failed": "red", "denied": "yellow", "never ended": "yellow"}
_OPERATIONS: Final = {"created": "green", "modified": "cyan"}


def render_text(session: ReplayedSession, *, width: int = _WIDTH, color: bool = False) -> str:
    """The session as text; with ``color``, with escape sequences. The environment has no say in it."""
    into = StringIO()
    console = Console(
        file=into,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        _environ={},
    )
    print_session(session, console)
    return into.getvalue()


def print_text(session: ReplayedSession, into: TextIO | None = None) -> None:
    """Write the session to a file, or to standard output: in colours and at its width if that is a terminal."""
    if into is not None:
        into.write(render_text(session))
        return
    console = Console()
    print_session(session, console if console.is_terminal else Console(width=_WIDTH))


def print_session(session: ReplayedSession, console: Console) -> None:
    """Write the session to a console, a card at a time."""
    found = summary(session)
    _print(console, _overview(session, found, console.width))
    for shown in found.cards:
        _print(console, _card(shown, console.width))


def print_card(shown: ShownCard, console: Console) -> None:
    """Write one card to a console, with an empty line before it."""
    _print(console, _card(shown, console.width))


def card_text(shown: ShownCard, width: int) -> Text:
    """One card, as it is printed at a width, for programs that draw the screen themselves."""
    lines = [Text.assemble(*line) for line in map(_without_spaces_at_the_end, _card(shown, width))]
    return Text("\n").join(lines)


def _print(console: Console, lines: Iterable[Line]) -> None:
    segments: list[Segment] = []
    for line in lines:
        line = _without_spaces_at_the_end(line)
        segments += [Segment(text, _style(style)) for text, style in line]
        segments.append(Segment.line())
    console.print(Segments(segments), end="", no_wrap=True, overflow="ignore", crop=False)


@cache
def _style(name: str) -> Style:
    return Style.parse(name)


def _without_spaces_at_the_end(line: Line) -> Line:
    """The line; of one that is nothing but its gutter, without the spaces after it."""
    if line and not line[-1][0].strip(" "):
        text, style = line[-1]
        return [*line[:-1], (text.rstrip(" "), style)]
    return line


def _overview(session: ReplayedSession, found: Summary, width: int) -> Iterator[Line]:
    yield [*short(session.agent or "Agent", "bold"), ("  replayed session", QUIET)]
    folders = ", ".join(map(wording.folder_name, session.workspace_folders))
    started = wording.date_and_time(session.started_at)
    lasted = wording.duration(session.started_at, session.ended_at)
    facts = [f"session {session.session_id}", folders and f"workspace {folders}", started or "", lasted or ""]
    yield from row([], " · ".join(filter(None, facts)), width, QUIET)
    if (lost := wording.unreadable(session)) is not None:
        yield from row([], f"Incomplete: {lost}", width, "bold yellow")
    yield []
    calls, files, *others = ([(said, "bold")] for said in wording.outline(found))
    changes = [_counts(found.added, found.removed)] if found.files else []
    yield from folded(_joined([calls, files, *changes, *others]), width)
    if found.files:
        yield []
        yield [("Applied changes", "bold")]
        changed = [
            (", ".join(f.operations), wording.counts(f.added, f.removed), " ".join(f"#{n}" for n in f.calls), f.path)
            for f in found.files
        ]
        yield from _columns(changed, ("cyan", "", QUIET, "bold"), width)
        yield from row([("  ", "")], wording.SCOPE, width, QUIET)
    if found.troubled:
        yield []
        yield [("Refused, failed or unfinished", "bold")]
        troubled = [(c.code or c.status, f"#{c.number}", c.card.name, wording.about(c)) for c in found.troubled]
        yield from _columns(troubled, ("red", QUIET, "bold", ""), width)
    if not found.cards:
        yield [("No call was recorded.", QUIET)]


def _joined(parts: Iterable[Line]) -> Line:
    return [run for part in parts for run in ((" · ", QUIET), *part)][1:]


def _columns(rows: Sequence[tuple[str, ...]], styles: tuple[str, ...], width: int) -> Iterator[Line]:
    """Cells under each other; the last of a row has what is left of the width."""
    shown = [[short(cell, style) for cell, style in zip(each, styles, strict=True)] for each in rows]
    widths = [min(max(map(cells, column)), width // 4) for column in zip(*shown, strict=True)]
    for *firsts, last in shown:
        gutter: Line = [("  ", "")]
        for cell, wide in zip(firsts, widths, strict=False):
            gutter += [*cell, (" " * (max(wide - cells(cell), 0) + 2), "")]
        yield from folded(gutter + last, width)


def _card(shown: ShownCard, width: int) -> Iterator[Line]:
    yield []
    yield from _head(shown, width)
    facts = [fact for fact in (wording.extra_title(shown), *wording.facts(shown)) if fact]
    if facts:
        yield from row([("  ", "")], " · ".join(facts), width, QUIET)
    if shown.result is None:
        yield from row([("  ", "")], wording.NEVER_ENDED, width, "yellow")
    for said in wording.warnings(shown):
        yield from row([("  ", "")], said, width, "yellow")
    for said in wording.notes(shown):
        yield from row([("  • ", QUIET)], said, width, QUIET)
    main = shown.main
    if shown.card.is_error and isinstance(main, GenericView):
        main = GenericView("", wording.error_text(shown), main.code)
    yield from body(main, width)
    if shown.with_call and not (isinstance(shown.call, GenericView) and not shown.call.text):
        yield [(_call_title(shown), QUIET)]
        yield from body(shown.call, width)


def _call_title(shown: ShownCard) -> str:
    if shown.card.is_error and isinstance(shown.call, DiffView):
        return f"  {wording.NOT_APPLIED} {wording.counts(shown.call.added, shown.call.removed)}"
    return "  Command:" if isinstance(shown.call, TerminalView) else "  What the call asked for:"


def _head(shown: ShownCard, width: int) -> Iterator[Line]:
    main, style = shown.main, _STYLES[shown.status]
    head: Line = [("── ", style), (f"#{shown.number} ", QUIET), *short(shown.card.name, "bold")]
    if not isinstance(main, TerminalView) and (about := wording.about(shown)):
        head += [(" ", ""), *short(about)]
    if isinstance(main, DiffView):
        done = main.operation or ("changed" if shown.result is not None else "asked for")
        head += [("  ", ""), *short(done, _OPERATIONS.get(done, QUIET)), ("  ", ""), *_counts(main.added, main.removed)]
    if isinstance(main, TerminalView) and main.exit_code is not None:
        head.append((f"  exit code {main.exit_code}", "red" if main.exit_code else QUIET))
    if shown.status != "done":
        head.append((f"  {shown.status}", f"bold {style}"))
    if shown.code and shown.code != DENIED:
        head += [("  ", ""), *short(shown.code, style)]
    at = wording.clock_time(shown.card.started_at)
    lasted = wording.duration(shown.card.started_at, shown.card.ended_at)
    when = short(" · ".join(filter(None, (at, lasted))), QUIET)
    room = width - cells(head) - cells(when) - 2
    if room >= 2:
        yield [*head, (f" {'─' * room} ", style), *when]
    else:
        yield from folded([*head, ("  ", ""), *when], width)


def _counts(added: int, removed: int) -> Line:
    return [(f"+{added}", "green"), (" ", ""), (f"-{removed}", "red")]
