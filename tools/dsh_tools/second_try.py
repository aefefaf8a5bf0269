r"""The second try, for sessions that ask for it: where a string occurs but for the typography of it.

Taken as equal, on both sides: typographic and plain quotes, dashes and hyphens, no-break and plain spaces (`TABLE`),
and the composed and decomposed forms of a character (Unicode's canonical equivalence). Nothing else: no case, no amount
of whitespace, no invisible characters, no line ends. Only whole characters match: never a letter without the accent
that follows it.

Places are found and differences told; deliberately absent: replacing, and any say in whether there is a second try.
Time is linear in the text: offsets are mapped back by counting how much longer a piece gets when it is decomposed.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

TABLE = {"'": "‘’‚‛", '"': "“”„‟", "-": "‐‑‒–—―−", " ": "\u00a0\u2007\u202f"}
"""The plain character for its typographic ones."""

_PLAIN = [(other, plain) for plain, others in TABLE.items() for other in others]
_TOLD = 10


@dataclass(frozen=True, slots=True)
class Difference:
    """A character as the file has it, and as it was given; each with the marks that combine with it."""

    there: str
    given: str

    def __str__(self) -> str:
        return f"the file has {_named(self.there)} where old_string has {_named(self.given)}"


class Alike:
    """The places of a text that are alike to a string which does not occur in it exactly.

    Args:
        text: A logical text.
        wanted: What is looked for; not empty.
    """

    def __init__(self, text: str, wanted: str) -> None:
        self._text = text
        self._wanted = wanted
        plain, self._sought = _plain(text), _plain(wanted)
        # Nothing decomposes to plain ASCII but with a mark behind it, which is no match.
        self._apart = plain if self._sought.isascii() else unicodedata.normalize("NFD", plain)
        if not self._sought.isascii():
            self._sought = unicodedata.normalize("NFD", self._sought)

    def apart(self) -> Iterator[tuple[int, int]]:
        """The places, from left to right, none overlapping another, as start and end in the text."""
        return self._places(len(self._sought))

    def all(self) -> Iterator[tuple[int, int]]:
        """The places, those included that overlap."""
        return self._places(1)

    @property
    def searched(self) -> tuple[str, str]:
        """The text and the string that are compared. What occurs here is a place, unless marks follow that it lacks."""
        return self._apart, self._sought

    def differences(self, start: int, end: int) -> Iterator[Difference]:
        """What is different at a place, in order."""
        for there, given in zip(_characters(self._text[start:end]), _characters(self._wanted), strict=False):
            if there != given:
                yield Difference(there, given)

    def _places(self, step: int) -> Iterator[tuple[int, int]]:
        starts, ends = _Origins(self._text, self._apart), _Origins(self._text, self._apart)
        at = self._apart.find(self._sought)
        while at >= 0:
            behind = at + len(self._sought)
            start, end = starts.of(at), ends.of(behind)
            whole = not _continues(self._apart[at]) and not _continues(self._apart[behind : behind + 1])
            if whole and start is not None and end is not None:
                yield start, end
                at = self._apart.find(self._sought, at + step)
            else:
                at = self._apart.find(self._sought, at + 1)


class _Origins:
    """Where offsets of the decomposed text are in the text, asked in ascending order."""

    def __init__(self, text: str, apart: str) -> None:
        self._text = text
        self._same = len(text) == len(apart)
        self._at = self._passed = 0

    def of(self, offset: int) -> int | None:
        """None for an offset within what was one character."""
        if self._same:
            return offset
        # A character never gets shorter, so that no more of them than this lie before the offset.
        step = ahead = offset - self._passed
        while step:
            size = len(unicodedata.normalize("NFD", self._text[self._at : self._at + step]))
            if size <= ahead:
                self._at, self._passed, ahead = self._at + step, self._passed + size, ahead - size
                step = min(step, ahead)
            else:
                step //= 2
        return None if ahead else self._at


def _plain(text: str) -> str:
    """The text with plain characters; its length stays."""
    if text.isascii():
        return text
    for other, plain in _PLAIN:
        text = text.replace(other, plain)
    return text


def _characters(text: str) -> Iterator[str]:
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _continues(text[at]):
            yield text[start:at]
            start = at


def _continues(char: str) -> bool:
    """Whether a character belongs to the one before it: a combining mark, or the middle or end of a Hangul syllable."""
    return bool(char) and (unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff")


def _named(chars: str) -> str:
    return " + ".join(f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip() for char in chars[:_TOLD])
