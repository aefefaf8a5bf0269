"""Programs that write a file in a tight loop while agents edit it: nothing that anybody wrote is lost unnoticed."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.editors import VsCodeLike
from tests.support.outside_writer import line_of, text_of
from tests.support.repository import ROOT
from tests.support.slow_server import SLOW_COMMAND
from tests.support.world import World

WRITER = str(ROOT / "tests" / "support" / "outside_writer.py")


class Writers:
    """Agents that add lines to a file, and what became of that.

    Attributes:
        outcomes: How often each error code came, and ``ok``.
        acknowledged: The lines that were added for good, as their agents were told.
        unsure: Those of which they were told that there was something else right after.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.acknowledged: list[str] = []
        self.unsure: list[str] = []

    async def add(self, agent: ToolUser, line: str, *, whole: bool) -> bool:
        """Read, and add a line to all that was read, by an edit or by writing the whole; whether it was accepted."""
        read = await agent.read("f")
        if read["isError"]:
            self.outcomes[read["error"]["code"]] += 1
            return False
        text: str = read["value"]["text"]
        if whole or not text:
            result = await agent.write("f", text + line)
        else:
            first, newline, _ = text.partition("\n")
            result = await agent.edit("f", first + newline, first + newline + line)
        self.outcomes[_code(result)] += 1
        if not result["isError"]:
            self.acknowledged.append(line)
        elif result["error"]["details"].get("restored") is False:
            self.unsure.append(line)
        return not result["isError"]

    def report(self, what: str) -> None:
        """Say what happened."""
        sys.stdout.write(f"{what}: {dict(self.outcomes)}\n")


def _code(result: dict[str, Any]) -> str:
    if not result["isError"]:
        return "ok"
    error = result["error"]
    code: str = error["code"]
    return f"{code} {error['details']['reason']}" if code == "FS_IO_ERROR" else code


async def agents_against(world: World, outside: Process, *, whole: bool) -> Writers:
    """Have three agents edit until the outside program is through."""
    writers = Writers()
    ended = asyncio.create_task(outside.wait())

    async def edit(name: str, agent: ToolUser) -> None:
        number = 0
        while not ended.done():
            number += 1
            await writers.add(agent, f"agent {name} {number}\n", whole=whole and name == "c")

    await asyncio.gather(*[edit(name, await world.agent()) for name in "abc"])
    return writers


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("style", "count"), [("rename", 600), ("truncate", 600), ("append", 600)])
async def test_nothing_that_an_outside_program_wrote_is_lost(world: World, style: str, count: int) -> None:
    """Each version that it published is the one that stays, or that an edit was made from; other edits are refused.

    A file that is appended to has every line of both in the end: those of the program in order, each once, and once
    each line of an agent that was told that it was accepted. A line of one that was told that its edit could not be
    verified, since there was something else right after, may be there.
    """
    path = world.file("f", b"" if style == "append" else text_of(0))
    await world.editor(VsCodeLike, command=SLOW_COMMAND)
    outside = await asyncio.create_subprocess_exec(
        *(sys.executable, WRITER, str(path), style, str(count)), stdout=PIPE, cwd=ROOT
    )
    try:
        writers = await agents_against(world, outside, whole=style != "append")
        assert outside.stdout is not None
        found = json.loads(await outside.stdout.read())
    finally:
        if outside.returncode is None:
            outside.kill()
            await outside.wait()

    writers.report(f"{count} outside writes ({style})")
    there = path.read_text(encoding="utf-8")
    assert [] == found["lost"]
    assert writers.outcomes["FS_STALE_VERSION"] > 0
    assert writers.outcomes["ok"] > 0
    assert writers.outcomes.keys() <= {"ok", "FS_STALE_VERSION", "FS_IO_ERROR VERIFY_FAILED", "FS_IO_ERROR CONTENDED"}
    if style == "append":
        lines = there.splitlines(keepends=True)
        assert [line_of(number) for number in range(1, count + 1)] == [
            line for line in lines if line.startswith("outside")
        ]
        added = Counter(line for line in lines if line.startswith("agent"))
        assert Counter(writers.acknowledged) <= added <= Counter([*writers.acknowledged, *writers.unsure])
    assert ["f"] == sorted(each.name for each in world.workspace.iterdir())


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_two_servers_lose_no_edit_of_the_other(world: World) -> None:
    """Two servers with an agent each, one file: every edit that was accepted is there once, and no other is."""
    path = world.file("f", "first\n")
    one, two = [await world.agent(await world.editor(VsCodeLike, command=SLOW_COMMAND)) for _ in range(2)]
    writers = Writers()

    async def edit(name: str, agent: ToolUser) -> None:
        for number in range(200):
            while not await writers.add(agent, f"agent {name} {number}\n", whole=number % 3 == 0):
                pass

    await asyncio.gather(edit("one", one), edit("two", two))

    writers.report("two servers")
    assert writers.outcomes["FS_STALE_VERSION"] > 0
    assert {"ok", "FS_STALE_VERSION"} == set(writers.outcomes)
    assert Counter(["first\n", *writers.acknowledged]) == Counter(_lines(path))
    assert 400 == len(writers.acknowledged)
    assert ["f"] == sorted(each.name for each in world.workspace.iterdir())


def _lines(path: Path) -> list[str]:
    return re.findall(r".*\n", path.read_text(encoding="utf-8"))
