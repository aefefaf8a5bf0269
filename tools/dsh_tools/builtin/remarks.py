"""What is said of an edit beside what it changed: it was rebased, found by a second try, or may be damaged.

Each is a note for people and models, most are a part of the canonical value too. Deliberately absent: whether that may
happen.
"""

from collections.abc import Iterable

from dsh_ledger.errors import LISTED
from dsh_tools.diff import drift
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.hunk_models import HunkPosition
from dsh_tools.matching import SecondTry
from dsh_tools.models import Items, WireModel, optional

_LOST = "\N{REPLACEMENT CHARACTER}"
_NAMED = 3
"""How many kinds of difference a note names."""


class Rebased(WireModel):
    """What had changed since the session observed the file, elsewhere than the edit; as a stale version has it.

    Attributes:
        changes: Where, bounded.
        hunks: The same as unified-diff text, bounded.
        total: The number of places.
        truncated: Something was left out.
    """

    changes: Items[HunkPosition]
    hunks: str
    total: int
    truncated: bool


class DifferenceModel(WireModel):
    """A character as the file has it, and as it was given."""

    there: str
    given: str


class SecondTryModel(WireModel):
    """A replacement that was found only with another typography.

    Attributes:
        edit: Its index, in a list of several.
        lines: The 1-based lines of the first places, in the text that the edit was planned for.
        differences: What was different, bounded.
        truncated: There are more lines or differences.
    """

    edit: int | None = optional()
    lines: Items[int]
    differences: Items[DifferenceModel]
    truncated: bool


def rebased(outcome: WriteOutcome) -> tuple[Rebased | None, tuple[str, ...]]:
    """What an edit was rebased over, and the note; nothing for one that was not."""
    if outcome.rebased_from is None:
        return None, ()
    found = drift(outcome.rebased_from, outcome.before or "")
    places = ", ".join(map(str, found.changes[:LISTED]))
    more = found.total - min(len(found.changes), LISTED)
    where = f"changed lines: {places}{f' and {more} more places' if more > 0 else ''}"
    model = Rebased(
        changes=tuple(HunkPosition.model_validate(change.to_json()) for change in found.changes),
        hunks=found.hunks,
        total=found.total,
        truncated=found.truncated,
    )
    note = f"The file had changed since you read it, elsewhere ({where}); the edit was applied to the current text."
    return model, (note,)


def lost_characters(outcome: WriteOutcome) -> tuple[str, ...]:
    """A note for a text that has the sign of lost characters, and did not have it before."""
    if _LOST not in outcome.after or _LOST in (outcome.before or ""):
        return ()
    return ("The new text has U+FFFD REPLACEMENT CHARACTER, which the file did not have: something may be lost there.",)


def second_tries(
    tries: Iterable[tuple[int | None, SecondTry]], *, is_rebased: bool
) -> tuple[tuple[SecondTryModel, ...] | None, tuple[str, ...]]:
    """The second tries as models, and a note for each; nothing where all was found exactly."""
    models: list[SecondTryModel] = []
    notes: list[str] = []
    for index, found in tries:
        models.append(
            SecondTryModel(
                edit=index,
                lines=found.lines,
                differences=tuple(DifferenceModel(there=x.there, given=x.given) for x in found.differences),
                truncated=found.truncated,
            )
        )
        notes.append(_note(index, found, "of the text that you read" if is_rebased else ""))
    return tuple(models) or None, tuple(notes)


def _note(index: int | None, found: SecondTry, of_which: str) -> str:
    what = "old_string" if index is None else f"The old_string of edits[{index}]"
    lines = "line " if len(found.lines) == 1 else "lines "
    where = (
        lines + ", ".join(map(str, found.lines)) + (", …" if found.truncated else "") + (of_which and f" {of_which}")
    )
    named = "; ".join(map(str, found.differences[:_NAMED]))
    more = len(found.differences) - _NAMED
    return (
        f"{what} did not occur exactly, and was found on {where} with typography taken as equal: {named}"
        f"{f'; and {more} more differences' if more > 0 else ''}. The file's own characters are what is replaced; "
        "new_string is put in as it was given."
    )
