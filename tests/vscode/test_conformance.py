"""The extension passes the transcripts that every client of ours passes."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from tests.support.repository import ROOT
from tests.support.transcript import FOLDER, paint_of

if TYPE_CHECKING:
    from tests.vscode.lab.code import Code
    from tests.vscode.lab.player import RelayDoor
    from tests.vscode.lab.window import Window

_TRANSCRIPTS = sorted((ROOT / "editor-clients" / "conformance").glob("*.jsonl"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(code: "Code") -> "AsyncIterator[tuple[Window, RelayDoor]]":
    """A window whose server is the test itself."""
    from tests.vscode.lab.player import RelayDoor
    from tests.vscode.lab.relay import install

    door = RelayDoor(code.root / "relay.sock")
    folder = code.root / "conf"
    folder.mkdir()
    install(folder, door.path)
    await door.open()
    window = await code.open(folder)
    await door.next()
    yield window, door
    await window.page.close()
    door.close()


@pytest.mark.parametrize("path", _TRANSCRIPTS, ids=lambda path: path.stem)
async def test_the_transcript_is_passed(stage: "tuple[Window, RelayDoor]", path: Path) -> None:
    """Every answer is as it must be, and everything that must be seen is seen."""
    from tests.vscode.lab.player import Player

    window, door = stage
    lines = path.read_text(encoding="utf-8").splitlines()
    if "utf-16" not in json.loads(lines[0])["about"]["positionEncodings"]:
        pytest.skip("VS Code has no other position encoding than UTF-16")
    await window.host.run("void vscode.commands.executeCommand('dsh.restart')")
    relayed = await door.next()
    player = Player(window, relayed, path.stem)
    try:
        for line in lines:
            await player.play(line)
        assert [] == relayed.problems
    finally:
        await window.clear()


async def test_an_empty_note_clears_also_a_text_that_has_gone_on(stage: "tuple[Window, RelayDoor]") -> None:
    """The user types while the last hunk is decided on: nothing more is said about that text, and nothing stays."""
    from tests.vscode.lab.player import Player

    window, door = stage
    await window.host.run("void vscode.commands.executeCommand('dsh.restart')")
    player = Player(window, await door.next(), "gone-on")
    uri = f"{FOLDER}/a.txt"
    line = {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}
    hunk = {"id": "h", "sessionId": "s", "callId": "c", "kind": "modified", "range": line}
    lines = {"removedText": "two", "addedLines": 1, "removedLines": 1}
    start = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    paint = paint_of([hunk | lines])
    text = "one\nTWO\n"
    steps: list[dict[str, Any]] = [
        {"file": {"uri": uri, "text": text}},
        {"open": {"uri": uri}},
        {"server": {"method": "dsh/decorations", "params": {"uri": uri, "version": 1, "hunks": [hunk | lines]}}},
        {"shows": {"uri": uri, "version": 1, "text": text, "saved": True, "paint": paint}},
        {"user": {"uri": uri, "range": start, "text": "x"}},
        {"server": {"method": "dsh/decorations", "params": {"uri": uri, "version": 1, "hunks": []}}},
        {"shows": {"uri": uri, "version": 2, "text": f"x{text}", "saved": False, "paint": paint_of([])}},
    ]
    try:
        for step in steps:
            await player.play(json.dumps(step))
    finally:
        await window.clear()
