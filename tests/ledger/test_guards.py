"""Guards: the whole table of write and edit against unseen, absent and present, and the slot for another decider."""

import pytest

from dsh_ledger.errors import Denied, FsNotFound, FsNotObserved, LedgerError
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion, Mutation, ObservedContentPolicy, Unconditional
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Absent, LineSpan, Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

TARGET = Target("file:///w/a.txt", "a.txt")
V = Version("v")
SEEN = [Unseen(), Absent(), Present(V), Present(V, (LineSpan(0, 1),)), Present(V, ())]


def ask(ledger: Ledger, mutation: Mutation) -> Guard:
    """The guard for a mutation of the target by session s."""
    question = ledger.write_guard if mutation is Mutation.WRITE else ledger.edit_guard
    return question("s", TARGET)


@pytest.mark.parametrize(
    ("mutation", "observation", "guard"),
    [
        (Mutation.WRITE, Unseen(), MustBeAbsent()),
        (Mutation.WRITE, Absent(), MustBeAbsent()),
        (Mutation.WRITE, Present(V), MustBeVersion(V)),
        (Mutation.EDIT, Present(V), MustBeVersion(V)),
        (Mutation.WRITE, Present(V, (LineSpan(3, 9),)), MustBeVersion(V)),
        (Mutation.EDIT, Present(V, (LineSpan(3, 9),)), MustBeVersion(V)),
    ],
)
def test_what_is_permitted(mutation: Mutation, observation: Observation, guard: Guard) -> None:
    """A write creates what was not seen; what was seen, even a window of it, is changed at its version only."""
    ledger = Ledger()
    ledger.apply(Observed("s", TARGET, observation))

    assert guard == ask(ledger, mutation) == ObservedContentPolicy().guard(mutation, TARGET, observation)


@pytest.mark.parametrize(("observation", "refusal"), [(Unseen(), FsNotObserved), (Absent(), FsNotFound)])
def test_what_is_refused(observation: Observation, refusal: type[LedgerError]) -> None:
    """An edit of what was never read, or was seen to be absent; the error names the path as it is shown."""
    ledger = Ledger()
    ledger.apply(Observed("s", TARGET, observation))

    with pytest.raises(refusal) as caught:
        ledger.edit_guard("s", TARGET)
    assert "a.txt" == caught.value.details["path"]


@pytest.mark.parametrize("observation", SEEN)
@pytest.mark.parametrize("mutation", list(Mutation))
def test_no_policy_asks_for_nothing(mutation: Mutation, observation: Observation) -> None:
    """Without a policy every mutation is unconditional, whatever was seen."""
    ledger = Ledger(policy=None)
    ledger.apply(Observed("s", TARGET, observation))

    assert Unconditional() == ask(ledger, mutation)


class ReadOnly:
    """A deployment's policy: what it was asked, and no to everything."""

    def __init__(self) -> None:
        self.asked: list[tuple[Mutation, Target, Observation]] = []

    def guard(self, mutation: Mutation, target: Target, observation: Observation) -> Guard:
        """Refuse."""
        self.asked.append((mutation, target, observation))
        raise Denied("This workspace is read-only.")


@pytest.mark.parametrize("observation", SEEN)
@pytest.mark.parametrize("mutation", list(Mutation))
def test_the_policy_is_the_one_decider(mutation: Mutation, observation: Observation) -> None:
    """A policy that replaces the default is asked once, with what the session knows, and has the last word."""
    policy = ReadOnly()
    ledger = Ledger(policy)
    ledger.apply(Observed("s", TARGET, observation))

    with pytest.raises(Denied):
        ask(ledger, mutation)
    assert [(mutation, TARGET, observation)] == policy.asked
