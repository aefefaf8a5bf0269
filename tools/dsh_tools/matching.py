r"""Literal matching: exact, code point for code point, or not at all.

Held here: finding, counting and replacing. Deliberately absent: tolerance of any kind. No whitespace or case folding
ever chooses what is replaced, and no pattern or template is ever read out of the two strings. What an agent most likely
meant, when nothing matched, is only said (`near_misses`). A session may ask for one second try (`second_try`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NoReturn

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import LISTED, FieldError, FsAmbiguousEdit, FsEditNotFound, InvalidArgs
from dsh_ledger.json_values import JsonValue
from dsh_tools.diff.trimming import common_prefix
from dsh_tools.near_misses import explain_not_found
from dsh_tools.second_try import Alike, Difference

_PLACES: Final = 3
_UP: Final = 5
_WIDTH: Final = 100
"""Above how many ambiguous places it is said what stands there, how many lines up that is looked for, and how many code
points of it are shown."""


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
class SecondTry:
    """That a string was found only with another typography: where, and what was different.

    Attributes:
        lines: The 1-based lines of the first `LISTED` places.
        differences: The first `LISTED` kinds of difference.
        truncated: There are more of either.
    """

    lines: tuple[int, ...]
    differences: tuple[Difference, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """What a replacement does to one text.

    Attributes:
        change: The change. Replacements that touch each other are one edit of it.
        count: How many were replaced.
        second_try: How it was found, if not exactly.
    """

    change: Change
    count: int
    second_try: SecondTry | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    r"""Replace a string by another; an edit plan for the file-system port.

    Attributes:
        old_string: What to replace: not empty, ``\r\n`` read as ``\n``.
        new_string: What to put there, literally, ``\r\n`` read as ``\n``.
        path: The target's path as shown, for errors.
        replace_all: Replace every occurrence, left to right, without overlap; else the only one.
        expected: How many replacements there must be, or None for as many as there are.
        second_try: Where nothing matches exactly, look again with typography taken as equal (`dsh_tools.second_try`).

    Raises:
        InvalidArgs: ``old_string`` is empty.
    """

    old_string: str
    new_string: str
    path: str
    replace_all: bool = False
    expected: int | None = None
    second_try: bool = False

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
            FsEditNotFound: ``old_string`` does not occur, or less often than expected.
            FsAmbiguousEdit: It occurs more than once, and ``replace_all`` is not set; or more often than expected.
        """
        if self.old_string in text:
            spans, second_try = self._exact(text), None
        else:
            spans, second_try = self._alike(text) if self.second_try else ([], None)
        if not spans:
            message, details = explain_not_found(self.path, text, self.old_string)
            raise FsEditNotFound(self.path, message, details)
        if self.expected not in (None, len(spans)):
            self._refuse_count(text, [start for start, _ in spans], self.expected or 0)
        edits = [Edit(start, end, self.new_string) for start, end in spans]
        return Planned(Change.of(*edits), len(edits), second_try)

    def _exact(self, text: str) -> list[tuple[int, int]]:
        size = len(self.old_string)
        at = text.find(self.old_string)
        if self.replace_all:
            spans: list[tuple[int, int]] = []
            while at >= 0:
                spans.append((at, at + size))
                at = text.find(self.old_string, at + size)
            return spans
        if text.find(self.old_string, at + 1) >= 0:
            found = occurrences(text, self.old_string)
            error = FsAmbiguousEdit(self.path, found.count, found.lines)
            error.above = _above(text, self.old_string, found.lines)
            raise error
        return [(at, at + size)]

    def _alike(self, text: str) -> tuple[list[tuple[int, int]], SecondTry | None]:
        alike = Alike(text, self.old_string)
        if self.replace_all:
            spans = list(alike.apart())
        else:
            spans = list(islice(alike.all(), LISTED + 1))
            if len(spans) > 1:
                count = len(spans) if len(spans) <= LISTED else max(occurrences(*alike.searched).count, len(spans))
                error = FsAmbiguousEdit(self.path, count, _lines(text, [start for start, _ in spans]))
                error.message += (
                    " It does not occur exactly; quotes, dashes, spaces and unicode forms were not told apart."
                )
                raise error
        if not spans:
            return [], None
        different = {
            difference: None
            for found in {text[s:e]: (s, e) for s, e in spans}.values()
            for difference in alike.differences(*found)
        }
        lines = _lines(text, [start for start, _ in spans])
        truncated = len(spans) > LISTED or len(different) > LISTED
        return spans, SecondTry(lines, tuple(different)[:LISTED], truncated)

    def _refuse_count(self, text: str, starts: list[int], expected: int) -> NoReturn:
        """More places than expected may be the wrong ones; of fewer, the others don't match exactly."""
        lines, count = _lines(text, starts), len(starts)
        if count > expected:
            error = FsAmbiguousEdit(self.path, count, lines)
            error.message += f" expected_replacements is {expected}."
            error.remedy = "Correct expected_replacements, or add surrounding lines to old_string."
            error.details |= {"expected": expected}
            raise error
        times = f"{count} time{'s' if count > 1 else ''} in {self.path}, on line{'s' if count > 1 else ''}"
        places = ", ".join(map(str, lines)) + (", …" if count > len(lines) else "")
        fewer = FsEditNotFound(
            self.path,
            f"old_string occurs {times} {places}, and not {expected} times as expected_replacements says.",
            {"count": count, "lines": list[JsonValue](lines), "truncated": count > len(lines), "expected": expected},
        )
        fewer.remedy = "Correct expected_replacements, or see how the other places differ from old_string."
        raise fewer


class Replacements:
    """A plan of several replacements, each on the text that the one before has left; all of them, or none.

    Args:
        replaces: In order.
        is_list: They are told apart by their index in errors and in `second_tries`.

    Attributes:
        count: How many were replaced when it was last asked.
        second_tries: What was found then only with another typography, with the index.
    """

    def __init__(self, replaces: list[Replace], *, is_list: bool = False) -> None:
        self.count = 0
        self.second_tries: list[tuple[int | None, SecondTry]] = []
        self._replaces = replaces
        self._is_list = is_list

    def __call__(self, text: str) -> Change:
        """The change of all of them; raises as `Replace.plan` does."""
        whole, self.count, self.second_tries = Change(), 0, []
        for index, replace in enumerate(self._replaces):
            try:
                planned = replace.plan(text)
            except (FsEditNotFound, FsAmbiguousEdit) as error:
                if self._is_list:
                    error.message = f"edits[{index}]: {error.message} None of the edits was applied."
                    error.details |= {"index": index}
                raise
            if len(self._replaces) > 1:
                text = planned.change.apply(text)
            whole = whole.then(planned.change)
            self.count += planned.count
            if planned.second_try is not None:
                self.second_tries.append((index if self._is_list else None, planned.second_try))
        return whole


def _above(text: str, wanted: str, lines: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """The nearest line that is not blank above each of the first matches, with its 1-based number."""
    above: dict[int, str] = {}
    at = -1
    for number in lines[:_PLACES]:
        at = text.find(wanted, at + 1)
        end = text.rfind("\n", 0, at)
        for up in range(1, _UP + 1):
            if end < 0:
                break
            start = text.rfind("\n", 0, end) + 1
            if line := text[start : min(end, start + _WIDTH + 1)].rstrip():
                above[number - up] = line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
                break
            end = start - 1
    return tuple(above.items())


def _lines(text: str, starts: list[int]) -> tuple[int, ...]:
    """The 1-based lines of the first offsets, which are in order."""
    lines: list[int] = []
    line, counted_to = 1, 0
    for start in starts[:LISTED]:
        line += text.count("\n", counted_to, start)
        counted_to = start
        lines.append(line)
    return tuple(lines)


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
