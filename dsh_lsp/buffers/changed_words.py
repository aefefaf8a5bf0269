r"""Which words of a hunk's lines are others than before. Pure; the cost is bounded.

Old and new lines are paired, and each pair is compared word by word. A pair with little in common is no pair: all of
such a line is new, and to mark words in it says nothing. A word never ends inside a character as people see it: what
combines with the code point before it (accents, variation selectors, joined emoji) stays with it.

Deliberately absent: words that are gone and have nothing in their place, and positions in any encoding.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from dsh_ledger.hunk_parts import hunk_parts

MAX_LINES = 200
"""Lines on either side of a hunk above which no words are looked for."""

MAX_CHARACTERS = 2_000
"""Code points of a line above which no words are looked for in it."""

_PAIRED = 400
"""Possible pairs above which the lines are paired as they stand."""

_COMPARED = 10_000
"""Pairs of words above which all between the equal ends counts as one."""

_ALIKE = 0.35
"""The part of two lines, by code points, that must be the same words for them to be a pair."""

_ASCII_TOKEN = re.compile(r"[0-9A-Za-z_]+|\s+|.", re.DOTALL)
_JOINER = "\u200d"


class Words(NamedTuple):
    """Code points ``start`` to ``end`` (excluded, more than none) of one line of a hunk, 0-based."""

    line: int
    start: int
    end: int


def changed_words(base: Sequence[str], current: Sequence[str]) -> tuple[Words, ...]:
    """The words of the current lines that changed, in order; nothing where there is too much to compare."""
    if not base or not current or max(len(base), len(current)) > MAX_LINES:
        return ()
    return tuple(
        Words(new, start, end) for old, new in _pairs(base, current) for start, end in _changed(base[old], current[new])
    )


def _pairs(base: Sequence[str], current: Sequence[str]) -> Iterator[tuple[int, int]]:
    if len(base) == len(current) == 1:
        yield 0, 0
        return
    for part in hunk_parts(base, current, 0, 0):
        old, new = base[part.base_start : part.base_end], current[part.start : part.end]
        for one, other in _aligned(old, new):
            yield part.base_start + one, part.start + other


def _aligned(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs, in order, that have the most in common; where the counts are equal or large, line by line."""
    if len(old) == len(new) or not old or not new or len(old) * len(new) > _PAIRED:
        return list(zip(range(len(old)), range(len(new)), strict=False))
    ours, theirs = [_weights(line) for line in old], [_weights(line) for line in new]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for one in reversed(range(len(old))):
        for other in reversed(range(len(new))):
            alike = _alike(ours[one], theirs[other])
            paired = best[one + 1][other + 1] + (alike if alike >= _ALIKE else 0.0)
            best[one][other] = max(paired, best[one + 1][other], best[one][other + 1])
    pairs: list[tuple[int, int]] = []
    one = other = 0
    while one < len(old) and other < len(new):
        if best[one][other] == best[one + 1][other]:
            one += 1
        elif best[one][other] == best[one][other + 1]:
            other += 1
        else:
            pairs.append((one, other))
            one, other = one + 1, other + 1
    return pairs


def _changed(old: str, new: str) -> list[tuple[int, int]]:
    if old == new or max(len(old), len(new)) > MAX_CHARACTERS:
        return []
    ours, theirs = _tokens(old), _tokens(new)
    front = back = 0
    limit = min(len(ours), len(theirs))
    while front < limit and ours[front] == theirs[front]:
        front += 1
    while back < limit - front and ours[-1 - back] == theirs[-1 - back]:
        back += 1
    gone, there = ours[front : len(ours) - back], theirs[front : len(theirs) - back]
    ends = sum(len(token) for token in (*ours[:front], *ours[len(ours) - back :]) if not token.isspace())
    if 2 * ends < _ALIKE * (len(old) + len(new)) and _alike(_counted(ours), _counted(theirs)) < _ALIKE:
        return []
    starts = _starts(theirs)
    spans: list[tuple[int, int]] = []
    for low, high in _different(gone, there):
        start, end = starts[front + low], starts[front + high]
        if spans and new[spans[-1][1] : start].isspace():
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _different(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    if not old or not new or len(old) * len(new) > _COMPARED or min(len(old), len(new)) == 1:
        return [(0, len(new))] if new else []
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(low, high) for tag, _, _, low, high in codes if tag != "equal" and low < high]


def _tokens(line: str) -> list[str]:
    """Words, runs of white space, and every other character by itself."""
    if line.isascii():
        return _ASCII_TOKEN.findall(line)
    tokens: list[str] = []
    kind = ""
    for character in _characters(line):
        first = character[0]
        now = "word" if first.isalnum() or first == "_" else "space" if first.isspace() else ""
        if now and now == kind:
            tokens[-1] += character
        else:
            tokens.append(character)
        kind = now
    return tokens


def _characters(line: str) -> list[str]:
    """The text in pieces that people see as one character each, or smaller ones that begin with no combining mark."""
    pieces: list[str] = []
    for point in line:
        if pieces and (_combines(point) or pieces[-1][-1] == _JOINER or _second_letter_of_flag(pieces[-1], point)):
            pieces[-1] += point
        else:
            pieces.append(point)
    return pieces


def _combines(point: str) -> bool:
    return point == _JOINER or "\U0001f3fb" <= point <= "\U0001f3ff" or unicodedata.category(point)[0] == "M"


def _second_letter_of_flag(piece: str, point: str) -> bool:
    return len(piece) == 1 and _is_flag_letter(piece) and _is_flag_letter(point)


def _is_flag_letter(point: str) -> bool:
    return "\U0001f1e6" <= point <= "\U0001f1ff"


def _starts(tokens: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, tokens), initial=0))


def _weights(line: str) -> Counter[str]:
    return _counted(_tokens(line[:MAX_CHARACTERS]))


def _counted(tokens: Sequence[str]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for token in tokens:
        if not token.isspace():
            counted[token] += len(token)
    return counted


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """How much of two lines is the same words, from 0 to 1; white space counts for nothing."""
    whole = one.total() + other.total()
    if whole == 0:
        return 1.0
    common = sum(min(weight, other[token]) for token, weight in one.items() if token in other)
    return 2 * common / whole
