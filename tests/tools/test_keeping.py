"""Work that a cancellation must not cut in two."""

import asyncio

import pytest

from dsh_tools.uninterrupted import uninterrupted


async def test_a_cancellation_is_spent_on_work_that_must_end() -> None:
    """The work ends, its outcome is returned, and the caller goes on."""
    begun, go_on = asyncio.Event(), asyncio.Event()
    steps = []

    async def work() -> str:
        begun.set()
        await go_on.wait()
        steps.append("done")
        return "outcome"

    async def call() -> str:
        outcome = await uninterrupted(work())
        await asyncio.sleep(0)
        steps.append("recorded")
        return outcome

    running = asyncio.ensure_future(call())
    await begun.wait()
    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    go_on.set()

    assert await running == "outcome"
    assert steps == ["done", "recorded"]


async def test_what_the_work_raises_is_raised() -> None:
    """A failure is an outcome too."""

    async def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await uninterrupted(work())
