"""Sessions outlive their server: what was seen, what was run, and what was shown."""

import fcntl
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import ToolUser
from tests.support.editor import COMMAND
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.peer import RpcError
from tests.support.world import Via, World


def journals(world: World) -> list[Path]:
    """The journals that there are."""
    return sorted(Path(world.env["XDG_STATE_HOME"]).rglob("*.jsonl"))


def events(world: World) -> list[dict[str, Any]]:
    """The events of the one journal."""
    [path] = journals(world)
    return [json.loads(line) for line in path.read_bytes().splitlines()]


async def restarted(world: World, session: str, via: Via = "socket") -> ToolUser:
    """The server is killed; an agent comes back to its session at another one."""
    await world.kill(world.editors[-1])
    await world.editor(VsCodeLike)
    return await world.agent(via=via, sessionId=session)


async def test_a_resumed_session_edits_what_it_had_read_and_is_stale_where_it_must_be(world: World, via: Via) -> None:
    """Observations come back from the journal: unchanged content may be edited at once, changed content is stale."""
    world.file("same.txt", "one\n")
    world.file("changed.txt", "one\n")
    world.file("unread.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, sessionId="s-1")
    await agent.read("same.txt")
    await agent.read("changed.txt")

    world.file("changed.txt", "two\n")
    again = await restarted(world, "s-1", via)

    assert not (await again.edit("same.txt", "one", "ONE"))["isError"]
    assert "FS_STALE_VERSION" == (await again.edit("changed.txt", "two", "TWO"))["error"]["code"]
    assert "FS_NOT_OBSERVED" == (await again.edit("unread.txt", "one", "ONE"))["error"]["code"]
    drift = await again.next("dsh/drift")
    assert world.uri("changed.txt") == drift["uri"]


async def test_a_call_id_of_before_the_restart_is_answered_from_the_journal(world: World, via: Via) -> None:
    """It never runs twice, and its answer is the recorded one: all but the value, which is never recorded."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, sessionId="s-1")
    await agent.read("a.txt")
    first = await agent.run("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="one one")
    refused = await agent.run("edit", call_id="c-2", file_path="a.txt", old_string="nope", new_string="x")

    again = await restarted(world, "s-1", via)
    second = await again.run("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="one one")
    still_refused = await again.run("edit", call_id="c-2", file_path="a.txt", old_string="nope", new_string="x")

    assert b"one one\n" == world.bytes("a.txt")
    assert {key: value for key, value in first.items() if key != "value"} == second
    assert refused == still_refused


async def test_a_call_that_was_cut_off_by_the_end_of_its_server_is_not_run_again(world: World) -> None:
    """Nobody knows whether it was done: it is answered with that, and with what to do about it."""
    path = world.file("a.txt", "one\n")
    editor = await world.editor(VsCodeLike)
    editor.open(path)
    editor.hold("workspace/applyEdit")
    agent = await world.agent(via="editor", sessionId="s-1")
    await agent.read("a.txt")
    agent.start("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="two")
    await editor.held_request("workspace/applyEdit")

    again = await restarted(world, "s-1")
    result = await again.run("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="two")
    shown = await again.request("dsh/session/replay", {"sessionId": "s-1"})

    assert ("ABORTED", b"one\n") == (result["error"]["code"], world.bytes("a.txt"))
    assert "See what it did" in result["content"][0]["text"]
    assert "ABORTED" == shown["cards"][-1]["result"]["code"]


async def test_a_session_that_was_closed_is_begun_anew_under_the_same_id(world: World, via: Via) -> None:
    """It has seen nothing any more; its call ids stay used, and its journal goes on."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, sessionId="s-1")
    first = await agent.run("read", call_id="c-1", file_path="a.txt")
    closing = agent.start_request("dsh/session/close", {"sessionId": "s-1"})
    opened = await agent.open_session(sessionId="s-1")
    await closing.result()

    assert not opened["resumed"]
    assert "FS_NOT_OBSERVED" == (await agent.edit("a.txt", "one", "two"))["error"]["code"]
    again = await agent.run("read", call_id="c-1", file_path="a.txt")
    assert first["content"] == again["content"]
    assert "value" not in again
    assert 2 == [event["type"] for event in events(world)].count("session/start")


async def test_a_session_is_the_same_through_a_second_editor_s_server(world: World) -> None:
    """The second one has joined the first, so an agent takes its session up there: nobody else writes the journal."""
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    agent = await world.agent(first, sessionId="s-1")
    await agent.read("a.txt")
    second = await world.editor(VsCodeLike)
    again = await world.agent(second, session=False)
    opened = await again.open_session(sessionId="s-1")

    assert opened["resumed"]
    assert not (await again.edit("a.txt", "one", "two"))["isError"]
    assert 1 == [event["type"] for event in events(world)].count("session/start")


async def test_a_session_that_another_process_has_is_refused(world: World) -> None:
    """Two servers never write one journal; the refusal names the field and the way out."""
    await world.editor(VsCodeLike)
    agent = await world.agent(sessionId="s-1")
    await agent.request("dsh/session/close", {"sessionId": "s-1"})
    [path] = journals(world)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(RpcError) as refusal:
            await world.agent(sessionId="s-1")

    assert -32602 == refusal.value.code
    assert "params.sessionId" == refusal.value.data["errors"][0]["path"]
    assert "another server" in refusal.value.data["errors"][0]["message"]


async def test_the_journal_has_every_event_in_order_and_never_a_value(world: World) -> None:
    """Call before observation before result, numbered without gaps, in a file that only the user may read."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(sessionId="s-1")
    await agent.read("a.txt")
    await agent.edit("a.txt", "one", "two")
    await agent.request("dsh/session/close", {"sessionId": "s-1"})

    found = events(world)
    [path] = journals(world)

    assert [
        "session/start",
        *("tool/call", "fs/observed", "tool/result"),
        *("tool/call", "fs/observed", "tool/result"),
        "session/end",
    ] == [event["type"] for event in found]
    assert list(range(1, 9)) == [event["seq"] for event in found]
    assert not any("value" in event["data"] for event in found)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(path.parent.parent.stat().st_mode)


async def test_sessions_are_listed_the_latest_first(world: World, via: Via) -> None:
    """With who it was, whether it is here, and whether it was closed."""
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, sessionId="old")
    await agent.request("dsh/session/close", {"sessionId": "old"})
    agent = await world.agent(via=via, sessionId="new")

    listed = (await agent.request("dsh/session/list", {}))["sessions"]

    assert [("new", True, False), ("old", False, True)] == [
        (each["sessionId"], each["live"], each["ended"]) for each in listed
    ]
    assert {"name": "test agent"} == listed[0]["agent"]


async def test_a_replayed_session_is_what_was_shown(world: World, via: Via) -> None:
    """The notifications come again, byte for byte, also after a restart and without the workspace's files."""
    world.file("a.txt", "one\ntwo\n")
    editor = await world.editor(OwnClient)
    agent = await world.agent(via=via, sessionId="s-1")
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    await agent.edit("a.txt", "nope", "x")
    await agent.run("no_such_tool")
    await editor.sync()
    live = [(method, note) for method in ("dsh/toolCall", "dsh/toolResult") for note in editor.take(method)]

    world.path("a.txt").unlink()
    again = await restarted(world, "s-1")
    shown = await again.request("dsh/session/replay", {"sessionId": "s-1", "notify": True})
    replayed = [(method, note) for method in ("dsh/toolCall", "dsh/toolResult") for note in again.take(method)]

    assert 8 == len(live)
    assert json.dumps(live) == json.dumps(replayed)
    assert 0 == shown["unreadable"]
    assert ["diff", "diff"] == [shown["cards"][1]["call"]["card"], shown["cards"][1]["result"]["card"]]


async def test_C09_after_the_context_was_compacted_a_read_gives_all_again(world: World, via: Via) -> None:
    """What the model still has in mind is the agent's business: a read is never a stub, and an edit stays allowed."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    first = await agent.read("a.txt")
    agent.notify("session/compact", {"sessionId": agent.session_id})
    second = await agent.read("a.txt")

    assert first["value"] == second["value"]
    assert not (await agent.edit("a.txt", "one", "two"))["isError"]


async def test_I06_nothing_that_was_read_or_written_is_in_the_log(world: World, via: Via) -> None:
    """Also at the most talkative level: not the content, not the arguments. They are in the journal, which is 0600."""
    world.file(".env", "K=s3cr3t-123\n")
    editor = await world.editor(VsCodeLike, command=[*COMMAND, "--log-level", "debug"])
    agent = await world.agent(via=via)
    await agent.read(".env")
    await agent.edit(".env", "K=s3cr3t-123", "K=s3cr3t-456")
    await agent.edit(".env", "s3cr3t-999", "x")
    await editor.sync()

    [path] = journals(world)
    assert "s3cr3t" not in editor.process.stderr
    assert editor.process.stderr  # it does say something
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
