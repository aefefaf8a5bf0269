"""What the review machine has found, each as the few steps that it takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_ledger.edits import Change
from dsh_ledger.guards import Unconditional
from dsh_lsp.buffers.open_document import Author
from dsh_lsp.review.deciding import Decided
from dsh_lsp.review.selection import Selection
from dsh_tools.diff import minimal_change
from tests.support.naive_text import Span
from tests.support.review_room import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room of the test's own, with a file in it."""
    made = Room(tmp_path, "utf-16")
    yield made
    made.end()


def agent_writes(room: Room, text: str) -> None:
    """An agent makes the file another one."""

    def plan(now: str) -> Change:
        return minimal_change(now, text)

    room.run(room.files.edit_text(room.target, plan, Unconditional(), Author("s", "c")))


def hunks(room: Room) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """What is pending: id and both sides."""
    found = room.run(room.reviews.of(room.target))
    return [] if found is None else [(hunk.id, hunk.base, hunk.current) for hunk in found.hunks]


def base(room: Room) -> str:
    """The text without what is pending."""
    found = room.run(room.reviews.of(room.target))
    return "\n".join(found.hunks.base_lines(found.text.split("\n")))


def undo(room: Room, selection: Selection) -> list[Decided]:
    """Take something back."""
    decided: list[Decided] = room.run(room.deciding.undo(room.target, selection))
    return decided


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
def test_lines_across_several_hunks_are_undone_in_all_of_them(room: Room, opened: bool) -> None:
    """The same lines are meant in each hunk, wherever those before it have gone."""
    room.disk.texts[room.target] = "x\n"
    if opened:
        room.run(room.open("x\n"))
    agent_writes(room, "a1\nx\n")
    agent_writes(room, "a1\nx\na2\na3\n")
    undo(room, Selection(lines=(0, 3)))

    assert [("a3",)] == [current for _, _, current in hunks(room)]
    assert "x\na3\n" == (room.buffer if opened else room.disk.texts[room.target])
    assert "x\n" == base(room)


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
def test_a_text_of_which_nothing_is_left_is_an_empty_line_of_its_hunk(room: Room, opened: bool) -> None:
    """An empty text has one line to a document; that line is none of the user's."""
    room.disk.texts[room.target] = "old"
    if opened:
        room.run(room.open("old"))
    agent_writes(room, "old\na1")
    agent_writes(room, "a1")
    first = hunks(room)[-1][0]
    undo(room, Selection(ids=frozenset([first])))

    assert "" == (room.buffer if opened else room.disk.texts[room.target])
    assert "old" == base(room)
    undo(room, Selection())
    assert "old" == (room.buffer if opened else room.disk.texts[room.target])


def test_what_is_on_the_disk_stays_pending_though_the_buffer_had_it_undone(room: Room) -> None:
    """An undo that is discarded with the buffer has not happened; the hunk is the same one."""
    room.disk.texts[room.target] = "a\nb\n"
    room.run(room.open("a\nb\n"))
    agent_writes(room, "a\nB\n")
    room.run(room.save())
    before = hunks(room)
    room.replace([Span(2, 3, "b")])
    assert [] == hunks(room)
    room.run(room.close())

    assert before == hunks(room)


def test_what_was_kept_stays_kept_though_the_buffer_is_discarded(room: Room) -> None:
    """A decision is not unsaved text."""
    room.disk.texts[room.target] = "a\nb\n"
    room.run(room.open("a\nb\n"))
    agent_writes(room, "a\nB\n")
    room.run(room.save())
    room.run(room.deciding.keep(room.target, Selection()))
    room.replace([Span(0, 1, "typed")])
    room.run(room.close())

    assert "a\nB\n" == room.disk.texts[room.target]
    assert [] == hunks(room)


def test_a_buffer_that_is_opened_again_as_it_was_has_what_it_had(room: Room) -> None:
    """An editor may keep unsaved text for later: it is as near as can be to what was pending in it."""
    room.disk.texts[room.target] = "a\nb\n"
    room.run(room.open("a\nb\n"))
    agent_writes(room, "a\nB\n")
    before, text = hunks(room), room.buffer
    assert text is not None
    room.run(room.close())
    room.run(room.open(text))

    assert 1 == len(before)
    assert before == hunks(room)


def test_a_buffer_that_comes_back_has_what_it_had(room: Room) -> None:
    """A server that is restarted is told of the buffer again, not of the disk: its hunks are those of the buffer."""
    room.disk.texts[room.target] = "a\nb\n"
    room.run(room.open("a\nb\n"))
    agent_writes(room, "a\nB\n")
    agent_writes(room, "A\nB\n")
    before = hunks(room)
    room.run(room.restart(killed=False))

    assert 2 == len(before)
    assert before == hunks(room)
    room.run(room.close())
    assert [] == hunks(room)


def test_what_was_pending_when_it_was_opened_is_so_when_the_buffer_is_discarded(room: Room) -> None:
    """The user opens a file, undoes an old change by hand, and closes it unsaved."""
    room.disk.texts[room.target] = "a\nb\n"
    agent_writes(room, "a\nB\n")
    before = hunks(room)
    room.run(room.open("a\nB\n"))
    room.replace([Span(2, 3, "b")])
    assert [] == hunks(room)
    room.run(room.close())

    assert before == hunks(room)


def test_an_undo_after_typing_elsewhere_meets_the_edit_where_lines_repeat(room: Room) -> None:
    """An inserted blank line among blank lines is taken back at another one of them."""
    room.disk.texts[room.target] = "a\n\n\nb\nc\n"
    room.run(room.open("a\n\n\nb\nc\n"))
    agent_writes(room, "a\n\n\n\nb\nc\n")
    room.replace([Span(7, 8, "typed")])
    assert 1 == len(hunks(room))
    room.replace([Span(2, 3, "")])

    assert "a\n\n\nb\ntyped\n" == room.buffer
    assert [] == hunks(room)
