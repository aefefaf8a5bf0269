"""The story that the demo tells, with a client that paints, over the socket and over the editor's own connection."""

import stat

import pytest

from dsh_tools.builtin import BUILTIN
from dsh_tools.registry import Registry
from tests.support.editors import OwnClient
from tests.support.world import Via, World

TEXT = "".join(f"line {n}\n" for n in range(1, 31))


async def test_the_whole_story(world: World, via: Via) -> None:
    """Read, edit beside unsaved typing, be refused when stale, read again, succeed; never write what was not read."""
    file = world.file("a.txt", TEXT)
    world.file("unread.txt", "somebody else's\n")
    editor = await world.editor(OwnClient)
    uri = editor.open(file)
    editor.type(uri, "line 3\n", "line 3\nthe user types\n")
    agent = await world.agent(via=via)

    read = await agent.read("a.txt")

    assert read["value"]["via"] == "buffer"
    assert read["value"]["dirty"] is True
    assert "the user types" in read["value"]["text"]

    edited = await agent.edit("a.txt", "line 5\n", "line five\nand a half\n")

    assert edited["isError"] is False
    assert edited["value"]["via"] == "buffer"
    assert edited["value"]["saved"] is False
    assert (edited["value"]["added"], edited["value"]["removed"]) == (2, 1)
    assert editor.text(uri) == TEXT.replace("line 3\n", "line 3\nthe user types\n").replace(
        "line 5\n", "line five\nand a half\n"
    )
    assert file.read_text(encoding="utf-8") == TEXT
    [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)
    assert (hunk["kind"], hunk["removedText"], hunk["addedLines"], hunk["removedLines"]) == ("modified", "line 5", 2, 1)
    assert hunk["range"] == {"start": {"line": 5, "character": 0}, "end": {"line": 7, "character": 0}}
    assert (hunk["sessionId"], hunk["callId"]) == (agent.session_id, edited["callId"])

    editor.type(uri, "line 1\n", "line 0\nline 1\n")
    stale = await agent.edit("a.txt", "no such text", "x")

    assert stale["error"]["code"] == "FS_STALE_VERSION"
    assert [change["newStart"] for change in stale["error"]["details"]["changes"]] == [1]
    assert stale["error"]["details"]["truncated"] is False
    [moved] = await editor.decorated(uri, lambda hunks: hunks[0]["range"]["start"]["line"] == 6)
    assert moved["id"] == hunk["id"]
    drift = await agent.next("dsh/drift")
    assert drift["sessionId"] == agent.session_id
    assert drift["from"] == edited["value"]["version"]

    await agent.read("a.txt")
    again = await agent.edit("a.txt", "line 20", "line twenty")

    assert again["isError"] is False
    assert len(await editor.decorated(uri, lambda hunks: len(hunks) == 2)) == 2

    unread = await agent.edit("unread.txt", "else", "other")
    created = await agent.write("new/file.txt", "hello\n")
    refused = await agent.write("unread.txt", "mine now\n")

    assert unread["error"]["code"] == "FS_NOT_OBSERVED"
    assert created["value"]["operation"] == "created"
    assert world.path("new/file.txt").read_bytes() == b"hello\n"
    assert refused["error"]["code"] == "FS_NOT_OBSERVED"
    assert world.path("unread.txt").read_bytes() == b"somebody else's\n"


async def test_cards_tell_of_every_call_in_order(world: World, via: Via) -> None:
    """An editor that paints cards is told of the call before it runs and of the applied hunks after it."""
    world.file("a.txt", "one\ntwo\n")
    editor = await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    edited = await agent.edit("a.txt", "two", "TWO")
    stale = await agent.edit("a.txt", "nope", "x")

    calls = [await editor.next("dsh/toolCall") for _ in range(3)]
    results = [await editor.next("dsh/toolResult") for _ in range(3)]

    assert [call["view"]["card"] for call in calls] == ["generic", "diff", "diff"]
    assert [result["view"]["card"] for result in results] == ["read", "diff", "generic"]
    order = [note["seq"] for pair in zip(calls, results, strict=True) for note in pair]
    assert sorted(set(order)) == order  # one order, shared with what else is recorded of the session
    assert results[1]["callId"] == edited["callId"]
    [diff] = results[1]["view"]["diffs"]
    assert (diff["oldText"], diff["newText"]) == ("one\ntwo\n", "one\nTWO\n")
    assert diff["hunks"] == [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2}]
    assert results[2]["view"]["code"] == stale["error"]["code"] == "FS_EDIT_NOT_FOUND"


async def test_the_socket_and_its_place_are_the_users_alone(world: World) -> None:
    """The socket is 0600 in a 0700 directory."""
    await world.editor(OwnClient)
    socket = await world.socket()

    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700


async def test_a_subscribed_agent_sees_the_cards_of_another(world: World) -> None:
    """`dsh/subscribe` sends the cards of a session, and of no other, to a peer that asks for them."""
    world.file("a.txt", "one\n")
    await world.editor(OwnClient)
    worker, other, watcher = await world.agent(), await world.agent(), await world.agent()
    await watcher.request("dsh/subscribe", {"sessionId": worker.session_id})
    await other.read("a.txt")
    await worker.read("a.txt")

    call, result = await watcher.next("dsh/toolCall"), await watcher.next("dsh/toolResult")

    assert call["sessionId"] == result["sessionId"] == worker.session_id


async def test_tools_are_listed_as_models_need_them(world: World, via: Via) -> None:
    """A tool is told of by name, description and parameters; the list has its output and facts besides."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    opened = await agent.open_session()
    listed = await agent.request("dsh/tool/list", {"sessionId": agent.session_id})

    names = {"name", "description", "parameters"}
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in Registry(BUILTIN).offered()]
    assert all(set(tool) == names for tool in opened["tools"])
    assert all(set(tool) == names | {"outputSchema", "facts"} for tool in listed["tools"])
    edit = listed["tools"][2]["parameters"]
    assert edit["required"] == ["file_path", "old_string", "new_string"]
    assert edit["additionalProperties"] is False


async def test_tools_that_a_session_does_not_get_are_neither_listed_nor_run(world: World, via: Via) -> None:
    """Images are for agents that take them, a web search needs an engine; a call of one says why there is none."""
    await world.editor(OwnClient)
    without = await world.agent(via=via)
    refused = [await without.run("read_image", file_path="a.png"), await without.run("web_search", query="x")]
    opened = await without.open_session(capabilities={"attachments": True})

    assert ["UNKNOWN_TOOL", "UNKNOWN_TOOL"] == [result["error"]["code"] for result in refused]
    assert "the agent takes no images" in refused[0]["error"]["message"]
    assert "web_search is not available: " in refused[1]["error"]["message"]
    assert {"read_image"} == {tool["name"] for tool in opened["tools"]} & {"read_image", "web_search"}


async def test_the_ledger_can_be_asked(world: World, via: Via) -> None:
    """`dsh/ledger/query` says what a session has seen, and whether that is out of date."""
    file = world.file("a.txt", "one\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    read = await agent.read("a.txt")
    await agent.read("gone.txt")

    before = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id})
    file.write_bytes(b"two\n")
    after = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id, "uri": file.as_uri()})
    unseen = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id, "uri": world.uri("other.txt")})

    version = read["value"]["version"]
    assert before["observations"] == [
        {"uri": file.as_uri(), "state": "present", "version": version, "stale": False},
        {"uri": world.uri("gone.txt"), "state": "absent", "stale": False},
    ]
    assert after["observations"] == [{"uri": file.as_uri(), "state": "present", "version": version, "stale": True}]
    assert unseen["observations"] == [{"uri": world.uri("other.txt"), "state": "unseen", "stale": False}]


@pytest.mark.parametrize("uri", ["", "untitled:1", "file:///a%00b", "file://host/a", "~nobody", "x" * 5000])
async def test_what_is_no_file_of_the_workspace_was_not_seen(world: World, uri: str) -> None:
    """A question about it has an answer."""
    await world.editor(OwnClient)
    agent = await world.agent()
    asked = await agent.request("dsh/ledger/query", {"sessionId": agent.session_id, "uri": uri})

    assert [{"uri": uri, "state": "unseen", "stale": False}] == asked["observations"]


async def test_a_session_ends_and_is_gone(world: World, via: Via) -> None:
    """A closed session is unknown, and what it had seen with it."""
    world.file("a.txt", "one\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    first = agent.session_id
    await agent.request("dsh/session/close", {"sessionId": first})
    await agent.open_session(sessionId=first)

    assert (await agent.edit("a.txt", "one", "two"))["error"]["code"] == "FS_NOT_OBSERVED"


async def test_a_call_id_runs_once(world: World, via: Via) -> None:
    """A call that is sent again with its id is answered with its outcome and does not run again."""
    file = world.file("a.txt", "x\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    arguments = {"file_path": "a.txt", "old_string": "x", "new_string": "xx"}

    first = await agent.run("edit", call_id="c1", **arguments)
    second = await agent.run("edit", call_id="c1", **arguments)

    assert first == second
    assert file.read_bytes() == b"xx\n"


async def test_an_agent_that_comes_back_goes_on(world: World) -> None:
    """A session outlives its connection: what it had seen is still seen."""
    file = world.file("a.txt", "one\n")
    await world.editor(OwnClient)
    agent = await world.agent()
    await agent.read("a.txt")
    session = agent.session_id
    await agent.close()
    again = await world.agent(session=False)

    opened = await again.open_session(sessionId=session)
    edited = await again.edit("a.txt", "one", "two")

    assert opened["resumed"] is True
    assert edited["isError"] is False
    assert file.read_bytes() == b"two\n"
