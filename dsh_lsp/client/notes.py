"""What a client is told without having asked: notes, in order, and the progress of calls.

Deliberately absent: the connection that they come by.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from dsh_lsp.wire import DecidedNote, DriftNote, ToolCallNote, ToolResultNote


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The connection had ended and was made again: notes from between the two are lost."""


Note: TypeAlias = DriftNote | DecidedNote | ToolCallNote | ToolResultNote | Reconnected
"""What a client is told."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is (LSP 3.17, "Work Done Progress").

    Attributes:
        kind: The first, one in between, or the last of a call.
        title: What goes on; only in the first.
        message: More of it, in a few words.
        percentage: From 0 to 100, where that can be said.
    """

    kind: Literal["begin", "report", "end"]
    title: str | None = None
    message: str | None = None
    percentage: int | None = None


OnProgress: TypeAlias = Callable[[Progress], None]
"""Told how far a call is."""

_NOTES: Final[dict[str, type[DriftNote | DecidedNote | ToolCallNote | ToolResultNote]]] = {
    "dsh/drift": DriftNote,
    "dsh/decided": DecidedNote,
    "dsh/toolCall": ToolCallNote,
    "dsh/toolResult": ToolResultNote,
}
_PROGRESS: Final = "$/progress"

HEARD: Final = (*_NOTES, _PROGRESS)
"""The methods of all that is heard."""

_KEPT: Final = 1000
"""Notes that wait to be read; of more, the oldest go."""


class Notes:
    """What was told and not read yet.

    Attributes:
        more: Set when there is something to read.
    """

    def __init__(self) -> None:
        self.more = asyncio.Event()
        self._waiting: deque[Note] = deque(maxlen=_KEPT)
        self._progress: dict[str, OnProgress] = {}

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take in a notification."""
        if method == _PROGRESS:
            self._report(params)
        else:
            self.add(_NOTES[method].model_validate(params))

    def add(self, note: Note) -> None:
        """Take in a note."""
        self._waiting.append(note)
        self.more.set()

    def take(self) -> list[Note]:
        """All that waits, the oldest first; it waits no more."""
        taken = list(self._waiting)
        self._waiting.clear()
        self.more.clear()
        return taken

    def follow(self, token: str, told: OnProgress) -> None:
        """From now on, tell of what has this token."""
        self._progress[token] = told

    def unfollow(self, token: str) -> None:
        """Tell no more of it."""
        self._progress.pop(token, None)

    def _report(self, params: dict[str, Any]) -> None:
        token, value = params.get("token"), params.get("value")
        told = self._progress.get(token) if isinstance(token, str) else None
        if told is not None and isinstance(value, dict) and value.get("kind") in ("begin", "report", "end"):
            told(Progress(value["kind"], *(value.get(name) for name in ("title", "message", "percentage"))))
