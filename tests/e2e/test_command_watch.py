"""``dsh-lsp watch``: cards as they come, what is pending, and keys to decide on it."""

import asyncio
import signal
import threading
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, RichLog, Static

from dsh_lsp.client import Unsupported, link
from dsh_lsp.commands.following import Card, Event, Follower, Gone, Pending
from dsh_lsp.commands.watch import run_watch
from dsh_lsp.commands.watch_screen import WatchScreen
from dsh_lsp.discovery import find
from tests.support.commands import started
from tests.support.editors import VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


async def lines_until(process: Process, wanted: str, within: float = 20.0) -> list[str]:
    """What a process prints, up to a line that has a text in it."""
    assert process.stdout is not None
    seen: list[str] = []
    async with asyncio.timeout(within):
        async for line in process.stdout:
            seen.append(line.decode().rstrip("\n"))
            if wanted in seen[-1]:
                return seen
    raise AssertionError(f"it ended without {wanted!r}: {seen}")


@asynccontextmanager
async def screen(world: World, **how: Any) -> AsyncIterator[tuple[WatchScreen, Pilot[None]]]:
    """The screen of somebody who watches."""
    app = WatchScreen(Follower(world.workspace, history=20))
    async with app.run_test(size=(100, 40), **how) as pilot:
        yield app, pilot


async def until(pilot: Pilot[None], true: Callable[[], bool], within: float = 10.0) -> None:
    """Wait until something shows on the screen."""
    async with asyncio.timeout(within):
        while not true():
            await pilot.pause(0.02)


def text(app: WatchScreen, part: str) -> str:
    """What a part of the screen shows."""
    widget = app.query_one(part)
    if isinstance(widget, RichLog):
        return "\n".join(line.text for line in widget.lines)
    if isinstance(widget, OptionList):
        return "\n".join(str(widget.get_option_at_index(n).prompt) for n in range(widget.option_count))
    assert isinstance(widget, Static)
    return str(widget.render())


async def test_cards_are_printed_where_there_is_no_terminal(world: World) -> None:
    """One block for each, under the name of its agent; what is pending in one line; Ctrl-C ends it quietly."""
    editor = await world.editor(VsCodeLike)
    editor.open(world.file("a.txt", "one\ntwo\n"))
    agent = await world.agent(editor)
    await agent.read("a.txt")
    async with started(world, "watch") as process:
        before = await lines_until(process, "pending: 0 hunks")
        await agent.edit("a.txt", "two", "agent")
        after = await lines_until(process, "pending: 1 hunk in 1 file")
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
        shown = "\n".join(before)

    assert f"== test agent, session {agent.session_id}" in shown
    assert "── #1 read a.txt ─" in shown
    assert f"-- server: process {editor.process.pid}, {world.workspace}" in shown
    assert [line for line in after if line.startswith("── #2 edit a.txt  modified  +1 -1")]
    assert ["+ agent"] == [line[-7:] for line in after if line.endswith("+ agent")]
    assert (130, b"") == (process.returncode, err)


async def test_it_waits_for_a_server_and_for_the_next_one(world: World) -> None:
    """A card that was missed is caught up on, and none is shown twice."""
    world.file("a.txt", "one\n")
    async with started(world, "watch") as process:
        await lines_until(process, "-- no server now, waiting for one")
        first = await world.editor(VsCodeLike)
        await lines_until(process, f"-- server: process {first.process.pid}")
        agent = await world.agent(first, sessionId="s-1")
        await agent.read("a.txt")
        await lines_until(process, "#1 read a.txt")
        await world.kill(first)
        await lines_until(process, "-- no server now")
        second = await world.editor(VsCodeLike)
        again = await world.agent(second, sessionId="s-1")
        await again.edit("a.txt", "one", "two")
        after = await lines_until(process, "pending: 1 hunk")

    shown = "\n".join(after)
    assert "#1 read a.txt" not in shown
    assert 1 == shown.count("#2 edit a.txt")


async def test_what_a_broken_connection_missed_is_caught_up_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection ends, a call is made, and the connection is made again by itself: nobody said that it was gone."""
    agent = await world.agent(await world.editor(VsCodeLike))
    world.file("a.txt", "x\n")
    follower, gate = Follower(world.workspace, history=20), threading.Event()
    gate.set()
    monkeypatch.setattr(link, "find", lambda folder: (gate.wait(10.0), find(folder))[1])
    events = follower.events()
    async with asyncio.timeout(20):
        seen = [event async for event in _until(events, Pending)]
        gate.clear()
        assert follower._observer is not None
        connection = follower._observer._link.current
        assert connection is not None
        connection.connection.close("cut")
        await agent.read("a.txt")
        gate.set()
        seen += [event async for event in _until(events, Card)]
        await events.aclose()

    assert not [event for event in seen if isinstance(event, Gone)]
    assert [("read", "a.txt")] == [(e.shown.card.name, e.shown.subject) for e in seen if isinstance(e, Card)]


async def _until(events: AsyncGenerator[Event, None], kind: type[Event]) -> AsyncIterator[Event]:
    async for event in events:
        yield event
        if isinstance(event, kind):
            return


async def test_history_is_what_was_asked_for(world: World) -> None:
    """The last cards of live sessions, numbered as in the record."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(editor)
    for number in range(5):
        world.file(f"{number}.txt", "x\n")
        await agent.read(f"{number}.txt")
    async with started(world, "watch", "--history", "2") as process:
        shown = "\n".join(await lines_until(process, "pending: 0 hunks"))

    assert ["#4 read 3.txt", "#5 read 4.txt"] == [f"#{n} read {n - 1}.txt" for n in range(1, 6) if f"#{n} " in shown]


async def test_a_reader_that_has_enough_ends_it_quietly(world: World) -> None:
    """As with ``| head``."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(editor)
    world.file("a.txt", "x\n")
    async with started(world, "watch") as process:
        await lines_until(process, "pending: 0 hunks")
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        for _ in range(20):
            await agent.read("a.txt")
        async with asyncio.timeout(10):
            code = await process.wait()
        assert process.stderr is not None
        err = await process.stderr.read()

    assert (0, b"") == (code, err)


async def test_the_screen_shows_cards_and_what_is_pending(world: World) -> None:
    """The cards as they are printed, one line for each hunk, and what stood there before."""
    editor = await world.editor(VsCodeLike)
    editor.open(world.file("a.txt", "one\ntwo\nthree\n"))
    agent = await world.agent(editor)
    await agent.read("a.txt")
    async with screen(world) as (app, pilot):
        await until(pilot, lambda: "#1 read a.txt" in text(app, "#cards"))
        await agent.edit("a.txt", "two", "agent")
        await until(pilot, lambda: bool(text(app, "#pending")))
        server, cards, pending, old = (text(app, part) for part in ("#server", "#cards", "#pending", "#old"))
        title = app.query_one("#pending").border_title

    assert f"server {editor.process.pid}, Visual Studio Code, 1 agent" in server
    assert "test agent, session " in cards
    assert "#2 edit a.txt  modified  +1 -1" in cards
    assert "+ agent" in cards
    assert "a.txt:2  modified +1 -1  by test agent" == pending
    assert "pending: 1 hunk in 1 file" == title
    assert "before, in a.txt:\n- two" == old


async def test_a_server_of_another_version_ends_it(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Waiting would not help; both ways say what to do, and the exit code is 2."""
    await world.socket(await world.editor(VsCodeLike))
    monkeypatch.setattr(link, "PROTOCOL_VERSION", 99)
    with pytest.raises(Unsupported, match="install the same version"):
        await run_watch(world.workspace, plain=True, history=0)
    async with screen(world) as (app, pilot):
        await until(pilot, lambda: app.return_code is not None)

    assert 2 == app.return_code
    assert "" == capsys.readouterr().out


async def test_keys_keep_and_undo(world: World) -> None:
    """The hunk that is highlighted by k and u, all of its file by U; it goes into the buffer and to the agent."""
    editor = await world.editor(VsCodeLike)
    lines = "".join(f"line {n}\n" for n in range(40))
    uri = editor.open(world.file("a.txt", lines))
    agent = await world.agent(editor)
    await agent.read("a.txt")
    for n in (5, 15, 25, 35):
        await agent.edit("a.txt", f"line {n}\n", f"agent {n}\n")
    async with screen(world) as (app, pilot):
        await until(pilot, lambda: 4 == text(app, "#pending").count("modified"))
        await pilot.press("k")
        await until(pilot, lambda: 3 == text(app, "#pending").count("modified"))
        await pilot.press("down", "u")
        await until(pilot, lambda: 2 == text(app, "#pending").count("modified"))
        left = text(app, "#pending")
        await pilot.press("U")
        await until(pilot, lambda: "" == text(app, "#pending"))
        await pilot.press("k")
        await pilot.press("q")

    assert [f"a.txt:{n}" for n in (16, 36)] == [line.split()[0] for line in left.splitlines()]
    assert lines.replace("line 5\n", "agent 5\n") == editor.text(uri)
    decided = [await agent.next("dsh/decided") for _ in range(4)]
    assert ["kept", "undone", "undone", "undone"] == [note["decision"] for note in decided]


async def test_a_call_that_runs_is_shown_with_its_time(world: World) -> None:
    """Until it has ended; and what the user types shows in the list by itself."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file("a.txt", "one\ntwo\n"))
    editor.hold("window/showMessageRequest")
    agent = await world.agent(editor)
    async with screen(world) as (app, pilot):
        await until(pilot, lambda: "server" in text(app, "#server") and "looking" not in text(app, "#server"))
        call = agent.start("bash", command="true")
        question = await editor.held_request("window/showMessageRequest")
        await until(pilot, lambda: "running: bash" in text(app, "#running"))
        question.answer(None)
        await call.result()
        await until(pilot, lambda: "" == text(app, "#running"))
        await until(pilot, lambda: "denied" in text(app, "#cards"))
        await agent.read("a.txt")
        await agent.edit("a.txt", "two", "agent")
        await until(pilot, lambda: "a.txt:2 " in text(app, "#pending"))
        editor.type(uri, "one", "typed\nmore")
        await until(pilot, lambda: "a.txt:3 " in text(app, "#pending"))
        hunk = text(app, "#pending")

    assert "a.txt:3  modified +1 -1  by test agent" == hunk


async def test_the_screen_survives_its_server(world: World) -> None:
    """It says that there is none, and goes on with the next; a key meanwhile is no trouble. It fits other widths."""
    first = await world.editor(VsCodeLike)
    first.open(world.file("a.txt", "one\ntwo\n"))
    agent = await world.agent(first, sessionId="s-1")
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "agent")
    first.save(world.uri("a.txt"))
    await first.sync()
    async with screen(world) as (app, pilot):
        await until(pilot, lambda: bool(text(app, "#pending")))
        await world.kill(first)
        await until(pilot, lambda: "no server now" in text(app, "#server"))
        await pilot.press("k")
        second = await world.editor(VsCodeLike)
        await until(pilot, lambda: f"server {second.process.pid}" in text(app, "#server"))
        await until(pilot, lambda: "a.txt:2" in text(app, "#pending"))
        await pilot.press("k")
        await until(pilot, lambda: "" == text(app, "#pending"))
        wide = max(map(len, text(app, "#cards").splitlines()))
        await pilot.resize_terminal(70, 30)
        await until(pilot, lambda: 70 >= max(map(len, text(app, "#cards").splitlines())) > 0)
        cards = text(app, "#cards")

    assert 70 < wide <= 100
    assert 1 == cards.count("#2 edit a.txt")
