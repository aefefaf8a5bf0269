"""The ledger: who has seen what.

Held here: one observation per (session, target), and the question "may this session change this target?". The ledger
is a fold over `Observed` facts: feeding it the facts of a journal gives it back. Deliberately absent: files, clocks,
locks, and any knowledge of what is on the disk now.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dsh_ledger.guards import Guard, GuardPolicy, Mutation, ObservedContentPolicy, Unconditional
from dsh_ledger.observations import Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

_UNSEEN = Unseen()
_DEFAULT_POLICY = ObservedContentPolicy()


@dataclass(frozen=True, slots=True)
class Observed:
    """The fact that a session has seen a target in some state."""

    session: str
    target: Target
    observation: Observation


class Ledger:
    """Observations by session and target, and the guards that follow from them.

    Args:
        policy: Decides what an observation permits. None is the no-policy mode: every mutation is unconditional.
    """

    def __init__(self, policy: GuardPolicy | None = _DEFAULT_POLICY) -> None:
        self._policy = policy
        self._sessions: dict[str, dict[Target, Observation]] = {}

    def apply(self, fact: Observed) -> None:
        """Take a fact in. The latest one wins; windows of one version add up."""
        entries = self._sessions.setdefault(fact.session, {})
        before = entries.get(fact.target)
        after = fact.observation
        if isinstance(before, Present) and isinstance(after, Present):
            after = before.joined_by(after)
        if isinstance(after, Unseen):
            entries.pop(fact.target, None)
        else:
            entries[fact.target] = after

    def observation(self, session: str, target: Target) -> Observation:
        """What the session knows of the target; `Unseen` when it never looked."""
        return self._sessions.get(session, {}).get(target, _UNSEEN)

    def observations(self, session: str) -> Mapping[Target, Observation]:
        """All that the session knows: a read-only view, in the order of first sight."""
        return MappingProxyType(self._sessions.get(session, {}))

    def observers(self, target: Target) -> Iterator[tuple[str, Present]]:
        """The sessions that saw the target present, with what they saw."""
        for session, entries in self._sessions.items():
            observation = entries.get(target)
            if isinstance(observation, Present):
                yield session, observation

    def targets(self) -> Iterator[Target]:
        """The targets that sessions saw present: one session after the other, in the order of first sight."""
        for entries in self._sessions.values():
            yield from (target for target, seen in entries.items() if isinstance(seen, Present))

    def carry_over(self, target: Target, before: Version, after: Version) -> list[Observed]:
        """Rename a version everywhere: the two contents differ only by what an editor's loading did to the text.

        Opening a document is not an edit, so what was seen on the disk counts as seen in the buffer.

        Returns:
            The facts that this amounts to; they are taken in already.
        """
        facts = [
            Observed(session, target, Present(after, seen.lines))
            for session, seen in self.observers(target)
            if seen.version == before
        ]
        for fact in facts:
            self.apply(fact)
        return facts

    def forget(self, session: str) -> None:
        """Drop all that a session knows. Unknown sessions are fine."""
        self._sessions.pop(session, None)

    def write_guard(self, session: str, target: Target) -> Guard:
        """The guard for replacing or creating the target as a whole.

        Raises:
            LedgerError: The policy refuses.
        """
        return self._guard(Mutation.WRITE, session, target)

    def edit_guard(self, session: str, target: Target) -> Guard:
        """The guard for changing a part of the target.

        Raises:
            FsNotObserved: The session never read it.
            FsNotFound: The session saw that it does not exist.
            LedgerError: The policy refuses for another reason.
        """
        return self._guard(Mutation.EDIT, session, target)

    def _guard(self, mutation: Mutation, session: str, target: Target) -> Guard:
        if self._policy is None:
            return Unconditional()
        return self._policy.guard(mutation, target, self.observation(session, target))
