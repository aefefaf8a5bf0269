"""HTML that can't be broken by what is in it: text becomes part of a page in one place, escaped, or not at all.

`Html` is text that is already part of a page. `tag` and `join` take plain strings and escape them; only what is `Html`
passes as it is, and only this module and constant text of `html` make it. Characters that would not be seen are made
visible on the way (`dsh_tools.visible`), so that nothing is hidden in a page either.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from dsh_tools.visible import one_line, pieces

_LINK: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
_VOID: Final = frozenset({"meta"})


class Html(str):
    """A piece of a page."""

    __slots__ = ()


def text(value: str) -> Html:
    """A text as a piece of a page; what would not be seen is in a marked span."""
    if value.isascii() and value.isprintable():
        return Html(escape(value, quote=True))
    return Html(
        "".join(
            f'<span class="hidden">{escape(shown, quote=True)}</span>' if hidden else escape(shown, quote=True)
            for shown, hidden in pieces(value)
        )
    )


def plain(value: str) -> Html:
    """A text for a place that can hold no elements, an attribute or a title; it is on one line there."""
    return Html(escape(one_line(value), quote=True))


def join(parts: Iterable[str], between: str = "") -> Html:
    """Pieces one after another; plain strings are escaped."""
    return Html(_as_html(between).join(map(_as_html, parts)))


def tag(name: str, /, *children: str, **attributes: str | int | bool | None) -> Html:
    """An element.

    Args:
        name: Its name, constant.
        children: Pieces of it; plain strings are escaped.
        attributes: By constant name, ``_`` for ``-`` and a ``_`` at the end dropped. True is an attribute without a
            value; False and None are none.
    """
    start = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        start += f" {key.rstrip('_').replace('_', '-')}"
        if value is not True:
            start += f'="{plain(str(value))}"'
    if name in _VOID:
        return Html(f"<{start}>")
    return Html(f"<{start}>{''.join(map(_as_html, children))}</{name}>")


def link(url: str) -> Html:
    """A URL as a link, if it leads to a web page; as text otherwise."""
    if not _LINK.fullmatch(url):
        return text(url)
    return tag("a", url, href=url, rel="noopener noreferrer nofollow")


def _as_html(piece: str) -> str:
    return piece if isinstance(piece, Html) else text(piece)
