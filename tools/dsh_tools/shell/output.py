"""What a command printed, in bounded memory: its beginning and its end.

The bytes are kept as they came and decoded at the end, so that no character is cut in two. Of what is not kept, the
characters and the line ends are counted as they pass; in bytes that are not UTF-8, a character is whatever is no
continuation byte. Deliberately absent: any meaning of the bytes, such as colours.
"""

import codecs
from dataclasses import dataclass
from typing import Final

LIMIT: Final = 30_000
"""Characters that are shown at most, in all."""

_LONGEST: Final = 4
"""Bytes of the longest character in UTF-8."""

_CONTINUATION: Final = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class Shown:
    """An output, cut in the middle if it was too long.

    Attributes:
        head: Its beginning; all of it if nothing is left out.
        tail: Its end; empty if nothing is left out.
        total_bytes: How many bytes were printed in all.
        left_out: How many characters are in neither.
        left_out_lines: How many line ends are among them.
    """

    head: str
    tail: str
    total_bytes: int
    left_out: int = 0
    left_out_lines: int = 0


class BoundedOutput:
    """Collects an output piece by piece.

    Args:
        limit: Characters to show at most. Up to eight times as many bytes are held, and one piece.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._half = limit // 2
        self._keep = self._half * _LONGEST
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._dropped = 0
        self._dropped_lines = 0

    def add(self, data: bytes) -> None:
        """Take in the next bytes."""
        self._total += len(data)
        room = self._keep - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        excess = len(self._tail) - self._keep
        # Not at every byte: what is dropped at once is at least as much as is moved for it.
        if excess > self._keep:
            passed = self._tail[:excess]
            self._dropped += _characters(passed)
            self._dropped_lines += passed.count(b"\n")
            del self._tail[:excess]

    def shown(self) -> Shown:
        """What there is to show of all that was taken in."""
        if self._total <= len(self._head) + len(self._tail):
            whole = (self._head + self._tail).decode("utf-8", "replace")
            if len(whole) <= 2 * self._half:
                return Shown(whole, "", self._total)
            before, after, passed, passed_lines = whole[: self._half], whole[self._half :], 0, 0
        else:
            before, cut = _decoded_but_for_a_cut_character(self._head)
            after = self._tail[_first_character(self._tail) :].decode("utf-8", "replace")
            passed, passed_lines = self._dropped + cut, self._dropped_lines
        head = _cut_after_a_line(before[: self._half])
        tail = _cut_before_a_line(after, len(after) - self._half)
        return Shown(
            head,
            tail,
            self._total,
            left_out=len(before) - len(head) + passed + len(after) - len(tail),
            left_out_lines=before.count("\n", len(head)) + passed_lines + after.count("\n", 0, len(after) - len(tail)),
        )


def _characters(data: bytearray) -> int:
    return len(data.translate(None, _CONTINUATION))


def _decoded_but_for_a_cut_character(data: bytearray) -> tuple[str, int]:
    """The text, and the number of characters (0 or 1) that begin at its end and are not whole."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(bytes(data))
    return text, 1 if decoder.getstate()[0] else 0


def _first_character(data: bytearray) -> int:
    """Where the first character begins; what is before is the rest of one that was counted elsewhere."""
    start = data[: _LONGEST - 1]
    return len(start) - len(start.lstrip(_CONTINUATION))


def _cut_after_a_line(text: str) -> str:
    """The text up to its last line end, unless that would take away more than half of it."""
    end = text.rfind("\n") + 1
    return text[:end] if 2 * end >= len(text) else text


def _cut_before_a_line(text: str, at: int) -> str:
    """The text from the first line that begins at an offset or after it, unless that is over halfway to its end."""
    start = text.find("\n", max(at - 1, 0)) + 1
    return text[start:] if start and 2 * (start - at) <= len(text) - at else text[at:]
