"""Whose turn it is: calls of one session run in the order in which they came.

Calls that only read overlap; any other runs alone, after all that came before it and before all that came after.
"""

import asyncio
from collections import deque


class Turn:
    """A place in the line."""

    __slots__ = ("_granted", "_line", "alone")

    def __init__(self, line: "Turns", *, alone: bool) -> None:
        self._line = line
        self._granted = asyncio.Event()
        self.alone = alone

    async def come(self) -> None:
        """Wait until it is this one's turn."""
        await self._granted.wait()

    def end(self) -> None:
        """The turn is over, or not wanted any more. Doing it twice is fine."""
        self._line.leave(self)

    def grant(self) -> None:
        """It has come."""
        self._granted.set()


class Turns:
    """The line of one session."""

    def __init__(self) -> None:
        self._line: deque[Turn] = deque()

    def enter(self, *, alone: bool) -> Turn:
        """Take the next place in the line.

        Args:
            alone: Nothing else of the session may run meanwhile.
        """
        turn = Turn(self, alone=alone)
        self._line.append(turn)
        self._move()
        return turn

    def leave(self, turn: Turn) -> None:
        """Somebody has left the line."""
        if turn in self._line:
            self._line.remove(turn)
            self._move()

    def _move(self) -> None:
        for place, turn in enumerate(self._line):
            if turn.alone:
                if place == 0:
                    turn.grant()
                return
            turn.grant()
