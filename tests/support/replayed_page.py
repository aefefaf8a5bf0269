"""The page of a replayed session, taken apart for tests."""

import re
from typing import Any

from dsh_lsp.replaying.html import render_html
from dsh_lsp.replaying.session_cards import ReplayedCard
from tests.support.page import Element, read_page
from tests.support.replayed_session import session

ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "article"),
    *("h1", "h2", "h3", "small", "p", "dl", "dt", "dd", "div", "span", "ul", "li", "strong", "em", "time", "a"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("pre", "code", "b", "i", "ins", "del", "mark"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "id", "class", "style", "scope", "role", "tabindex"),
    *("aria-label", "aria-labelledby", "datetime", "href", "rel"),
}


def page_of(*cards: ReplayedCard, **more: Any) -> Element:
    """The page of a session of these cards."""
    return read_page(render_html(session(*cards, **more)))


def article_of(*cards: ReplayedCard) -> Element:
    """The card of a session that has one."""
    return page_of(*cards).one("article")


def lines_of(article: Element) -> list[str]:
    """The lines of a diff as they read: mark and text."""
    return [
        "".join(part.text for part in line.all() if part.name in {"b", "ins", "del", "code"}) for line in code(article)
    ]


def code(article: Element) -> list[Element]:
    """The lines of a card."""
    return article.all("div", "l")


def dangers(page: Element) -> list[str]:
    """Whatever an element of a page could do harm with."""
    found = []
    for element in page.all():
        found += [element.name] if element.name not in ELEMENTS else []
        found += [f"{element.name} {name}" for name in element.attributes if name not in ATTRIBUTES]
        href = element.attributes.get("href")
        if href is not None and not re.fullmatch(r"#c\d+|https?://[!-~]+", href, re.IGNORECASE):
            found.append(href)
        style = element.attributes.get("style")
        if style is not None and not re.fullmatch(r"--n:\d+ch", style):
            found.append(style)
    return found
