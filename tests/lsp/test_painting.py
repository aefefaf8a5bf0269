"""Telling editors of hunks: one note for a burst, and nothing kept of a document that is closed."""

import asyncio
import gc
import itertools
import json
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest

from dsh_ledger.pending import PendingHunks
from dsh_lsp import painting
from dsh_lsp.buffers.decorations import decorations
from dsh_lsp.buffers.open_document import Author, OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.painting import Painter
from dsh_lsp.rpc.framing import JsonText
from dsh_lsp.text.document import Document
from dsh_lsp.wire import DshCapabilities
from tests.lsp.test_sessions import Recorder


class Heard(Recorder):
    """A connection that says when it was told something."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = asyncio.Event()
        self.notes: list[Any] = []

    def notify(self, method: str, params: object = None) -> None:
        """Keep the method and what it says, and wake who waits."""
        super().notify(method, params)
        assert isinstance(params, JsonText)
        self.notes.append(json.loads(params.text))
        self.heard.set()

    async def next(self) -> Any:
        """The next note."""
        await asyncio.wait_for(self.heard.wait(), 5)
        self.heard.clear()
        return self.notes[-1]


def painted(recorder: Heard, before: str = "a\n", after: str = "b\n") -> OpenDocument:
    """A document with an agent's hunk, in an editor that paints."""
    editor = Editor(recorder, EditorTraits(dsh=DshCapabilities(decorations=True)))
    mirror = Document("file:///a", before, language_id="x", version=1, epoch=1, encoding="utf-16")
    document = OpenDocument(mirror, editor, lambda: "h1", lambda _: None)
    document.launch(before, after, Author("s", "c"))
    document.change(2, [TextChange(None, after)])
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


def many(recorder: Heard, count: int) -> OpenDocument:
    """A document of which an agent has changed every other line."""
    editor = Editor(recorder, EditorTraits(dsh=DshCapabilities(decorations=True)))
    before = "".join(f"line {n} old\n" for n in range(2 * count))
    mirror = Document("file:///a", before, language_id="x", version=1, epoch=1, encoding="utf-16")
    ids = itertools.count()
    document = OpenDocument(mirror, editor, lambda: f"h{next(ids)}", lambda _: None)
    after = "".join(f"line {n} {'new' if n % 2 else 'old'}\n" for n in range(2 * count))
    document.launch(before, after, Author("s", "c"))
    document.change(2, [TextChange(None, after)])
    assert count == len(document.hunks)
    return document


@pytest.mark.parametrize(
    "change",
    [
        TextChange((2, 0, 2, 0), "typed elsewhere"),
        TextChange((0, 0, 0, 0), "\n"),
        TextChange((1, 0, 1, 0), "typed in a hunk"),
        TextChange((1, 0, 2, 0), "line 1 old\n"),
        TextChange((11, 0, 12, 0), ""),
        TextChange((0, 0, 12, 0), ""),
        TextChange((0, 0, 0, 0), ""),
    ],
)
async def test_a_note_is_the_whole_truth_after_every_change(change: TextChange) -> None:
    """What is kept from one note to the next is what would be made anew."""
    recorder, painter = Heard(), Painter(lambda session: f"agent of {session}", share=1.0)
    document = many(recorder, 6)
    painter.changed(document)
    first = await recorder.next()
    document.change(3, [change])
    painter.changed(document)
    second = await recorder.next()

    assert (2, 3) == (first["version"], second["version"])
    assert decorations(document, lambda session: f"agent of {session}").to_wire() == second
    assert {"agent of s"} == {hunk["author"] for hunk in first["hunks"]}


async def test_an_agent_whose_name_is_learnt_later_is_named_then() -> None:
    """A session that comes back after a restart has a name again."""
    names: dict[str, str] = {}
    recorder, painter = Heard(), Painter(names.get, share=1.0)
    document = many(recorder, 3)
    painter.changed(document)
    first = await recorder.next()
    names["s"] = "agent"
    painter.changed(document)
    second = await recorder.next()

    assert [None] * 3 == [hunk.get("author") for hunk in first["hunks"]]
    assert ["agent"] * 3 == [hunk["author"] for hunk in second["hunks"]]


async def test_others_have_their_turn_while_a_note_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A note of many hunks is of one version, though the user types while it is made; the next note tells of that."""
    monkeypatch.setattr(painting, "_SLICE", 0.0)
    monkeypatch.setattr(painting, "_DELAY", 0.0)
    recorder, painter = Heard(), Painter(share=1.0)
    document = many(recorder, 1_000)
    expected = decorations(document).to_wire()
    painter.changed(document)
    turns = await _turns_until(recorder, lambda: _type(document, painter))
    first = recorder.notes[0]
    await _turns_until(recorder, lambda: None, notes=2)

    assert turns > 5
    assert expected == first
    assert decorations(document).to_wire() == recorder.notes[1]
    assert 3 == recorder.notes[1]["version"]


async def test_a_document_that_is_closed_while_a_note_is_made_is_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes after ``didClose``, and nothing is kept."""
    monkeypatch.setattr(painting, "_SLICE", 0.0)
    monkeypatch.setattr(painting, "_DELAY", 0.0)
    recorder, painter = Heard(), Painter(share=1.0)
    document, other = many(recorder, 1_000), painted(recorder)
    painter.changed(document)
    for _ in range(5):  # turns of the loop: the note is under way
        await asyncio.sleep(0)
    document.close()
    painter.changed(other)
    await recorder.next()
    gone = ref(document)
    del document
    gc.collect()

    assert ["file:///a"] == [note["uri"] for note in recorder.notes]
    assert 1 == len(recorder.notes[0]["hunks"])
    assert gone() is None


@pytest.mark.parametrize("turns", range(8))
async def test_no_turn_is_too_late_to_close(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    """Whenever it is closed, what was not told of it by then never is."""
    monkeypatch.setattr(painting, "_SLICE", 0.0)
    monkeypatch.setattr(painting, "_DELAY", 0.0)
    recorder, painter = Heard(), Painter(share=1.0)
    document = many(recorder, 130)
    painter.changed(document)
    for _ in range(turns):
        await asyncio.sleep(0)
    told = len(recorder.notes)
    document.close()
    for _ in range(8):
        await asyncio.sleep(0)

    assert told == len(recorder.notes)


async def test_painting_takes_no_more_than_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a note that took long the next one waits; what was typed meanwhile is in it."""
    monkeypatch.setattr(painting, "_BYTES_PER_SECOND", 100_000)
    recorder, painter = Heard(), Painter(share=0.5)
    document, loop = many(recorder, 20), asyncio.get_running_loop()
    painter.changed(document)
    await recorder.next()
    began = loop.time()
    for n in range(5):
        document.change(3 + n, [TextChange((0, 0, 0, 0), "k")])
        painter.changed(document)
    second = await recorder.next()
    size = len(json.dumps(second, separators=(",", ":")))

    assert loop.time() - began >= 0.9 * size / 100_000 > painting._DELAY  # or it shows nothing
    assert (7, 2) == (second["version"], len(recorder.notes))


async def test_the_last_hunk_that_goes_is_told_of_wherever_it_was() -> None:
    """Also the one at the end of the document, of which nothing is kept."""
    recorder, painter = Heard(), Painter(share=1.0)
    document = painted(recorder, "a", "b")
    painter.changed(document)
    assert 1 == len((await recorder.next())["hunks"])
    document.change(3, [TextChange(None, "a")])
    painter.changed(document)

    assert [] == (await recorder.next())["hunks"]


async def test_a_cleared_document_is_told_of_again_while_its_editor_may_have_passed_over_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An editor that had typed on drops a note for its old text; later there is nothing more to say."""
    recorder, painter = Heard(), Painter(share=1.0)
    document = painted(recorder, "a\nb\n", "A\nb\n")
    painter.changed(document)
    await recorder.next()
    document.take_over(PendingHunks())
    painter.changed(document)
    cleared = await recorder.next()
    document.change(3, [TextChange((1, 0, 1, 0), "typed")])
    painter.changed(document)
    again = await recorder.next()
    monkeypatch.setattr(painting, "_CLEARED", -1.0)
    document.change(4, [TextChange((1, 0, 1, 0), "typed")])
    painter.changed(document)
    await recorder.next()
    document.change(5, [TextChange((1, 0, 1, 0), "typed")])
    painter.changed(document)
    await asyncio.sleep(2 * painting._DELAY)

    assert [(2, []), (3, [])] == [(note["version"], note["hunks"]) for note in (cleared, again)]
    assert [2, 2, 3, 4] == [note["version"] for note in recorder.notes]


def _type(document: OpenDocument, painter: Painter) -> None:
    document.change(3, [TextChange((0, 0, 0, 0), "\n")])
    painter.changed(document)


async def _turns_until(recorder: Heard, then: Callable[[], None], notes: int = 1) -> int:
    """How many turns of the loop there are until a number of notes is there; something is done in the third of them."""
    turns = 0
    began = asyncio.get_running_loop().time()
    while len(recorder.notes) < notes:
        assert asyncio.get_running_loop().time() - began < 5
        await asyncio.sleep(0)
        turns += 1
        if turns == 3:
            then()
    return turns
