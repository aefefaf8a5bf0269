"""The desk of the fake editor: its open documents, and what a person does with them.

Every action happens at once and is a plain method. Where kinds of editor differ, the method is there to be overridden.
Deliberately absent: the connection. `Desk.tell` is where messages go.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from tests.support.buffers import Author, Buffer, Change, Told, path_of, uri_of
from tests.support.naive_text import Encoding, Position, Span, offset_of
from tests.support.profile import PLAIN, Profile
from tests.support.sending import AtOnce, Sending

_KEY = re.compile("\r\n|.", re.DOTALL)


class Desk(ABC):
    """Open documents.

    Args:
        sending: When changes are sent.
        formatter: What a save does to the text first; returns the new text.

    Attributes:
        buffers: The open documents by URI.
        told: Every text that the server was sent, by URI, also of documents that are closed again.
        encoding: The negotiated position encoding.
    """

    profile: ClassVar[Profile] = PLAIN
    types_by_keystroke: ClassVar[bool] = False

    def __init__(self, sending: Sending | None, formatter: Callable[[str], str] | None) -> None:
        self.sending = sending or self.usual_sending()
        self.formatter = formatter
        self.buffers: dict[str, Buffer] = {}
        self.told: dict[str, list[Told]] = {}
        self.encoding: Encoding = "utf-16"

    @abstractmethod
    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification as it is."""

    @abstractmethod
    def happened(self) -> None:
        """Something is not as it was: have those who wait look again."""

    # ------------------------------------------------------------------ what kinds of editor differ in

    def usual_sending(self) -> Sending:
        """When this kind of editor sends changes."""
        return AtOnce()

    def loaded(self, text: str) -> str:
        """The text of a buffer for the text of a file."""
        return text

    def to_write(self, buffer: Buffer) -> str:
        """The text of the file for a buffer."""
        return buffer.text

    def reloaded(self, buffer: Buffer, text: str) -> None:
        """Take the text that was read again, and tell the server."""
        if text != buffer.text:
            self.changed(buffer, buffer.become(text, "disk"))

    # ------------------------------------------------------------------ what a person does

    def open(
        self,
        place: str | Path,
        text: str | None = None,
        *,
        version: int | None = None,
        language_id: str = "plaintext",
        codec: str = "utf-8",
    ) -> str:
        """Open a document and tell the server.

        Args:
            place: A path, or a URI in the spelling to be used.
            text: The buffer's text; without it, the file's, its line ends as they are.
            version: Its first version; without it, the one that this kind of editor begins with.
            language_id: Its language identifier.
            codec: The file's encoding.

        Returns:
            Its URI, for the other methods.
        """
        uri = uri_of(place)
        if uri in self.buffers:
            raise AssertionError(f"{uri} is open already")
        first = self.profile.first_version if version is None else version
        ticks = self.profile.first_change if version is None else version + 1
        told = self.told.setdefault(uri, [])
        buffer = Buffer(uri, "", first, ticks, language_id, self.encoding, codec=codec, told=told)
        path = path_of(uri)
        on_disk = "" if path is None or not path.is_file() else buffer.read(path.read_bytes())
        buffer.saved_text = self.loaded(on_disk)
        buffer.text = buffer.saved_text if text is None else text
        self.buffers[uri] = buffer
        self.did_open(buffer)
        return uri

    def type(self, place: str | Path, old: str, new: str, occurrence: int = 0) -> None:
        """Select an occurrence (0 is the first) of ``old`` and type ``new`` over it, key by key where editors do so."""
        buffer = self.buffer(place)
        start = -1
        for _ in range(occurrence + 1):
            start = buffer.text.find(old, start + 1)
            if start < 0:
                raise AssertionError(f"{old!r} is not there {occurrence + 1} times: {buffer.text!r}")
        keys = _KEY.findall(new) if self.types_by_keystroke else [new]
        steps = len(buffer.undo_steps)
        end = start + len(old)
        for key in keys or [""]:
            self.changed(buffer, buffer.change([Span(start, end, key)], "user"))
            start = end = start + len(key)
        del buffer.undo_steps[steps + 1 :]  # one undo takes back what was typed in one go

    def insert(self, place: str | Path, at: int | Position, text: str) -> None:
        """Insert a text, as one change, at an offset (code points) or an LSP position."""
        offset = at if isinstance(at, int) else offset_of(self.text(place), at, self.encoding)
        self.replace(place, offset, offset, text)

    def replace(self, place: str | Path, start: int, end: int, text: str) -> None:
        """Replace what stands between two offsets (code points), as one change."""
        buffer = self.buffer(place)
        self.changed(buffer, buffer.change([Span(start, end, text)], "user"))

    def undo(self, place: str | Path) -> Author:
        """Take the last change back, as one change: an agent's edit, or what was typed in one go.

        Returns:
            Whose change it was.
        """
        buffer = self.buffer(place)
        if not buffer.undo_steps:
            raise AssertionError(f"there is nothing to undo in {buffer.uri}")
        author = buffer.undo_steps[-1].author
        self.changed(buffer, buffer.undo())
        return author

    def save(self, place: str | Path, *, force: bool = False) -> bool:
        """Format, write to the disk and send ``didSave``.

        Returns:
            Whether it was written; not over a file that another program has changed, without ``force``.
        """
        buffer = self.buffer(place)
        path = buffer.path
        if path is None:
            raise AssertionError(f"{buffer.uri} is no file")
        if not force and (path.read_bytes() if path.is_file() else None) != buffer.disk:
            return False
        if self.formatter is not None:
            formatted = self.formatter(buffer.text)
            if formatted != buffer.text:
                self.changed(buffer, buffer.become(formatted, "formatter"))
        self.flush()
        data = buffer.bytes_to_save(self.to_write(buffer))
        path.write_bytes(data)
        buffer.saved(data)
        self.flush()
        self.tell("textDocument/didSave", {"textDocument": {"uri": buffer.uri}})
        return True

    def reload(self, place: str | Path) -> bool:
        """Read the file again, as editors do by themselves for a document without unsaved changes.

        Returns:
            Whether it was read: not if there is something unsaved, and not if the file is gone.
        """
        buffer = self.buffer(place)
        if buffer.is_dirty or buffer.path is None or not buffer.path.is_file():
            return False
        text = buffer.saved_text = self.loaded(buffer.read(buffer.path.read_bytes()))
        self.reloaded(buffer, text)
        return True

    def close(self, place: str | Path) -> None:
        """Close a document, whatever is unsaved in it."""
        buffer = self.buffer(place)
        self.flush()
        self.tell("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
        self.sending.forget(buffer)
        del self.buffers[buffer.uri]

    # ------------------------------------------------------------------ what can be seen

    def buffer(self, place: str | Path) -> Buffer:
        """An open document."""
        uri = uri_of(place)
        if uri not in self.buffers:
            raise AssertionError(f"{uri} is not open")
        return self.buffers[uri]

    def text(self, place: str | Path) -> str:
        """The text of an open document."""
        return self.buffer(place).text

    def version(self, place: str | Path) -> int:
        """The version of an open document."""
        return self.buffer(place).version

    def is_dirty(self, place: str | Path) -> bool:
        """Whether an open document has something unsaved."""
        return self.buffer(place).is_dirty

    # ------------------------------------------------------------------ for the ways of applying and of sending

    def changed(self, buffer: Buffer, change: Change) -> None:
        """Have the server told of a change, in this editor's way."""
        self.sending.changed(buffer, change, self.tell)
        self.happened()

    def flush(self) -> None:
        """Send what is held back, if this editor's way of sending does it now."""
        for buffer in list(self.buffers.values()):
            self.sending.flush(buffer, self.tell)

    def open_in_background(self, uri: str, *, create: bool = False) -> Buffer | None:
        """Open a file because the server edits it; None if there is none and it is not to be made up."""
        path = path_of(uri)
        if path is None or not (path.is_file() or create):
            return None
        self.open(uri)
        return self.buffers[uri]

    def did_open(self, buffer: Buffer) -> None:
        """Tell the server of a document that it doesn't know."""
        self.flush()
        buffer.told.append(Told(buffer.version, buffer.text))
        named = {"uri": buffer.uri, "languageId": buffer.language_id}
        self.tell("textDocument/didOpen", {"textDocument": {**named, "version": buffer.version, "text": buffer.text}})
