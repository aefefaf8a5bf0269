"""Telling editors of hunks: one note for a burst, and nothing kept of a document that is closed."""

import asyncio
import gc
from weakref import ref

from dsh_lsp.buffers.open_document import Author, OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.painting import Painter
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DshCapabilities
from tests.lsp.test_sessions import Recorder


class Heard(Recorder):
    """A connection that says when it was told something."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = asyncio.Event()

    def notify(self, method: str, params: object = None) -> None:
        """Keep the method, and wake who waits."""
        super().notify(method, params)
        self.heard.set()


def painted(recorder: Heard) -> OpenDocument:
    """A document with an agent's hunk, in an editor that paints."""
    editor = Editor(recorder, EditorTraits(dsh=DshCapabilities(decorations=True)))
    mirror = Document("file:///a", "a\n", language_id="x", version=1, epoch=1, encoding="utf-16")
    document = OpenDocument(mirror, editor, lambda: "h1", lambda _: None)
    document.launch("a\n", "b\n", Author("s", "c"))
    document.change(2, [TextChange(None, "b\n")])
    return document


async def test_a_burst_is_told_of_once() -> None:
    """Three changes in one turn are one note."""
    recorder, painter = Heard(), Painter()
    document = painted(recorder)
    for _ in range(3):
        painter.changed(document)

    await asyncio.wait_for(recorder.heard.wait(), 5)

    assert recorder.said == ["dsh/decorations"]


async def test_a_closed_document_is_not_kept() -> None:
    """A document that had hunks when it was closed is gone with its text."""
    recorder, painter = Heard(), Painter()
    document = painted(recorder)
    painter.changed(document)
    await asyncio.wait_for(recorder.heard.wait(), 5)
    document.close()
    gone = ref(document)

    del document
    gc.collect()

    assert gone() is None
