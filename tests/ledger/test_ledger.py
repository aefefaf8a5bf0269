"""The ledger: who has seen what, by example. See test_ledger_machine.py for all of it at once."""

import pytest

from dsh_ledger.errors import FsNotObserved
from dsh_ledger.guards import MustBeAbsent, MustBeVersion
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Absent, LineSpan, Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

A, B = Target("file:///w/a", "a"), Target("file:///w/b", "b")
V1, V2 = Version("1"), Version("2")


def ledger_of(*facts: tuple[str, Target, Observation]) -> Ledger:
    """A ledger that was told these facts."""
    ledger = Ledger()
    for fact in facts:
        ledger.apply(Observed(*fact))
    return ledger


def test_nothing_is_known_at_first() -> None:
    """A session that never looked knows nothing, and asking leaves no trace."""
    ledger = Ledger()

    assert Unseen() == ledger.observation("s", A)
    assert {} == ledger.observations("s")
    assert [] == [*ledger.observers(A)]


def test_the_latest_look_counts() -> None:
    """Present, absent and present again: each replaces what was known."""
    ledger = ledger_of(("s", A, Present(V1)), ("s", A, Absent()))
    assert Absent() == ledger.observation("s", A)

    ledger.apply(Observed("s", A, Present(V2, (LineSpan(0, 3),))))
    assert Present(V2, (LineSpan(0, 3),)) == ledger.observation("s", A)


def test_windows_of_one_version_add_up() -> None:
    """A file read in pieces is known in all of them."""
    ledger = ledger_of(("s", A, Present(V1, (LineSpan(0, 3),))), ("s", A, Present(V1, (LineSpan(3, 6),))))

    assert Present(V1, (LineSpan(0, 6),)) == ledger.observation("s", A)


def test_windows_before_an_absence_are_forgotten() -> None:
    """A file that went and came back with the same content was not shown yet."""
    window = Present(V1, (LineSpan(3, 6),))

    assert window == ledger_of(("s", A, Present(V1)), ("s", A, Absent()), ("s", A, window)).observation("s", A)


def test_unseen_takes_an_observation_back() -> None:
    """The fact that a session knows nothing is a fact too."""
    ledger = ledger_of(("s", A, Present(V1)), ("s", B, Absent()), ("s", A, Unseen()))

    assert {B: Absent()} == ledger.observations("s")


def test_C06_sessions_share_nothing() -> None:
    """What one session read is no credential for another."""
    ledger = ledger_of(("one", A, Present(V1)), ("two", A, Present(V2)))

    assert MustBeVersion(V1) == ledger.write_guard("one", A)
    assert MustBeVersion(V2) == ledger.write_guard("two", A)
    with pytest.raises(FsNotObserved):
        ledger.edit_guard("three", A)


def test_C12_an_observed_absence_permits_a_create() -> None:
    """And a create only: whoever comes first keeps what they wrote."""
    assert MustBeAbsent() == ledger_of(("s", A, Absent())).write_guard("s", A)


def test_observers_are_those_who_saw_it_present() -> None:
    """Who saw it absent, or saw another target, has nothing that could be stale."""
    ledger = ledger_of(
        ("one", A, Present(V1)), ("two", A, Absent()), ("three", B, Present(V1)), ("four", A, Present(V2))
    )

    assert [("one", Present(V1)), ("four", Present(V2))] == [*ledger.observers(A)]


def test_observations_are_a_view() -> None:
    """In the order of first sight, following the ledger, and not to be written to."""
    ledger = ledger_of(("s", B, Present(V1)), ("s", A, Absent()))
    view = ledger.observations("s")
    ledger.apply(Observed("s", B, Present(V2)))

    assert [(B, Present(V2)), (A, Absent())] == [*view.items()]
    with pytest.raises(TypeError):
        view[A] = Absent()  # type: ignore[index]


def test_loading_into_an_editor_is_no_edit() -> None:
    """A version that only got another name carries over, for every session that saw it and with its lines."""
    window = (LineSpan(0, 3),)
    ledger = ledger_of(("one", A, Present(V1, window)), ("two", A, Present(V1)), ("one", B, Present(V1)))
    ledger.carry_over(A, V1, V2)

    assert {A: Present(V2, window), B: Present(V1)} == ledger.observations("one")
    assert {A: Present(V2)} == ledger.observations("two")


def test_what_was_seen_otherwise_is_not_carried_over() -> None:
    """Neither an absence nor another version becomes the loaded one."""
    ledger = ledger_of(("one", A, Absent()), ("two", A, Present(Version("0"))))
    ledger.carry_over(A, V1, V2)

    assert Absent() == ledger.observation("one", A)
    assert Present(Version("0")) == ledger.observation("two", A)


def test_a_forgotten_session_knows_nothing() -> None:
    """The others keep what they know; forgetting a session that never was is fine."""
    ledger = ledger_of(("one", A, Present(V1)), ("two", A, Present(V1)))
    ledger.forget("one")
    ledger.forget("never")

    assert Unseen() == ledger.observation("one", A)
    assert [("two", Present(V1))] == [*ledger.observers(A)]
