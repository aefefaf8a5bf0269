"""Plug-ins of a running server: installed ones work, broken ones are told of and skipped."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.editors import VsCodeLike
from tests.support.repository import ROOT
from tests.support.world import World

INSTALL = [
    *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
    *("--no-index", "--no-deps", "--no-build-isolation", "--target"),
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example was really installed."""
    pytest.importorskip("pip")
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [*INSTALL, str(folder), str(ROOT / "examples" / "sql_query")], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return folder


def install(folder: Path, name: str, code: str, group: str = "dsh_lsp.tools") -> None:
    """Install a plug-in by hand: a module, and the metadata that names ``plug`` in it."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}:plug\n", encoding="utf-8")


def people(world: World) -> None:
    """A database with 1,200 people in the workspace."""
    with closing(sqlite3.connect(world.path("shop.db"))) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT, phone TEXT)")
        rows = ((f"person {n}", f"+44 20 {n:06}") for n in range(1, 1_201))
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)


@pytest.mark.slow
async def test_an_installed_plug_in_brings_its_tool_and_its_policy(world: World, installed: Path) -> None:
    """An agent runs sql_query: 50 of 1,200 rows, and no phone number in anything that leaves the server."""
    people(world)
    world.env["PYTHONPATH"] = str(installed)
    await world.editor(VsCodeLike)
    agent = await world.agent(session=False)
    opened = await agent.open_session()
    await agent.request("dsh/subscribe", {})
    result = await agent.run("sql_query", database="shop.db", query="SELECT name, phone FROM people ORDER BY rowid")
    note = await agent.next("dsh/toolResult")

    assert "sql_query" in [tool["name"] for tool in opened["tools"]]
    assert not result["isError"]
    assert (50, 1_200, True) == (len(result["value"]["rows"]), result["value"]["total"], result["value"]["truncated"])
    assert ["person 1", "(hidden)"] == result["value"]["rows"][0]
    assert result["content"][0]["text"].startswith("50 of 1,200 rows.")
    assert "50 of 1,200 rows from shop.db" == note["view"]["title"]
    assert "+44" not in str(result) + str(note)


async def test_a_broken_plug_in_is_told_of_and_skipped(world: World, tmp_path: Path) -> None:
    """The log names it and not what it said; the server, its own tools and the other plug-ins are there."""
    plugins = tmp_path / "plugins"
    install(plugins, "broken", "raise RuntimeError('a' + ' secret')\n")
    install(plugins, "leaving", "import sys\nsys.exit('goodbye')\n")
    install(plugins, "wrong", "plug = 'text'\n")
    install(plugins, "denying", DENYING, "dsh_lsp.policies")
    world.env["PYTHONPATH"] = str(plugins)
    world.file("a.txt", "one\n")
    editor = await world.editor(VsCodeLike)
    agent = await world.agent()
    read = await agent.read("a.txt")
    written = await agent.write("b.txt", "two\n")

    assert not read["isError"]
    assert "DENIED" == written["error"]["code"]
    assert "The plug-in broken was skipped: loading it failed with RuntimeError." in editor.process.stderr
    assert "The plug-in leaving was skipped: loading it failed with SystemExit." in editor.process.stderr
    assert "The plug-in wrong was skipped: it gave a str, not a Tool." in editor.process.stderr
    assert "a secret" not in editor.process.stderr


DENYING = """\
from dsh_tools.decisions import Deny
from dsh_tools.policies import Policy

plug = Policy("no writing", before=lambda call: Deny("not here") if call.tool == "write" else None)
"""


async def test_a_tool_whose_projections_leave_does_not_end_the_server(world: World, tmp_path: Path) -> None:
    """``sys.exit()`` in a presenter, or a policy, costs that card, or that call, and nothing else."""
    plugins = tmp_path / "plugins"
    install(plugins, "leaving", LEAVING)
    install(plugins, "gone", LEAVING_POLICY, "dsh_lsp.policies")
    world.env["PYTHONPATH"] = str(plugins)
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent()

    called = await agent.run("leaving")
    denied = await agent.run("glob", pattern="*")
    read = await agent.read("a.txt")

    assert (False, "fine") == (called["isError"], called["content"][0]["text"])
    assert "DENIED" == denied["error"]["code"]
    assert "one\n" == read["value"]["text"]


async def test_a_tool_that_can_not_be_told_of_is_skipped_and_the_others_are_there(world: World, tmp_path: Path) -> None:
    """Parameters without a schema, or a condition that fails, don't keep sessions from being opened."""
    plugins = tmp_path / "plugins"
    install(plugins, "shapeless", SHAPELESS)
    install(plugins, "moody", MOODY)
    world.env["PYTHONPATH"] = str(plugins)
    world.file("a.txt", "one\n")
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(session=False)

    opened = await agent.open_session()
    called = await agent.run("moody")
    read = await agent.read("a.txt")

    assert {"read", "moody", "shapeless"} & {tool["name"] for tool in opened["tools"]} == {"read"}
    assert "UNKNOWN_TOOL" == called["error"]["code"]
    assert "one\n" == read["value"]["text"]
    assert "A plug-in's tool was skipped: shapeless:" in editor.process.stderr


LEAVING = """\
import sys
from dsh_tools.content import text_content
from dsh_tools.contract import Tool
from dsh_tools.models import ToolArguments

async def execute(args, run):
    return {}

plug = Tool(
    name="leaving", description="Leaves.", params=ToolArguments, output={"type": "object"}, execute=execute,
    render=lambda args, value: text_content("fine"), present_call=sys.exit, present_result=sys.exit,
)
"""
LEAVING_POLICY = """\
import sys
from dsh_tools.policies import Policy

plug = Policy("gone", before=lambda call: sys.exit() if call.tool == "glob" else None)
"""
SHAPELESS = LEAVING.replace('"leaving"', '"shapeless"').replace(
    "params=ToolArguments",
    'params=type("P", (ToolArguments,), {"__annotations__": {"f": __import__("typing").Callable[[], int]}})',
)
MOODY = LEAVING.replace('"leaving"', '"moody"').replace("present_call=sys.exit", "withheld=lambda traits: 1 / 0")
