"""What both renderers say about a session and a card, in the same words: plain strings, not yet escaped."""

from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from dsh_ledger.hunks import LineKind
from dsh_lsp.replaying.diff_lines import DiffBlock
from dsh_lsp.replaying.session_cards import ReplayedSession
from dsh_lsp.replaying.summary import ShownCard, Summary
from dsh_lsp.replaying.views import DiffView, GenericView, ReadView, SearchView, TerminalView, WebView

SCOPE = (
    "Counted from the hunks recorded with each change that was applied, added up over the calls. "
    "What the user typed is not in these numbers."
)
NOT_COUNTED = "None of these is in the numbers of applied changes."
NEVER_ENDED = "No result was recorded for this call; it may or may not have had an effect."
NOT_APPLIED = "What the call asked for. It was not applied."


SUBJECT = 160
"""How many characters of a command or a URL stand in the title of its card."""


_VERB = 2
"""How many words before its subject a title has that says nothing new: ``Edit``, ``Search for``."""


def many(count: int, thing: str, things: str | None = None) -> str:
    """A number with its noun."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"


def counts(added: int, removed: int) -> str:
    """Added and removed lines: always both."""
    return f"+{added} -{removed}"


def outline(summary: Summary) -> list[str]:
    """A session in a few numbers; those of trouble only where there is any."""
    said = [many(len(summary.cards), "call"), many(len(summary.files), "file") + " changed"]
    said += [f"{count} {status}" for status in ("failed", "denied", "never ended") if (count := summary.count(status))]
    return said


def unreadable(session: ReplayedSession) -> str | None:
    """That something of the journal is missing here, if it is so."""
    if not session.unreadable:
        return None
    lines = many(session.unreadable, "line")
    return f"{lines} of the journal could not be read: something of the session is not shown here."


def facts(shown: ShownCard) -> list[str]:
    """What there is to say about a card in a word or two each, its status apart."""
    match shown.main:
        case DiffView() as view:
            return _diff_facts(view)
        case ReadView() as view:
            return _read_facts(view)
        case TerminalView(output=None):
            return []
        case TerminalView(exit_code=None):
            return ["did not end by itself"]
        case TerminalView():
            return []  # its exit code stands apart
        case SearchView() as view:
            return [_found(view)]
        case WebView(status=int(status)):
            return [f"status {status}"]
        case _:
            return []


def warnings(shown: ShownCard) -> list[str]:
    """What a reader must know before believing that a card shows everything, as sentences."""
    match shown.main:
        case DiffView() as view:
            said = ["Too large to be told apart line by line: shown as one block."] if view.truncated else []
            if view.unreadable:
                said.append(f"{many(view.unreadable, 'block')} of this diff could not be read and are not shown.")
            return said
        case ReadView() as view:
            said = []
            if view.cut_lines:
                said.append(f"{many(len(view.cut_lines), 'long line')} shown in part.")
            elif view.truncated and not any(view.not_shown):
                said.append("Parts of the file are not shown.")
            return said
        case TerminalView(truncated=True):
            return ["The output was cut when it was recorded: not all of it is shown."]
        case SearchView(truncated=True) as view if view.total is None or view.total <= len(view.hits):
            return ["Not all hits are listed."]
        case WebView(truncated=True):
            return ["The page was cut when it was recorded: not all of it is shown."]
        case GenericView(unknown=str(kind)):
            return [f"A kind of card that this version does not know ({kind or 'no object'}), shown as JSON."]
        case _:
            return []


def notes(shown: ShownCard) -> tuple[str, ...]:
    """The notes that were recorded with a card."""
    view = shown.main
    return view.notes if isinstance(view, DiffView | ReadView | SearchView) else ()


def error_text(shown: ShownCard) -> str:
    """The text of an error without its code, which stands beside it."""
    view = shown.main
    text = view.text if isinstance(view, GenericView) else ""
    return text.removeprefix(f"{view.code}: ") if isinstance(view, GenericView) and view.code else text


def extra_title(shown: ShownCard) -> str | None:
    """A card's title, unless it says no more than the tool's name and the subject do."""
    title = shown.main.title
    before = title.removesuffix(shown.subject)
    known = title == shown.card.name or title in shown.subject or (before != title and len(before.split()) <= _VERB)
    return None if known else title


def about(shown: ShownCard) -> str:
    """What a card is about, on one line and cut if it is long; empty where the tool's name says it."""
    return "" if shown.subject == shown.card.name else brief(shown.subject)


def brief(text: str) -> str:
    """The first line of a text, cut if it is long."""
    line, more, _ = text.partition("\n")
    return line[:SUBJECT] + ("…" if more or len(line) > SUBJECT else "")


def folder_name(uri: str) -> str:
    """The last part of a workspace folder's URI: the whole would tell where somebody's home directory is."""
    try:
        path = unquote(urlsplit(uri).path, errors="replace")
    except ValueError:
        return "?"
    return path.rstrip("/").rpartition("/")[2] or "/"


def instant(recorded: str | None) -> datetime | None:
    """A recorded time, in UTC; None for what is no ISO 8601 time."""
    try:
        at = datetime.fromisoformat(recorded or "")
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def clock_time(recorded: str | None) -> str | None:
    """The time of day of a recorded time; what is no time as it stands."""
    at = instant(recorded)
    return at.strftime("%H:%M:%S") if at is not None else recorded


def date_and_time(recorded: str | None) -> str | None:
    """Day and time of a recorded time; what is no time as it stands."""
    at = instant(recorded)
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at is not None else recorded


def duration(started_at: str | None, ended_at: str | None) -> str | None:
    """How long something took; None when that is not known."""
    start, end = instant(started_at), instant(ended_at)
    if start is None or end is None or end < start:
        return None
    seconds = (end - start).total_seconds()
    if round(seconds * 1000) < 1000:
        return f"{seconds * 1000:.0f} ms"
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _diff_facts(view: DiffView) -> list[str]:
    said = []
    if view.via is not None:
        said.append({"buffer": "in the editor's buffer", "disk": "on disk"}.get(view.via, view.via))
    if view.saved is not None and view.via != "disk":
        said.append("saved" if view.saved else "not saved")
    return said


def _read_facts(view: ReadView) -> list[str]:
    said = []
    if not view.lines:
        said.append("an empty file" if not view.total_lines else f"no line of {view.total_lines:,}")
    else:
        last = view.offset + len(view.lines) - 1
        total = "" if view.total_lines is None else f" of {view.total_lines:,}"
        said.append(f"lines {view.offset}–{last}{total}")
    if view.via == "buffer":
        said.append("editor's buffer, unsaved typing included" if view.dirty else "editor's buffer")
    return said


def _found(view: SearchView) -> str:
    listed = len(view.hits)
    if view.total is None:
        return many(listed, "hit") + (" listed, there are more" if view.truncated else "")
    if listed == view.total and not view.truncated and not view.at_least:
        return many(listed, "hit")
    return f"{listed:,} of {'more than ' if view.at_least else ''}{many(view.total, 'hit')} listed"


def unended(block: DiffBlock) -> str | None:
    """What a block says of last lines without an end."""
    if block.new_unended and (block.old_unended or not block.count(LineKind.REMOVED)):
        return "No newline at the end of the file."
    if block.new_unended:
        return "The new text has no newline at the end of the file; the old one had."
    if block.old_unended:
        return "The old text had no newline at the end of the file."
    return None
