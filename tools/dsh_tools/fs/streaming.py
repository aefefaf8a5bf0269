r"""A text in pieces, for files that are too large to hold.

Held here: decoding across piece boundaries, with the same encoding and the same folding as a whole read: the byte order
mark set aside, ``\r\n`` as ``\n``. Deliberately absent: a version; it is known only at the end of the text. Blocking,
for an executor.
"""

import codecs
import os
from threading import Lock

from dsh_ledger.errors import FsNotFound, FsNotText
from dsh_ledger.targets import Target
from dsh_ledger.versions import BOM
from dsh_tools.fs.charsets import MARKS, UTF8, WIDE
from dsh_tools.fs.file_style import StyleOf, no_style
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.places import open_place
from dsh_tools.fs.text_faults import Fault, is_dense, text_in

PIECE = 1 << 20
"""Bytes per piece."""


class TextStream:
    """An open text file. Close it.

    Args:
        workspace: Where the target lies.
        target: What to read.
        style: What is asked of the file.

    Raises:
        FsNotFound, FsNotRegularFile, FsPermissionDenied, FsIoError: As their names say.
    """

    def __init__(self, workspace: Workspace, target: Target, style: StyleOf = no_style) -> None:
        self._path = target.path
        self._style = style
        self._codec: str | None = None
        self._undecoded = b""
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
            FsNotText: The bytes stop being text in the file's encoding.
            FsIoError: Reading failed.
        """
        # A cancelled reader closes while a thread may still be here: by then the number can be another file's.
        with self._lock, translated(self._path):
            if self._closed:
                return None
            data = os.read(self._fd, PIECE)
            if self._codec is None:
                self._codec = self._encoding(data)
        text = self._decode(data, self._codec)
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

    def _encoding(self, first: bytes) -> str:
        """The encoding, by the rules of `encoding.decode`, from the first piece; what is declared needs a closer look.

        UTF-8 goes before what is declared, and whether the file is UTF-8 only its end can tell. Where nothing is
        declared, as almost everywhere, there is nothing to find out.
        """
        marked = next((codec for mark, codec in MARKS if first.startswith(mark)), None)
        if marked is not None:
            return marked
        codec = self._style().codec
        if codec is None or codec == UTF8:
            return UTF8
        if codec in WIDE and is_dense(first.decode("latin-1")):
            return codec
        return UTF8 if self._is_utf8() else codec

    def _is_utf8(self) -> bool:
        decoder, at = codecs.getincrementaldecoder(UTF8)(), 0
        try:
            while data := os.pread(self._fd, PIECE, at):
                decoder.decode(data)
                at += len(data)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
        return True

    def _decode(self, data: bytes, codec: str) -> str:
        """The text of the bytes that were left over and of more; what is cut off at the end is left over again."""
        decoder = codecs.getincrementaldecoder(codec)()
        whole = self._undecoded + data
        try:
            decoder.decode(whole, final=not data)
        except UnicodeDecodeError:
            pass  # It is found again, and said better.
        else:
            self._undecoded = decoder.getstate()[0]
            whole = whole[: len(whole) - len(self._undecoded)]
        text = text_in(whole, codec, self._bytes)
        if isinstance(text, Fault):
            raise FsNotText(self._path, codec, text.reason)
        self._bytes += len(whole)
        return text
