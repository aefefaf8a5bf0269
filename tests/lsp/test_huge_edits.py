"""Edits of tens of thousands of lines: few hunks, soon, and the editor's undo still takes all of it back."""

import itertools
import threading
from functools import partial
from pathlib import Path
from time import perf_counter

import pytest

from dsh_ledger.guards import Unconditional
from dsh_ledger.pending import PendingHunks
from dsh_lsp.buffers import document_diff as module
from dsh_lsp.buffers.decorations import decorations
from dsh_lsp.buffers.open_document import Author, Foreseen, OpenDocument, TextChange
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.text.document import Document
from dsh_tools.diff import minimal_change
from tests.lsp.test_open_document import NoPeer
from tests.support.review_room import Room


def opened(text: str) -> OpenDocument:
    """A document with this text."""
    mirror = Document("file:///a", text, language_id="x", version=1, epoch=1, encoding="utf-16")
    ids = itertools.count()
    return OpenDocument(mirror, Editor(NoPeer(), EditorTraits()), lambda: f"h{next(ids)}", lambda _: None)


def agent_writes(document: OpenDocument, after: str) -> None:
    """An agent's edit arrives."""
    flight = document.launch(document.mirror.text, after, Author("s", "c"))
    document.change(2, [TextChange(None, after)])
    document.land(flight)


def lines(count: int, word: str, every: int = 1) -> list[str]:
    """Lines of which each ``every``-th has a word."""
    return [f"line {n} {word if n % every == 0 else 'old'}\n" for n in range(count)]


def test_too_many_places_are_one_hunk_without_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first to the last of them, the equal ends left out; one place less, and each is its own."""
    monkeypatch.setattr(module, "MAX_BLOCKS", 5)
    before = ["top\n", *lines(11, "old"), "bottom\n"]
    document, other = opened("".join(before)), opened("".join(before))
    agent_writes(document, "".join(["top\n", *lines(11, "new", 2), "bottom\n"]))
    agent_writes(other, "".join(["top\n", *lines(10, "new", 2), before[11], "bottom\n"]))

    [hunk] = decorations(document).hunks
    assert ("modified", 1, 12) == (hunk.kind, hunk.range.start.line, hunk.range.end.line)
    assert "".join(before[1:12]).rstrip("\n") == hunk.removed_text
    assert 5 == len(other.hunks)


@pytest.mark.parametrize("whole", [True, False], ids=["as the whole text", "place by place"])
def test_the_editors_undo_of_very_many_places_leaves_nothing(whole: bool) -> None:
    """Said as one change or as two hundred; what was typed elsewhere stays."""
    before = lines(400, "old")
    document = opened("".join(before))
    agent_writes(document, "".join(lines(400, "new", 2)))
    document.change(3, [TextChange((399, 0, 399, 0), "typed ")])
    assert 200 == len(document.hunks)
    back = "".join([*before[:-1], f"typed {before[-1]}"])
    places = [TextChange((n, 0, n + 1, 0), before[n]) for n in reversed(range(0, 400, 2))]
    document.change(4, [TextChange(None, back)] if whole else places)

    assert back == document.mirror.text
    assert 0 == len(document.hunks)


def test_an_edit_that_comes_in_very_many_places_is_the_agents() -> None:
    """Beside what was pending before; and if it does not arrive as it was sent, what has come is the user's."""
    before = lines(400, "old")
    document = opened("".join(before))
    agent_writes(document, "".join(lines(400, "new", 200)))
    known = [hunk.id for hunk in document.hunks]
    text = document.mirror.text
    after = "".join(f"{line[:-1]}!\n!\n" if n % 2 else line for n, line in enumerate(text.splitlines(keepends=True)))
    places = [TextChange((n, len(text.splitlines()[n]), n, 99), "!\n!") for n in reversed(range(1, 400, 2))]
    flight = document.launch(text, after, Author("s", "c2"))
    document.change(3, places[:-1])
    assert not flight.arrived.is_set()
    assert known == [hunk.id for hunk in document.hunks]
    assert ["line 0 new", "line 200 new"] == [text_lines(document)[hunk.start] for hunk in document.hunks]
    document.change(4, places[-1:])
    document.land(flight)

    assert flight.arrived.is_set()
    assert 202 == len(document.hunks)
    assert {*known} < {hunk.id for hunk in document.hunks}
    assert before == [f"{line}\n" for line in document.hunks.base_lines(text_lines(document))][:-1]


def text_lines(document: OpenDocument) -> list[str]:
    """The lines of its text, the empty last one too."""
    return document.mirror.text.split("\n")


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 2, 10])
def test_a_hundred_thousand_lines_take_no_seconds(every: int) -> None:
    """All rewritten, every other one, or ten thousand places: a generous bound that a quadratic cost is far over."""
    document = opened("".join(lines(100_000, "old")))
    began = perf_counter()
    agent_writes(document, "".join(lines(100_000, "new", every)))

    assert perf_counter() - began < 8
    assert (10_000 if every == 10 else 1) == len(document.hunks)


def test_an_edit_of_a_large_text_is_prepared_in_a_thread_and_is_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a small one, where hunks are pending already too."""
    threads: list[str] = []
    foresee = OpenDocument.foresee

    def noted(self: OpenDocument, hunks: PendingHunks, before: str, after: str, author: Author) -> Foreseen:
        threads.append(threading.current_thread().name)
        return foresee(self, hunks, before, after, author)

    monkeypatch.setattr(OpenDocument, "foresee", noted)
    room = Room(tmp_path, "utf-16")
    try:
        text = "".join(lines(30_000, "old"))
        room.disk.texts[room.target] = text
        room.run(room.open(text))
        for number, call in ((20_000, "one"), (5, "two")):
            text = text.replace(f"line {number} old", f"line {number} {call}")
            plan = partial(minimal_change, new=text)
            room.run(room.files.edit_text(room.target, plan, Unconditional(), Author("s", call)))
        found = room.run(room.reviews.of(room.target))

        assert text == room.buffer
        assert [(5, "two"), (20_000, "one")] == [(hunk.start, hunk.call) for hunk in found.hunks]
        assert [False, False] == [name == threading.main_thread().name for name in threads]
    finally:
        room.end()
