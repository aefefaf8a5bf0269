"""The ledger against a plain dictionary, over any sequence of looks, renamed versions and forgotten sessions."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dsh_ledger.errors import FsNotFound, FsNotObserved
from dsh_ledger.guards import MustBeAbsent, MustBeVersion
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Absent, LineSpan, Present, Unseen, merge_spans
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

SESSIONS = ["one", "two", "three"]
TARGETS = [Target(f"file:///w/{name}", name) for name in "ab"]
VERSIONS = [Version(name) for name in "xyz"]
LENGTH = 8
ALL = frozenset(range(LENGTH))

sessions, targets, versions = (st.sampled_from(values) for values in (SESSIONS, TARGETS, VERSIONS))


class LedgerMachine(RuleBasedStateMachine):
    """The model: (session, uri) to None for absent, or to (version, the lines seen, whether all of them)."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        self.facts: list[Observed] = []
        self.model: dict[tuple[str, str], tuple[Version, frozenset[int], bool] | None] = {}

    @rule(session=sessions, place=targets, version=versions)
    def sees_all(self, session: str, place: Target, version: Version) -> None:
        """A whole read."""
        self.tell(Observed(session, place, Present(version)))
        self.model[session, place.uri] = (version, ALL, True)

    @rule(session=sessions, place=targets, version=versions, start=st.integers(0, LENGTH), end=st.integers(0, LENGTH))
    def sees_a_window(self, session: str, place: Target, version: Version, start: int, end: int) -> None:
        """A read of some lines, or of none."""
        self.tell(Observed(session, place, Present(version, merge_spans([LineSpan(start, end)]))))
        known = self.model.get((session, place.uri))
        seen, whole = (known[1], known[2]) if known and known[0] == version else (frozenset[int](), False)
        self.model[session, place.uri] = (version, seen | frozenset(range(start, end)), whole)

    @rule(session=sessions, place=targets)
    def sees_nothing_there(self, session: str, place: Target) -> None:
        """A miss."""
        self.tell(Observed(session, place, Absent()))
        self.model[session, place.uri] = None

    @rule(session=sessions, place=targets)
    def takes_back(self, session: str, place: Target) -> None:
        """The target is as if never looked at."""
        self.tell(Observed(session, place, Unseen()))
        self.model.pop((session, place.uri), None)

    @rule(session=sessions)
    def forgets(self, session: str) -> None:
        """A session ends, and its journal with it."""
        self.ledger.forget(session)
        self.facts = [fact for fact in self.facts if fact.session != session]
        self.model = {key: known for key, known in self.model.items() if key[0] != session}

    @rule(place=targets, before=versions, after=versions)
    def loads(self, place: Target, before: Version, after: Version) -> None:
        """An editor's loading renames a version; the journal learns of it as what each session now knows."""
        self.ledger.carry_over(place, before, after)
        for (session, uri), known in self.model.items():
            if uri == place.uri and known and known[0] == before:
                self.model[session, uri] = (after, known[1], known[2])
                self.facts.append(Observed(session, place, Unseen()))
                self.facts.append(Observed(session, place, self.ledger.observation(session, place)))

    def tell(self, fact: Observed) -> None:
        """Tell the ledger, and note it as a journal would."""
        self.ledger.apply(fact)
        self.facts.append(fact)

    @invariant()
    def observations_are_the_models(self) -> None:
        """Every session knows of every target what the model says."""
        for session in SESSIONS:
            for target in TARGETS:
                observation = self.ledger.observation(session, target)
                if (session, target.uri) not in self.model:
                    assert Unseen() == observation
                    continue
                known = self.model[session, target.uri]
                if known is None:
                    assert Absent() == observation
                    continue
                version, seen, whole = known
                assert isinstance(observation, Present)
                assert version == observation.version
                assert whole == (observation.lines is None)
                if observation.lines is not None:
                    assert seen == {line for span in observation.lines for line in range(span.start, span.end)}

    @invariant()
    def guards_follow_from_them(self) -> None:
        """The table, for every session and target."""
        for session in SESSIONS:
            for target in TARGETS:
                key = (session, target.uri)
                known = self.model.get(key)
                if known:
                    guard = MustBeVersion(known[0])
                    assert guard == self.ledger.write_guard(session, target) == self.ledger.edit_guard(session, target)
                    continue
                assert MustBeAbsent() == self.ledger.write_guard(session, target)
                with pytest.raises(FsNotFound if key in self.model else FsNotObserved):
                    self.ledger.edit_guard(session, target)

    @invariant()
    def views_agree(self) -> None:
        """By session and by target it is the same knowledge."""
        assert {(session, target.uri) for session in SESSIONS for target in self.ledger.observations(session)} == {
            *self.model
        }
        assert {(session, target.uri) for target in TARGETS for session, _ in self.ledger.observers(target)} == {
            key for key, known in self.model.items() if known
        }

    @invariant()
    def the_ledger_is_a_fold(self) -> None:
        """The facts of the journal give the ledger back."""
        again = Ledger()
        for fact in self.facts:
            again.apply(fact)
        assert all(again.observations(session) == self.ledger.observations(session) for session in SESSIONS)


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
