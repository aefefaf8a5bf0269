"""Pending hunks on the disk: nothing that is needed goes, and nothing else stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_logical
from dsh_lsp.review.store import ReviewStore, StoreBusy, Stored

A, B = Target("file:///w/a", "a"), Target("file:///w/b", "b")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReviewStore]:
    """An empty store."""
    made = ReviewStore(tmp_path)
    yield made
    made.close()


def keep(store: ReviewStore, target: Target, text: str) -> Stored:
    """Keep one hunk in a text."""
    hunks = PendingHunks.of([PendingHunk("h", 0, (), ("x",), (("s", "c"),))])
    stored = Stored(target, hunks, version_of_logical(text))
    store.save(stored, text)
    return stored


def texts(directory: Path) -> set[str]:
    """The texts that are kept."""
    return {path.read_text() for path in (directory / "texts").iterdir()}


def test_a_text_goes_when_the_next_one_is_kept(store: ReviewStore, tmp_path: Path) -> None:
    """A thousand edits of a file are one text in the end; what another file needs stays."""
    keep(store, B, "x0\n")
    for n in range(1_000):
        keep(store, A, f"x{n}\n")

    assert {"x0\n", "x999\n"} == texts(tmp_path)
    store.drop(A)
    assert {"x0\n"} == texts(tmp_path)
    store.drop(B)
    assert set() == texts(tmp_path)


def test_what_was_kept_is_had_again_and_then_goes_like_the_rest(tmp_path: Path) -> None:
    """By the next server: record and text; the text goes with the next one."""
    first = ReviewStore(tmp_path)
    stored = keep(first, A, "x\n")
    first.close()
    again = ReviewStore(tmp_path)

    assert ([stored], "x\n") == (again.load(), again.text(stored.version))
    keep(again, A, "x\ny\n")
    assert {"x\ny\n"} == texts(tmp_path)
    again.close()


def test_one_server_at_a_time(store: ReviewStore, tmp_path: Path) -> None:
    """The second is told so."""
    with pytest.raises(StoreBusy):
        ReviewStore(tmp_path)


def test_a_damaged_record_is_skipped_and_a_damaged_text_is_none(store: ReviewStore, tmp_path: Path) -> None:
    """Nothing that was changed behind the store's back is believed."""
    stored = keep(store, A, "x\n")
    (tmp_path / "texts" / stored.version).write_text("something else\n")
    assert store.text(stored.version) is None

    next(tmp_path.glob("*.json")).write_text("{")
    assert [] == store.load()


def test_too_many_texts_cost_the_oldest_records(tmp_path: Path) -> None:
    """The bound holds; what was touched last stays."""
    store = ReviewStore(tmp_path, limit=1_500)
    keep(store, A, "x" * 1_000)
    keep(store, B, "y" * 1_000)
    store.sweep()

    assert [B] == [each.target for each in store.load()]
    assert {"y" * 1_000} == texts(tmp_path)
    store.close()
