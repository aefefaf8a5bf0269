"""Commands beside an editor: what they do to open files, what they don't see, and what is left when the server ends."""

import asyncio
import os
import select
from typing import Any

from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import Via, World

ALLOWED = {"permissions": {"bash": "allow"}}
COURTESY = IGNORED | {"dsh/drift"}
"""Messages that a test reads only where they are what it is about."""


def text(result: dict[str, Any]) -> str:
    """What a model reads of a result."""
    return "".join(block["text"] for block in result["content"])


def is_gone(pid: int) -> bool:
    """Whether a process has ended, or does so in ten seconds."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 10.0)[0])
    finally:
        os.close(fd)


async def test_C10_a_file_that_a_command_changed_is_read_from_the_disk_until_the_editor_has_it(
    world: World, via: Via
) -> None:
    """The clean buffer still has the old text: the disk's is served with a note, and the change was named."""
    file = world.file("f", "a")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, initialization_options=ALLOWED)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f")

    ran = await agent.run("bash", command="printf b > f")
    read = await agent.read("f")

    assert [{"path": "f", "uri": file.as_uri(), "change": "modified", "open": True, "stale": True}] == (
        ran["value"]["changed"]
    )
    assert ("b", "disk") == (read["value"]["text"], read["value"]["via"])
    assert ["The editor's buffer has not been reloaded yet; this is the text on disk."] == read["value"]["notes"]
    assert "a" == editor.text(uri)


async def test_C10_an_editor_that_reloads_has_what_a_command_wrote(world: World, via: Via) -> None:
    """It is asked to when the file is read; then the buffer is the truth again, and an edit goes there."""
    file = world.file("f", "a\n")
    editor = await world.editor(OwnClient, ignore=COURTESY, initialization_options=ALLOWED)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f")

    await agent.run("bash", command="echo b > f")
    refused = await agent.edit("f", "b", "c")
    read = await agent.read("f")
    edited = await agent.edit("f", "b", "c")

    assert "FS_STALE_VERSION" == refused["error"]["code"]
    assert ("b\n", "buffer") == (read["value"]["text"], read["value"]["via"])
    assert edited["isError"] is False
    assert "c\n" == editor.text(uri)


async def test_a_command_does_not_see_an_edit_that_is_not_saved_and_says_so(world: World, via: Via) -> None:
    """The edit is in the buffer; once the user has saved it, there is nothing more to say."""
    file = world.file("f", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, initialization_options=ALLOWED)
    uri = editor.open(file)
    agent = await world.agent(via=via)
    await agent.read("f")
    await agent.edit("f", "a", "b")

    before = await agent.run("bash", command="cat f")
    editor.save(uri)
    await editor.sync()
    after = await agent.run("bash", command="cat f")

    assert "Exit code 0.\nNot on disk yet, so the command did not see it: the edit of f\nOutput:\na\n" == text(before)
    assert [{"path": "f", "uri": file.as_uri()}] == before["value"]["unsaved"]
    assert ([], "Exit code 0.\nOutput:\nb\n") == (after["value"]["unsaved"], text(after))


async def test_unsaved_typing_outlives_what_a_command_does_to_the_file(world: World, via: Via) -> None:
    """The buffer stays as it is, the change is named, and what the session reads is still the buffer."""
    file = world.file("f", "a\n")
    editor = await world.editor(VsCodeLike, ignore=COURTESY, initialization_options=ALLOWED)
    uri = editor.open(file)
    editor.type(uri, "a", "typed")
    agent = await world.agent(via=via)
    await agent.read("f")

    ran = await agent.run("bash", command="echo b > f")
    read = await agent.read("f")

    assert [("f", True, False)] == [(each["path"], each["open"], each["stale"]) for each in ran["value"]["changed"]]
    assert ("typed\n", "buffer", True) == tuple(read["value"][key] for key in ("text", "via", "dirty"))
    assert "typed\n" == editor.text(uri)


async def test_both_cards_are_terminals(world: World) -> None:
    """An editor shows the command while it runs, and then what it printed."""
    editor = await world.editor(OwnClient, initialization_options=ALLOWED)
    agent = await world.agent()
    await editor.request("dsh/subscribe", {"sessionId": agent.session_id})

    await agent.run("bash", command="echo hi; exit 3")
    call, result = await editor.next("dsh/toolCall"), await editor.next("dsh/toolResult")

    assert {"card": "terminal", "title": "Run: echo hi; exit 3", "command": "echo hi; exit 3"} == call["view"]
    assert False is result["isError"]
    assert {
        "card": "terminal",
        "title": "Run: echo hi; exit 3",
        "command": "echo hi; exit 3",
        "output": "hi\n",
        "exitCode": 3,
        "truncated": False,
    } == result["view"]


async def test_G03_what_a_command_prints_is_no_part_of_the_protocol(world: World, via: Via) -> None:
    """Its outputs are its own, and so is its input."""
    await world.editor(VsCodeLike, initialization_options=ALLOWED)
    agent = await world.agent(via=via)

    ran = await agent.run("bash", command="echo 'Content-Length: 3'; echo hi >&2; cat; ls /proc/self/fd | wc -l")

    assert "Content-Length: 3\nhi\n4\n" == ran["value"]["output"]["head"]


async def test_G14_the_end_of_the_server_is_the_end_of_its_commands(world: World) -> None:
    """Shut down while one runs: the server leaves in time, and no process is left."""
    pid = world.path("pid")
    os.mkfifo(pid)
    editor = await world.editor(VsCodeLike, initialization_options=ALLOWED)
    agent = await world.agent()
    agent.start("bash", command="echo $$ > pid; exec sleep 1000")
    number = int(await _read(pid))

    assert 0 == await editor.shutdown(5.0)
    assert is_gone(number)


async def test_a_cancelled_command_is_gone(world: World, via: Via) -> None:
    """Cancelling the request ends the command, and is the call's outcome."""
    pid = world.path("pid")
    os.mkfifo(pid)
    await world.editor(VsCodeLike, initialization_options=ALLOWED)
    agent = await world.agent(via=via)
    call = agent.start("bash", command="echo $$ > pid; sleep 1000; true")
    number = int(await _read(pid))

    call.cancel()
    ended = await call.result()

    assert "ABORTED" == ended["error"]["code"]
    assert is_gone(number)


async def test_I06_nothing_of_a_command_is_in_the_servers_log(world: World) -> None:
    """Neither the command, nor its output, nor the environment it does not get."""
    world.env = {**world.env, "MY_API_TOKEN": "s3cr3t-env"}
    editor = await world.editor(VsCodeLike, initialization_options=ALLOWED)
    agent = await world.agent()

    ran = await agent.run("bash", command="env; echo s3cr3t-out; exit 1")
    await editor.sync()

    assert "s3cr3t-out\n" in ran["value"]["output"]["head"]
    assert "s3cr3t-env" not in ran["value"]["output"]["head"]
    assert "s3cr3t" not in editor.process.epitaph()
    assert "s3cr3t" not in str(editor.take("window/logMessage"))


async def _read(fifo: Any) -> str:
    """A line from a FIFO, once a command has written it."""
    fd = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    try:
        async with asyncio.timeout(10.0):
            ready = asyncio.Event()
            asyncio.get_running_loop().add_reader(fd, ready.set)
            await ready.wait()
        return os.read(fd, 100).decode("ascii")
    finally:
        asyncio.get_running_loop().remove_reader(fd)
        os.close(fd)
