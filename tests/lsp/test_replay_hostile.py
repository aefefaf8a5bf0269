"""Nothing that is in a recorded view gets out of its place on the page, and nothing of it makes a renderer fail."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_lsp.replaying.html import render_html
from dsh_lsp.replaying.session_cards import ReplayedCard, ReplayedSession
from dsh_lsp.replaying.text import render_text
from dsh_tools.cards import GenericCall, WebResult
from dsh_tools.visible import one_line, visible
from tests.support.hostile_views import HOSTILE, hostile_session
from tests.support.page import read_page
from tests.support.replayed_page import article_of, dangers, page_of
from tests.support.replayed_session import card, session, story

TEXT = st.text(st.characters(), max_size=30) | st.sampled_from(HOSTILE)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    sorted({name for each in story().cards for view in (each.call, each.result or {}) for name in view} - {"card"})
)
DIFFS = st.lists(
    JSON | st.fixed_dictionaries({}, optional={"path": JSON, "oldText": JSON, "newText": JSON, "hunks": JSON}),
    max_size=3,
)
VIEWS = st.builds(
    lambda kind, members, diffs: {"card": kind, **members, **({} if diffs is None else {"diffs": diffs})},
    st.sampled_from(["generic", "terminal", "diff", "read", "search", "web"]) | JSON,
    st.dictionaries(MEMBERS, JSON, max_size=8),
    st.none() | DIFFS,
)
CARDS = st.builds(
    ReplayedCard, TEXT, st.integers(), TEXT, VIEWS, st.none() | VIEWS, st.booleans(), st.none() | TEXT, st.none() | TEXT
)


@pytest.mark.parametrize("kept", [frozenset({"card"}), frozenset({"card", "operation", "via"}), frozenset[str]()])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_gets_out_of_its_place(text: str, kept: frozenset[str]) -> None:
    """With every string of every card replaced, the page has the same kinds of elements, and shows the string."""
    html = render_html(hostile_session(text, kept))
    page = read_page(html)

    assert [] == dangers(page)
    assert html.encode().decode() == html
    assert {f"c{number}" for number in range(1, 11)} == {each.attributes["id"] for each in page.all("article")}
    assert len(page.all("article")) == sum(visible(text)[:50] in each.text for each in page.all("article"))
    assert one_line(text) in page.one("title").text


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_not_seen_is_in_the_page(text: str) -> None:
    """The page's source has line feeds and tabs and no other character that would not be seen."""
    html = render_html(hostile_session(text))

    assert html == visible(html)


@settings(max_examples=150, deadline=None)
@given(
    st.builds(
        ReplayedSession,
        TEXT,
        st.none() | TEXT,
        st.tuples(TEXT),
        st.none() | TEXT,
        st.none() | TEXT,
        st.lists(CARDS, max_size=4).map(tuple),
        st.integers(0, 3),
    )
)
def test_any_view_can_be_shown(recorded: ReplayedSession) -> None:
    """Members that are missing, of another type or of an unknown kind of card never fail, and never break anything."""
    text = render_text(recorded)
    page = read_page(render_html(recorded))

    assert [] == dangers(page)
    assert len(recorded.cards) == len(page.all("article"))
    assert visible(text) == text == text.encode().decode()


@pytest.mark.parametrize(
    "view",
    [
        None,
        [],
        "text",
        {},
        {"card": None},
        {"card": {"a": [1]}},
        *({"card": kind} for kind in ("generic", "terminal", "diff", "read", "search", "web")),
        {"card": "search", "hits": [None, 1, [], "a", {"path": 1, "line": "x", "column": True}], "total": "many"},
        {
            "card": "read",
            "text": "a\n",
            "offset": "1",
            "cutLines": [None, 3, {}, {"line": 1, "shown": None, "total": 2}],
        },
        {"card": "diff", "diffs": [None, "a", 1, {}, {"oldText": 1, "newText": []}], "added": -1, "removed": 1.5},
        {"card": "generic", "text": {"not": "text"}, "input": float("inf"), "code": 7},
        {"card": "terminal", "command": None, "output": 1, "exitCode": "0", "truncated": "no"},
    ],
)
def test_a_damaged_view_is_shown_as_far_as_it_goes(view: Any) -> None:
    """A view that is no object, or that has members of other types, as a call and as a result, makes a card."""
    recorded = card("x", GenericCall(title="x"), None)
    cards = (
        replace(recorded, call=view),
        replace(recorded, result=view),
        replace(recorded, result=view, is_error=True),
    )

    assert 3 == len(page_of(*cards).all("article"))
    assert "── #3 x" in render_text(session(*cards))


def test_arguments_that_are_nested_too_deeply_are_said_to_be() -> None:
    """What can't be written as JSON again is not shown, and that is said."""
    nested: Any = []
    for _ in range(20_000):
        nested = [nested]
    recorded = replace(card("x", GenericCall(title="x"), None), call={"card": "generic", "input": nested})

    assert "can't be shown as JSON: RecursionError" in page_of(recorded).one("article").text
    assert "can't be shown as JSON: RecursionError" in render_text(session(recorded))


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com", "HTTPS://a b"]
)
def test_only_web_addresses_are_links(url: str) -> None:
    """Anything but an http or https URL is text."""
    article = article_of(
        card("web_fetch", GenericCall(title="x"), WebResult(title="x", url=url, text="", truncated=False))
    )

    assert [] == article.all("a")
    assert url in article.text


def test_a_web_address_is_a_link_that_gives_nothing_away() -> None:
    """A link tells its target nothing about the page, and gives it no hold on it."""
    result = WebResult(title="x", url="https://example.com/?a=1&b=<2>", status=404, text="gone", truncated=True)
    article = article_of(card("web_fetch", GenericCall(title="x"), result))

    assert "https://example.com/?a=1&b=<2>" == article.one("a").attributes["href"]
    assert "noopener noreferrer nofollow" == article.one("a").attributes["rel"]
    assert "status 404" in article.one("header").text
    assert "The page was cut" in article.text
