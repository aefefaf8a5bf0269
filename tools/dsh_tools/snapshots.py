"""Texts that sessions have seen, kept by version so that a change since then can be shown, or worked around.

Bounded for each session and in all. Within a session the least recently used go first; where all of them have too much,
the session that has most gives way, so that one that reads large files costs no other its texts. Two sessions that have
seen the same text share it. Losing one costs an explanation, or the rebasing of an edit; never a guard.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from sys import getsizeof

from dsh_ledger.versions import Version

SESSION_LIMIT = 64 * 2**20
"""Bytes of memory for the texts of one session."""

TOTAL_LIMIT = 256 * 2**20
"""Bytes of memory for the texts of all sessions."""


@dataclass(slots=True)
class _Shared:
    text: str
    size: int
    holders: int = 0


@dataclass(slots=True)
class _Pool:
    """The texts of all sessions, each once."""

    limit: int
    size: int = 0
    texts: dict[Version, _Shared] = field(default_factory=dict)
    sessions: dict[str, "Snapshots"] = field(default_factory=dict)

    def take(self, version: Version, text: str) -> int:
        shared = self.texts.get(version)
        if shared is None:
            shared = self.texts[version] = _Shared(text, getsizeof(text))
            self.size += shared.size
        shared.holders += 1
        return shared.size

    def release(self, version: Version) -> int:
        shared = self.texts[version]
        shared.holders -= 1
        if not shared.holders:
            del self.texts[version]
            self.size -= shared.size
        return shared.size

    def make_room(self) -> None:
        while self.size > self.limit:
            max(self.sessions.values(), key=lambda session: session.size).drop_oldest()


class Snapshots:
    """The logical texts that one session has seen, by version.

    Args:
        limit: Bytes of memory. A text larger than that is not kept.
        pool: Where the texts are, with those of other sessions; by default nobody else's.

    Attributes:
        size: Bytes of memory that its texts take, those included that it shares.
    """

    def __init__(self, limit: int = SESSION_LIMIT, pool: _Pool | None = None) -> None:
        self.size = 0
        self._limit = limit
        self._pool = pool or _Pool(limit, sessions={"": self})
        self._versions: OrderedDict[Version, None] = OrderedDict()

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._versions)

    def keep(self, version: Version, text: str) -> None:
        """Remember a text under its version."""
        if version in self._versions:
            self._versions.move_to_end(version)
            return
        if getsizeof(text) > self._limit:
            return
        self._versions[version] = None
        self.size += self._pool.take(version, text)
        while self.size > self._limit:
            self.drop_oldest()
        self._pool.make_room()

    def get(self, version: Version) -> str | None:
        """The text of that version, if it is still kept."""
        if version not in self._versions:
            return None
        self._versions.move_to_end(version)
        return self._pool.texts[version].text

    def drop_oldest(self) -> None:
        """Forget the text that was used least recently."""
        version, _ = self._versions.popitem(last=False)
        self.size -= self._pool.release(version)

    def end(self) -> None:
        """Forget all, and keep nothing from now on."""
        self._limit = 0
        while self._versions:
            self.drop_oldest()


class SnapshotStore:
    """The snapshots of all sessions.

    Args:
        limit: Bytes of memory in all.
        session_limit: Bytes of memory for one session.
    """

    def __init__(self, limit: int = TOTAL_LIMIT, session_limit: int = SESSION_LIMIT) -> None:
        self._session_limit = session_limit
        self._pool = _Pool(limit)

    @property
    def size(self) -> int:
        """Bytes of memory that the texts take."""
        return self._pool.size

    def of(self, session: str) -> Snapshots:
        """The snapshots of a session, which has some from now on."""
        found = self._pool.sessions.get(session)
        if found is None:
            found = self._pool.sessions[session] = Snapshots(self._session_limit, self._pool)
        return found

    def forget(self, session: str) -> None:
        """The session has ended. Unknown ones are fine."""
        found = self._pool.sessions.pop(session, None)
        if found is not None:
            found.end()
