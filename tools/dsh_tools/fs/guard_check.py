"""A guard against what is really there, inside a critical section.

Used by every backend, so that all refuse alike. Deliberately absent: finding out what is there.
"""

from typing import assert_never

from dsh_ledger.errors import FsNotObserved, FsStaleVersion
from dsh_ledger.guards import Guard, MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.versions import Version


def check_guard(guard: Guard, path: str, version: Version | None, text: str | None) -> None:
    """Refuse a mutation whose guard does not hold.

    Args:
        guard: What must hold.
        path: The target's path as shown.
        version: The version of what is there, or None when nothing is.
        text: Its logical text, where it is text, for the explanation of what changed.

    Raises:
        FsNotObserved: Something is there that must not be.
        FsStaleVersion: Another version, or nothing, is there.
    """
    match guard:
        case Unconditional():
            return
        case MustBeAbsent():
            if version is not None:
                raise FsNotObserved(path, f"{path} exists, and this session has not read it.")
        case MustBeVersion(version=observed):
            if version != observed:
                raise FsStaleVersion(path, observed, version, text)
        case _:
            assert_never(guard)
