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
from tests.support.naive_text import Span, difference
from tests.support.review_room import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room of the test's own, with a file in it."""
    made = Room(tmp_path, "utf-16")
    yield made
    made.end()


def agent_writes(room: Room, text: str, call: str = "c") -> None:
    """An agent makes the file another one."""

    def plan(now: str) -> Change:
        return minimal_change(now, text)

    room.run(room.files.edit_text(room.target, plan, Unconditional(), Author("s", call)))


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


def opened(room: Room, text: str) -> None:
    """The editor has the file open."""
    room.disk.texts[room.target] = text
    room.run(room.open(text))


def goes_to(room: Room, text: str, *, whole: bool = False) -> None:
    """The editor's undo or redo: a change like any other that makes the text another one."""
    assert room.buffer is not None
    room.replace([difference(room.buffer, text)], whole=whole)


@pytest.mark.parametrize("whole", [False, True], ids=["as a range", "as the whole text"])
def test_an_agents_edit_that_is_undone_and_done_again_in_the_editor_is_pending_again(room: Room, whole: bool) -> None:
    """It looks as if the user had typed it, and is not the user's."""
    opened(room, "x\n")
    agent_writes(room, "x\na1\n")
    first = hunks(room)
    agent_writes(room, "a2\nx\na1\n")
    second = hunks(room)
    goes_to(room, "x\na1\n", whole=whole)
    assert first == hunks(room)
    goes_to(room, "x\n", whole=whole)
    assert [] == hunks(room)
    goes_to(room, "x\na1\n", whole=whole)
    assert first == hunks(room)
    goes_to(room, "a2\nx\na1\n", whole=whole)

    assert second == hunks(room)
    assert "x\n" == base(room)


def test_an_agents_line_that_the_user_deletes_and_brings_back_is_the_agents(room: Room) -> None:
    """Also if the deletion and what was typed elsewhere are one step to the editor."""
    opened(room, "x\ny\n")
    agent_writes(room, "x\na1\ny\n")
    before = hunks(room)
    goes_to(room, "x\na1\ny\ntyped\n")
    goes_to(room, "x\ny\ntyped\n")
    assert [] == hunks(room)
    goes_to(room, "x\na1\ny\n")

    assert before == hunks(room)
    assert "x\ny\n" == base(room)


def test_an_undo_where_lines_repeat_gives_the_base_back_that_was(room: Room) -> None:
    """The user's blank line and the agent's can't be told apart by any diff."""
    opened(room, "\n\n\n\n")
    goes_to(room, "u1\n\n\n\n\n")
    agent_writes(room, "u1\n\n\n\n\na\na")
    before, old = hunks(room), base(room)
    agent_writes(room, "u1\n\n\na")
    goes_to(room, "u1\n\n\n\n\na\na")

    assert before == hunks(room)
    assert old == base(room)


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "undone"])
def test_what_was_decided_on_does_not_come_back_with_an_older_text(room: Room, keep: bool) -> None:
    """Nor with the one before the undo: it is the user who has brought it back. The other hunk stays what it was."""
    opened(room, "x\ny\nz\n")
    agent_writes(room, "a1\nx\ny\nz\n")
    agent_writes(room, "a1\nx\ny\nz\na2\n")
    one, other = hunks(room)
    goes_to(room, "a1\ntyped\nx\ny\nz\na2\n")
    room.run((room.deciding.keep if keep else room.deciding.undo)(room.target, Selection(ids=frozenset([one[0]]))))
    goes_to(room, "a1\nx\ny\nz\na2\n")
    assert [other] == hunks(room)
    goes_to(room, "a1\nx\ny\nz\n")
    assert [] == hunks(room)
    goes_to(room, "a1\nx\ny\nz\na2\n")

    assert [other] == hunks(room)


def test_lines_that_were_kept_are_not_pending_in_an_older_text_and_the_others_are(room: Room) -> None:
    """What is left of a hunk has the same ids there."""
    opened(room, "x\n")
    agent_writes(room, "a1\na2\na3\nx\n")
    goes_to(room, "a1\na2\na3\nx\ntyped\n")
    room.run(room.deciding.keep(room.target, Selection(lines=(1, 2))))
    left = hunks(room)
    goes_to(room, "a1\na2\na3\nx\n")

    assert [("a1",), ("a3",)] == [current for _, _, current in left]
    assert left == hunks(room)
    assert "a2\nx\n" == base(room)


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "undone"])
def test_an_edit_that_a_decision_did_not_know_of_is_pending_when_it_is_done_again(room: Room, keep: bool) -> None:
    """Nobody has accepted it; it is another hunk than the one that was decided on."""
    opened(room, "x\n")
    agent_writes(room, "a1\na2\nx\n")
    [(first, _, _)] = hunks(room)
    agent_writes(room, "a1\nb\na2\nx\n", "c2")
    assert [first] == [name for name, _, _ in hunks(room)]
    goes_to(room, "a1\na2\nx\n")
    room.run((room.deciding.keep if keep else room.deciding.undo)(room.target, Selection()))
    goes_to(room, "a1\nb\na2\nx\n")
    [(second, old, new)] = hunks(room)

    assert first != second
    assert ((), ("b",)) == (old, new)
    assert "a1\na2\nx\n" == base(room)


def test_an_agents_line_from_before_the_opening_is_the_agents_when_its_deletion_is_undone(room: Room) -> None:
    """What is pending when a document is opened is remembered with the user's first step."""
    opened(room, "x\n")
    agent_writes(room, "x\na1\n")
    before = hunks(room)
    room.run(room.save())
    room.run(room.close())
    room.run(room.open("x\na1\n"))
    goes_to(room, "x\n")
    assert [] == hunks(room)
    goes_to(room, "x\na1\n")

    assert before == hunks(room)


def test_what_was_kept_in_part_stays_kept_though_the_buffer_is_discarded(room: Room) -> None:
    """A decision on lines is one too."""
    opened(room, "x\n")
    agent_writes(room, "a1\na2\nx\n")
    room.run(room.save())
    room.run(room.deciding.keep(room.target, Selection(lines=(0, 1))))
    left = hunks(room)
    goes_to(room, "typed\na1\na2\nx\n")
    room.run(room.close())

    assert [("a2",)] == [current for _, _, current in left]
    assert left == hunks(room)
