"""A session's own view of the ledger, as tools use it."""

from collections.abc import Callable, Mapping

from dsh_ledger.guards import Guard, MayHaveDrifted, MustBeVersion
from dsh_ledger.ledger import Ledger, Observed
from dsh_ledger.observations import Absent, LineSpan, Observation, Present
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version


class SessionLedger:
    """What one session has seen, and what that permits.

    Args:
        ledger: The ledger of all sessions.
        session: The session's id.
        record: Takes each new fact in: at least `Ledger.apply`, and whatever must know of it first.
        seen: For a session whose edits are to be rebased: the text of a version that it has seen, if it is still kept.
    """

    def __init__(
        self,
        ledger: Ledger,
        session: str,
        record: Callable[[Observed], None],
        seen: Callable[[Version], str | None] | None = None,
    ) -> None:
        self._ledger = ledger
        self._session = session
        self._record = record
        self._seen = seen

    def observation(self, target: Target) -> Observation:
        """What the session knows of the target."""
        return self._ledger.observation(self._session, target)

    def observations(self) -> Mapping[Target, Observation]:
        """All that the session knows: see `Ledger.observations`."""
        return self._ledger.observations(self._session)

    def saw(self, target: Target, version: Version, lines: LineSpan | None = None) -> None:
        """The session was shown this content, or the lines of it that are named (0-based)."""
        self._record(Observed(self._session, target, Present(version, None if lines is None else (lines,))))

    def saw_nothing(self, target: Target) -> None:
        """The session was told that the target does not exist."""
        self._record(Observed(self._session, target, Absent()))

    def write_guard(self, target: Target) -> Guard:
        """See `Ledger.write_guard`."""
        return self._ledger.write_guard(self._session, target)

    def edit_guard(self, target: Target) -> Guard:
        """See `Ledger.edit_guard`. What must be a version may have drifted where edits are rebased."""
        guard = self._ledger.edit_guard(self._session, target)
        if self._seen is None or not isinstance(guard, MustBeVersion):
            return guard
        text = self._seen(guard.version)
        return guard if text is None else MayHaveDrifted(guard.version, text)
