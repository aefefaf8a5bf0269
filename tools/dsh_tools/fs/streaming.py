r"""A text in pieces, for files that are too large to hold.

Held here: decoding across piece boundaries, with the same folding as a whole read: the byte order mark set aside,
``\r\n`` as ``\n``. Deliberately absent: a version; it is known only at the end of the text. Blocking, for an executor.
"""

import codecs
import os
from threading import Lock

from dsh_ledger.errors import FsNotFound, FsNotText
from dsh_ledger.targets import Target
from dsh_ledger.versions import BOM
from dsh_tools.fs.encoding import UTF8
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.places import open_place

PIECE = 1 << 20
"""Bytes per piece."""


class TextStream:
    """An open text file. Close it.

    Args:
        workspace: Where the target lies.
        target: What to read.

    Raises:
        FsNotFound, FsNotRegularFile, FsPermissionDenied, FsIoError: As their names say.
    """

    def __init__(self, workspace: Workspace, target: Target) -> None:
        self._path = target.path
        self._decoder = codecs.getincrementaldecoder(UTF8)()
        self._bytes = 0
        self._at_start = True
        self._held = ""
        self._lock = Lock()
        self._closed = False
        with translated(target.path), open_place(workspace.locate(target), target.path) as place:
            if place is None or place.regular() is None:
                raise FsNotFound(target.path)
            self._fd = place.open(os.O_RDONLY)

    def next_piece(self) -> str | None:
        r"""The next piece of the logical text, possibly empty, or None after the last.

        Raises:
            FsNotText: The bytes stop being UTF-8.
            FsIoError: Reading failed.
        """
        # A cancelled reader closes while a thread may still be here: by then the number can be another file's.
        with self._lock, translated(self._path):
            if self._closed:
                return None
            data = os.read(self._fd, PIECE)
        text = self._decode(data)
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix(BOM)
        text = self._held + text
        if not data and not text:
            return None
        # A pair of \r and \n may be cut in two: a last \r waits for what follows it.
        self._held = "\r" if data and text.endswith("\r") else ""
        return text.removesuffix(self._held).replace("\r\n", "\n")

    def close(self) -> None:
        """Give the descriptor back."""
        with self._lock:
            self._closed = True
            os.close(self._fd)

    def _decode(self, data: bytes) -> str:
        start = self._bytes - len(self._decoder.getstate()[0])
        self._bytes += len(data)
        try:
            return self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            reason = f"the byte at offset {start + error.start} does not decode"
            raise FsNotText(self._path, UTF8, reason) from None
