r"""Literal matching: exact, code point for code point, or not at all.

Held here: finding, counting and replacing. Deliberately absent: tolerance of any kind. No whitespace, case or unicode
folding ever chooses what is replaced, and no pattern or template is ever read out of the two strings. What an agent
most likely meant, when nothing matched, is only said (`near_misses`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import LISTED, FieldError, FsAmbiguousEdit, FsEditNotFound, InvalidArgs
from dsh_tools.diff.trimming import common_prefix
from dsh_tools.near_misses import explain_not_found


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a string occurs in a text, occurrences that overlap included.

    Attributes:
        count: Number of offsets at which it begins.
        lines: The 1-based lines of the first `LISTED` of them.
    """

    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """What a replacement does to one text.

    Attributes:
        change: The change. Replacements that touch each other are one edit of it.
        count: How many were replaced.
    """

    change: Change
    count: int


@dataclass(frozen=True, slots=True)
class Replace:
    r"""Replace a string by another; an edit plan for the file-system port.

    Attributes:
        old_string: What to replace: not empty, ``\r\n`` read as ``\n``.
        new_string: What to put there, literally, ``\r\n`` read as ``\n``.
        path: The target's path as shown, for errors.
        replace_all: Replace every occurrence, left to right, without overlap; else the only one.

    Raises:
        InvalidArgs: ``old_string`` is empty.
    """

    old_string: str
    new_string: str
    path: str
    replace_all: bool = False

    def __post_init__(self) -> None:
        if not self.old_string:
            raise InvalidArgs([FieldError("old_string", "must not be empty")])
        # The text that an agent was shown has no \r\n in it.
        object.__setattr__(self, "old_string", self.old_string.replace("\r\n", "\n"))
        object.__setattr__(self, "new_string", self.new_string.replace("\r\n", "\n"))

    def __call__(self, text: str) -> Change:
        """The change to a logical text; raises as `plan` does."""
        return self.plan(text).change

    def plan(self, text: str) -> Planned:
        """The change to a logical text, and how many replacements it makes.

        Raises:
            FsEditNotFound: ``old_string`` does not occur.
            FsAmbiguousEdit: It occurs more than once, and ``replace_all`` is not set.
        """
        at = text.find(self.old_string)
        if at < 0:
            message, details = explain_not_found(self.path, text, self.old_string)
            raise FsEditNotFound(self.path, message, details)
        if self.replace_all:
            edits: list[Edit] = []
            while at >= 0:
                edits.append(self._edit(at))
                at = text.find(self.old_string, at + len(self.old_string))
            return Planned(Change.of(*edits), len(edits))
        if text.find(self.old_string, at + 1) >= 0:
            found = occurrences(text, self.old_string)
            raise FsAmbiguousEdit(self.path, found.count, found.lines)
        return Planned(Change.of(self._edit(at)), 1)

    def _edit(self, at: int) -> Edit:
        return Edit(at, at + len(self.old_string), self.new_string)


def occurrences(text: str, wanted: str) -> Occurrences:
    """Count every offset at which a non-empty string begins, in time linear in the text."""
    count, line, counted_to = 0, 1, 0
    lines: list[int] = []
    for start, step, repeats in _stretches(text, wanted):
        count += repeats
        for index in range(min(repeats, LISTED - len(lines))):
            here = start + index * step
            line += text.count("\n", counted_to, here)
            counted_to = here
            lines.append(line)
    return Occurrences(count, tuple(lines))


def _stretches(text: str, wanted: str) -> Iterator[tuple[int, int, int]]:
    """Where occurrences begin, as start, step and number.

    As long as the text repeats with the distance of one occurrence from the next, one begins at every step of it and
    none between: they are counted at once, so that ``aa`` a million times over is not found a million times.
    """
    start = text.find(wanted)
    while start >= 0:
        following, step, repeats = text.find(wanted, start + 1), 1, 1
        if following >= 0:
            step = following - start
            repeats = 1 + (step + common_prefix(text, text, start, following) - len(wanted)) // step
            following = text.find(wanted, start + (repeats - 1) * step + 1)
        yield start, step, repeats
        start = following
