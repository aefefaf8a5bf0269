"""``kill -9`` at any moment: the journal opens, at most the call in flight is lost, and it replays."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.journals.journal_file import JournalFile, read_lines
from dsh_lsp.journals.reading import read_history
from dsh_lsp.journals.state_dir import journal_name
from dsh_lsp.replaying.checking import check
from dsh_tools.builtin import BUILTIN
from dsh_tools.registry import Registry
from tests.support.editors import VsCodeLike
from tests.support.inbox import NeverMet
from tests.support.world import World

RUNS = 200
PARTS = 4
LATEST = 0.25
"""Seconds from the first call after which a server is killed at the latest; a call takes some milliseconds."""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
async def test_a_server_that_is_killed_loses_at_most_the_call_in_flight(world: World, part: int) -> None:
    """What was answered is recorded, word for word; the file is what the last answer says, or the call after it."""
    moments = random.Random(part)
    registry = Registry(BUILTIN)
    in_flight = 0
    for run in range(RUNS // PARTS):
        session = f"s-{run}"
        world.file("a.txt", "0\n")
        answered = await killed(world, session, moments.uniform(0, LATEST))

        path = journal_of(world, session)
        file, scan = JournalFile.open(path, session)
        file.close()
        history, unreadable = read_history(path)
        lost = history.calls.keys() - history.results.keys()
        assert (0, 0) == (scan.unreadable, unreadable)
        assert answered == [(result.call, result.content) for result in list(history.results.values())[: len(answered)]]
        assert len(history.calls) - len(answered) <= 1
        assert len(lost) <= 1
        assert check((line for _, line in read_lines(path)), registry).is_exact
        edits = sum(call != "read" for call, _ in answered)
        assert world.bytes("a.txt") in {b"%d\n" % edits, b"%d\n" % (edits + 1)}
        in_flight += len(history.calls) > len(answered)
    assert in_flight > RUNS // PARTS // 4  # the moments are such that most servers are killed during a call


async def killed(world: World, session: str, moment: float) -> list[tuple[str, Any]]:
    """Run edits, one after the other, until the server is killed; the ids and contents that were answered."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(via="editor", sessionId=session)
    asyncio.get_running_loop().call_later(moment, editor.process.kill)
    answered: list[tuple[str, Any]] = []
    try:
        result = await agent.run("read", call_id="read", file_path="a.txt")
        answered.append((result["callId"], result["content"]))
        for n in range(10_000):
            result = await agent.run(
                "edit", call_id=f"c-{n}", file_path="a.txt", old_string=f"{n}\n", new_string=f"{n + 1}\n"
            )
            assert not result["isError"]
            answered.append((result["callId"], result["content"]))
    except NeverMet:
        pass
    await world.kill(editor)
    return answered


def journal_of(world: World, session: str) -> Path:
    """The journal of a session."""
    [path] = Path(world.env["XDG_STATE_HOME"]).rglob(journal_name(session))
    return path
