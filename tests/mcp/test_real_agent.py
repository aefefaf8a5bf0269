"""A real agent, Qwen Code, driven by a scripted model, edits a file through the bridge under the user's hands."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.editors import OwnClient
from tests.support.mcp_programs import AGENT, install, run
from tests.support.model_server import MODEL, Call, ModelServer, in_turn
from tests.support.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SETTINGS = {
    "mcpServers": {"dsh": {"command": sys.executable, "args": ["-m", "dsh_lsp", "mcp"], "trust": True}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False},
    "security": {"auth": {"selectedType": "openai"}},
}


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    install()


async def test_a_real_agent_edits_what_the_user_has_open_and_not_saved(world: World) -> None:
    """It reads the unsaved text, its edit is painted beside it, and nothing is saved; a stale edit is told as such."""
    editor = await world.editor(OwnClient)
    uri = editor.open(world.file("a.txt", "one\ntwo\nthree\n"))
    editor.type(uri, "one", "typed")
    await editor.sync()
    settings = Path(world.env["HOME"]) / ".qwen/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(SETTINGS), "utf-8")
    wanted = ("read", "edit")
    script = in_turn(
        Call("tool_search", {"query": "select:" + ",".join(f"mcp__dsh__{name}" for name in wanted)}),
        Call("mcp__dsh__edit", {"file_path": "a.txt", "old_string": "two", "new_string": "agent"}),
        Call("mcp__dsh__read", {"file_path": "a.txt"}),
        Call("mcp__dsh__edit", {"file_path": "a.txt", "old_string": "two", "new_string": "agent"}),
        "It is done.",
    )
    async with ModelServer(script) as model:
        env = {
            **world.env,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "OPENAI_MODEL": MODEL,
            "NO_PROXY": "*",
        }
        ran = await run([*AGENT, "-p", "Change two to agent in a.txt.", "--yolo"], env, world.workspace)
    [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    _, refused, read, edited = max((request.results for request in model.requests), key=len)

    assert (0, True) == (ran.code, "It is done." in ran.output), ran.errors
    assert "FS_NOT_OBSERVED" in refused
    assert "typed" in read
    assert '"operation":"modified"' in edited.replace(" ", "")
    assert "typed\nagent\nthree\n" == editor.text(uri)
    assert b"one\ntwo\nthree\n" == world.bytes("a.txt")
    assert hunk["author"] == "qwen-cli-mcp-client-dsh"
    assert [] == model.refused
