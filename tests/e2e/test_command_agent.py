"""``dsh-lsp agent run`` and ``tools``: one call a process, under the same guards as any other agent's."""

import asyncio
import json
import signal
from typing import Any

import pytest

from dsh_lsp.client import observe
from dsh_lsp.commands.agent_run import RunOptions, list_tools, run_tool
from dsh_lsp.commands.ending import Usage
from tests.support.commands import command, started
from tests.support.editors import NoApplyEdit, VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def run(world: World, tool: str, *words: str, **options: Any) -> int:
    """The same in this process, which costs less."""
    return await run_tool(tool, words, RunOptions(world.workspace, **options))


async def test_read_then_edit_are_two_processes_and_one_session(world: World) -> None:
    """What the first has read, the second may edit; the edit goes into the buffer beside the user's typing."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    editor.type(uri, "one", "typed")
    await world.socket(editor)
    read = await command(world, "agent", "run", "read", "a.txt")
    edited = await command(world, "agent", "run", "edit", "--file", "a.txt", "--old-string", "two", "--new-string=2")

    assert (0, "") == (read.code, read.err)
    assert "     1| typed\n     2| two\n" in read.out
    assert (0, "") == (edited.code, edited.err)
    assert edited.out.startswith("Edited a.txt (+1 -1).\n")
    assert "typed\n2\n" == editor.text(uri)


async def test_a_refusal_ends_with_1_and_its_code_on_standard_error(world: World) -> None:
    """Nothing is on standard output, so that nobody takes it for an answer."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    refused = await command(world, "agent", "run", "edit", "a.txt", "one", "two")

    assert (1, "") == (refused.code, refused.out)
    assert refused.err.startswith("FS_NOT_OBSERVED: ")
    assert b"one\n" == world.bytes("a.txt")


async def test_without_a_server_it_ends_with_2_and_says_what_to_do(world: World) -> None:
    """And with no traceback."""
    ended = await command(world, "agent", "run", "--wait", "0", "read", "a.txt")

    assert (2, "") == (ended.code, ended.out)
    assert 1 == len(ended.err.splitlines())
    assert "dsh-lsp serve" in ended.err


async def test_arguments_as_json_on_standard_input_and_the_outcome_as_json(world: World) -> None:
    """One object with the canonical value; options go over what the JSON says."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\ntwo\n")
    given = json.dumps({"file_path": "nowhere.txt", "offset": 2})
    words = ("--file-path", "a.txt", "--json", "-", "--output", "json")
    read = await command(world, "agent", "run", "--call-id", "c-1", "read", *words, stdin=given)
    outcome = json.loads(read.out)

    assert (0, "") == (read.code, read.err)
    assert {"callId", "isError", "content", "value"} == set(outcome)
    assert ("c-1", False, 2) == (outcome["callId"], outcome["isError"], outcome["value"]["offset"])


async def test_a_refusal_as_json_has_the_code_and_its_details(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """What changed belongs to FS_STALE_VERSION."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    assert 0 == await run(world, "read", "a.txt")
    world.file("a.txt", "other\n")
    capsys.readouterr()
    code = await run(world, "edit", "a.txt", "one", "two", output="json")
    outcome = json.loads(capsys.readouterr().out)

    assert (1, True) == (code, outcome["isError"])
    assert "FS_STALE_VERSION" == outcome["error"]["code"]
    assert outcome["error"]["details"]


async def test_a_call_id_that_has_run_is_answered_and_not_run_again(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script may repeat a command whose answer it has lost."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "x\n")
    await run(world, "read", "a.txt")
    codes = [await run(world, "edit", "a.txt", "x", "xx", call_id="c-1") for _ in range(2)]

    assert [0, 0] == codes
    assert b"xx\n" == world.bytes("a.txt")
    assert 2 == capsys.readouterr().out.count("Edited a.txt")


async def test_sessions_are_apart(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """What one has read, another has not; the option may stand on both sides of the tool's name."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    read = await run(world, "read", "a.txt", session="mine")
    other = await run(world, "edit", "a.txt", "one", "two")
    mine = await run(world, "edit", "a.txt", "one", "two", "--session", "mine")

    assert [0, 1, 0] == [read, other, mine]
    assert "FS_NOT_OBSERVED" in capsys.readouterr().err


async def test_what_cannot_be_used_is_named(world: World) -> None:
    """An unknown tool, an unknown option, JSON that is none: each before anything has run."""
    await world.socket(await world.editor(VsCodeLike))
    with pytest.raises(Usage, match="there is no tool 'nope'; there are bash, edit"):
        await run(world, "nope")
    with pytest.raises(Usage, match="edit has no argument --oldstring; it has --file-path, --old-string"):
        await run(world, "edit", "--oldstring", "x")
    with pytest.raises(Usage, match="--json: no JSON"):
        await run(world, "read", "--json", "{")
    with pytest.raises(Usage, match="--output: expected text or json"):
        await run(world, "read", "a.txt", "--output", "xml")


async def test_the_tools_are_listed_with_their_arguments(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """As options of a command line, and as the schemas that models get; one tool's by --help after its name."""
    await world.socket(await world.editor(VsCodeLike))
    await list_tools(world.workspace, as_json=False, wait=5.0)
    listed = capsys.readouterr().out
    await list_tools(world.workspace, as_json=True, wait=5.0)
    schemas = {tool["name"]: tool["parameters"] for tool in json.loads(capsys.readouterr().out)}
    await run(world, "edit", "--help")
    one = capsys.readouterr().out

    assert "\nedit --file-path TEXT --old-string TEXT --new-string TEXT [--replace-all]" in f"\n{listed}"
    assert "--command view|create|str_replace|insert" in listed
    assert {"file_path", "content"} == set(schemas["write"]["properties"])
    assert one.strip() in listed


async def test_no_session_is_begun_only_to_look_at_tools(world: World) -> None:
    """Help leaves no journal behind."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(editor, session=False)
    await run(world, "edit", "--help")

    assert {"sessions": []} == await agent.request("dsh/session/list", {})


async def test_lines_of_json_are_answered_in_order(world: World) -> None:
    """One line each; a line that is no call is told apart, the rest goes on, and the exit code says so."""
    await world.socket(await world.editor(VsCodeLike))
    world.file("a.txt", "one\n")
    calls: list[Any] = [
        {"tool": "read", "arguments": {"file_path": "a.txt"}},
        {
            "tool": "edit",
            "arguments": {"file_path": "a.txt", "old_string": "one", "new_string": "two"},
            "callId": "c-9",
        },
        {"tool": "edit", "arguments": {"file_path": "b.txt", "old_string": "one", "new_string": "two"}},
    ]
    good = await command(world, "agent", stdin="".join(f"{json.dumps(call)}\n\n" for call in calls))
    bad = await command(world, "agent", stdin='nothing\n{"tool": 3}\n{"tool": "glob", "arguments": {"pattern": "*"}}')
    answers, others = ([json.loads(line) for line in each.out.splitlines()] for each in (good, bad))

    assert (0, "") == (good.code, good.err)
    assert [False, False, True] == [each["isError"] for each in answers]
    assert "c-9" == answers[1]["callId"]
    assert "FS_NOT_OBSERVED" == answers[2]["error"]["code"]
    assert b"two\n" == world.bytes("a.txt")
    assert 2 == bad.code
    assert [1, 2, None] == [each.get("line") for each in others]
    assert "tool: Input should be a valid string" in others[1]["error"]["message"]


async def test_ctrl_c_gives_up_the_call(world: World) -> None:
    """The server hears of it: the question to the user comes to nothing, and nothing has run."""
    editor = await world.editor(VsCodeLike)
    editor.hold("window/showMessageRequest")
    await world.socket(editor)
    async with started(world, "agent", "run", "bash", "touch done") as process:
        question = await editor.held_request("window/showMessageRequest")
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(10):
            _, err = await process.communicate()
    async with observe(world.workspace) as observer, asyncio.timeout(10):
        while (await observer.status()).sessions[0].running:
            pass  # each answer is a turn of the server's
    question.answer(None)

    assert (130, b"") == (process.returncode, err)
    assert not world.path("done").exists()


async def test_a_request_that_is_malformed_names_the_member(world: World) -> None:
    """It is no refusal of a tool: the exit code says that nothing was asked."""
    await world.socket(await world.editor(VsCodeLike))
    ended = await command(world, "agent", "run", "--call-id", "", "read", "a.txt")

    assert (2, "") == (ended.code, ended.out)
    assert "params.callId: " in ended.err


async def test_an_editor_that_takes_no_edits_is_a_refusal_like_any_other(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its open files are not written behind its back."""
    editor = await world.editor(NoApplyEdit)
    editor.open(world.file("a.txt", "one\n"))
    await world.socket(editor)
    await run(world, "read", "a.txt")
    code = await run(world, "edit", "a.txt", "one", "two")

    assert 1 == code
    assert "FS_APPLY_REJECTED: " in capsys.readouterr().err
    assert b"one\n" == world.bytes("a.txt")
