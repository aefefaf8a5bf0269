r"""Why a string was not found: the nearest place in the text, and the first kind of difference there.

Everything here is said and nothing is done: a near miss never becomes an edit. The messages name kinds of difference,
counts of blanks and line numbers, and quote nothing of the file.

The search is for the folded string in the folded text (`folding`). The exact place and kind are then found by walking
along the two originals.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from dsh_ledger.json_values import JsonValue
from dsh_tools.diff.trimming import common_prefix
from dsh_tools.folding import BLANKS, INVISIBLE, PLAIN, fold
from dsh_tools.windows import LINE_CUT, LINE_NUMBER

SEARCHED = 5_000_000
"""How many code points of a text are searched for near misses: the bound on the time it takes."""

SOUGHT = 100_000
"""Of a string longer than this, only the beginning is looked for."""

_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\([nt\"'\\])")
_SHORTEST = 8
_SHORTEST_OF_FEW = 3
_WALKED = 20_000
_NAMED = 3


class Difference(Enum):
    """The kinds of difference that are told apart, in the words that a message uses."""

    FINAL_NEWLINE = "final newline"
    LINE_NUMBERS = "line-number prefix"
    CUT_LINE = "cut line"
    ESCAPES = "escaped newline"
    ENTITIES = "HTML entities"
    LINE_ENDS = "line ends"
    BLANK_LINES = "blank lines"
    TABS = "tabs"
    WHITESPACE = "whitespace"
    TRAILING_WHITESPACE = "trailing whitespace"
    NO_BREAK_SPACE = "no-break space"
    INVISIBLE = "invisible character"
    CASE = "case"
    QUOTES = "quotes"
    DASHES = "dashes"
    UNICODE_FORM = "unicode form"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The nearest place, and the first difference there.

    Attributes:
        line: 1-based line on which the nearest text begins.
        kind: What the first difference is.
        note: It in words, as the end of a sentence.
    """

    line: int
    kind: Difference
    note: str


def explain_not_found(path: str, text: str, old_string: str) -> tuple[str, Mapping[str, JsonValue]]:
    """The message and the details of a match that failed.

    Args:
        path: The target's path as shown.
        text: The logical text, in which ``old_string`` does not occur.
        old_string: What was looked for.

    Returns:
        The message; and ``nearestLine`` (1-based) and ``reason`` (a value of `Difference`), both None where nothing in
        the text resembles ``old_string``.
    """
    missing = f"old_string does not occur in {path} exactly as it was given"
    found = near_miss(text, old_string)
    if found is None:
        return f"{missing}, nor does anything like it.", {"nearestLine": None, "reason": None}
    return (
        f"{missing}. The nearest text is on line {found.line}; {found.note}.",
        {"nearestLine": found.line, "reason": found.kind.value},
    )


def near_miss(text: str, wanted: str) -> NearMiss | None:
    """The nearest place to a string that does not occur in a text, or None where nothing resembles it."""
    text = text[:SEARCHED]
    if len(wanted) > SOUGHT:
        return _by_beginning(fold(text), wanted[:SOUGHT])
    candidates = _candidates(wanted)
    for kind, note, candidate in candidates:
        at = text.find(candidate)
        if at >= 0:
            return NearMiss(text.count("\n", 0, at) + 1, kind, note)
    ending = wanted.rstrip("\n")
    if ending.strip() and ending != wanted and text.rstrip("\n").endswith(ending):
        line = text.count("\n", 0, len(text.rstrip("\n")) - len(ending)) + 1
        note = "the file ends there with fewer newlines than old_string does"
        return NearMiss(line, Difference.FINAL_NEWLINE, note)
    folded = fold(text)
    hit = _hit(folded, wanted)
    if hit is not None:
        return _walked(text, wanted, *hit)
    for kind, note, candidate in candidates:
        hit = _hit(folded, candidate)
        if hit is not None:
            return NearMiss(hit[0] + 1, kind, f"{note}, and there are other differences")
    return _by_beginning(folded, wanted) or _by_line(folded, wanted)


def _candidates(wanted: str) -> list[tuple[Difference, str, str]]:
    """What the string would be without one slip that is made outside the file, for each that could have been made."""
    slips: list[tuple[Difference, str, Callable[[str], str]]] = [
        (Difference.LINE_NUMBERS, "old_string has line numbers in front of its lines", _without_numbers),
        (Difference.CUT_LINE, "old_string has the mark of a line that was shown in part", _before_cut),
        (Difference.ESCAPES, "old_string has escape sequences where the file has the characters", _unescaped),
        (Difference.ESCAPES, "old_string has line ends where the file has escape sequences", _escaped),
        (Difference.ENTITIES, "old_string has HTML entities where the file has the characters", html.unescape),
        (Difference.ENTITIES, "old_string has characters where the file has HTML entities", _entities),
        (Difference.LINE_ENDS, "old_string has line ends where the file has lone carriage returns (\\r)", _returns),
        (
            Difference.BLANK_LINES,
            "old_string begins with more blank lines than the file has there",
            _without_blank_lines,
        ),
    ]
    made = [(kind, note, slip(wanted)) for kind, note, slip in slips]
    return [(kind, note, candidate) for kind, note, candidate in made if candidate.strip() and candidate != wanted]


def _without_numbers(wanted: str) -> str:
    """Without the numbers if every line has one; the first may be the rest of a line, and an empty last is no line."""
    first, *others = wanted.split("\n")
    last_is_empty = bool(others) and not others[-1]
    numbered = [LINE_NUMBER.match(line) for line in (others[:-1] if last_is_empty else others)]
    if not all(numbered):
        return wanted
    return "\n".join(LINE_NUMBER.sub("", line, count=1) for line in (first, *others))


def _before_cut(wanted: str) -> str:
    return LINE_CUT.split(wanted, maxsplit=1)[0]


def _unescaped(wanted: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], wanted)


def _escaped(wanted: str) -> str:
    return wanted.replace("\n", "\\n")


def _entities(wanted: str) -> str:
    return html.escape(wanted, quote=False)


def _returns(wanted: str) -> str:
    return wanted.replace("\n", "\r")


def _without_blank_lines(wanted: str) -> str:
    return wanted.lstrip("\n")


def _hit(folded: bytes, wanted: str) -> tuple[int, int] | None:
    """The 0-based line and the folded column of the first hit; None without a hit or without anything to look for."""
    sought = fold(wanted)
    at = folded.find(sought) if sought.strip(b"\n") else -1
    if at < 0:
        return None
    return folded.count(b"\n", 0, at), at - folded.rfind(b"\n", 0, at) - 1


def _by_beginning(folded: bytes, wanted: str) -> NearMiss | None:
    """Where the longest beginning of the string is that occurs at all, if it is long enough to mean something."""
    sought = fold(wanted).lstrip(b"\n")
    blank_lines = wanted[: len(wanted) - len(wanted.lstrip())].count("\n")
    low, high = 0, len(sought)
    while low < high:
        middle = (low + high + 1) // 2
        if sought[:middle] in folded:
            low = middle
        else:
            high = middle - 1
    if low < _SHORTEST and (low < _SHORTEST_OF_FEW or 2 * low < len(sought)):
        return None
    line = folded.count(b"\n", 0, folded.find(sought[:low])) + 1
    apart = sought.count(b"\n", 0, low)
    where = f"it is different from line {line + apart} on" if apart else "its beginning is the same"
    return NearMiss(max(line - blank_lines, 1), Difference.TEXT, where)


def _by_line(folded: bytes, wanted: str) -> NearMiss | None:
    """Where one of the string's longest lines is."""
    lines = list(enumerate(fold(wanted).split(b"\n")))
    longest = sorted(lines, key=lambda line: -len(line[1]))[:5]
    for index, line in longest:
        at = folded.find(line) if len(line) >= _SHORTEST else -1
        if at >= 0:
            here = folded.count(b"\n", 0, at) + 1
            return NearMiss(max(here - index, 1), Difference.TEXT, f"line {here} is the same as line {index + 1} of it")
    return None


def _walked(text: str, wanted: str, line: int, column: int) -> NearMiss:
    """The first difference between the originals, given where the folded strings agree."""
    start = _line_start(text, line)
    there = _column(text, start, column)
    here = 0
    while here < len(wanted) and wanted[here] in BLANKS:
        here += 1
    if there is None or fold(_character(text, there)) != fold(_character(wanted, here)):
        return NearMiss(line + 1, Difference.WHITESPACE, "whitespace, case, quotes, dashes or unicode form differ")
    blanks = there
    while blanks > start and text[blanks - 1] in BLANKS:
        blanks -= 1
    if not text[blanks:there].endswith(wanted[:here]):
        kind, note = _blank_difference(text[blanks:there], wanted[:here], at_end=text[there : there + 1] == "\n")
        return NearMiss(line + 1, kind, note)
    kind, note, at = _first_difference(text, wanted, there, here)
    on = line + 1 + text.count("\n", there, at)
    return NearMiss(line + 1, kind, note if on == line + 1 else f"{note}, on line {on}")


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
    return at


def _column(text: str, start: int, column: int) -> int | None:
    """Where the folded column begins in the original line; None where the line is too long to be walked."""
    at = start
    while at < min(len(text), start + _WALKED):
        end = _after_character(text, at)
        if column <= 0 and text[at] not in BLANKS:
            return at
        column -= len(fold(text[at:end]))
        at = end
    return None


def _first_difference(text: str, wanted: str, there: int, here: int) -> tuple[Difference, str, int]:
    same = common_prefix(text, wanted, there, here)
    first = here
    there, here = there + same, here + same
    while here > first and wanted[here - 1] in BLANKS:  # back to where the run of blanks begins
        there, here = there - 1, here - 1
    text_end, wanted_end = _after_blanks(text, there), _after_blanks(wanted, here)
    theirs, ours = text[there:text_end], wanted[here:wanted_end]
    if theirs != ours:
        at_end = text[text_end : text_end + 1] in ("", "\n") and wanted[wanted_end : wanted_end + 1] in ("", "\n")
        return *_blank_difference(theirs, ours, at_end=at_end), there
    text_end, wanted_end = _after_character(text, text_end), _after_character(wanted, wanted_end)
    return *_character_difference(text[there:text_end].strip(), wanted[here:wanted_end].strip()), there


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _after_character(text: str, at: int) -> int:
    """After one character and the marks that combine with it."""
    at += 1
    while at < len(text) and unicodedata.combining(text[at]):
        at += 1
    return at


def _character(text: str, at: int) -> str:
    return text[at : _after_character(text, at)]


def _blank_difference(theirs: str, ours: str, *, at_end: bool) -> tuple[Difference, str]:
    told = f"the file has {_blanks_in_words(theirs)} where old_string has {_blanks_in_words(ours)}"
    if any(blank in INVISIBLE for blank in theirs + ours):
        return Difference.INVISIBLE, f"invisible characters differ: {told}"
    if any(blank > "\x7f" for blank in theirs + ours):
        return Difference.NO_BREAK_SPACE, f"whitespace differs: {told}"
    if at_end:
        return Difference.TRAILING_WHITESPACE, f"whitespace at the end of the line differs: {told}"
    if ("\t" in theirs) != ("\t" in ours):
        return Difference.TABS, f"whitespace differs: {told}"
    return Difference.WHITESPACE, f"whitespace differs: {told}"


def _blanks_in_words(blanks: str) -> str:
    """How many of which; those that can't be told from others by sight, or not be seen, by code point and name."""
    counts = Counter(blanks)
    kinds = [(counts.pop("\t", 0), "tab"), (counts.pop(" ", 0), "space")]
    told = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in kinds if count]
    told += [f"{count} {_named(blank)}" for blank, count in [*counts.items()][:_NAMED]]
    if len(counts) > _NAMED:
        told.append("others")
    return " and ".join(told) or "none"


def _named(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


def _character_difference(theirs: str, ours: str) -> tuple[Difference, str]:
    if unicodedata.normalize("NFC", theirs) == unicodedata.normalize("NFC", ours):
        return Difference.UNICODE_FORM, "the same character is composed in one and decomposed in the other"
    if PLAIN.get(theirs, theirs) == PLAIN.get(ours, ours):
        if "-" in (PLAIN.get(theirs), PLAIN.get(ours)):
            return Difference.DASHES, "the dashes are different characters"
        return Difference.QUOTES, "the quotes are different characters"
    if theirs.lower() == ours.lower():
        return Difference.CASE, "upper and lower case differ"
    return Difference.TEXT, "the characters differ"
