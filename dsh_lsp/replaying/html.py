"""A replayed session as one HTML page: nothing is fetched, nothing runs, and nothing of the session is left out.

Held: the page around the cards. What is in a card is in `html_cards`, escaping in `markup`, looks in `style`.
"""

from collections.abc import Iterable, Iterator

from dsh_lsp.replaying import wording
from dsh_lsp.replaying.html_cards import card, counts
from dsh_lsp.replaying.markup import Html, join, plain, tag
from dsh_lsp.replaying.session_cards import ReplayedSession
from dsh_lsp.replaying.style import STYLE
from dsh_lsp.replaying.summary import FileChanges, ShownCard, Summary, summary

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(session: ReplayedSession) -> str:
    """The page; the same session gives the same text, which can be encoded as UTF-8 whatever was recorded."""
    found = summary(session)
    title = f"{session.agent or 'Agent'} session {session.session_id}"
    head = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            tag("meta", name="referrer", content="no-referrer"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", plain(title)),
            tag("style", Html(STYLE)),
        ],
        "\n",
    )
    body = join([_header(session), _main(found), _footer()], "\n")
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _header(session: ReplayedSession) -> Html:
    facts: list[tuple[str, str]] = [("Session", tag("code", session.session_id))]
    if session.workspace_folders:
        folders = [tag("code", wording.folder_name(uri)) for uri in session.workspace_folders]
        facts.append(("Workspace" if len(folders) == 1 else "Workspaces", join(folders, ", ")))
    if started := wording.date_and_time(session.started_at):
        facts.append(("Started", tag("time", started, datetime=_machine_time(session.started_at))))
    if lasted := wording.duration(session.started_at, session.ended_at):
        facts.append(("Lasted", lasted))
    elif ended := wording.date_and_time(session.ended_at):
        facts.append(("Ended", tag("time", ended, datetime=_machine_time(session.ended_at))))
    else:
        facts.append(("Ended", "no end was recorded"))
    lost = wording.unreadable(session)
    return tag(
        "header",
        tag("h1", session.agent or "Agent", " ", tag("small", "replayed session")),
        tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts), class_="facts"),
        tag("p", tag("strong", "Incomplete. "), lost, class_="lost") if lost else Html(),
    )


def _machine_time(recorded: str | None) -> str | None:
    """A time for the ``datetime`` attribute, or None for what is none."""
    at = wording.instant(recorded)
    return at.isoformat() if at is not None else None


def _main(found: Summary) -> Html:
    parts = [_overview(found)]
    calls: list[Html] = [tag("h2", "Calls", id="calls")]
    if found.cards:
        calls += map(card, found.cards)
    else:
        calls.append(tag("p", "No call was recorded.", class_="quiet"))
    parts.append(tag("section", join(calls, "\n"), aria_labelledby="calls"))
    return tag("main", join(parts, "\n"))


def _overview(found: Summary) -> Html:
    numbers = [tag("li", said) for said in wording.outline(found)]
    if found.files:
        numbers.insert(2, tag("li", counts(found.added, found.removed)))
    parts = [tag("h2", "Summary", id="summary"), tag("ul", *numbers, class_="numbers")]
    parts.append(_files(found.files) if found.files else tag("p", "No file was changed.", class_="quiet"))
    if found.troubled:
        parts.append(_trouble(found.troubled))
    return tag("section", join(parts, "\n"), class_="summary", aria_labelledby="summary")


def _files(files: Iterable[FileChanges]) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", tag("code", file.path or "(no path)"), scope="row"),
            tag("td", ", ".join(file.operations)),
            tag("td", counts(file.added, file.removed)),
            tag("td", join(_links(file.calls), " ")),
        )
        for file in files
    ]
    return _table("Applied changes", ("File", "Operation", "Lines", "Calls"), rows, wording.SCOPE)


def _trouble(cards: Iterable[ShownCard]) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", _state(shown), scope="row"),
            tag("td", tag("code", shown.card.name)),
            tag("td", tag("code", wording.about(shown)) if wording.about(shown) else "–"),
            tag("td", join(_links([shown.number]))),
        )
        for shown in cards
    ]
    return _table("Refused, failed or unfinished", ("Outcome", "Tool", "About", "Call"), rows, wording.NOT_COUNTED)


def _state(shown: ShownCard) -> Html:
    return tag("span", shown.code or shown.status, class_=f"badge {shown.status.split()[0]}")


def _table(caption: str, columns: Iterable[str], rows: Iterable[Html], note: str) -> Html:
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    return join(
        [
            tag("table", tag("caption", caption), tag("thead", head), tag("tbody", join(rows, "\n"))),
            tag("p", note, class_="quiet"),
        ],
        "\n",
    )


def _links(calls: Iterable[int]) -> Iterator[Html]:
    for number in calls:
        yield tag("a", f"#{number}", href=f"#c{number}", aria_label=f"Call {number}")


def _footer() -> Html:
    return tag(
        "footer",
        tag(
            "p",
            "Replayed by dsh-lsp from the session’s journal; no tool was run. Every text is literal. "
            "Characters that would not be seen are written out, like ",
            tag("span", "\u27e8ESC\u27e9", class_="hidden"),
            " or ",
            tag("span", "\u27e8U+202E\u27e9", class_="hidden"),
            ".",
        ),
    )
