"""The last large contents that were read or written, to be known again by their bytes.

An agent that edits a large file again finds the bytes that it left. To see that they are the same takes half a
millisecond for 5 MB; to decode and digest them takes four. Nothing is taken on trust: not names, sizes or times.
Deliberately absent: anything that is not a function of the bytes and of the encoding that is declared for them.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from dsh_tools.fs.encoding import TextContent
from dsh_tools.fs.file_style import StyleOf, no_style

SMALLEST: Final = 1 << 17
"""Bytes below which a digest costs less than looking for it."""

LIMIT: Final = 32 * 2**20
"""Bytes kept in all."""


class RecentContents:
    """Contents by their bytes. May be used from several threads.

    Args:
        limit: Bytes kept in all; a larger content is not kept.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lock = Lock()
        self._size = 0
        self._contents: OrderedDict[str, TextContent] = OrderedDict()

    def find(self, data: bytes, style: StyleOf = no_style) -> TextContent | None:
        """The content of exactly these bytes, if it is kept.

        Args:
            data: The bytes.
            style: What is asked of their file; only called where the bytes don't say what they are.
        """
        if len(data) < SMALLEST:
            return None
        with self._lock:
            kept = list(self._contents.values())
        for content in reversed(kept):
            if content.data == data and (not content.decoded.is_declared or content.decoded.encoding == style().codec):
                return content
        return None

    def keep(self, content: TextContent) -> None:
        """Keep a content as the latest; the oldest go when there are too many bytes."""
        size = len(content.data)
        if not SMALLEST <= size <= self._limit:
            return
        with self._lock:
            if content.version in self._contents:
                self._size -= len(self._contents.pop(content.version).data)
            self._contents[content.version] = content
            self._size += size
            while self._size > self._limit:
                _, dropped = self._contents.popitem(last=False)
                self._size -= len(dropped.data)
