"""The progress of one call: what the hub says, and a word a second while it says nothing.

The protocol wants a number that grows with each report, and hosts take a report as a sign of life: the number counts
reports, and what there is to say stands in the message.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Self

from dsh_lsp.client.notes import Progress

FIRST: Final = 0.3
"""Seconds before the first word about a call of which the hub has said nothing."""

_EVERY: Final = 1.0


class Reporter:
    """Reports in the background; use it as an asynchronous context manager.

    Args:
        tool: The tool's name.
        report: Sends a report: the number, and the message.
    """

    def __init__(self, tool: str, report: Callable[[float, str], Awaitable[None]]) -> None:
        self._tool = tool
        self._report = report
        self._said: asyncio.Queue[str] = asyncio.Queue()
        self._title = ""
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="dsh-lsp mcp progress")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def hear(self, progress: Progress) -> None:
        """Take in what the hub says."""
        self._title = progress.title or self._title
        percentage = "" if progress.percentage is None else f"{progress.percentage} %"
        said = ", ".join(part for part in (self._title, progress.message, percentage) if part)
        if progress.kind != "end" and said:
            self._said.put_nowait(said)

    async def _run(self) -> None:
        count, wait = 0, FIRST
        while True:
            try:
                async with asyncio.timeout(wait):
                    message = await self._said.get()
            except TimeoutError:
                message = self._title or f"{self._tool} is running"
            count, wait = count + 1, _EVERY
            await self._report(float(count), message)
