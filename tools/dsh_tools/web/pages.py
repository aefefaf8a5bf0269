"""The text of a response: its kind, its encoding, and HTML as Markdown.

All of it is made in a thread, and ends soon after nobody wants it any more. Deliberately absent: the network.
"""

import asyncio
import codecs
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from dsh_tools.web.cleaning import CleanPage

Form: TypeAlias = Literal["markdown", "text"]
"""What a text is: made from HTML, or as it came."""

LARGEST_MARKDOWN: Final = 1_000_000
"""Characters of cleaned HTML that are made into Markdown: about five seconds. More becomes plain text."""

SECONDS: Final = 15.0
"""How long the conversion of a page may take. After that it becomes plain text, or stays HTML."""

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = re.compile(
    r"text/.+|.+\+(?:json|xml|yaml)"
    r"|application/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|ndjson|jsonlines|sql|graphql|x-sh|x-tex)"
)
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*[\"']?([\w:.-]{1,40})", re.IGNORECASE | re.ASCII)
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w:.-]{1,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w:.-]{1,40})")
_LOOKS_LIKE_HTML: Final = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_NO_CHARSETS: Final = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"})
"""Codecs of Python that are no character sets of the web."""

_MEANT: Final = {
    **dict.fromkeys(("iso8859-1", "ascii"), "cp1252"),
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",  # without a mark; Python refuses them then
}
"""What labels of the web mean, by Python's name for what they say (the Encoding standard, 4.2): mostly more."""

_PRESCAN: Final = 1_024
"""Bytes in which a page names its encoding (the HTML standard, 13.2.3.2)."""


@dataclass(frozen=True, slots=True)
class Page:
    """A body as text.

    Attributes:
        title: The title of an HTML page, or None.
        form: What the text is.
        charset: The encoding that it was decoded with.
        text: All of it.
        notes: What else a reader should know, as sentences.
    """

    title: str | None
    form: Form
    charset: str
    text: str
    notes: tuple[str, ...] = ()


def media_type(content_type: str) -> str | None:
    """The type without its parameters, in lower case, or None where there is none, or none that is one."""
    said = content_type.partition(";")[0].strip().lower()
    return said if _TYPE.fullmatch(said) else None


def may_be_text(content_type: str) -> bool:
    """Whether a body of that type is worth reading. One without a type may be."""
    kind = media_type(content_type)
    return kind is None or kind in _HTML or _TEXTS.fullmatch(kind) is not None


async def page_of(body: bytes, content_type: str, url: str, *, whole: bool, raw: bool) -> Page | None:
    """The text of a body, or None when it is none.

    Args:
        body: As it came, decompressed.
        content_type: As it was sent.
        url: Where it came from, for links.
        whole: The body is all of it.
        raw: HTML is to be left as it is.
    """
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(_page, body, content_type, url, whole, raw, given_up)
    finally:
        given_up.set()


class _GivenUp(Exception):
    """Nobody waits any more, or it took too long."""


def _page(body: bytes, content_type: str, url: str, whole: bool, raw: bool, given_up: threading.Event) -> Page | None:
    from dsh_tools.web.cleaning import clean

    kind = media_type(content_type)
    charset, skipped = _charset(body, content_type)
    if b"\0" in body[:_PRESCAN] and not charset.startswith(("utf-16", "utf-32")):
        return None
    text = codecs.getincrementaldecoder(charset)("replace").decode(body[skipped:], final=whole)
    if raw or not (kind in _HTML or (kind is None and _LOOKS_LIKE_HTML.match(body, skipped))):
        return Page(None, "text", charset, text)
    ends = time.monotonic() + SECONDS

    def check() -> None:
        if given_up.is_set() or time.monotonic() > ends:
            raise _GivenUp

    try:
        cleaned = clean(text, url, check)
    except _GivenUp:
        note = "The page could not be converted in time; this is its HTML."
        return Page(None, "text", charset, text, (note,))
    flat = ("Parts of the page are nested very deeply and are shown as plain text.",) if cleaned.flattened else ()
    if len(cleaned.html) > LARGEST_MARKDOWN:
        note = "The page is too large to be made into Markdown; this is its text, without links and marks."
        return Page(cleaned.title or None, "text", charset, cleaned.text, (note,))
    try:
        return Page(cleaned.title or None, "markdown", charset, _markdown(cleaned, check), flat)
    except (_GivenUp, RecursionError):
        note = "The page could not be made into Markdown in time; this is its text, without links and marks."
        return Page(cleaned.title or None, "text", charset, cleaned.text, (note,))


def _charset(body: bytes, content_type: str) -> tuple[str, int]:
    """The name of the encoding, and how many bytes of a byte order mark come before the text.

    A byte order mark says it, else the header, else the page itself, else it is UTF-8 (the Encoding standard, 6).
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name, len(mark)
    head = body[:_PRESCAN]
    header = _CHARSET.search(content_type)
    if header is not None and (named := _known(header[1])) is not None:
        return named, 0
    inside = _XML.match(head) or _META.search(head)
    named = None if inside is None else _known(inside[1].decode("ascii", "replace"))
    # What could be read byte by byte is not in units of two.
    return ("utf-8" if named is None or named.startswith(("utf-16", "utf-32")) else named), 0


def _known(said: str) -> str | None:
    """The codec of a label; None for what is none, or none of a character set."""
    for label in (said, said.lower().removeprefix("x-")):  # x-sjis, x-gbk, x-cp1251
        try:
            name = codecs.lookup(label).name
            "".encode(name)  # Refused where the codec is not one of text (base64).
        except LookupError:
            continue
        return None if name in _NO_CHARSETS else _MEANT.get(name, name)
    return None


def _markdown(page: "CleanPage", check: Callable[[], None]) -> str:
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):
        """Stops when it should; and fences code so that no line of it can end the fence."""

        def process_tag(self, node: Any, parent_tags: Any = None) -> Any:
            check()
            return super().process_tag(node, parent_tags)  # type: ignore[misc]

        def convert_pre(self, node: Any, text: str, **_context: Any) -> str:
            code = text.strip("\n")
            if not code.strip():
                return ""
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", code)), default=0))
            return f"\n\n{fence}{_language(node)}\n{code}\n{fence}\n\n"

        def convert_td(self, node: Any, text: str, parent_tags: Any) -> Any:
            return super().convert_td(node, _in_cell(text), parent_tags)  # type: ignore[misc]

        def convert_th(self, node: Any, text: str, parent_tags: Any) -> Any:
            return super().convert_th(node, _in_cell(text), parent_tags)  # type: ignore[misc]

    converter = Converter(
        heading_style="atx",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        # Without a mark, ten to the sixth would read as a hundred and six.
        sup_symbol="<sup>",
        sub_symbol="<sub>",
    )
    return converter.convert(page.html).strip()


def _in_cell(text: str) -> str:
    """The text of a cell, in which a bar does not end it."""
    return text.replace("|", "\\|")


def _language(node: Any) -> str:
    """The language of a ``pre``, from itself or from the ``code`` in it."""
    for element in (node, node.find("code")):
        for name in element.get("class", ()) if element is not None else ():
            return str(name).removeprefix("language-")
    return ""
