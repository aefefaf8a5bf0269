"""A server that is killed in the middle of an edit, and the next one, which sets right what it left."""

from pathlib import Path

import pytest

from tests.support.editor import COMMAND
from tests.support.editors import VsCodeLike
from tests.support.inbox import NeverMet
from tests.support.strace import strace
from tests.support.world import World

OLD = "first\n" + "old\n" * 1000
NEW = "second\n"


async def killed_while_writing(world: World, call: str) -> None:
    """A server is killed at the entry of a system call, while its agent writes a file that it has read."""
    command = [*strace("-D", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL"), *COMMAND]
    editor = await world.editor(VsCodeLike, command=command)
    agent = await world.agent(via="editor")
    await agent.read("a.txt")
    with pytest.raises(NeverMet):
        await agent.write("a.txt", NEW)
    await world.kill(editor)


def logs(world: World) -> list[str]:
    """What is in the directory of the crash logs, but for the file of locks."""
    [log] = Path(world.env["XDG_STATE_HOME"]).rglob("publishing")
    return sorted(path.name for path in log.iterdir() if path.name != "turns")


async def test_C17_a_killed_server_s_temporary_file_is_gone_after_the_next_start(world: World) -> None:
    """The file has its old bytes, and what lay beside it is removed before anything else is done (C17)."""
    world.file("a.txt", OLD)
    await killed_while_writing(world, "renameat2")
    left = {path.name for path in world.workspace.iterdir()} - {"a.txt"}
    await world.editor(VsCodeLike)
    await world.agent()

    assert 1 == len(left)
    assert (OLD.encode(), ["a.txt"]) == (world.bytes("a.txt"), [path.name for path in world.workspace.iterdir()])
    assert [] == logs(world)


async def test_C17_F04_a_half_written_file_has_its_old_content_after_the_next_start(world: World) -> None:
    """A file with two names is written in place; killed in between, it is half written until the next start.

    The person is told, the agent reads the old content, and its next edit goes through (C17, F04).
    """
    path = world.file("a.txt", OLD)
    world.path("b.txt").hardlink_to(path)
    await killed_while_writing(world, "ftruncate")
    between = world.bytes("a.txt")
    editor = await world.editor(VsCodeLike)
    told = await editor.next("window/showMessage")
    agent = await world.agent()
    read = await agent.read("a.txt")
    result = await agent.write("a.txt", NEW)

    assert NEW.encode() + OLD.encode()[len(NEW) :] == between
    assert (
        "dsh-lsp: a.txt was half written when a server was killed. Its content from before is back."
        == (told["message"])
    )
    assert OLD == read["value"]["text"]
    assert not result["isError"]
    assert NEW.encode() == world.bytes("a.txt") == world.bytes("b.txt")
    assert 1 == len(logs(world)), "the second server's own"
