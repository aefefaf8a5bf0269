"""Where hunks are shown in an editor that has plain LSP, and the words for them."""

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dsh_ledger.pending import PendingHunks
from dsh_lsp.buffers.document_diff import settled_edits
from dsh_lsp.plain.before import base_position, before_uri, original_uri
from dsh_lsp.plain.client import plain_client
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.places import shown_hunks
from dsh_lsp.plain.refreshing import Refresher
from dsh_lsp.plain.wording import code_span, counts, fenced, removed_lines, sentence
from dsh_lsp.sessions import Sessions
from dsh_lsp.text.document import Document
from dsh_lsp.text.positions import PositionEncoding
from tests.support.naive_text import offset_of

TEXTS = st.text(alphabet="ab\n\n\n\r😀", max_size=12)
ENCODINGS: Any = st.sampled_from(["utf-8", "utf-16", "utf-32"])
NAMES = Names(Sessions())


def changed(before: str, after: str, encoding: PositionEncoding = "utf-16") -> tuple[PendingHunks, Document]:
    """What is pending after an agent made one text of another."""
    ids = itertools.count()
    hunks = PendingHunks()
    for edit in settled_edits(before, after):
        hunks = hunks.agent_edit("s", "c", edit.start, edit.old, edit.new, lambda: f"h{next(ids)}")
    return hunks, Document("file:///a", after, language_id="", version=1, epoch=1, encoding=encoding)


@given(TEXTS, TEXTS, ENCODINGS)
def test_every_change_is_shown_inside_the_text(before: str, after: str, encoding: PositionEncoding) -> None:
    """At some character of it if there is one, on lines that are there, in whatever units."""
    before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    hunks, mirror = changed(before, after, encoding)
    for shown in shown_hunks(hunks, mirror):
        start, end = (
            offset_of(after, {"line": each.line, "character": each.character}, encoding)
            for each in (shown.range.start, shown.range.end)
        )

        assert start < end or not after
        assert 0 <= shown.first <= shown.last < mirror.line_count
        place = base_position(hunks, shown.hunk.id, before)
        assert 0 == offset_of(before, {"line": place.line, "character": 0}, encoding) or place.line > 0


@pytest.mark.parametrize(
    ("before", "after", "span", "words"),
    [
        ("a\nb\nc\n", "a\nc\n", (1, 0, 1, 1), "an agent deleted 1 line here (+0 -1)"),
        ("a\n\nc\n", "a\nc\n", (1, 0, 1, 1), "an agent deleted 1 line here (+0 -1)"),
        ("a\nb\n\nc\n", "a\n\nc\n", (1, 0, 2, 0), "an agent deleted 1 line here (+0 -1)"),
        ("a\nb\n", "a\n", (0, 0, 1, 0), "an agent deleted 1 line here (+0 -1)"),
        ("a\nb", "a", (0, 0, 0, 1), "an agent deleted 1 line here (+0 -1)"),
        ("a\n", "", (0, 0, 0, 0), "an agent deleted 1 line here (+0 -1)"),
        ("a\n", "a\nb\nc\n", (1, 0, 3, 0), "an agent added 2 lines here (+2 -0)"),
        ("a", "a\n", (0, 0, 1, 0), "an agent added the line end at the end of the text"),
        ("a\n", "a", (0, 0, 0, 1), "an agent removed the line end at the end of the text"),
        ("", "a\n", (0, 0, 1, 0), "an agent added 1 line here (+1 -0)"),
    ],
)
def test_places_and_words(before: str, after: str, span: tuple[int, ...], words: str) -> None:
    """A deletion is shown on the line that it stands before, at the end on the last one; line ends are no lines."""
    [shown] = shown_hunks(*changed(before, after))

    place = shown.range
    assert span == (place.start.line, place.start.character, place.end.line, place.end.character)
    assert words == sentence(shown, NAMES)


def test_what_is_long_is_cut_with_numbers_and_what_is_hidden_is_shown() -> None:
    """Lines and characters are bounded; a control character or a bidirectional one is written out."""
    [many] = shown_hunks(*changed("x\n" * 100, ""))
    [long] = shown_hunks(*changed("y" * 9_000, "z"))
    [hostile] = shown_hunks(*changed("\x1b[31m\u202e", "z"))

    assert (60, "40 of 100 lines from before are not shown, 40 characters in all") == (
        len(removed_lines(many)[0]),
        removed_lines(many)[1],
    )
    assert (["-" + "y" * 4_000], "0 of 1 lines from before are not shown, 5000 characters in all") == removed_lines(
        long
    )
    assert (["-⟨ESC⟩[31m⟨U+202E⟩"], None) == removed_lines(hostile)
    assert "(+2 -2)" == counts([long, hostile])


def test_nothing_that_is_quoted_ends_its_quotes() -> None:
    """Fences and code spans are longer than what they hold."""
    assert "`````d\n-````\n`````" == fenced(["-````"], "d")
    assert "```d\n-x\n```" == fenced(["-x"], "d")
    assert ("`a b`", "``a`b``", "`` `a ``") == (code_span("a b"), code_span("a`b"), code_span("`a"))
    assert "`a⟨LF⟩b`" == code_span("a\nb")
    assert "`" + "n" * 60 + "…`" == code_span("n" * 70)


@pytest.mark.parametrize("uri", ["file:///a%20b/%C3%BC.txt", "untitled:Untitled-1", "file:///a#b?c"])
def test_the_uri_of_a_text_from_before_names_its_document(uri: str) -> None:
    """There and back, also as VS Code spells it; anything else is none."""
    assert uri == original_uri(before_uri(uri))
    assert uri == original_uri(before_uri(uri).replace("/", "%2F"))
    assert [None, None, None] == [original_uri(uri), original_uri("dsh-before:"), original_uri("dsh-before")]


def test_diagnostics_are_pulled_or_pushed_and_never_both() -> None:
    """Pulled by a client that can be told to, or takes no others; else pushed; neither where neither is declared."""

    def ways(*, pull: bool, push: bool, refresh: bool) -> tuple[bool, bool]:
        client = plain_client(
            types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(
                    diagnostic=types.DiagnosticClientCapabilities() if pull else None,
                    publish_diagnostics=types.PublishDiagnosticsClientCapabilities() if push else None,
                ),
                workspace=types.WorkspaceClientCapabilities(
                    diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=refresh)
                ),
            )
        )
        return client.pulls, client.pushes

    assert (True, False) == ways(pull=True, push=True, refresh=True)
    assert (False, True) == ways(pull=True, push=True, refresh=False)
    assert (True, False) == ways(pull=True, push=False, refresh=False)
    assert (False, True) == ways(pull=False, push=True, refresh=True)
    assert (False, False) == ways(pull=False, push=False, refresh=True)


def test_a_client_says_in_what_hovers_are_written() -> None:
    """The first format of its list that is known, plain text without one, none without hovers."""

    def markup(*formats: Any, declared: bool = True) -> types.MarkupKind | None:
        hover = types.HoverClientCapabilities(content_format=formats or None)
        documents = types.TextDocumentClientCapabilities(hover=hover if declared else None)
        return plain_client(types.ClientCapabilities(text_document=documents)).hover

    plain, rich = types.MarkupKind.PlainText, types.MarkupKind.Markdown
    assert [plain, plain, rich, plain, None] == [
        markup(),
        markup(plain, rich),
        markup("html", rich),
        markup("html"),
        markup(declared=False),
    ]


class SlowClient:
    """A client that answers when it is let."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.may_answer = asyncio.Event()

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Take note, and answer later."""
        self.asked.append((method, params))
        await self.may_answer.wait()

    def notify(self, method: str, params: object = None) -> None:
        """Nothing is told."""


async def test_a_client_that_is_slow_is_asked_once_more_and_not_for_each_change() -> None:
    """While it has not answered, changes are gathered; after that, the next one is a question of its own."""
    client = SlowClient()
    refresher = Refresher(client)
    for _ in range(5):
        refresher.ask("a")
        await asyncio.sleep(0)
    refresher.ask("a", "uri")
    await asyncio.sleep(0)
    asked = list(client.asked)
    client.may_answer.set()
    for _ in range(5):
        await asyncio.sleep(0)
    again = list(client.asked)
    refresher.ask("a")
    await asyncio.sleep(0)
    await refresher.close()

    assert [("a", None), ("a", {"uri": "uri"})] == asked
    assert [*asked, ("a", None)] == again
    assert [*again, ("a", None)] == client.asked
