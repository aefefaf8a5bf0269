"""Views and sessions in which every text is out to do harm: to end an element, to run, to lead away, to hide."""

from dataclasses import replace
from typing import Any

from dsh_lsp.replaying.session_cards import ReplayedCard, ReplayedSession
from tests.support.replayed_session import story

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></code></div></article></body></html>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "https://example.com/\"onclick='alert(1)'<b>",
    "]]><!--",
    "--></style></title><base href=//example.com>",
    "&lt;b&gt; &amp;amp; &#x3c;",
    "\x1b[31mred\x1b[0m \x1b]8;;http://example.com\x07link\x1b]8;;\x07",
    "\x1b[2J\x9b2J\r\x00\x08\x7f\x85",
    "abc\u202etxt.exe\u2066 zero\u200bwidth\ufeff tag\U000e0041 line\u2028sep",
    "lone \ud800 surrogate \udfff",
    "[bold red]markup[/] [link=http://example.com]x[/link] :smile:",
    "one\ntwo\r\n\tthree\u00a0four",
    "x" * 5_000,
)


def spoilt(value: Any, text: str, kept: frozenset[str] = frozenset({"card"})) -> Any:
    """A JSON value with each of its strings replaced by a text, but for the members that are kept."""
    if isinstance(value, dict):
        return {name: item if name in kept else spoilt(item, text, kept) for name, item in value.items()}
    if isinstance(value, list):
        return [spoilt(item, text, kept) for item in value]
    return text if isinstance(value, str) else value


def hostile_session(text: str, kept: frozenset[str] = frozenset({"card"})) -> ReplayedSession:
    """A session with every kind of card, in which every string is this text."""
    cards = tuple(_hostile_card(card, text, kept) for card in story().cards)
    return ReplayedSession(text, text, (text,), text, text, cards, 1)


def _hostile_card(card: ReplayedCard, text: str, kept: frozenset[str]) -> ReplayedCard:
    return replace(
        card,
        call_id=text,
        name=text,
        call=spoilt(card.call, text, kept),
        result=None if card.result is None else spoilt(card.result, text, kept),
        started_at=text,
        ended_at=text,
    )
