"""What is remembered of texts that an undo may lead back to: by what they are known, and how much of it."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers import undo_points as module
from dsh_lsp.buffers.hunk_decisions import kept
from dsh_lsp.buffers.undo_points import UndoPoints
from dsh_lsp.text.document import Document

LINES = st.lists(st.sampled_from(["a", "b", "", "}"]), max_size=20)


def mirror_of(text: str) -> Document:
    """A document with this text."""
    return Document("file:///a", text, language_id="x", version=1, epoch=1, encoding="utf-16")


def added(name: str, start: int, *lines: str) -> PendingHunk:
    """A hunk that adds lines."""
    return PendingHunk(name, start, (), lines, (("s", "c"),))


ONE = PendingHunks.of([added("h1", 0, "x")])


def changed(points: UndoPoints, mirror: Document, text: str) -> int:
    """The document has another text; what that is known by."""
    points.follow(mirror.replace_all(text), mirror)
    return points.here(mirror)


@settings(max_examples=300)
@given(LINES, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4), LINES), max_size=6))
def test_a_text_that_was_followed_is_known_by_what_it_is(
    lines: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    """However it came about."""
    mirror = mirror_of("\n".join(lines))
    points = UndoPoints()
    points.here(mirror)
    for start, count, new in edits:
        points.follow(mirror.apply(start, 0, start + count, 0, "".join(f"{line}\n" for line in new)), mirror)

        assert UndoPoints().here(mirror_of(mirror.text)) == points.here(mirror)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\nb\n", "b\na\n"),
        ("f\n1\n}\n\ng\n2\n}\n\n", "g\n2\n}\n\nf\n1\n}\n\n"),
        ("\n\n\nx\n\n", "\n\nx\n\n\n"),
        ("a", "a\n"),
        ("", "\n"),
    ],
    ids=["lines swapped", "functions swapped", "a line among blank ones", "a final line end", "nothing"],
)
def test_the_same_lines_in_another_order_are_another_text(one: str, other: str) -> None:
    """A sum over single lines would not tell them apart."""
    assert UndoPoints().here(mirror_of(one)) != UndoPoints().here(mirror_of(other))


def test_what_does_not_stand_in_the_text_is_not_given_back() -> None:
    """Should two texts ever be known by the same, nothing is claimed that is not so."""
    mirror, points = mirror_of("x\n"), UndoPoints()
    points.note(points.here(mirror), PendingHunks.of([added("h1", 0, "y")]))
    assert points.found(mirror) is None
    points.note(points.here(mirror), PendingHunks.of([added("h1", 1, "", "")]))
    assert points.found(mirror) is None
    points.note(points.here(mirror), PendingHunks.of([added("h1", 0, "x")]))

    assert points.found(mirror) is not None


def test_the_last_time_that_a_text_was_there_counts() -> None:
    """Whoever's step it was."""
    mirror, points = mirror_of("x\ny\n"), UndoPoints()
    first, second = (PendingHunks.of([added(name, 0, "x")]) for name in ("h1", "h2"))
    here = points.here(mirror)
    points.note_typing(here, first, [])
    points.note(here, second)
    assert second == points.found(mirror)
    points.note_typing(here, first, list(first))
    assert first == points.found(mirror)
    points.forget(here)

    assert points.found(mirror) is None


@pytest.mark.parametrize(
    "note",
    [
        lambda points, text, hunks: points.note(text, hunks),
        lambda points, text, hunks: points.note_typing(text, hunks, list(hunks)),
        lambda points, text, hunks: points.note_typing(text, hunks, []),
    ],
    ids=["agents", "typing in hunks", "typing elsewhere"],
)
def test_the_oldest_are_forgotten(note: Callable[[UndoPoints, int, PendingHunks], None]) -> None:
    """Of each kind by itself; the others stay."""
    mirror, points = mirror_of("x\n"), UndoPoints()
    points.here(mirror)
    texts = [f"x\n{n}\n" for n in range(65)]
    for text in texts:
        note(points, changed(points, mirror, text), ONE)
    known = [(changed(points, mirror, text), points.found(mirror))[1] for text in texts]

    assert [None, *[ONE] * 64] == known


@pytest.mark.parametrize("touched", [list(ONE), []], ids=["in hunks", "elsewhere"])
def test_much_typing_does_not_push_out_what_an_agent_did(touched: list[PendingHunk]) -> None:
    """Each kind has its own room."""
    mirror, points = mirror_of("x\n"), UndoPoints()
    points.note(points.here(mirror), ONE)
    for n in range(100):
        points.note_typing(changed(points, mirror, f"x\n{n}\n"), ONE, touched)
    changed(points, mirror, "x\n")

    assert ONE == points.found(mirror)


def test_long_lines_are_not_remembered_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room is what the lines of hunks take; the latest is always remembered."""
    monkeypatch.setattr(module, "_ROOM", 1_000)
    mirror, points = mirror_of(""), UndoPoints()
    points.here(mirror)
    texts = [f"{n}" * 400 for n in range(3)]
    for text in texts:
        points.note(changed(points, mirror, text), PendingHunks.of([added("h1", 0, text)]))
    found = []
    for text in texts:
        changed(points, mirror, text)
        found.append(points.found(mirror) is not None)

    assert [False, True, True] == found


def test_typing_in_a_hunk_of_very_many_lines_is_not_remembered() -> None:
    """Each key would take as much room as the hunk has lines."""
    lines = [f"{n}" for n in range(2_001)]
    mirror, points = mirror_of("\n".join(lines)), UndoPoints()
    hunks = PendingHunks.of([added("h1", 0, *lines)])
    points.note_typing(points.here(mirror), hunks, list(hunks))
    assert points.found(mirror) is None
    points.note(points.here(mirror), hunks)

    assert hunks == points.found(mirror)


def test_what_was_decided_on_is_pending_in_no_text() -> None:
    """Whoever's step it is remembered of; the others stay."""
    mirror, points = mirror_of("x\ny\n"), UndoPoints()
    hunks = PendingHunks.of([added("h1", 0, "x"), added("h2", 1, "y")])
    points.note_typing(points.here(mirror), hunks, [])
    points.decided(kept(hunks, (("h1", None),), lambda: "h3"))

    assert hunks.kept("h1") == points.found(mirror)
