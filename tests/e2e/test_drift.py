"""Agents are told when what they have read moves on, in a buffer or on the disk; and guards never depend on it."""

import os
import re
from typing import Any

import pytest

from dsh_ledger.versions import version_of_text
from tests.support.agent import ToolUser
from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import Via, World

COURTESY = IGNORED | {"dsh/drift"}
"""Messages that a test reads only where they are what it is about."""


def lines(*spans: tuple[int, int]) -> list[dict[str, Any]]:
    """Ranges of whole lines, 0-based, the end excluded."""
    return [{"start": {"line": a, "character": 0}, "end": {"line": b, "character": 0}} for a, b in spans]


def code(result: dict[str, Any]) -> str | None:
    """The code of a failed result."""
    error: dict[str, str] = result.get("error") or {}
    return error.get("code")


async def drift(agent: ToolUser, uri: str) -> dict[str, Any]:
    """The next note about a file to the agent's session."""
    note: dict[str, Any] = await agent.next(
        "dsh/drift", where=lambda note: note["uri"] == uri and note["sessionId"] == agent.session_id
    )
    return note


async def test_C22_typing_in_what_an_agent_has_read_is_told_with_its_lines(world: World, via: Via) -> None:
    """The note has both versions, and the changed lines as they are now."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(world.file("a.txt", "one\ntwo\nthree\n"))
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    editor.type(uri, "two", "2\n2")
    note = await drift(agent, uri)

    assert {
        "sessionId": agent.session_id,
        "uri": uri,
        "from": version_of_text("one\ntwo\nthree\n"),
        "to": version_of_text("one\n2\n2\nthree\n"),
        "ranges": lines((1, 3)),
    } == note


async def test_C22_a_change_on_the_disk_is_told_alike(world: World, via: Via) -> None:
    """Of a file that no editor has open, an outside change is noticed and told in the same shape."""
    await world.editor(VsCodeLike, ignore=COURTESY)
    file = world.file("a.txt", "one\ntwo\nthree\n")
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    file.write_text("one\nTWO\nthree\n", encoding="utf-8")
    note = await drift(agent, file.as_uri())

    assert {
        "sessionId": agent.session_id,
        "uri": file.as_uri(),
        "from": version_of_text("one\ntwo\nthree\n"),
        "to": version_of_text("one\nTWO\nthree\n"),
        "ranges": lines((1, 2)),
    } == note


async def test_a_file_that_is_gone_has_no_version_and_one_put_in_its_place_has_one(world: World, via: Via) -> None:
    """``to`` is absent when nothing is there any more; a file that is renamed onto the path is the path's."""
    await world.editor(VsCodeLike, ignore=COURTESY)
    file, other = world.file("d/a.txt", "one\n"), world.file("d/new", "two\n")
    agent = await world.agent(via=via)
    await agent.read("d/a.txt")
    file.unlink()
    gone = await drift(agent, file.as_uri())
    other.rename(file)
    there = await drift(agent, file.as_uri())

    assert ("to" in gone, gone["ranges"]) == (False, [])
    assert (there["to"], there["ranges"]) == (version_of_text("two\n"), lines((0, 1)))


async def test_a_directory_that_is_removed_takes_its_files_with_it(world: World, via: Via) -> None:
    """Every file of it that was read is gone; one that comes back with the directory is noticed when it is read."""
    await world.editor(VsCodeLike, ignore=COURTESY)
    file = world.file("d/a.txt", "one\n")
    agent = await world.agent(via=via)
    await agent.read("d/a.txt")
    await agent.read("d/a.txt")
    file.unlink()
    file.parent.rmdir()
    gone = await drift(agent, file.as_uri())
    world.file("d/a.txt", "two\n")
    await agent.read("d/a.txt")
    world.file("d/a.txt", "three\n")
    again = await drift(agent, file.as_uri())

    assert "to" not in gone
    assert version_of_text("three\n") == again["to"]


async def test_C01_a_touched_file_is_not_stale(world: World, via: Via) -> None:
    """The version is the content's: whatever the time stamps say, an edit goes through."""
    await world.editor(VsCodeLike)
    file = world.file("s.cs", "a\n")
    agent = await world.agent(via=via)
    await agent.read("s.cs")
    os.utime(file, (1, 1))

    assert not (await agent.edit("s.cs", "a", "b"))["isError"]
    assert b"b\n" == file.read_bytes()


async def test_C02_the_same_bytes_written_again_are_no_drift(world: World, via: Via) -> None:
    """A sync tool that rewrites a file, or touches it, is looked at and not told of; the edit goes through."""
    await world.editor(VsCodeLike, ignore=COURTESY)
    file, other = world.file("a.txt", "a\n"), world.file("b.txt", "b\n")
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.read("b.txt")
    other.write_bytes(b"B\n")
    await drift(agent, other.as_uri())
    file.write_bytes(b"a\n")
    os.utime(file, (1, 1))
    edited = await agent.edit("a.txt", "a", "A")
    other.write_bytes(b"BB\n")
    await drift(agent, other.as_uri())

    assert not edited["isError"]
    assert [] == agent.take("dsh/drift")


async def test_an_agents_own_edit_is_drift_for_the_others_only(world: World) -> None:
    """Who has made a change knows of it; who has read the file before is told."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    file = world.file("a.txt", "one\n")
    first, second = await world.agent(editor), await world.agent(editor)
    await first.read("a.txt")
    await second.read("a.txt")
    await first.edit("a.txt", "one", "two")
    note = await drift(second, file.as_uri())
    world.file("a.txt", "three\n")
    last = await drift(first, file.as_uri())

    assert version_of_text("two\n") == note["to"] == last["from"]
    assert [] == first.take("dsh/drift")


async def test_what_a_command_changed_is_told(world: World, via: Via) -> None:
    """A program that an agent runs is an outside writer like any other."""
    await world.editor(VsCodeLike, ignore=COURTESY, initialization_options={"permissions": {"bash": "allow"}})
    file = world.file("a.txt", "one\n")
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.run("bash", command="echo two > a.txt")

    assert version_of_text("two\n") == (await drift(agent, file.as_uri()))["to"]


async def test_typing_that_is_thrown_away_is_drift(world: World, via: Via) -> None:
    """Closed without saving, a file is again what the disk has."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    uri = editor.open(world.file("a.txt", "one\n"))
    editor.type(uri, "one", "typed")
    beside = world.file("b.txt", "b\n")
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    await agent.read("b.txt")
    beside.write_bytes(b"B\n")
    await drift(agent, beside.as_uri())
    editor.close(uri)
    note = await drift(agent, uri)

    assert (version_of_text("typed\n"), version_of_text("one\n")) == (note["from"], note["to"])


async def test_a_resumed_session_is_told_what_has_changed_meanwhile(world: World) -> None:
    """What it saw is known again from its journal; the texts are not, so that the whole file is named."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY)
    file = world.file("a.txt", "one\n")
    before = await world.agent(editor)
    await before.read("a.txt")
    await world.kill(editor)
    file.write_bytes(b"two\n")
    await world.editor(VsCodeLike, ignore=COURTESY)
    agent = await world.agent(sessionId=before.session_id)
    note = await drift(agent, file.as_uri())

    assert (version_of_text("one\n"), version_of_text("two\n")) == (note["from"], note["to"])
    assert lines((0, 1)) == note["ranges"]


@pytest.mark.parametrize("watch", [True, False])
async def test_a_change_is_found_by_the_guard_whether_or_not_it_was_noticed(
    world: World, via: Via, *, watch: bool
) -> None:
    """Stale is stale; with ``watch: false`` nobody is told before."""
    await world.editor(VsCodeLike, ignore=COURTESY, initialization_options={"watch": watch})
    file = world.file("a.txt", "one\ntwo\n")
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    file.write_bytes(b"one\nTWO\n")
    if watch:
        await drift(agent, file.as_uri())
    stale = await agent.edit("a.txt", "one", "1")

    assert "FS_STALE_VERSION" == code(stale)
    assert [{"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 1}] == stale["error"]["details"]["changes"]
    assert watch or [] == agent.take("dsh/drift")


async def test_C04_a_formatter_after_the_agents_own_edit_makes_the_next_one_stale(world: World, via: Via) -> None:
    """The user saves and a formatter rewrites the file: the next edit says which lines, and is not "not found"."""
    editor = await world.editor(VsCodeLike, ignore=COURTESY, formatter=lambda text: re.sub(r" *= *", " = ", text))
    uri = editor.open(world.file("f.py", "x=1\ny=2\n"))
    agent = await world.agent(via=via)
    await agent.read("f.py")
    await agent.edit("f.py", "x=1", "x=3")
    editor.save(uri)
    await drift(agent, uri)
    stale = await agent.edit("f.py", "y=2", "y=4")

    assert "FS_STALE_VERSION" == code(stale)
    assert "Changed lines: 1-2." in stale["error"]["message"]
    assert "+y = 2" in stale["error"]["message"]
    assert "x = 3\ny = 2\n" == editor.text(uri)


async def test_C04_what_a_formatter_does_on_our_own_save_belongs_to_the_edit(world: World, via: Via) -> None:
    """The result has the version after it, and the next edit of what it left goes through."""
    editor = await world.editor(OwnClient, formatter=lambda text: re.sub(r" *= *", " = ", text))
    editor.open(world.file("f.py", "x=1\ny=2\n"))
    agent = await world.agent(via=via)
    await agent.read("f.py")
    edited = await agent.edit("f.py", "x=1", "x=3")

    assert version_of_text("x = 3\ny = 2\n") == edited["value"]["version"]
    assert not (await agent.edit("f.py", "y = 2", "y = 4"))["isError"]
