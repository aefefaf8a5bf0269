"""A guard against what is really there, inside a critical section.

Used by every backend, so that all refuse alike, and rebase alike. Deliberately absent: finding out what is there.
"""

from typing import assert_never

from dsh_ledger.edits import Change, Overlap
from dsh_ledger.errors import FsEditNotFound, FsError, FsNotObserved, FsStaleVersion
from dsh_ledger.guards import Guard, MayHaveDrifted, MustBeAbsent, MustBeVersion, Unconditional
from dsh_ledger.versions import Version
from dsh_tools.diff import minimal_change
from dsh_tools.fs.port import EditPlan


def check_guard(guard: Guard, path: str, version: Version | None, text: str | None) -> None:
    """Refuse a mutation whose guard does not hold.

    A text that has drifted passes where it may have; `change_under` decides then.

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
        case MayHaveDrifted(version=observed):
            if version != observed and text is None:
                raise FsStaleVersion(path, observed, version)
        case _:
            assert_never(guard)


def change_under(guard: Guard, path: str, version: Version, text: str, plan: EditPlan) -> Change:
    """What a plan changes in a text that has passed `check_guard`.

    Where the text has drifted, the plan is made for the observed text, and its change is rebased over the drift. The
    drift counts by whole lines, as a diff tells it: who changed a line that the edit is about is in its way.

    Raises:
        FsStaleVersion: The edit is about something that has changed; or it does not fit the observed text, of which
            nobody need be told as long as that is out of date.
        FsError: From the plan.
    """
    observed = drifted_from(guard, version)
    if observed is None:
        try:
            return plan(text)
        except FsEditNotFound as error:
            if isinstance(guard, MustBeVersion | MayHaveDrifted):
                error.message += " The file has not changed since you read it."
            raise
    stale = FsStaleVersion(path, observed.version, version, text)
    try:
        change = plan(observed.text)
    except FsError:
        raise stale from None
    rebased = change.rebased(minimal_change(observed.text, text))
    if isinstance(rebased, Overlap):
        raise stale
    return rebased


def drifted_from(guard: Guard, version: Version) -> MayHaveDrifted | None:
    """The guard, if it admits content of this version though it is not the observed one."""
    return guard if isinstance(guard, MayHaveDrifted) and guard.version != version else None


def strictly(guard: Guard) -> Guard:
    """The guard for a write as a whole, which is about all of the text."""
    return MustBeVersion(guard.version) if isinstance(guard, MayHaveDrifted) else guard
