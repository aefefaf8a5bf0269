"""Texts that sessions have seen, kept by version so that a change since then can be shown.

Bounded: the least recently used go first. Losing one costs an explanation, never a guard.
"""

from collections import OrderedDict

from dsh_ledger.versions import Version

DEFAULT_LIMIT = 64 * 2**20
"""Characters kept in all."""


class Snapshots:
    """Logical texts by version.

    Args:
        limit: Characters kept in all. A text larger than that is not kept.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._size = 0
        self._texts: OrderedDict[Version, str] = OrderedDict()

    def keep(self, version: Version, text: str) -> None:
        """Remember a text under its version."""
        if version in self._texts:
            self._texts.move_to_end(version)
            return
        if len(text) > self._limit:
            return
        self._texts[version] = text
        self._size += len(text)
        while self._size > self._limit:
            _, dropped = self._texts.popitem(last=False)
            self._size -= len(dropped)

    def get(self, version: Version) -> str | None:
        """The text of that version, if it is still kept."""
        text = self._texts.get(version)
        if text is not None:
            self._texts.move_to_end(version)
        return text
