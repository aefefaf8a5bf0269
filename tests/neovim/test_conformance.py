"""The plug-in passes the transcripts that every client of ours passes."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.support.neovim_player import NeovimPlayer
from tests.support.neovim_room import NeovimRoom
from tests.support.repository import ROOT

TRANSCRIPTS = sorted((ROOT / "editor-clients" / "conformance").glob("*.jsonl"))


@pytest.mark.slow
@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
async def test_the_transcript_is_passed(room: NeovimRoom, path: Path) -> None:
    """What it must answer is answered, and what must be seen is there, on every line."""
    steps = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    player = NeovimPlayer(steps, room.world.workspace)
    door = await asyncio.start_unix_server(player.serve, room.socket, limit=1 << 24)
    nvim = await room.start(door=door)

    await player.play(nvim)

    assert "" == await nvim.messages()
