"""When an editor tells the server that a buffer has changed: the ways of ``didChange``.

The editor hands every change to its way of sending, and asks it to catch up (`Sending.flush`) before it sends any other
message of its own; answers to the server's requests are not such messages. Deliberately absent: what the changes are.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from tests.support.buffers import Buffer, Change, Told
from tests.support.naive_text import content_changes, difference

Notify = Callable[[str, dict[str, Any]], None]


class Sending(Protocol):
    """A way of sending."""

    def changed(self, buffer: Buffer, change: Change, notify: Notify) -> None:
        """A buffer has changed."""

    def flush(self, buffer: Buffer, notify: Notify) -> None:
        """The editor is about to send something else: catch up, if this way does it then."""

    def finish(self, buffer: Buffer, notify: Notify) -> None:
        """The test is over: the server is to know all of a buffer now, whatever was held on purpose."""

    def forget(self, buffer: Buffer) -> None:
        """The buffer is closed: what was not sent never will be."""


class AtOnce:
    """Each change is sent the moment it is made."""

    def changed(self, buffer: Buffer, change: Change, notify: Notify) -> None:
        """Send it."""
        tell(buffer, change, notify)

    def flush(self, buffer: Buffer, notify: Notify) -> None:
        """Nothing is ever held back."""

    finish = flush

    def forget(self, buffer: Buffer) -> None:
        """Nothing is ever held back."""


class NextTurn:
    """Each change is sent by itself, on the next turn of the loop: an answer written in this turn goes before it.

    VS Code's answer to ``workspace/applyEdit`` came 1 to 4 ms before the ``didChange`` of that edit, always.
    """

    def __init__(self) -> None:
        self._held: list[tuple[Buffer, Change]] = []

    def changed(self, buffer: Buffer, change: Change, notify: Notify) -> None:
        """Send it on the next turn."""
        self._held.append((buffer, change))
        asyncio.get_running_loop().call_soon(self.flush, buffer, notify)

    def flush(self, buffer: Buffer, notify: Notify) -> None:
        """Send what is held of a buffer."""
        held, self._held = self._held, [each for each in self._held if each[0] is not buffer]
        for each, change in held:
            if each is buffer:
                tell(buffer, change, notify)

    finish = flush

    def forget(self, buffer: Buffer) -> None:
        """Drop what is held."""
        self._held = [each for each in self._held if each[0] is not buffer]


class DelayedChange:
    """Changes are held until the test releases them, whatever else is sent: the server's copy is old meanwhile."""

    def __init__(self) -> None:
        self._held: list[tuple[Buffer, Change, Notify]] = []

    def changed(self, buffer: Buffer, change: Change, notify: Notify) -> None:
        """Hold it."""
        self._held.append((buffer, change, notify))

    def flush(self, buffer: Buffer, notify: Notify) -> None:
        """Hold on."""

    def finish(self, buffer: Buffer, notify: Notify) -> None:
        """Send what is held of all buffers."""
        self.release()

    def forget(self, buffer: Buffer) -> None:
        """Drop what is held."""
        self._held = [each for each in self._held if each[0] is not buffer]

    def release(self) -> None:
        """Send what is held, change by change; later changes are held again."""
        held, self._held = self._held, []
        for buffer, change, notify in held:
            tell(buffer, change, notify)


class Coalesced:
    """What changed since the last ``didChange`` is sent as one range, computed from the two texts: stock Neovim.

    Typing and an agent's edit can be in one message. Any message of the editor's own sends it first, and so does time:
    the first message of a buffer goes when it was left alone for the delay, the others at most once in a delay.

    Args:
        delay: Seconds (Neovim's ``debounce_text_changes`` is 150 ms); 0 sends at once, None only with other messages.
    """

    def __init__(self, delay: float | None = 0.15) -> None:
        self._delay = delay
        self._timers: dict[Buffer, asyncio.TimerHandle] = {}
        self._sent_at: dict[Buffer, float] = {}
        self._pending: set[Buffer] = set()

    def changed(self, buffer: Buffer, change: Change, notify: Notify) -> None:
        """Send now if the last message is long ago, else later."""
        self._pending.add(buffer)
        if self._delay is None:
            return
        loop = asyncio.get_running_loop()
        sent_at = self._sent_at.get(buffer)
        if self._delay == 0 or (sent_at is not None and loop.time() - sent_at > self._delay):
            self.flush(buffer, notify)
        elif sent_at is None:
            self._cancel(buffer)
            self._timers[buffer] = loop.call_later(self._delay, self.flush, buffer, notify)
        elif buffer not in self._timers:
            self._timers[buffer] = loop.call_at(sent_at + self._delay, self.flush, buffer, notify)

    def flush(self, buffer: Buffer, notify: Notify) -> None:
        """Send what the server does not know yet."""
        self._cancel(buffer)
        if buffer not in self._pending:
            return
        self._pending.discard(buffer)
        self._sent_at[buffer] = asyncio.get_running_loop().time()
        events = content_changes(buffer.last_told, [difference(buffer.last_told, buffer.text)], buffer.encoding)
        tell(buffer, Change(buffer.version, events, buffer.text), notify)

    finish = flush

    def forget(self, buffer: Buffer) -> None:
        """Drop what was not sent."""
        self._cancel(buffer)
        self._pending.discard(buffer)
        self._sent_at.pop(buffer, None)

    def _cancel(self, buffer: Buffer) -> None:
        timer = self._timers.pop(buffer, None)
        if timer is not None:
            timer.cancel()


def tell(buffer: Buffer, change: Change, notify: Notify) -> None:
    """Send one change."""
    buffer.told.append(Told(change.version, change.text))
    document = {"uri": buffer.uri, "version": change.version}
    notify("textDocument/didChange", {"textDocument": document, "contentChanges": change.events})
