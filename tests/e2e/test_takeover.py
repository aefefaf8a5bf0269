"""The process that is the hub ends, and another editor's goes on: nothing acknowledged or typed is lost (G07)."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.support.applying import AnswersLate, Exactly
from tests.support.editor import StrictEditor
from tests.support.editors import OwnClient, StockNeovim, VsCodeLike
from tests.support.naive_text import content_version
from tests.support.peer import RpcError
from tests.support.world import World


async def two(world: World, kind: Callable[..., StrictEditor] = VsCodeLike) -> tuple[StrictEditor, StrictEditor]:
    """Two editors of the workspace; the first one's process has the hub."""
    first = await world.editor(kind)
    await world.socket(first)
    second = await world.editor(kind)
    return first, second


@pytest.mark.parametrize("kind", [VsCodeLike, StockNeovim, OwnClient])
async def test_G07_a_killed_hub_is_followed_by_the_other_editor_s_process(
    world: World, kind: Callable[..., StrictEditor]
) -> None:
    """The session comes back by its id; unsaved text and pending hunks are as they were (G07)."""
    path = world.file("a.txt", "one\ntwo\nthree\n")
    world.file("closed.txt", "one\n")
    first, second = await two(world, kind)
    uri = second.open(path)
    second.type(uri, "one", "typed")
    agent = await world.agent(second, sessionId="s-1")
    await agent.read("a.txt")
    await agent.read("closed.txt")
    await agent.edit("closed.txt", "one", "ONE")
    await agent.edit("a.txt", "three", "THREE")
    await second.until(lambda: second.text(uri) == "typed\ntwo\nTHREE\n")
    before = (await agent.request("dsh/review/list", {}))["hunks"]
    await agent.close()
    await world.kill(first)
    again = await world.agent(second, session=False)
    opened = await again.open_session(sessionId="s-1")
    after = (await again.request("dsh/review/list", {}))["hunks"]
    edited = await again.edit("a.txt", "two", "TWO")
    found = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])

    assert opened["resumed"]
    assert {hunk["id"] for hunk in before} == {hunk["id"] for hunk in after}
    assert 2 == len(after)
    assert not edited["isError"]
    assert "typed\nTWO\nTHREE\n" == second.text(uri)
    assert b"one\ntwo\nthree\n" == world.bytes("a.txt")
    assert [second.process.pid] == [each.pid for each in found]


@pytest.mark.parametrize("changed", [False, True])
async def test_G07_a_version_seen_before_is_good_for_an_edit_if_the_content_is_the_same(
    world: World, changed: bool
) -> None:
    """Observations come from the journal and are checked by content, in a buffer and on the disk (G07)."""
    paths = [world.file(name, "one\ntwo\n") for name in ("open.txt", "closed.txt")]
    first, second = await two(world)
    uri = second.open(paths[0])
    agent = await world.agent(second, sessionId="s-1")
    for path in paths:
        await agent.read(path)
    await agent.close()
    await world.kill(first)
    if changed:
        second.type(uri, "one", "ONE")
        paths[1].write_text("ONE\ntwo\n")
    again = await world.agent(second, sessionId="s-1")
    results = [await again.edit(path, "two", "TWO") for path in paths]

    wanted = "FS_STALE_VERSION" if changed else None
    assert [wanted, wanted] == [result.get("error", {}).get("code") for result in results]
    assert ("ONE\ntwo\n" if changed else "one\nTWO\n") == second.text(uri) == paths[1].read_text()
    if changed:
        assert paths[1].as_uri() == (await again.next("dsh/drift"))["uri"]


async def test_the_hub_is_passed_on_when_its_editor_leaves(world: World) -> None:
    """In order: the agent's call that is under way in the other editor is answered first."""
    path = world.file("a.txt", "one\ntwo\n")
    late = AnswersLate(Exactly())
    first = await world.editor(OwnClient)
    await world.socket(first)
    second = await world.editor(OwnClient, applying=late)
    uri = second.open(path)
    agent = await world.agent(second, sessionId="s-1")
    await agent.read("a.txt")
    call = agent.start("edit", call_id="c-1", file_path="a.txt", old_string="two", new_string="TWO")
    await second.next("dsh/applyEdit")
    leaving = asyncio.ensure_future(first.shutdown())
    await asyncio.sleep(0)
    late.release()
    code = await leaving
    result = await call.result()
    await agent.close()
    again = await world.agent(second, sessionId="s-1")
    recorded = await again.run("edit", call_id="c-1", file_path="a.txt", old_string="two", new_string="TWO")

    assert 0 == code
    assert not result["isError"]
    assert result["content"] == recorded["content"]
    assert "one\nTWO\n" == second.text(uri)


async def test_one_of_three_takes_over_and_the_third_joins_it(world: World) -> None:
    """Again and again, as long as an editor is there."""
    path = world.file("a.txt", "0\n")
    editors: list[StrictEditor] = [await world.editor(VsCodeLike)]
    await world.socket(editors[0])
    editors += [await world.editor(VsCodeLike) for _ in range(2)]
    last = editors[2]
    uri = last.open(path)
    agent = await world.agent(last, sessionId="s-1")
    await agent.read("a.txt")
    for number in range(2):
        await agent.close()
        [hub] = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
        await world.kill(next(each for each in editors if each.process.pid == hub.pid))
        editors = world.editors
        if last not in editors:
            return
        agent = await world.agent(last, sessionId="s-1")
        assert not (await agent.edit("a.txt", f"{number}", f"{number + 1}"))["isError"]
        assert f"{number + 1}\n" == last.text(uri)


async def test_an_answer_that_was_meant_for_the_old_hub_does_not_reach_the_new_one(world: World) -> None:
    """The ids of a new hub's requests begin anew; the late yes to an old edit is dropped."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world)
    uri = second.open(path)
    second.hold("workspace/applyEdit")
    agent = await world.agent(second, sessionId="s-1")
    await agent.read("a.txt")
    agent.start("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="ONE")
    old = await second.held_request("workspace/applyEdit")
    await agent.close()
    await world.kill(first)
    again = await world.agent(second, sessionId="s-1")
    lost = await again.run("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="ONE")
    call = again.start("edit", file_path="a.txt", old_string="two", new_string="TWO")
    new = await second.held_request("workspace/applyEdit")
    old.answer({"applied": True})
    await second.sync()
    early = call.done
    new.answer({"applied": False, "failureReason": "read-only"})
    refused = await call.result()

    assert "ABORTED" == lost["error"]["code"]
    assert not early
    assert ("FS_APPLY_REJECTED", "one\ntwo\n") == (refused["error"]["code"], second.text(uri))


async def test_requests_of_the_editor_are_answered_all_the_same(world: World) -> None:
    """What changes nothing is asked again; a call with an id has its recorded outcome; the rest is to be retried."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world)
    second.open(path)
    second.hold("workspace/applyEdit")
    agent = await world.agent(second, "editor", sessionId="s-1")
    await agent.read("a.txt")
    named = agent.start("edit", call_id="c-1", file_path="a.txt", old_string="one", new_string="ONE")
    await second.held_request("workspace/applyEdit")
    nameless = agent.start("read", file_path="a.txt")
    undo = second.start_request("dsh/review/undo", {"all": True})
    await world.socket(first)
    for request in second.peer.requests:
        if not request.settled:
            request.leave()
    first.process.kill(signal.SIGKILL)
    with pytest.raises(RpcError) as again:
        await nameless.result()
    aborted = await named.result()
    listed = await second.request("dsh/session/list", {})
    read = await agent.read("a.txt")
    await world.kill(first)

    assert -32802 == again.value.code
    assert "try again" in again.value.message
    assert undo.done
    assert "ABORTED" == aborted["error"]["code"]
    assert ["s-1"] == [each["sessionId"] for each in listed["sessions"] if each["live"]]
    assert "one\ntwo\n" == read["value"]["text"]


async def test_what_is_typed_while_there_is_no_hub_is_known_to_the_next(world: World) -> None:
    """Documents that were opened, changed and closed in between, in the editor's own columns."""
    first, second = await two(world)
    smile = second.open(world.file("smile.txt", "\U0001f600 one\r\ntwo\r\n"))
    second.type(smile, "one", "\U0001f601")
    gone = second.open(world.file("gone.txt", "one\n"))
    second.type(gone, "one", "typed")
    await second.sync()
    first.process.kill(signal.SIGKILL)
    second.type(smile, "two", "zw\u00f6i")
    second.close(gone)
    late = second.open(world.file("late.txt", "one\n"))
    second.type(late, "one", "late")
    await world.kill(first)
    agent = await world.agent(second)
    read = {name: await agent.read(name) for name in ("smile.txt", "gone.txt", "late.txt")}

    assert content_version(second.text(smile)) == read["smile.txt"]["value"]["version"]
    assert ["one\n", "late\n"] == [read[name]["value"]["text"] for name in ("gone.txt", "late.txt")]


async def test_agents_are_let_in_when_all_editors_are_back(world: World) -> None:
    """Before, the new hub would read from the disk what is unsaved in an editor that is a little slower."""
    path = world.file("a.txt", "one\n")
    first, slow = await two(world)
    uri = slow.open(path)
    slow.type(uri, "one", "typed")
    await slow.sync()
    await world.editor(VsCodeLike)
    slow.process.kill(signal.SIGSTOP)
    await world.kill(first)
    agent = await Agent.connect(await world.socket(world.editors[-1]))
    opening = asyncio.ensure_future(agent.open_session())
    early, _ = await asyncio.wait([opening], timeout=0.5)
    slow.process.kill(signal.SIGCONT)
    await opening
    read = await agent.read("a.txt")
    await agent.close()

    assert not early
    assert ("typed\n", True) == (read["value"]["text"], read["value"]["dirty"])


async def test_what_the_old_hub_has_painted_is_painted_anew(world: World) -> None:
    """And what nobody paints any more is cleared."""
    path = world.file("a.txt", "one\ntwo\n")
    first, second = await two(world, OwnClient)
    uri = second.open(path)
    agent = await world.agent(second, sessionId="s-1")
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    [hunk] = await second.decorated(uri, lambda hunks: len(hunks) == 1)
    notes = len(second.inbox.all("dsh/decorations"))
    await agent.close()
    await world.kill(first)
    await second.until(lambda: len(second.inbox.all("dsh/decorations")) >= notes + 2)
    [again] = await second.decorated(uri, lambda hunks: len(hunks) == 1)

    assert hunk["id"] == again["id"]


async def test_sessions_stay_where_they_were_when_the_next_hub_has_other_folders(world: World) -> None:
    """The journals and reviews of the first hub's workspace go on, though the next editor's first folder is another."""
    other = world.workspace.parent / "other"
    other.mkdir()
    world.file("a.txt", "one\n")
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    second = await world.editor(VsCodeLike, folders=[other, world.workspace])
    agent = await world.agent(first, sessionId="s-1")
    await agent.read("a.txt")
    await agent.edit("a.txt", "one", "ONE")
    await agent.close()
    await world.kill(first)
    again = await world.agent(second, session=False)
    opened = await again.open_session(sessionId="s-1")
    pending = await again.request("dsh/review/list", {})
    edited = await again.edit(world.path("a.txt"), "ONE", "two")

    assert opened["resumed"]
    assert 1 == len(pending["hunks"])
    assert not edited["isError"]


async def test_an_editor_that_leaves_while_it_takes_over_leaves_nothing_behind(world: World) -> None:
    """No process, no file by which it would be found."""
    first, second = await two(world)
    await second.sync()
    first.process.kill(signal.SIGKILL)
    code = await second.shutdown()
    await world.kill(first)

    assert 0 == code
    assert [] == await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])


async def test_a_malformed_message_does_not_end_the_window_of_an_editor_that_has_joined(world: World) -> None:
    """It is passed over there as it is at the hub, before and after that has ended."""
    first, second = await two(world)
    for event in ({"removed": ["x"], "added": []}, {"added": [{"uri": []}], "removed": []}, 5):
        second.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await second.sync()
    await world.kill(first)
    agent = await world.agent(second)
    world.file("a.txt", "one\n")

    assert not (await agent.read("a.txt"))["isError"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_who_waits_for_a_hub_that_says_nothing(world: World, number: signal.Signals) -> None:
    """The hub's process was stopped; the one that would join it ends at once."""
    first = await world.editor(VsCodeLike)
    await world.socket(first)
    first.process.kill(signal.SIGSTOP)
    second = await world.editor(VsCodeLike, initialize=False)
    second.ended = True
    refused = second.start_request("dsh/tool/list", {})
    second.start_request("initialize", {"processId": None, "rootUri": world.workspace.as_uri(), "capabilities": {}})
    with pytest.raises(RpcError):
        await refused.result()
    second.process.kill(number)
    code = await second.process.wait(3.0)
    first.process.kill(signal.SIGCONT)

    assert 1 == code
