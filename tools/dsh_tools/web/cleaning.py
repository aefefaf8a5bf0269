"""HTML as it comes, made into HTML that is safe to convert: well nested, shallow, small words, absolute links.

Pages are written by strangers. What comes out of here is closed properly and nested no deeper than a bound, whatever
went in, so that whoever walks through it needs no stack and no luck; and white space is collapsed, since patterns that
look for line ends in a megabyte of blanks take minutes. Beside it the plain text is kept, for when even that takes too
long. A stranger's page may also be slow to read on purpose: a check is called again and again, and may raise.

Deliberately absent: Markdown, and what a browser would do with styles and scripts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin, urlsplit

DEEPEST: Final = 60
"""How many tags are open at once in what comes out; deeper ones lose their tag and keep their text."""

LONGEST_TITLE: Final = 300
_LONGEST_LINK: Final = 2_000
_LOOK_BACK: Final = 64

_DROPPED: Final = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "head"})
_INLINE: Final = frozenset({"a", "b", "strong", "i", "em", "s", "del", "code", "kbd", "samp", "q", "sup", "sub"})
_KEPT_BLOCKS: Final = frozenset({"p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "figcaption"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TABLE: Final = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
_WRAPPERS: Final = frozenset(
    {"address", "article", "aside", "center", "details", "dialog", "div", "fieldset", "figure", "footer", "form"}
    | {"header", "main", "nav", "section", "summary"}
)
_BLOCKS: Final = _KEPT_BLOCKS | _HEADINGS | _TABLE | _WRAPPERS

_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
_ENDED_BY: Final = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    **dict.fromkeys(_GROUPS, (_GROUPS, frozenset({"table"}))),
}
"""Which open tags a tag ends without saying so, and which tags keep it from looking further out."""

_BLANKS: Final = re.compile(r"[ \t\r\n\f]+")
_LANGUAGE: Final = re.compile(r"\blang(?:uage)?-([\w+#.-]{1,30})")
_IN_LINK: Final = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\n": "", "\t": ""})


@dataclass(frozen=True, slots=True)
class CleanPage:
    """A page, cleaned.

    Attributes:
        title: Its title in one line, or an empty string.
        html: One element that holds all of it.
        text: Its text without any marks, a line for each block.
        flattened: Some of it was nested too deeply, and is there as text alone.
    """

    title: str
    html: str
    text: str
    flattened: bool


def clean(html: str, url: str, check: Callable[[], None]) -> CleanPage:
    """Clean a page.

    Args:
        html: As it came.
        url: Where it came from, for links.
        check: Called for every piece; what it raises ends the work and is passed on.
    """
    cleaner = _Cleaner(url, check)
    cleaner.feed(html)
    cleaner.close()
    return cleaner.page()


class _Cleaner(HTMLParser):
    def __init__(self, url: str, check: Callable[[], None]) -> None:
        super().__init__(convert_charrefs=True)
        self._base = url
        self._check = check
        self._open: list[tuple[str, bool]] = []
        self._count: Counter[str] = Counter()
        self._depth = 0
        self._in_pre = 0
        self._dropping: tuple[str, int] | None = None
        self._in_title = False
        self._title: list[str] = []
        self._html: list[str] = []
        self._text: list[str] = []
        self._flattened = False

    def page(self) -> CleanPage:
        """What was made of all that was fed."""
        while self._open:
            self._pop()
        title = " ".join("".join(self._title).split())
        return CleanPage(
            title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…",
            f"<div>{''.join(self._html)}</div>",
            "\n".join(_squeezed("".join(self._text))),
            self._flattened,
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._check()
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and "href" in given:
            self._base = _joined(self._base, given["href"]) or self._base
        if tag == "body" or tag in _BLOCKS:
            self._in_title = False
            if self._dropping is not None and self._dropping[0] == "head":
                self._dropping = None  # A head without an end.
        if self._dropping is not None:
            dropped, levels = self._dropping
            self._in_title |= tag == "title" and dropped == "head" and not self._title
            self._dropping = (dropped, levels + (tag == dropped))
        elif tag == "title":
            self._in_title = not self._title
        elif tag in _DROPPED:
            self._dropping = (tag, 1)
        else:
            self._start(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Only in SVG does the slash end an element; in HTML it says nothing.
        if tag != "svg":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._check()
        if tag == "title":
            self._in_title = False
        if self._dropping is not None:
            dropped, levels = self._dropping
            if tag == dropped:
                self._dropping = (dropped, levels - 1) if levels > 1 else None
            return
        if self._count[tag]:
            while self._pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._check()
        if self._in_title:
            self._title.append(data)
        if self._dropping is not None or self._in_title:
            return
        said = data if self._in_pre else _BLANKS.sub(" ", data)
        self._html.append(escape(said, quote=False))
        self._text.append(said)

    def parse_marked_section(self, i: int, report: bool = True) -> int:  # noqa: ARG002 - the base's own
        # The base knows a few kinds and raises for the others; a browser passes over all of them.
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if tag == "br":
            self._html.append("<br>")
            self._text.append("\n")
        elif tag == "hr":
            self._html.append("<hr>")
            self._text.append("\n")
        elif tag == "img":
            self._image(given)
        elif tag in _BLOCKS or tag in _INLINE:
            if tag in _BLOCKS:
                self._end(frozenset({"p"}), _BLOCKS - {"p"})
                self._text.append("\n")
            if tag in _ENDED_BY:
                self._end(*_ENDED_BY[tag])
            self._push(tag, _attributes(tag, given, self._base))

    def _image(self, given: dict[str, str]) -> None:
        alt = _BLANKS.sub(" ", given.get("alt", "")).strip()
        source = _joined(self._base, given.get("src", ""))
        if alt and source and not self._in_pre:
            self._html.append(f'<img alt="{escape(alt)}" src="{escape(source)}">')
        elif alt:
            self._html.append(escape(alt, quote=False))
        self._text.append(alt)

    def _push(self, tag: str, attributes: str | None) -> None:
        kept = attributes is not None and self._depth < DEEPEST
        self._flattened |= attributes is not None and not kept
        self._open.append((tag, kept))
        self._count[tag] += 1
        if kept:
            self._depth += 1
            self._in_pre += tag == "pre"
            self._html.append(f"<{_written(tag)}{attributes}>")

    def _pop(self) -> str:
        tag, kept = self._open.pop()
        self._count[tag] -= 1
        if kept:
            self._depth -= 1
            self._in_pre -= tag == "pre"
            self._html.append(f"</{_written(tag)}>")
        if tag in _BLOCKS:
            self._text.append("\n" if tag not in {"td", "th"} else "\t")
        return tag

    def _end(self, ended: frozenset[str], stops: frozenset[str]) -> None:
        """End the innermost of some tags, unless another one is in between, and all that is open inside it."""
        for back in range(1, min(len(self._open), _LOOK_BACK) + 1):
            tag = self._open[-back][0]
            if tag in ended:
                for _ in range(back):
                    self._pop()
                return
            if tag in stops:
                return


def _written(tag: str) -> str:
    return "div" if tag in _WRAPPERS else tag


def _attributes(tag: str, given: dict[str, str], base: str) -> str | None:
    """The attributes that matter, as they are written; None where the tag is nothing without them."""
    match tag:
        case "a":
            link = _joined(base, given.get("href", ""))
            return None if link is None else f' href="{escape(link)}"'
        case "ol" if re.fullmatch(r"[0-9]{1,5}", given.get("start", ""), re.ASCII):
            return f' start="{given["start"]}"'
        case "pre" | "code":
            language = _LANGUAGE.search(given.get("class", ""))
            return "" if language is None else f' class="language-{escape(language[1])}"'
        case _:
            return ""


def _joined(base: str, link: str) -> str | None:
    """A link as an absolute one, or None where it is none that leads somewhere."""
    link = link.strip()
    if not link or len(link) > _LONGEST_LINK:
        return None
    try:
        whole = urljoin(base, link)
        scheme = urlsplit(whole).scheme
    except ValueError:
        return None
    if scheme not in {"http", "https", "mailto"} or len(whole) > _LONGEST_LINK:
        return None
    return whole.translate(_IN_LINK)


def _squeezed(text: str) -> Iterator[str]:
    """The lines without blanks at their ends, and no two empty ones in a row."""
    empty = True
    for line in text.split("\n"):
        kept = line.rstrip()
        if kept or not empty:
            yield kept
        empty = not kept
