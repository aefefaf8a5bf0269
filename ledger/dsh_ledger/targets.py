"""What an observation is about.

Held here: the name of a target. Deliberately absent: how a path becomes a target (links, case, spelling); that is
the file system's to answer, and the ledger never asks it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """Something whose content can be observed, named by its canonical URI.

    Two spellings of one file (through a symbolic link, with ``..``, percent-encoded or not) are one target. Two URIs
    of different scheme are two targets, whatever their paths: ``git:/r/a.txt`` is not ``file:///r/a.txt``.

    Attributes:
        uri: The canonical URI. For ``file:`` it names the real path, percent-encoded byte for byte, so that a name
            that isn't UTF-8 is kept.
        path: The path to show to people and models: relative to the workspace where it lies inside, with ``/``.
            It takes no part in equality.
    """

    uri: str
    path: str

    def __eq__(self, other: object) -> bool:
        return self.uri == other.uri if isinstance(other, Target) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.uri)

    def __str__(self) -> str:
        return self.path
