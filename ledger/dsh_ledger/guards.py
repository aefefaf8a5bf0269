"""Guards: what must hold of a target at the moment a mutation is published.

A guard is a value. The ledger answers which one applies and does no I/O; the file system checks it inside its
critical section, before any text is matched. One decider: a deployment may replace the policy, there is no chain.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, TypeAlias, assert_never

from dsh_ledger.errors import FsNotFound, FsNotObserved
from dsh_ledger.observations import Absent, Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version


@dataclass(frozen=True, slots=True)
class Unconditional:
    """Publish whatever is there. Still atomic."""


@dataclass(frozen=True, slots=True)
class MustBeAbsent:
    """Publish only if nothing is there; otherwise FS_NOT_OBSERVED, and what is there stays."""


@dataclass(frozen=True, slots=True)
class MustBeVersion:
    """Publish only over content of this version; otherwise FS_STALE_VERSION."""

    version: Version


@dataclass(frozen=True, slots=True)
class MayHaveDrifted:
    """Publish an edit over content of this version, or over another text if the edit keeps clear of what changed.

    Where the edit and the change overlap, or there is no text any more: FS_STALE_VERSION. To a write as a whole, which
    is about all of the text, this is `MustBeVersion`.

    Attributes:
        version: What was observed.
        text: The logical text of that version.
    """

    version: Version
    text: str = field(repr=False)


Guard: TypeAlias = Unconditional | MustBeAbsent | MustBeVersion | MayHaveDrifted


class Mutation(Enum):
    """The two questions a tool may ask."""

    WRITE = "write"
    EDIT = "edit"


class GuardPolicy(Protocol):
    """The single slot that decides on mutations."""

    def guard(self, mutation: Mutation, target: Target, observation: Observation) -> Guard:
        """The guard for a mutation by a session with this observation.

        Raises:
            LedgerError: The mutation is refused outright.
        """
        ...


class ObservedContentPolicy:
    """The default: nobody overwrites or edits what they have not seen."""

    def guard(self, mutation: Mutation, target: Target, observation: Observation) -> Guard:
        """See the table in the package's README.

        Raises:
            FsNotObserved: An edit of a target that the session never read.
            FsNotFound: An edit of a target that the session saw to be absent.
        """
        match observation:
            case Present(version=version):
                return MustBeVersion(version)
            case Absent() if mutation is Mutation.EDIT:
                raise FsNotFound(target.path)
            case Unseen() if mutation is Mutation.EDIT:
                raise FsNotObserved(target.path)
            case Absent() | Unseen():
                return MustBeAbsent()
            case _:
                assert_never(observation)
