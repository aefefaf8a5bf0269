"""Work that cancellation must not cut in two.

Between sending an edit and recording its outcome there is no good moment to stop: the edit may already be applied.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end, whatever happens to the caller, and return its outcome.

    A cancellation that arrives meanwhile is spent: what was asked has been done, and the caller goes on to say so.
    """
    return (await completed(work))[0]


async def completed(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """As `uninterrupted`, with whether a cancellation arrived meanwhile, for a caller that has more to do after."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while True:
        try:
            return await asyncio.shield(task), cancelled
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
            current = asyncio.current_task()
            if current is not None:
                current.uncancel()
