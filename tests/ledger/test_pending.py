"""Pending hunks: an example of each rule. See test_pending_machine.py for all of them at once."""

import time
from collections.abc import Callable, Sequence
from itertools import count, pairwise

import pytest

from dsh_ledger.errors import LedgerBug
from dsh_ledger.pending import PendingHunk, PendingHunks


def ids() -> Callable[[], str]:
    """A maker of ids: h1, h2 and so on."""
    numbers = count(1)
    return lambda: f"h{next(numbers)}"


def agent(
    hunks: PendingHunks, start: int, old: Sequence[str], new: Sequence[str], new_id: Callable[[], str], call: str = "c1"
) -> PendingHunks:
    """An edit by session s in a call."""
    return hunks.agent_edit("s", call, start, old, new, new_id)


def hunk(
    start: int, base: Sequence[str], current: Sequence[str], hunk_id: str = "h1", *, user_modified: bool = False
) -> PendingHunk:
    """A hunk of session s, call c1."""
    return PendingHunk(hunk_id, start, tuple(base), tuple(current), (("s", "c1"),), user_modified)


# ---- what an agent's edit makes


@pytest.mark.parametrize(
    ("old", "new", "kind", "size"),
    [((), ("x", "y"), "added", 2), (("a",), (), "deleted", 0), (("a",), ("A", "B"), "modified", 2)],
)
def test_an_agent_edit_is_a_hunk(old: tuple[str, ...], new: tuple[str, ...], kind: str, size: int) -> None:
    """It holds its place, both sides, its kind and who made it."""
    (made,) = agent(PendingHunks(), 4, old, new, ids())

    assert hunk(4, old, new) == made
    assert (kind, size, 4 + size, "s", "c1") == (made.kind, made.count, made.end, made.session, made.call)


def test_an_agent_edit_is_trimmed() -> None:
    """Lines that the edit leaves as they are belong to no hunk."""
    assert [hunk(5, ["b"], ["B"])] == [*agent(PendingHunks(), 4, ["a", "b", "c"], ["a", "B", "c"], ids())]


def test_an_edit_that_changes_nothing_makes_nothing() -> None:
    """No hunk, and no id is taken."""
    assert PendingHunks() == agent(PendingHunks(), 4, ["a"], ["a"], lambda: pytest.fail("an id was taken"))


def test_an_id_is_taken_for_a_new_hunk_only() -> None:
    """An edit on a hunk keeps the hunk's id and asks for no other."""
    hunks = agent(PendingHunks(), 4, ["a"], ["b"], ids())

    (made,) = agent(hunks, 4, ["b"], ["c"], lambda: pytest.fail("an id was taken"))
    assert hunk(4, ["a"], ["c"]) == made


# ---- edits elsewhere


def test_an_edit_above_moves_a_hunk() -> None:
    """The user's lines above change nothing but the place (case E01)."""
    hunks = agent(agent(PendingHunks(), 5, ["a"], ["A"], new_id := ids()), 20, ["b"], ["B"], new_id)

    assert [hunk(8, ["a"], ["A"]), hunk(23, ["b"], ["B"], "h2")] == [*hunks.user_edit(1, [], ["x", "y", "z"])]
    assert [hunk(4, ["a"], ["A"]), hunk(19, ["b"], ["B"], "h2")] == [*hunks.user_edit(1, ["x"], [])]


def test_an_edit_below_leaves_a_hunk_alone() -> None:
    """The user's lines below change nothing at all."""
    hunks = agent(PendingHunks(), 5, ["a"], ["A"], ids())

    assert hunks == hunks.user_edit(7, ["x"], ["y", "z"])


@pytest.mark.parametrize("place", [4, 6])
def test_a_line_typed_at_the_edge_of_a_hunk_is_not_on_it(place: int) -> None:
    """Undoing the hunk must not take away what the user wrote before or after it."""
    hunks = agent(PendingHunks(), 4, ["a"], ["A", "B"], ids()).user_edit(place, [], ["mine"])

    assert [hunk(5 if place == 4 else 4, ["a"], ["A", "B"])] == [*hunks]


@pytest.mark.parametrize(("place", "start"), [(3, 4), (4, 4)])
def test_a_line_retyped_beside_deleted_ones_is_not_on_the_hunk(place: int, start: int) -> None:
    """The user's change of the line above or below a deletion survives its undo."""
    hunks = agent(PendingHunks(), 4, ["gone"], [], ids()).user_edit(place, ["old"], ["mine"])

    assert [hunk(start, ["gone"], [])] == [*hunks]


# ---- edits on a hunk


def test_a_user_edit_on_a_hunk_becomes_part_of_it() -> None:
    """The base stays, the current lines follow the user, and the hunk says so (case D05)."""
    hunks = agent(PendingHunks(), 4, ["a"], ["A", "B"], ids()).user_edit(5, ["B", "next"], ["B!", "next!"])

    assert [hunk(4, ["a", "next"], ["A", "B!", "next!"], user_modified=True)] == [*hunks]


def test_a_user_edit_joins_the_hunks_it_is_on() -> None:
    """Lines between them go into the base as they were; the first id stays; contributors add up."""
    hunks = agent(agent(PendingHunks(), 4, ["a"], ["A"], new_id := ids()), 6, ["b"], ["B"], new_id, "c2")
    (joined,) = hunks.user_edit(3, ["0", "A", "m", "B", "9"], ["everything"])

    assert ("h1", 3, ("0", "a", "m", "b", "9"), ("everything",)) == (
        joined.id,
        joined.start,
        joined.base,
        joined.current,
    )
    assert (("s", "c1"), ("s", "c2")) == joined.calls


def test_the_latest_agent_edit_speaks_for_the_hunk() -> None:
    """Session and call are those of the last agent that worked on it; nobody is listed twice."""
    hunks = PendingHunks().agent_edit("s1", "c1", 4, ["a"], ["b"], ids())
    hunks = hunks.agent_edit("s2", "c2", 4, ["b"], ["c"], ids()).agent_edit("s1", "c1", 4, ["c"], ["d"], ids())

    (made,) = hunks
    assert (("s2", "c2"), ("s1", "c1")) == made.calls
    assert ("s1", "c1") == (made.session, made.call)


@pytest.mark.parametrize(("start", "base"), [(3, ["mine", "gone"]), (4, ["gone", "mine"])])
def test_deleting_beside_deleted_lines_is_on_the_hunk(start: int, base: list[str]) -> None:
    """So it can be taken back line by line: where nothing stands, nobody could tell the two deletions apart."""
    hunks = agent(PendingHunks(), 4, ["gone"], [], ids())
    more = hunks.user_edit(start, ["mine"], [])

    assert [hunk(start, base, [], user_modified=True)] == [*more]
    assert [hunk(4, ["gone"], [], user_modified=True)] == [*more.user_edit(start, [], ["mine"])]


def test_a_hunk_inside_an_edit_is_joined_even_when_it_has_no_lines() -> None:
    """An edit that encloses the place of a deletion is on it."""
    hunks = agent(PendingHunks(), 4, ["gone"], [], ids()).user_edit(3, ["a", "b"], ["A", "B"])

    assert [hunk(3, ["a", "gone", "b"], ["A", "B"], user_modified=True)] == [*hunks]


# ---- taking back


def test_D16_the_editors_undo_clears_the_hunks() -> None:
    """One undo of an edit with two hunks, seen as one replaced region, leaves no hunk."""
    hunks = agent(agent(PendingHunks(), 1, ["b"], ["B"], new_id := ids()), 3, ["d"], ["D", "E"], new_id)

    assert PendingHunks() == hunks.user_edit(1, ["B", "c", "D", "E"], ["b", "c", "d"])


@pytest.mark.parametrize(("old", "new"), [((), ("x",)), (("a",), ()), (("a", "b"), ("b", "a"))])
def test_D16_an_undo_of_one_edit_clears_its_hunk(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    """Of lines added, deleted or modified; and the hunks below come back to their place."""
    below = agent(PendingHunks(), 9, ["z"], ["Z"], new_id := ids())

    assert below == agent(below, 4, old, new, new_id).user_edit(4, new, old)


def test_half_an_undo_leaves_the_other_half() -> None:
    """Lines that equal the base again leave the hunk, at either end."""
    hunks = agent(PendingHunks(), 4, ["a", "b", "c"], ["A", "B", "C"], ids())

    assert [hunk(5, ["b", "c"], ["B", "C"], user_modified=True)] == [*hunks.user_edit(4, ["A"], ["a"])]
    assert [hunk(4, ["a", "b"], ["A", "B"], user_modified=True)] == [*hunks.user_edit(6, ["C"], ["c"])]


def test_kept_hunks_are_gone_where_they_stand() -> None:
    """Keeping changes no place."""
    hunks = agent(agent(PendingHunks(), 4, ["a"], ["A", "B"], new_id := ids()), 8, ["z"], ["Z"], new_id)

    assert [hunk(8, ["z"], ["Z"], "h2")] == [*hunks.kept("h1")]


def test_undone_hunks_give_back_their_lines() -> None:
    """Undoing moves what comes below by the lines that go or come back."""
    hunks = agent(agent(PendingHunks(), 4, ["a"], ["A", "B"], new_id := ids()), 8, ["z"], ["Z"], new_id)

    assert [hunk(7, ["z"], ["Z"], "h2")] == [*hunks.undone("h1")]


def test_an_unknown_id_is_a_key_error() -> None:
    """Deciding on what isn't there is refused; looking for it gives None."""
    assert PendingHunks().get("h1") is None
    for decide in (PendingHunks().kept, PendingHunks().undone):
        with pytest.raises(KeyError, match="h1"):
            decide("h1")


def test_several_are_decided_on_in_one_pass() -> None:
    """As one after the other; an id that no hunk has is none."""
    hunks, new_id = PendingHunks(), ids()
    for start in (2, 6, 9):
        hunks = agent(hunks, start, ["a"], ["A", "B"], new_id)

    assert hunks.kept("h1").kept("h3") == hunks.all_kept({"h1", "h3", "h9"})
    assert hunks.undone("h1").undone("h3") == hunks.all_undone({"h1", "h3", "h9"})
    assert hunks.all_kept({"h9"}) is hunks
    assert hunks.all_undone({"h9"}) is hunks


def test_a_hunk_with_another_base_is_what_is_left_of_it() -> None:
    """Trimmed, with another id; what is below stays, and nothing is left of one that equals its base."""
    hunks, new_id = PendingHunks(), ids()
    for start, new in ((2, ["A", "B", "C"]), (9, ["Z"])):
        hunks = agent(hunks, start, [], new, new_id)

    assert [hunk(3, [], ["B"], "n"), hunk(9, [], ["Z"], "h2")] == [*hunks.rebased("h1", ["A", "C"], "n")]
    assert [hunk(9, [], ["Z"], "h2")] == [*hunks.rebased("h1", ["A", "B", "C"], "n")]
    with pytest.raises(KeyError, match="h9"):
        hunks.rebased("h9", [], "n")


# ---- contradictions, and values from outside


def test_other_lines_than_the_hunks_are_a_bug() -> None:
    """Old lines that contradict a hunk mean that a mirror is wrong; the message holds none of them."""
    hunks = agent(PendingHunks(), 4, ["a"], ["secret"], ids())

    with pytest.raises(LedgerBug) as caught:
        hunks.user_edit(3, ["x", "other"], ["y"])
    assert "an edit at line 4 replaces other lines than pending hunk h1 has there" == str(caught.value)


def test_hunks_come_back_from_a_list() -> None:
    """What was listed once makes the same value again."""
    hunks = agent(agent(PendingHunks(), 4, ["a"], [], new_id := ids()), 8, ["z"], ["Z"], new_id)

    assert hunks == PendingHunks.of(hunks.hunks)
    assert hunk(8, ["z"], ["Z"], "h2") == hunks.get("h2")
    assert len(hunks) == 2


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param([hunk(5, ["a"], ["A"]), hunk(2, ["b"], ["B"], "h2")], id="out of order"),
        pytest.param([hunk(5, ["a"], ["A", "B"]), hunk(6, ["b"], ["B"], "h2")], id="overlapping"),
        pytest.param([hunk(5, ["a"], ["A"]), hunk(9, ["b"], ["B"])], id="one id twice"),
        pytest.param([hunk(5, ["a"], ["a"])], id="no change"),
        pytest.param([hunk(-1, ["a"], ["A"])], id="no place"),
        pytest.param(
            [PendingHunk("h1", 5, ("a",), ("a",), (("s", "c"),), old_no_newline=True), hunk(9, ["b"], ["B"], "h2")],
            id="the end in the middle",
        ),
    ],
)
def test_a_list_that_is_none_is_refused(listed: list[PendingHunk]) -> None:
    """Hunks out of order, overlapping, with one id or without a change are a ValueError."""
    with pytest.raises(ValueError, match="hunk"):
        PendingHunks.of(listed)


# ---- cost


def test_typing_among_ten_thousand_hunks_is_cheap() -> None:
    """A new line at the top moves every hunk, and a keystroke on one of them moves none.

    The limit is five times what is aimed at, for slow machines; it fails when hunks are made anew.
    """
    hunks = PendingHunks.of(hunk(at * 3, ["a"], ["A"], f"h{at}") for at in range(10_000))

    def best(edit: Callable[[], PendingHunks]) -> float:
        times = []
        for _ in range(20):
            began = time.process_time()
            edit()
            times.append(time.process_time() - began)
        return min(times)

    assert best(lambda: hunks.user_edit(0, [], ["x"])) < 0.01
    assert best(lambda: hunks.user_edit(15_000, ["A"], ["B"])) < 0.01
    assert all(one.end <= two.start for one, two in pairwise(hunks.user_edit(0, [], ["x"])))
