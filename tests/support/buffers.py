"""One open document of the fake editor: its text, its versions, its undo steps and what the server was told of it.

Deliberately absent: messages. A buffer records changes; whether and when the server hears of them is the editor's way
of sending (see `sending`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from tests.support.naive_text import Encoding, Span, content_changes, difference, replaced

Author: TypeAlias = Literal["user", "agent", "disk", "formatter"]

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Told:
    """A text that the server was sent, and the version that it had."""

    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A change that the server is to hear of.

    Attributes:
        version: The version after it.
        events: LSP's change events, each on the text that the one before has left.
        text: The text after it.
    """

    version: int
    events: list[dict[str, Any]]
    text: str


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What one step of undo takes back."""

    author: Author
    before: str


@dataclass(slots=True, eq=False)
class Buffer:
    """An open document.

    Attributes:
        uri: As the editor spells it.
        text: The text now, without the file's byte order mark.
        version: The version now; the server may know an older one.
        ticks: The version that the next change gives.
        encoding: What a ``character`` counts.
        codec: Encoding of the file.
        bom: The file begins with a byte order mark.
        saved_text: The text as it was read or saved last; None if there is no file yet.
        disk: The file's bytes as they were read or saved last; None if there is no file yet.
        typed: It holds typing that was not saved.
        told: Every text that the server was sent in this and earlier openings of the document, in order.
        undo_steps: The last one is taken back first.
    """

    uri: str
    text: str
    version: int
    ticks: int
    language_id: str
    encoding: Encoding
    codec: str = "utf-8"
    bom: bool = False
    saved_text: str | None = None
    disk: bytes | None = None
    typed: bool = False
    told: list[Told] = field(default_factory=list)
    undo_steps: list[UndoStep] = field(default_factory=list)

    @property
    def path(self) -> Path | None:
        """The file; None for a document that is no file."""
        return path_of(self.uri)

    @property
    def is_dirty(self) -> bool:
        """The text is not the saved one."""
        return self.text != self.saved_text

    @property
    def last_told(self) -> str:
        """The text as the server knows it."""
        return self.told[-1].text

    def change(self, spans: Sequence[Span], author: Author) -> Change:
        """Replace disjoint spans, given in order, as one change of one author."""
        events = content_changes(self.text, spans, self.encoding)
        return self._changed(replaced(self.text, spans), events, author)

    def become(self, text: str, author: Author) -> Change:
        """Take another text, as one change of one author."""
        events = content_changes(self.text, [difference(self.text, text)], self.encoding)
        return self._changed(text, events, author)

    def undo(self) -> Change:
        """Take the last step back, which is the user's doing, whoever made the step."""
        step = self.undo_steps.pop()
        change = self.become(step.before, "user")
        self.undo_steps.pop()
        return change

    def read(self, data: bytes) -> str:
        """The text of the file's bytes, which become what the disk is known to hold."""
        text = data.decode(self.codec)
        self.bom = text.startswith(BOM)
        self.disk = data
        self.saved_text = text.removeprefix(BOM)
        self.typed = False
        return self.saved_text

    def bytes_to_save(self, text: str) -> bytes:
        """The file's bytes for a text."""
        return ((BOM if self.bom else "") + text).encode(self.codec)

    def saved(self, data: bytes) -> None:
        """The bytes are on disk and stand for the present text."""
        self.disk, self.saved_text, self.typed = data, self.text, False

    def _changed(self, text: str, events: list[dict[str, Any]], author: Author) -> Change:
        self.undo_steps.append(UndoStep(author, self.text))
        self.text = text
        self.version, self.ticks = self.ticks, self.ticks + 1
        self.typed = self.is_dirty and (self.typed or author == "user")
        return Change(self.version, events, text)


def uri_of(place: str | Path) -> str:
    """The URI of a path; a URI stays as it is spelled."""
    return place.as_uri() if isinstance(place, Path) else place


def path_of(uri: str) -> Path | None:
    """The path of a ``file:`` URI, else None."""
    parts = urlsplit(uri)
    return Path(unquote(parts.path, errors="surrogateescape")) if parts.scheme == "file" else None
