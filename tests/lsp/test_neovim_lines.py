"""Texts in which a stock Neovim counts lines otherwise: its changes are read as it means them, and it gets no edit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.buffers.neovim_lines import may_miscount
from dsh_lsp.buffers.open_document import OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DshCapabilities
from tests.lsp.test_open_document import NoPeer

STOCK = EditorTraits(name="Neovim", encoding="utf-16")


@pytest.mark.parametrize(
    ("text", "miscounts"),
    [
        ("a\nb\n", False),
        ("a\r\nb\r\n", False),
        ("a\rb\n", True),
        ("a\rb\r\n", True),
        ("a\r\r\nb\r\n", True),
        ("a\rb", True),
        ("a\rb\r", False),
        ("", False),
    ],
)
def test_which_texts_they_are(text: str, miscounts: bool) -> None:
    """Those with a carriage return in a line, in a Neovim without a client of ours."""
    ours = EditorTraits(name="Neovim", dsh=DshCapabilities(apply_edit=True))

    assert miscounts is may_miscount(STOCK, text)
    assert not may_miscount(EditorTraits(name="Visual Studio Code"), text)
    assert not may_miscount(ours, text)


@given(
    text=st.text(alphabet="ab\r\n\U0001f600", max_size=30).map(lambda text: f"x\ry\n{text}"),
    edits=st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.text(alphabet="c\r\n", max_size=4)), max_size=5
    ),
)
def test_the_mirror_is_the_buffer_after_any_changes(text: str, edits: list[tuple[int, int, str]]) -> None:
    """Lines are counted by line feeds, characters in the negotiated encoding; a return typed later counts as well."""
    mirror = Document("file:///a", text, language_id="x", version=1, epoch=1, encoding="utf-16")
    document = OpenDocument(mirror, Editor(NoPeer(), STOCK), lambda: "h", lambda _: None)
    for number, (one, other, new) in enumerate(edits, 2):
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        change = TextChange((*_position(text, start), *_position(text, end)), new)
        text = text[:start] + new + text[end:]
        document.change(number, [change])

        assert text == document.mirror.text


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].split("\n")
    return len(before) - 1, len(before[-1].encode("utf-16-le")) // 2


def test_a_return_that_is_typed_counts_from_then_on() -> None:
    """A text that had none becomes one that is not edited."""
    mirror = Document("file:///a", "a\nb\n", language_id="x", version=1, epoch=1, encoding="utf-16")
    document = OpenDocument(mirror, Editor(NoPeer(), STOCK), lambda: "h", lambda _: None)
    before = document.miscounted
    document.change(2, [TextChange((0, 1, 0, 1), "\rx")])
    document.change(3, [TextChange((1, 0, 1, 1), "B")])

    assert (False, True) == (before, document.miscounted)
    assert "a\rx\nB\n" == document.mirror.text
