"""The example of an agent loop against a scripted model, with a user who types meanwhile."""

import importlib
import os
import sys
from typing import Any

import pytest

from dsh_lsp.client import connect
from tests.support.commands import environment, program
from tests.support.editors import VsCodeLike
from tests.support.model_server import MODEL, Call, ModelServer, Reply, Request, in_turn
from tests.support.repository import ROOT
from tests.support.world import World

FOLDER = ROOT / "examples" / "agent_loop"
sys.path.append(str(FOLDER))
LOOP = importlib.import_module("agent_loop")

READ = Call("read", {"file_path": "a.txt"})
EDIT = Call("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "agent"})


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def work(world: World, server: ModelServer, limit: int = 10) -> tuple[str | None, list[str]]:
    """Have the scripted model do a task; what it said at the end, and what was said of its calls."""
    told: list[str] = []
    model = LOOP.Model(f"{server.url}/v1", None, MODEL)
    async with connect(world.workspace) as agent:
        return await LOOP.work("Change it.", agent, model, limit=limit, say=told.append), told


async def test_a_stale_edit_is_told_to_the_model_which_reads_again(world: World) -> None:
    """The user types between the read and the edit; in the end both have what they wrote."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    await world.socket(editor)
    replies = iter((READ, EDIT, READ, EDIT, "It is changed."))

    def script(request: Request) -> Reply:
        if 1 == len(request.results):
            editor.type(uri, "one", "typed")
        return next(replies)

    async with ModelServer(script) as server:
        said, told = await work(world, server)
        last = server.requests[-1]

    assert "It is changed." == said
    assert ["read: done", "edit: FS_STALE_VERSION", "read: done", "edit: done"] == told
    assert last.results[1].startswith("FS_STALE_VERSION: ")
    assert "     1| typed\n" in last.results[2]
    assert "typed\nagent\n" == editor.text(uri)
    assert {"read", "edit", "write", "grep"} <= set(last.tools)
    assert ("Change it.",) == last.said


async def test_calls_of_one_reply_run_in_order(world: World) -> None:
    """And each has its outcome in the conversation."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\ntwo\n")
    async with ModelServer(in_turn((READ, EDIT), "Done.")) as server:
        said, told = await work(world, server)

    assert ("Done.", ["read: done", "edit: done"]) == (said, told)
    assert b"one\nagent\n" == world.bytes("a.txt")


async def test_arguments_that_are_no_object_are_told_to_the_model(world: World) -> None:
    """Models make mistakes; nothing is run."""
    await world.socket(await world.editor(VsCodeLike))
    wrong: Any = ["a.txt"]
    async with ModelServer(in_turn(Call("read", wrong), Call("nope"), "I give up.")) as server:
        said, told = await work(world, server)
        results = server.requests[-1].results

    assert ("I give up.", ["nope: UNKNOWN_TOOL"]) == (said, told)
    assert results[0].startswith("INVALID_ARGS: the arguments are no JSON object.")
    assert results[1].startswith("UNKNOWN_TOOL: ")
    assert "INVALID_ARGS: the arguments are no JSON: " in await LOOP.run(None, "read", "{", told.append)


async def test_it_stops_at_the_limit(world: World) -> None:
    """A model that goes on and on is stopped, with what it has done so far in place."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    async with ModelServer(lambda request: READ if len(request.results) < 6 else "At last.") as server:
        said, told = await work(world, server, limit=3)

    assert (None, 3, 3) == (said, len(told), len(server.requests))


async def test_the_program_does_a_task(world: World) -> None:
    """From the command line: the key goes to the endpoint and nowhere else, what waits for review is said."""
    editor = await world.editor(VsCodeLike)
    editor.open(world.file("a.txt", "one\ntwo\n"))
    await world.socket(editor)
    async with ModelServer(in_turn(READ, EDIT, "All done.")) as server:
        env = {**environment(world), "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "the key"}
        words = (sys.executable, str(FOLDER / "agent_loop.py"), "--model", MODEL, "Change it.")
        ended = await program(world, words, env)

    assert (0, "") == (ended.code, ended.err)
    assert ["read: done", "edit: done", "All done.", "Changes that wait for your review: 1."] == ended.out.splitlines()


async def test_without_an_endpoint_it_says_what_to_do(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not set; not reachable; no model."""
    await world.socket(await world.editor(VsCodeLike))
    words = (sys.executable, str(FOLDER / "agent_loop.py"), "--model", MODEL, "Change it.")
    ended = await program(world, words, {k: v for k, v in environment(world).items() if k != "OPENAI_BASE_URL"})
    async with ModelServer(in_turn("x")) as server:
        gone = server.url
        with pytest.raises(LOOP.ModelFailed, match="answered 404"):
            await work_at(world, f"{server.url}/v1?nothing=")
    with pytest.raises(LOOP.ModelFailed, match="can't be reached: ConnectError"):
        await work_at(world, f"{gone}/v1")

    assert (2, "OPENAI_BASE_URL is not set" in ended.err) == (ended.code, True)
    assert os.environ.get("OPENAI_API_KEY") is None or "OPENAI_API_KEY" not in ended.err


async def work_at(world: World, url: str) -> None:
    """Try an endpoint."""
    async with connect(world.workspace) as agent:
        await LOOP.work("Change it.", agent, LOOP.Model(url, None, MODEL), limit=1)
