"""Bodies within bounds, and HTML as Markdown whatever it is like."""

import asyncio
import gzip
import random
import threading
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from encodings.aliases import aliases

import pytest

from dsh_tools.web import cleaning, pages
from dsh_tools.web.bodies import Body, UnknownCoding, read_into
from dsh_tools.web.cleaning import DEEPEST, CleanPage, clean
from dsh_tools.web.pages import Page, may_be_text, page_of


async def in_pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    """The data as a network gives it."""
    for at in range(0, len(data), size):
        yield data[at : at + size]


async def body_of(data: bytes, coding: str, *, limit: int = 1_000, piece: int = 7) -> Body:
    """A body after reading."""
    body = Body(bytearray())
    await read_into(body, in_pieces(data, piece), coding, limit)
    return body


def nothing() -> None:
    """A check that never stops."""


def cleaned(html: str) -> CleanPage:
    """A page of example.org."""
    return clean(html, "https://example.org/a/b", nothing)


async def markdown(html: str) -> str:
    """The text of a page of example.org."""
    page = await page_of(html.encode(), "text/html", "https://example.org/a/b", whole=True, raw=False)
    assert page is not None
    assert "markdown" == page.form
    return page.text


BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("", b"hello"),
        ("identity", b"hello"),
        ("gzip", gzip.compress(b"hello", mtime=0)),
        ("X-GZIP", gzip.compress(b"hello", mtime=0)),
        ("gzip", gzip.compress(b"hel", mtime=0) + gzip.compress(b"lo", mtime=0)),
        ("gzip", gzip.compress(b"hello", mtime=0) + b"\0\0\0padding"),
        ("deflate", zlib.compress(b"hello")),
        ("deflate", BARE.compress(b"hello") + BARE.flush()),
    ],
)
@pytest.mark.parametrize("piece", [7, 1_000])
async def test_a_body_is_decompressed(coding: str, data: bytes, piece: int) -> None:
    """All that was asked for, in one piece or in many, also several members and both meanings of deflate."""
    body = await body_of(data, coding, piece=piece)

    assert (b"hello", None) == (bytes(body.data), body.stopped)


@pytest.mark.parametrize(
    "data", [gzip.compress(b"hello" * 50, mtime=0)[:-9], b"no gzip at all", gzip.compress(b"x", mtime=0)[:5]]
)
async def test_damaged_compression_is_a_broken_body(data: bytes) -> None:
    """What came out before counts, and that it is not all is known."""
    assert "broken" == (await body_of(data, "gzip")).stopped


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress"])
async def test_other_codings_are_not_read(coding: str) -> None:
    """They were not asked for."""
    with pytest.raises(UnknownCoding):
        await body_of(b"x", coding)


@pytest.mark.parametrize("coding", ["", "gzip"])
@pytest.mark.parametrize("more", [0, 1])
async def test_the_limit_is_exact(coding: str, more: int) -> None:
    """As many bytes as the limit are whole; one more is cut."""
    data = b"a" * (100 + more)

    body = await body_of(gzip.compress(data, mtime=0) if coding else data, coding, limit=100)

    assert (100, "size" if more else None) == (len(body.data), body.stopped)


async def test_a_bomb_takes_no_memory() -> None:
    """The decompressor is not asked for more than there is room for, however much one piece holds."""
    bomb = gzip.compress(bytes(20_000_000))
    tracemalloc.start()
    try:
        body = await body_of(bomb, "gzip", piece=len(bomb))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (1_000, "size") == (len(body.data), body.stopped)
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h2>A</h2>b", "## A\n\nb"),
        ("<p>a<p>b", "a\n\nb"),
        ("<p><b>a<ul><li>b</ul>c", "**a**\n\n- b\n\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("<b>a</b> <em>b</em> <code>c_d*</code> e_f*g", "**a** *b* `c_d*` e_f*g"),
        ("a &lt;b&gt; &amp;amp; &#233;", "a <b> &amp; é"),
        ("<pre>  x\n\n  y\n</pre>", "```\n  x\n\n  y\n```"),
        ('<pre><code class="hl language-c++">x</code></pre>', "```c++\nx\n```"),
        ("<pre>```\nx</pre>", "````\n```\nx\n````"),
        ("<blockquote>a<p>b</blockquote>", "> a\n>\n> b"),
        ("a<br>b<hr>c", "a  \nb\n\n---\n\nc"),
        ("a\n   b\t c", "a b c"),
        ("<div><section>a</section></div><footer>b</footer>", "a\n\nb"),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n:   b\n\nc\n:   d"),
        ("a</i></div></p>b", "ab"),
        ("<![if !IE]>a<![endif]><!-- b --><?php c ?>", "a"),
        ("<unknown>a</unknown>", "a"),
    ],
)
async def test_html_as_markdown(html: str, text: str) -> None:
    """What people write, also with the ends left out that HTML lets them leave out."""
    assert text == await markdown(html)


@pytest.mark.parametrize(
    "html",
    [
        "<script>x<p>y</script>a",
        "<style>x</style>a",
        "<noscript>x<p>y</noscript>a",
        "<template><template>x</template>y</template>a",
        "<svg><path/><title>x</title></svg>a",
        "<svg/>a",
        "<head><link><title>t</title><script>x</script></head>a",
        "<head><meta><p>a",
        "<head><body>a",
        "<iframe>x</iframe>a",
        "<canvas>x</canvas>a",
    ],
)
async def test_what_nobody_reads_is_dropped(html: str) -> None:
    """Programs, styles, and what stands in for them."""
    assert "a" == await markdown(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=c>x</a>", "[x](https://example.org/a/c)"),
        ("<a href=/c>x</a>", "[x](https://example.org/c)"),
        ("<a href=//e.org/c?q#f>x</a>", "[x](https://e.org/c?q#f)"),
        ("<a href='mailto:a@b.c'>x</a>", "[x](mailto:a@b.c)"),
        ("<a href='b (1)'>x</a>", "[x](https://example.org/a/b%20%281%29)"),
        ("<base href=/z/><a href=c>x</a>", "[x](https://example.org/z/c)"),
        ("<a href='javascript:y()'>x</a>", "x"),
        ("<a href='data:text/html,y'>x</a>", "x"),
        ("<a href='http://[::1'>x</a>", "x"),
        ("<a name=c>x</a>", "x"),
        ("<a href='/c'><b>x</b></a>", "[**x**](https://example.org/c)"),
        (f"<a href='/{'c' * 2_000}'>x</a>", "x"),
        ("<img src=i.png alt='a  b'>", "![a b](https://example.org/a/i.png)"),
        ("<img src='data:image/png;base64,xx' alt=a>", "a"),
        ("x<img src=pixel.gif>", "x"),
    ],
)
async def test_links_are_absolute_and_lead_somewhere(html: str, text: str) -> None:
    """What does not lead to the web or to a mailbox keeps its text alone; a picture without a text is nothing."""
    assert text == await markdown(html)


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<head><title> A\n B </title></head>", "A B"),
        ("<title>A</title><title>B</title>", "A"),
        ("<svg><title>x</title></svg><title>A</title>", "A"),
        ("<title>" + "a" * 400 + "</title>", "a" * 299 + "…"),
        ("<title>A<body><p>x", "A"),
        ("<p>x", ""),
    ],
)
def test_the_title(html: str, title: str) -> None:
    """In one line, cut where it is long; the page's own, not a picture's."""
    assert title == cleaned(html).title


def test_deep_nesting_is_flattened() -> None:
    """The text of what is too deep stays, its tags go; what comes after is as it was."""
    page = cleaned("<div>" * 5_000 + "<b>deep</b>" + "</div>" * 5_000 + "<b>flat</b>")

    assert page.flattened
    assert DEEPEST + 1 == page.html.count("<div>")
    assert "deep" in page.html
    assert "<b>deep" not in page.html
    assert page.html.endswith("<b>flat</b></div>")


async def test_deep_nesting_is_said() -> None:
    """A page of half a million open tags is no trouble, and its reader knows that something is missing."""
    page = await page_of(b"<blockquote>" * 50_000 + b"x", "text/html", "http://e.org/", whole=True, raw=False)

    assert page is not None
    assert ("markdown", f"{'> ' * DEEPEST}x") == (page.form, page.text)
    assert ("Parts of the page are nested very deeply and are shown as plain text.",) == page.notes


def test_what_comes_out_is_well_nested_whatever_goes_in() -> None:
    """Every tag that is opened is closed, in order, at no more than the bound; text is never markup."""
    dice = random.Random(7)
    words = ["<", ">", "</", "/>", "<!", "<![", "<!--", "-->", "&", "&#0;", "&#xD800;", "'", '"', "=", " ", "\n", "x"]
    words += [f"<{tag}>" for tag in ("p", "b", "li", "ul", "td", "tr", "table", "pre", "svg", "head", "title", "dd")]
    words += [f"</{tag}>" for tag in ("p", "b", "li", "ul", "td", "tr", "table", "pre", "svg", "head", "title", "dd")]
    words += ["<a href='x", "<a href=x>", "<img alt=y src=z>", "<base href='//", "<br", "<script>", "</script>"]
    for _ in range(500):
        html = "".join(dice.choices(words, k=60))
        opened: list[str] = []
        for piece in cleaned(html).html.split("<")[1:]:
            name = piece.partition(">")[0].partition(" ")[0]
            if name.startswith("/"):
                assert name[1:] == opened.pop()
            elif name not in {"br", "hr", "img"}:
                opened.append(name)
            assert len(opened) <= DEEPEST + 1
        assert [] == opened


async def test_white_space_takes_no_time() -> None:
    """A megabyte of blanks is one blank; in a program it stays as it is."""
    blanks = " " * 900_000

    assert "a b" == await markdown(f"a{blanks}b")
    assert f"```\na{blanks}b\n```" == await markdown(f"<pre>a{blanks}b</pre>")


async def test_a_page_that_is_too_large_becomes_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is all there, line by line, and the reader is told what is not."""
    monkeypatch.setattr(pages, "LARGEST_MARKDOWN", 50)
    html = b"<title>T</title><h1>A</h1><p>b  <a href=c>c</a><ul><li>d<li>e</ul><pre>f\n  g</pre>"

    page = await page_of(html, "text/html", "http://e.org/", whole=True, raw=False)

    note = "The page is too large to be made into Markdown; this is its text, without links and marks."
    assert Page("T", "text", "utf-8", "A\n\nb c\n\nd\n\ne\n\nf\n  g\n", (note,)) == page


async def test_a_page_that_takes_too_long_stays_html(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is made to be slow takes no more time than it is given."""
    monkeypatch.setattr(pages, "SECONDS", 0.0)

    page = await page_of(b"<p>a", "text/html", "http://e.org/", whole=True, raw=False)

    assert Page(None, "text", "utf-8", "<p>a", ("The page could not be converted in time; this is its HTML.",)) == page


@pytest.mark.parametrize("failure", [RecursionError, pages._GivenUp])
async def test_a_conversion_that_fails_leaves_the_plain_text(
    monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    """Time that runs out in the second half, or a stack that is too small, costs the marks and not the text."""

    def fails(*_: object) -> str:
        raise failure

    monkeypatch.setattr(pages, "_markdown", fails)

    page = await page_of(b"<p>a <b>b</b>", "text/html", "http://e.org/", whole=True, raw=False)

    assert page is not None
    assert ("text", "a b\n", 1) == (page.form, page.text, len(page.notes))


async def test_a_conversion_that_nobody_waits_for_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancelled call leaves no thread at work."""
    begun, ended = threading.Event(), threading.Event()
    genuine = cleaning.clean

    def watched(html: str, url: str, check: object) -> CleanPage:
        begun.set()
        try:
            while True:
                genuine(html, url, check)  # type: ignore[arg-type]
        finally:
            ended.set()

    monkeypatch.setattr(cleaning, "clean", watched)
    call = asyncio.ensure_future(page_of(b"<p>a", "text/html", "http://e.org/", whole=True, raw=False))
    assert await asyncio.to_thread(begun.wait, 5)

    call.cancel()

    assert await asyncio.to_thread(ended.wait, 5)


def test_the_second_half_stops_too() -> None:
    """Each element is a moment to stop at."""
    page = cleaned("<p>a<p>b")

    def stop() -> None:
        raise pages._GivenUp

    with pytest.raises(pages._GivenUp):
        pages._markdown(page, stop)


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("text/html; charset=x", True),
        ("TEXT/Plain", True),
        ("application/xhtml+xml", True),
        ("application/vnd.api+json", True),
        ("image/svg+xml", True),
        ("application/javascript", True),
        ("", True),
        ("no type", True),
        ("image/png", False),
        ("application/octet-stream", False),
        ("application/pdf", False),
        ("application/zip", False),
    ],
)
def test_which_types_are_worth_reading(content_type: str, text: bool) -> None:
    """Text, and what has no type that says otherwise."""
    assert text == may_be_text(content_type)


async def text_of(body: bytes, content_type: str) -> str | None:
    """The text of a page of example.org."""
    page = await page_of(body, content_type, "https://example.org/", whole=True, raw=False)
    return None if page is None else page.text


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("utf-16", "utf-16-le", "私 é"),
        ("UTF-32", "utf-32-le", "私 é"),
        ("shift_jis", "cp932", "①日本"),
        ("x-sjis", "cp932", "①日本"),
        ("gb2312", "gbk", "镕囍"),
        ("x-gbk", "gbk", "镕囍"),
        ("euc-kr", "cp949", "똠방각하"),
        ("ks_c_5601-1987", "cp949", "똠방각하"),
        ("big5", "big5hkscs", "中文"),
        ("iso-8859-9", "cp1254", "ğşı “x”"),
        ("tis-620", "cp874", "ไทย “x”"),
        ("iso-8859-1", "cp1252", "“x” €"),
        ("x-cp1251", "cp1251", "жук"),
        ("x-user-defined", "utf-8", "é"),
    ],
)
async def test_a_label_means_what_it_means_on_the_web(label: str, codec: str, text: str) -> None:
    """Which is mostly more than Python's codec of that name knows; no mark is needed for wide characters."""
    assert text == await text_of(text.encode(codec), f"text/plain; charset={label}")


async def test_no_label_is_too_much() -> None:
    """Whatever a server says of its bytes, they come out as some text, or as none."""
    for label in {*aliases, *aliases.values()}:
        for body in (bytes(range(1, 256)), b"\0a\0b"):
            await text_of(body, f"text/plain; charset={label}")


async def test_bars_in_cells_and_raised_digits_keep_their_meaning() -> None:
    """A bar ends no cell, and ten to the sixth is not a hundred and six."""
    html = b"<table><tr><th>a|b<th>c<tr><td>1<td><code>x||y</code></table><p>10<sup>6</sup> H<sub>2</sub>O"

    said = await text_of(html, "text/html")

    assert "| a\\|b | c |\n| --- | --- |\n| 1 | `x\\|\\|y` |\n\n10<sup>6</sup> H<sub>2</sub>O" == said
