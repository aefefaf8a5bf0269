"""A recorded session as session updates of the Agent Client Protocol, from its journal alone."""

import asyncio
import json
import sys
from typing import Any

from acp.schema import SessionNotification

from tests.e2e.test_replay_exact import recorded
from tests.support.world import World


async def test_every_card_of_a_session_is_an_update(world: World) -> None:
    """One message a line, valid in all that it says: a call for each call, an update for each result, in order."""
    notes, _ = await recorded(world)
    messages = [json.loads(line) for line in (await _replayed(world)).splitlines()]
    updates = [message["params"]["update"] for message in messages]

    assert {("2.0", "session/update")} == {(message["jsonrpc"], message["method"]) for message in messages}
    for message in messages:
        model = SessionNotification.model_validate(message["params"])
        assert message["params"] == model.model_dump(mode="json", by_alias=True, exclude_none=True)
    kinds = {"dsh/toolCall": "tool_call", "dsh/toolResult": "tool_call_update", "dsh/decided": "tool_call_update"}
    assert [kinds[method] for method, _ in notes if method in kinds] == [each["sessionUpdate"] for each in updates]
    assert {"read", "edit", "search", "execute", "fetch", "other"} == {
        each["kind"] for each in updates if "kind" in each
    }
    assert {"pending", "completed", "failed"} == {each["status"] for each in updates if "status" in each}
    root = f"{world.workspace}/"
    paths = [each["path"] for each in _located(updates)]
    assert paths
    assert [] == [path for path in paths if not path.startswith(root)]


def _located(updates: list[Any]) -> list[Any]:
    blocks = [block for each in updates for block in each.get("content", []) if block["type"] == "diff"]
    return blocks + [place for each in updates for place in each.get("locations", [])]


async def _replayed(world: World) -> str:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dsh_lsp", "replay", "all", "--format", "acp", env=world.env, stdout=pipe, stderr=pipe
    )
    output, errors = await process.communicate()
    assert (0, b"") == (process.returncode, errors)
    return output.decode("ascii")
