"""Whose turn it is in a session."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from dsh_lsp.turns import Turn, Turns


def running(turns: list[Turn]) -> list[int]:
    """The places whose turn it is."""
    return [place for place, turn in enumerate(turns) if turn._granted.is_set()]


async def test_reads_overlap_and_a_change_waits_for_those_before_it() -> None:
    """Two reads run at once; the change after them waits for both; the read after the change waits for the change."""
    line = Turns()
    turns = [line.enter(alone=alone) for alone in (False, False, True, False)]

    assert [0, 1] == running(turns)
    turns[1].end()
    assert [0, 1] == running(turns)
    turns[0].end()
    assert [0, 1, 2] == running(turns)
    turns[2].end()
    assert [0, 1, 2, 3] == running(turns)


async def test_who_gives_up_waiting_holds_nobody_up() -> None:
    """A change that was called off before its turn lets the reads behind it go on."""
    line = Turns()
    first, change, last = (line.enter(alone=alone) for alone in (False, True, False))
    waiting = asyncio.ensure_future(change.come())
    await asyncio.sleep(0)
    waiting.cancel()
    change.end()
    change.end()

    await asyncio.wait_for(last.come(), 5)
    assert [0, 1] == running([first, last])


@given(st.lists(st.booleans(), max_size=12), st.data())
def test_a_change_runs_alone_and_in_order_whatever_comes_and_goes(kinds: list[bool], data: st.DataObject) -> None:
    """At any time either reads run, or one change, and it is the first of those that are still there."""

    async def go() -> None:
        line = Turns()
        turns = [line.enter(alone=alone) for alone in kinds]
        left = list(range(len(turns)))
        while left:
            live = [place for place in running(turns) if place in left]
            assert left[0] in live
            if any(kinds[place] for place in live):
                assert [left[0]] == live
            else:
                until = next((place for place in left if kinds[place]), len(kinds))
                assert [place for place in left if place < until] == live
            gone = data.draw(st.sampled_from(left))
            turns[gone].end()
            left.remove(gone)

    asyncio.run(go())
