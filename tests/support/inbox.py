"""What a peer has received, and how a test waits for more: the three verdicts.

A wait ends as *met* (it returns), as *unmet* (`Unmet`: the time is over, and what came instead is told) or as *can't be
met any more* (`NeverMet`: the other side is gone, which is told at once). Deliberately absent: sleeping, and polling:
a condition is looked at again when something has happened.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

_SHOWN = 400


class Unmet(AssertionError):
    """What was waited for did not happen in time."""


class NeverMet(AssertionError):
    """What was waited for can't happen any more: the other side is gone."""


@dataclass(slots=True, eq=False)
class Message:
    """A notification or a request that came.

    Attributes:
        method: Its method.
        params: Its params as they came.
        must_read: It is an error if no test takes it.
        taken: A test has taken it.
    """

    method: str
    params: Any
    must_read: bool = True
    taken: bool = False

    def __str__(self) -> str:
        """The method and the beginning of the params."""
        params = repr(self.params)
        return f"{self.method} {params if len(params) <= _SHOWN else params[:_SHOWN] + '…'}"


class Inbox:
    """Every message that came, in order, and the waits for those to come.

    Args:
        owner: Who receives, for the messages of failed waits.

    Attributes:
        messages: All of them, taken or not.
        gone: Why nothing will come any more; None as long as something may.
    """

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.messages: list[Message] = []
        self.gone: str | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def add(self, method: str, params: Any, *, must_read: bool = True) -> Message:
        """Record a message."""
        message = Message(method, params, must_read)
        self.messages.append(message)
        self.happened()
        return message

    def close(self, reason: str) -> None:
        """Let every wait that is not met by now end as `NeverMet`. The first reason stays."""
        if self.gone is None:
            self.gone = reason
        self.happened()

    def happened(self) -> None:
        """Have every wait look again."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def all(self, method: str) -> list[Any]:
        """The params of every message of a method so far; it doesn't count as taking them."""
        return [message.params for message in self.messages if message.method == method]

    def take(self, method: str, where: Callable[[Any], bool] | None = None) -> list[Any]:
        """Take every message of a method that came and was not taken (and that ``where`` accepts): their params."""
        found = list(self._takeable(method, where))
        for message in found:
            message.taken = True
        return [message.params for message in found]

    def unread(self, ignore: Collection[str] = ()) -> list[Message]:
        """What a test should have taken and did not, apart from the methods to ignore."""
        return [m for m in self.messages if m.must_read and not m.taken and m.method not in ignore]

    async def next(self, method: str, within: float = 5.0, where: Callable[[Any], bool] | None = None) -> Any:
        """Take the first message of a method that was not taken (and that ``where`` accepts); wait for it if need be.

        Messages that ``where`` does not accept stay where they are.

        Returns:
            Its params.

        Raises:
            Unmet: There was none in time (seconds).
            NeverMet: There is none, and the other side is gone.
        """
        what = method if where is None else f"a certain {method}"
        await self.until(lambda: next(self._takeable(method, where), None) is not None, within, what)
        message = next(self._takeable(method, where))
        message.taken = True
        return message.params

    async def until(self, condition: Callable[[], bool], within: float = 5.0, what: str = "a condition") -> None:
        """Wait until a condition holds; it is looked at after everything that happens.

        Raises:
            Unmet: It didn't hold in time (seconds).
            NeverMet: It doesn't hold, and the other side is gone.
        """
        try:
            async with asyncio.timeout(within):
                while not condition():
                    if self.gone is not None:
                        raise NeverMet(f"{self.owner} waits for {what} in vain: {self.gone}. {self.seen()}")
                    again: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                    self._waiting.append(again)
                    await again
        except TimeoutError:
            raise Unmet(f"{self.owner} waited {within} s for {what}. {self.seen()}") from None

    def seen(self) -> str:
        """What came so far, in words: how many messages of each method, and the last unread ones."""
        counts = Counter(message.method for message in self.messages)
        came = ", ".join(f"{method} ({count})" for method, count in counts.items()) or "nothing"
        unread = "".join(f"\n  unread: {message}" for message in self.unread()[-10:])
        return f"What came: {came}.{unread}"

    def _takeable(self, method: str, where: Callable[[Any], bool] | None) -> Iterator[Message]:
        for message in self.messages:
            if message.method == method and not message.taken and (where is None or where(message.params)):
                yield message
