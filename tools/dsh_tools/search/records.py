"""Output that comes in pieces, put together to records, none of which may be larger than a limit."""

from collections.abc import Iterator

HEAD = 1 << 13
"""Bytes that are kept of a record that is over the limit: enough for a path and for what stands before it."""


class Records:
    """Records that end with a separator.

    Args:
        separator: One byte.
        limit: Bytes that a record may have.
    """

    def __init__(self, separator: bytes, limit: int) -> None:
        self._separator = separator
        self._limit = limit
        self._begun: list[bytes] = []
        self._size = 0

    def split(self, piece: bytes) -> Iterator[tuple[bytes, bool]]:
        """The records that end in this piece, without separators, and whether each is whole; else it is its head."""
        *ends, rest = piece.split(self._separator)
        for end in ends:
            self._add(end)
            whole = self._size <= self._limit
            yield b"".join(self._begun), whole
            self._begun, self._size = [], 0
        if rest:
            self._add(rest)

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        self._begun.append(part)
        if self._size > self._limit:
            self._begun = [b"".join(self._begun)[:HEAD]]
