"""Replay is exact: a session with every tool, shown again with nothing but its journal."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dsh_tools.builtin import BUILTIN
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.fake_plugin import install_plugin
from tests.support.web_site import web_site
from tests.support.world import World

OFFLINE = Path(__file__).parent.parent / "support" / "replay_offline.py"

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd400000000"
    "49454e44ae426082"
)

PROVIDER = """
from dsh_tools.web.search_provider import FoundPage, SearchResults


class Provider:
    name = "example"

    async def search(self, query, limit):
        return SearchResults((FoundPage("A page", "https://example.org/", "about it"),), 1)


PROVIDER = Provider()
"""
"""A search engine as a plug-in."""


async def every_tool(world: World, site: str) -> list[tuple[str, Any]]:
    """Run every built-in tool, with successes and refusals; the notes that an editor was sent, in order."""
    world.file("a.txt", "one\ntwo\n\u202ethree <b>\n")
    world.file("image.png", PNG)
    editor = await world.editor(
        OwnClient,
        initialization_options={"permissions": {"bash": "allow"}, "web": {"allowPrivate": True}},
    )
    editor.open(world.path("a.txt"))
    agent = await world.agent(sessionId="all", capabilities={"attachments": True})
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read", {"file_path": "a.txt"}),
        ("read", {"file_path": "nothing.txt"}),
        ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "TWO"}),
        ("edit", {"file_path": "a.txt", "old_string": "nope", "new_string": "x"}),
        ("write", {"file_path": "new.txt", "content": "new\n"}),
        ("multi_edit", {"file_path": "new.txt", "edits": [{"old_string": "new", "new_string": "newer"}]}),
        ("str_replace_editor", {"command": "view", "path": "."}),
        ("str_replace_editor", {"command": "insert", "path": "new.txt", "insert_line": 0, "new_str": "first"}),
        ("glob", {"pattern": "*.txt"}),
        ("grep", {"pattern": "T.O"}),
        ("bash", {"command": "printf 'out\\033[31mred'; exit 3"}),
        ("web_fetch", {"url": site}),
        ("web_search", {"query": "anything"}),
        ("read_image", {"file_path": "image.png"}),
        ("erase", {}),
        ("read", {"wrong": 1}),
    ]
    assert {tool.name for tool in BUILTIN} <= {name for name, _ in calls}
    failed = [
        (name, result["error"]["code"])
        for name, arguments in calls
        if (result := await agent.run(name, within=30, **arguments))["isError"]
    ]
    assert [
        ("read", "FS_NOT_FOUND"),
        ("edit", "FS_EDIT_NOT_FOUND"),
        ("erase", "UNKNOWN_TOOL"),
        ("read", "INVALID_ARGS"),
    ] == failed
    await editor.sync()
    notes = [(method, note) for method in ("dsh/toolCall", "dsh/toolResult") for note in editor.take(method)]
    assert 2 * len(calls) == len(notes)
    return sorted(notes, key=lambda item: item[1]["seq"])


async def recorded(world: World) -> tuple[list[tuple[str, Any]], Path]:
    """The notes of a session with every tool, and its journal; its server is gone."""
    install_plugin(world, "example-search", {"dsh_lsp.search_providers": "example_search:PROVIDER"}, PROVIDER)
    async with web_site() as site:
        page = site.put("/", b"<h1>Title</h1><p>text</p>", content_type="text/html")
        live = await every_tool(world, page)
    [journal] = Path(world.env["XDG_STATE_HOME"]).rglob("*.jsonl")
    await world.kill(world.editors[-1])
    return live, journal


def offline(journal: Path, form: str) -> tuple[bytes, dict[str, Any]]:
    """What a replay prints where nothing but the journal is there, and what it did."""
    done = subprocess.run(
        [sys.executable, str(OFFLINE), str(journal), form], capture_output=True, check=True, timeout=60
    )
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


@pytest.mark.timeout(180)
async def test_H04_a_session_with_every_tool_replays_byte_for_byte_from_its_journal_alone(world: World) -> None:
    """No workspace, no clock, no tool, no network; and nothing but the journal is opened."""
    live, journal = await recorded(world)
    shutil.rmtree(world.workspace)

    lines, report = await asyncio.to_thread(offline, journal, "jsonl")
    expected = [json.dumps({"method": method, "params": note}, separators=(",", ":")) for method, note in live]
    assert "\n".join(expected).encode() == lines.rstrip(b"\n")
    assert {"opened": [], "journal": 1, "exit": 0} == report
    for form in ("text", "html", "acp"):
        first, report = await asyncio.to_thread(offline, journal, form)
        second, _ = await asyncio.to_thread(offline, journal, form)
        assert {"opened": [], "journal": 1, "exit": 0} == report
        assert first == second
        assert first


@pytest.mark.timeout(180)
async def test_replay_check_makes_every_card_again_and_finds_what_was_changed(world: World) -> None:
    """With the tools, each card is made from the record once more; a card that was tampered with is found."""
    live, journal = await recorded(world)

    good = await asyncio.to_thread(replay, world, "all", "--check")
    lines = journal.read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"tool/result"' in line and b"TWO" in line)
    lines[at] = b'"added":2'.join(lines[at].rsplit(b'"added":1', 1))  # in the card, which comes last
    journal.write_bytes(b"".join(lines))
    bad = await asyncio.to_thread(replay, world, "all", "--check")

    assert (0, f"{len(live)} cards; {len(live) - 2} of them made again from the record.\n") == (
        good.returncode,
        good.stdout.splitlines(keepends=True)[0],
    )
    assert good.stdout.endswith("Replay is exact.\n")
    assert 1 == bad.returncode
    assert "is made differently now" in bad.stdout


async def test_the_check_of_a_session_writes_nothing_that_a_terminal_obeys(world: World) -> None:
    """An agent may call a tool by any name; it is shown, and stays in its line."""
    await world.editor(VsCodeLike)
    agent = await world.agent(sessionId="odd")
    await agent.run("no\x1b[31m\nReplay is exact.")

    done = await asyncio.to_thread(replay, world, "odd", "--check")

    assert "Not installed here, so shown as recorded: no⟨ESC⟩[31m⟨LF⟩Replay is exact..\n" in done.stdout
    assert "\x1b" not in done.stdout


async def test_a_session_that_is_not_there_is_said_with_the_way_out(world: World) -> None:
    """Exit code 2, one sentence, no traceback."""
    done = await asyncio.to_thread(replay, world, "nobody")

    assert (2, "") == (done.returncode, done.stdout)
    assert "dsh-lsp replay: there is no recorded session 'nobody'; name one, or the path of a journal\n" == done.stderr


def replay(world: World, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run ``dsh-lsp replay``."""
    command = [sys.executable, "-m", "dsh_lsp", "replay", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=world.env, timeout=60)
