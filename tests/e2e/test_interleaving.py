"""Two agents and a typing user on one file: every acknowledged edit is there once, and nothing else of the agents."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.support.agent import ToolUser
from tests.support.editor import IGNORED, StrictEditor
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.world import World

EDITS_PER_AGENT = 150
USERS_KEYS = 300
SLOTS = 20


class Tally:
    """What became of each token that an agent tried to put into the file."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.open: list[str] = []
        self.codes: Counter[str] = Counter()


async def work(agent: ToolUser, name: str, tally: Tally, chance: random.Random) -> None:
    """Put tokens into the file, each in a line of its own after a slot; read again whenever that is the remedy."""
    await agent.read("f.txt")
    attempt = 0
    done = 0
    while done < EDITS_PER_AGENT:
        attempt += 1
        token = f"<{name}{attempt}>"
        slot = f"slot {name}{chance.randrange(SLOTS)}\n"
        result = await agent.edit("f.txt", slot, f"{slot}{token}\n")
        if not result["isError"]:
            tally.acknowledged.append(token)
            done += 1
            continue
        code = result["error"]["code"]
        tally.codes[code] += 1
        (tally.open if code == "FS_APPLY_UNCONFIRMED" else tally.refused).append(token)
        assert code in {"FS_STALE_VERSION", "FS_APPLY_REJECTED", "FS_APPLY_UNCONFIRMED"}
        await agent.read("f.txt")


async def type_at_random(editor: StrictEditor, uri: str, stop: asyncio.Event, chance: random.Random) -> int:
    """Type single letters into the user's own lines at random moments, until the agents are done or it is enough."""
    loop = asyncio.get_running_loop()
    typed = 0
    while typed < USERS_KEYS and not stop.is_set():
        pause = asyncio.Event()
        loop.call_later(chance.random() * 0.03, pause.set)
        await pause.wait()
        line = f"user {chance.randrange(SLOTS)}: "
        editor.type(uri, line, f"{line}k")
        typed += 1
    return typed


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", [VsCodeLike, OwnClient, StockNeovim])
async def test_every_acknowledged_edit_is_there_exactly_once(
    world: World, kind: type[StrictEditor], record_property: Callable[[str, object], None]
) -> None:
    """300 interleaved edits, random timing: acknowledged ones once, refused ones never, all of the user's keys."""
    chance = random.Random(20_240)
    slots = [f"slot {name}{n}\n" for n in range(SLOTS) for name in "ab"]
    users = [f"user {n}: \n" for n in range(SLOTS)]
    file = world.file(
        "f.txt", "".join(line for three in zip(slots[::2], slots[1::2], users, strict=True) for line in three)
    )
    editor = await world.editor(kind, ignore=IGNORED | {"dsh/drift"})
    uri = editor.open(file)
    agents = [await world.agent(), await world.agent()]
    tally, stop = Tally(), asyncio.Event()
    typing = asyncio.ensure_future(type_at_random(editor, uri, stop, chance))

    await asyncio.gather(*(work(agent, name, tally, chance) for agent, name in zip(agents, "ab", strict=True)))
    stop.set()
    typed = await typing

    text = editor.text(uri)
    assert len(tally.acknowledged) == 2 * EDITS_PER_AGENT
    assert {token: text.count(token) for token in tally.acknowledged} == dict.fromkeys(tally.acknowledged, 1)
    assert {token: text.count(token) for token in tally.refused} == dict.fromkeys(tally.refused, 0)
    assert all(text.count(token) <= 1 for token in tally.open)
    assert text.count("k") == typed
    assert text.count("<") == len(tally.acknowledged) + sum(text.count(token) for token in tally.open)
    if kind is not StockNeovim:
        assert tally.open == []
    record_property("keys typed", typed)
    record_property("refusals", dict(tally.codes))
