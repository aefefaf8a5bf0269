"""The official inspector lists and calls every tool."""

import json
import sys
from typing import Any

import pytest

from tests.mcp.test_tools import PNG, every_call
from tests.support.editors import VsCodeLike
from tests.support.mcp_programs import INSPECTOR, Ran, install, run
from tests.support.web_site import web_site
from tests.support.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    install()


async def inspected(world: World, method: str, *more: str) -> Ran:
    """What the inspector says of a server that it starts itself."""
    command = [*INSPECTOR, sys.executable, "-m", "dsh_lsp", "mcp", "--method", method, "--format", "json", *more]
    return await run([*command, "-e", f"DSH_LSP_RUNTIME_DIR={world.runtime}"], world.env, world.workspace)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_it_lists_every_tool_and_finds_no_fault(world: World, era: str) -> None:
    """In both eras of the protocol; the schemas are ones that every client can read."""
    ran = await inspected(world, "tools/list", "--strict", "--protocol-era", era)

    assert 0 == ran.code, ran.errors
    assert {name for name, _ in every_call("")} == {tool["name"] for tool in _result(ran)["tools"]}


@pytest.mark.parametrize("name", sorted({name for name, _ in every_call("")}))
async def test_it_calls_every_tool(world: World, name: str) -> None:
    """The value is as the schema says; a refused edit has its code as data."""
    world.file("a.txt", "one\ntwo\n")
    world.file("image.png", PNG)
    await world.editor(
        VsCodeLike, initialization_options={"permissions": {"bash": "allow"}, "web": {"allowPrivate": True}}
    )
    async with web_site() as site:
        _, arguments = [call for call in every_call(site.url("/")) if call[0] == name][-1]
        ran = await inspected(world, "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))
    result = _result(ran)

    # The inspector's session has read nothing.
    assert (name in {"edit", "multi_edit", "str_replace_editor"}) == bool(result.get("isError"))
    if result.get("isError"):
        assert "FS_NOT_OBSERVED" == result["_meta"]["dsh-lsp/error"]["code"]
        assert result["content"][0]["text"].startswith("FS_NOT_OBSERVED: ")
    else:
        assert isinstance(result["structuredContent"], dict)


def _result(ran: Ran) -> dict[str, Any]:
    assert ran.output, ran.errors
    said: dict[str, Any] = json.loads(ran.output)
    return dict(said.get("result", said))
