"""An editor's process that is not the hub knows its documents as the editor has them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.joining.documents import FollowedDocuments
from dsh_lsp.text.positions import PositionEncoding
from tests.support.naive_text import Span, content_changes, replaced

ENCODINGS: list[PositionEncoding] = ["utf-8", "utf-16", "utf-32"]


def followed(encoding: PositionEncoding = "utf-16") -> FollowedDocuments:
    """Documents of which nothing is open."""
    documents = FollowedDocuments()
    documents.encoding = encoding
    return documents


def opens(uri: str, text: str, version: int = 1) -> tuple[str, dict[str, Any]]:
    """A ``didOpen``."""
    item = {"uri": uri, "languageId": "x", "version": version, "text": text}
    return "textDocument/didOpen", {"textDocument": item}


def changes(uri: str, version: int, events: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """A ``didChange``."""
    return "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": events}


def told(documents: FollowedDocuments) -> list[dict[str, Any]]:
    """What the next hub is told of."""
    return [frame["params"]["textDocument"] for frame in documents.opened()]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.data())
def test_the_text_is_the_editors_after_any_changes(encoding: PositionEncoding, data: st.DataObject) -> None:
    """In every position encoding, with its line ends, and with the version of the last change."""
    texts = st.text(alphabet="ab\n\r\u00e4\U0001f600", max_size=12)
    text = data.draw(texts)
    documents = followed(encoding)
    documents.follow(*opens("file:///a", text))
    for version in range(2, data.draw(st.integers(2, 5))):
        start = data.draw(st.integers(0, len(text)))
        span = Span(start, data.draw(st.integers(start, len(text))), data.draw(texts))
        if "\r" in text[max(0, span.start - 1) : span.start] + text[span.end - 1 : span.end] + span.new:
            events: list[dict[str, Any]] = [{"text": replaced(text, [span])}]  # LSP has no place inside of \r\n
        else:
            events = content_changes(text, [span], encoding)
        text = replaced(text, [span])
        documents.follow(*changes("file:///a", version, events))

        [item] = told(documents)
        assert (text, version) == (item["text"], item["version"])


def test_they_are_told_in_the_order_of_their_last_use() -> None:
    """The last one is the one that the user was in."""
    documents = followed()
    for uri in ("file:///a", "file:///b", "file:///c"):
        documents.follow(*opens(uri, ""))
    documents.follow(*changes("file:///a", 2, [{"text": "x"}]))
    documents.follow("textDocument/didClose", {"textDocument": {"uri": "file:///b"}})

    assert ["file:///c", "file:///a"] == [item["uri"] for item in told(documents)]
    assert 2 == len(documents)


def test_an_opening_in_spite_of_an_open_document_replaces_it() -> None:
    """With its version, which begins anew."""
    documents = followed()
    documents.follow(*opens("file:///a", "old", version=9))
    documents.follow(*opens("file:///a", "new", version=0))

    assert [("new", 0)] == [(item["text"], item["version"]) for item in told(documents)]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", None),
        ("textDocument/didOpen", {"textDocument": {"uri": "file:///b"}}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": [3]}),
        changes("file:///a", 2, [{"range": {"start": {"line": -1, "character": 0}}, "text": ""}]),
        changes("file:///nowhere", 2, [{"text": "x"}]),
        ("textDocument/didClose", {"textDocument": []}),
    ],
)
def test_what_makes_no_sense_is_passed_over(method: str, params: Any) -> None:
    """The document stays as it was known."""
    documents = followed()
    documents.follow(*opens("file:///a", "text"))

    assert documents.follow(method, params)
    assert ["text"] == [item["text"] for item in told(documents)]


def test_other_messages_are_none_of_theirs() -> None:
    """Whoever asks goes on."""
    assert not followed().follow("textDocument/didSave", {"textDocument": {"uri": "file:///a"}})
