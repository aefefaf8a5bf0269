"""Every tool over the Model Context Protocol, called with the official kit's own client."""

import asyncio
import json
import os
import sys
from typing import Any

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.support.editors import OwnClient, VsCodeLike
from tests.support.mcp_client import COMMAND, error_of, mcp_client, text_of
from tests.support.web_site import web_site
from tests.support.world import World

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c626001000000ffff03000006000557bfabd400000000"
    "49454e44ae426082"
)


def every_call(site: str) -> list[tuple[str, dict[str, Any]]]:
    """A call of each built-in tool that ends well, in an order in which they do."""
    return [
        ("read", {"file_path": "a.txt"}),
        ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "TWO"}),
        ("multi_edit", {"file_path": "a.txt", "edits": [{"old_string": "TWO", "new_string": "2"}]}),
        ("write", {"file_path": "new.txt", "content": "new\n"}),
        ("str_replace_editor", {"command": "view", "path": "new.txt"}),
        ("str_replace_editor", {"command": "insert", "path": "new.txt", "insert_line": 0, "new_str": "first"}),
        ("glob", {"pattern": "*.txt"}),
        ("grep", {"pattern": "on."}),
        ("bash", {"command": "printf out; exit 3"}),
        ("web_fetch", {"url": site}),
        ("read_image", {"file_path": "image.png"}),
    ]


async def test_every_tool_is_listed_and_called(world: World) -> None:
    """Each has schemas that its value fits, hints from what is known of it, text for the model, and an image if any."""
    world.file("a.txt", "one\ntwo\n")
    world.file("image.png", PNG)
    await world.editor(
        VsCodeLike, initialization_options={"permissions": {"bash": "allow"}, "web": {"allowPrivate": True}}
    )
    async with mcp_client(world) as client, web_site() as site:
        listed = {tool.name: tool for tool in (await client.session.list_tools()).tools}
        calls = every_call(site.url("/"))
        assert set(listed) == {name for name, _ in calls}
        for name, arguments in calls:
            jsonschema.validate(arguments, listed[name].input_schema)
            result = await client.call(name, **arguments)
            assert not result.is_error, text_of(result)
            jsonschema.validate(result.structured_content, listed[name].output_schema or False)
            assert "object" == (listed[name].output_schema or {})["type"]
            assert any(block.type == "text" and block.text for block in result.content)
            assert {"sessionId", "callId"} == set((result.meta or {})["dsh-lsp/call"])

    assert ["image"] == [block.type for block in result.content if block.type != "text"]
    hints = {name: tool.annotations for name, tool in listed.items()}
    assert {"read", "glob", "grep", "web_fetch", "read_image"} == {
        name for name, hint in hints.items() if hint is not None and hint.read_only_hint
    }
    assert {"edit", "multi_edit", "write", "str_replace_editor", "bash"} == {
        name for name, hint in hints.items() if hint is not None and hint.destructive_hint
    }
    assert {"bash", "web_fetch"} == {name for name, hint in hints.items() if hint is not None and hint.open_world_hint}
    assert "write" in {name for name, hint in hints.items() if hint is not None and hint.idempotent_hint}
    assert b"one\n2\n" == world.bytes("a.txt")


async def test_the_kit_s_own_transport_starts_it(world: World) -> None:
    """As a host does: the command, its working directory, and nothing else; without a hub, it is its own."""
    world.file("a.txt", "one\n")
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "dsh_lsp", "mcp"], env=world.env, cwd=str(world.workspace)
    )
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        opened = await session.initialize()
        assert "FS_STALE_VERSION" in (opened.instructions or "")
        assert ("dsh-lsp", True) == (opened.server_info.name, bool(opened.server_info.version))
        result = await session.call_tool("read", {"file_path": "a.txt"})

    assert "1| one" in text_of(result)


async def test_an_edit_is_decorated_in_an_attached_editor(world: World) -> None:
    """With the unsaved typing left alone, and the client's name as its author."""
    editor = await world.editor(OwnClient)
    uri = editor.open(world.file("a.txt", "one\ntwo\nthree\n"))
    editor.type(uri, "one", "typed")
    await editor.sync()
    async with mcp_client(world, name="some agent") as client:
        read = await client.value("read", file_path="a.txt")
        edited = await client.value("edit", file_path="a.txt", old_string="two", new_string="agent")
        [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)

    assert ("buffer", True) == (read["via"], read["dirty"])
    assert ("buffer", False) == (edited["via"], edited["saved"])
    assert "typed\nagent\nthree\n" == editor.text(uri)
    assert ("two", "some agent") == (hunk["removedText"].rstrip("\n"), hunk["author"])
    assert b"one\ntwo\nthree\n" == world.bytes("a.txt")


async def test_a_stale_edit_is_refused_with_its_code_as_data(world: World) -> None:
    """The code, the message and the details; the text begins with the code, and no value pretends to fit the schema."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    async with mcp_client(world) as client:
        await client.value("read", file_path="a.txt")
        editor.type(uri, "two", "zwei")
        await editor.sync()
        result = await client.call("edit", file_path="a.txt", old_string="one", new_string="eins")
        error = error_of(result)
        unseen = await client.code("edit", file_path="b.txt", old_string="x", new_string="y")

    assert result.is_error
    assert result.structured_content is None
    assert text_of(result).startswith("FS_STALE_VERSION: ")
    assert "FS_STALE_VERSION" == error["code"]
    assert error["message"]
    assert error["details"]
    assert "FS_NOT_OBSERVED" == unseen
    assert "one\nzwei\n" == editor.text(uri)


async def test_what_the_user_undid_is_told_with_the_next_result(world: World) -> None:
    """As text and in the structured content, which is all that some agents show to a model; it is told once."""
    editor = await world.editor(OwnClient)
    uri = editor.open(world.file("a.txt", "one\n"))
    async with mcp_client(world) as client:
        await client.session.list_tools()
        await client.value("read", file_path="a.txt")
        await client.value("edit", file_path="a.txt", old_string="one", new_string="1")
        [hunk] = await editor.decorated(uri, lambda hunks: len(hunks) == 1)
        await editor.request("dsh/review/undo", {"hunkIds": [hunk["id"]]})
        told = await client.call("read", file_path="a.txt")
        again = await client.value("read", file_path="a.txt")

    assert "undid" in told.structured_content["userDecisions"]
    assert told.structured_content["userDecisions"] in text_of(told)
    assert "userDecisions" not in again


async def test_bad_arguments_and_unknown_tools_are_outcomes_too(world: World) -> None:
    """Not errors of the protocol: a model can correct itself."""
    async with mcp_client(world) as client:
        invalid = await client.call("read", path="a.txt")
        unknown = await client.call("no_such_tool")

    assert ("INVALID_ARGS", "UNKNOWN_TOOL") == (error_of(invalid)["code"], error_of(unknown)["code"])
    assert "file_path" in text_of(invalid)


async def test_giving_up_on_a_call_cancels_it(world: World) -> None:
    """The command is ended, and the session goes on."""
    await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow"}})
    os.mkfifo(world.path("pid"))
    async with mcp_client(world) as client:
        slow = asyncio.create_task(client.call("bash", command="echo $$ > pid; exec sleep 60"))
        pid = int(await asyncio.to_thread(world.path("pid").read_text))
        slow.cancel()
        await asyncio.wait({slow})
        await _ended(pid)
        again = await client.value("bash", command="echo again")

    assert slow.cancelled()
    assert "again\n" == again["output"]["head"]


async def test_a_long_call_reports_progress(world: World) -> None:
    """A number that grows and a word or two, until it ends; a client that did not ask is told nothing."""
    await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow"}})
    os.mkfifo(world.path("go"))
    told: list[tuple[float, str | None]] = []
    more = asyncio.Event()

    async def report(progress: float, _total: float | None, message: str | None) -> None:
        told.append((progress, message))
        if len(told) == 2:
            more.set()

    async with mcp_client(world) as client:
        slow = asyncio.create_task(
            client.session.call_tool("bash", {"command": "read go < go"}, progress_callback=report)
        )
        async with asyncio.timeout(10):
            await more.wait()
        await asyncio.to_thread(world.path("go").write_text, "go\n")
        result = await slow

    assert not result.is_error
    assert sorted({number for number, _ in told}) == [number for number, _ in told]
    assert all(message for _, message in told)


async def _ended(pid: int, within: float = 10.0) -> None:
    """Wait until a process has ended."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(pidfd, ended.set)
    try:
        async with asyncio.timeout(within):
            await ended.wait()
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)


async def test_a_request_that_the_kit_can_not_read_is_answered(world: World) -> None:
    """Half of a character, as a model's output that was cut has it, changes nothing, and nobody waits for ever."""
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=pipe, stdout=pipe, env=world.env, cwd=world.workspace, limit=2**20
    )
    assert server.stdin is not None
    assert server.stdout is not None
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    write = {"name": "write", "arguments": {"file_path": "new.txt", "content": "\ud83d"}}
    answers = []
    for number, method, params in ((1, "initialize", hello), (2, "tools/call", write), (3, "ping", {})):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(message).encode() + b"\n")
        async with asyncio.timeout(20.0):
            answers.append(json.loads(await server.stdout.readline()))
    server.stdin.close()

    assert [1, 2, 3] == [answer["id"] for answer in answers]
    assert (-32602, True) == (answers[1]["error"]["code"], "half of a character" in answers[1]["error"]["message"])
    assert 0 == await server.wait()
    assert not world.path("new.txt").exists()
