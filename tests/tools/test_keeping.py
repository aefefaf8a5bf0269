"""Snapshots, and work that a cancellation must not cut in two."""

import asyncio

import pytest

from dsh_ledger.versions import version_of_text
from dsh_tools.snapshots import Snapshots
from dsh_tools.uninterrupted import uninterrupted


def test_the_least_recently_used_text_goes_first() -> None:
    """What is asked for stays; the bound holds."""
    kept = Snapshots(limit=6)
    a, b, c = (version_of_text(text) for text in ("aaa", "bbb", "ccc"))
    kept.keep(a, "aaa")
    kept.keep(b, "bbb")
    assert kept.get(a) == "aaa"

    kept.keep(c, "ccc")

    assert (kept.get(a), kept.get(b), kept.get(c)) == ("aaa", None, "ccc")


def test_a_text_over_the_bound_is_not_kept_and_pushes_nothing_out() -> None:
    """One large text does not cost all the others."""
    kept = Snapshots(limit=3)
    small, large = version_of_text("abc"), version_of_text("abcd")
    kept.keep(small, "abc")

    kept.keep(large, "abcd")

    assert (kept.get(small), kept.get(large)) == ("abc", None)


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
