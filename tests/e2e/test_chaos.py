"""Hubs, agents and editors are killed at random while agents edit: no acknowledged work is lost, all reconnect.

A worker counts up in a file of its own. What it was told is done must be there at the end, and nothing more than the
one call whose outcome it was never told. One file is open in an editor whose user has typed in it; that editor lives
through it all, though its server is killed like any other. Until it has another one, nobody can know what is unsaved in
it, and its worker waits.
"""

import asyncio
import os
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import pytest

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.support.editor import StrictEditor
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.inbox import NeverMet
from tests.support.world import World

SECONDS: Final = 30.0
"""For which things are killed."""

_UNKNOWN: Final = {"ABORTED", "ABORTED_BEFORE_DISPATCH", "FS_APPLY_UNCONFIRMED"}
_REFUSED: Final = {"FS_STALE_VERSION", "FS_APPLY_REJECTED", "FS_EDIT_NOT_FOUND"}


class Worker:
    """An agent that counts up in a file, through whatever happens to its connection.

    Args:
        world: Where.
        name: The file, and the session.
        may_be_lost: Editors in which it is open die. What was not saved then is gone, and the answer said so: safe is
            what is on the disk. Without it, all is safe that was answered.

    Attributes:
        may_go_on: Set when it may.
        count: What it knows to be in the file.
        calls: How many edits it has made.
        lives: How many connections it has had.
    """

    def __init__(self, world: World, name: str, *, may_be_lost: bool = False) -> None:
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self.count = self.calls = self.lives = 0
        self._world = world
        self._name = name
        self._may_be_lost = may_be_lost
        self._safe = 0
        self._agent: Agent | None = None
        self._numbers = 0

    async def work(self, ended: asyncio.Event) -> None:
        """Count until it has ended."""
        await self._look(0)
        while not ended.is_set():
            result = await self._call(
                "edit", file_path=self._name, old_string=f"count {self.count}\n", new_string=f"count {self.count + 1}\n"
            )
            code = result.get("error", {}).get("code")
            if code is None:
                self.calls += 1
                self.count += 1
                if not self._may_be_lost or result.get("value", {}).get("saved"):
                    self._safe = self.count
            else:
                assert code in _UNKNOWN | _REFUSED, result
                await self._look(self.count + (code in _UNKNOWN))

    async def last_look(self) -> None:
        """See that all is there."""
        await self._look(self.count)

    def cut(self) -> None:
        """Its connection is cut."""
        if self._agent is not None:
            self._agent._writer.transport.abort()

    async def close(self) -> None:
        """It leaves."""
        if self._agent is not None:
            await self._agent.close()

    async def _look(self, most: int) -> None:
        """Read the file. What is in it is at least what is safe, and at most this."""
        result = await self._call("read", file_path=self._name)
        while result.get("error", {}).get("code") in _UNKNOWN:
            result = await self._call("read", file_path=self._name)
        assert not result["isError"], result
        # A call that was told before has a recorded outcome, without its value.
        value = result.get("value")
        text = value["text"] if value else result["content"][0]["text"]
        found = int(text.partition("count ")[2].split()[0])
        assert self._safe <= found <= most, f"{self._name} has {found}, not {self._safe} to {most}: {result}"
        self.count = found
        if not self._may_be_lost or (value and not value["dirty"]):
            self._safe = found

    async def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """One call, with the same id until it is answered."""
        self._numbers += 1
        call_id = f"c-{self._numbers}"
        while True:
            await self.may_go_on.wait()
            try:
                agent = self._agent or await self._connected()
                return await agent.run(tool, call_id=call_id, within=20.0, **arguments)
            except (NeverMet, OSError):
                await self.close()
                self._agent = None

    async def _connected(self) -> Agent:
        found = await hub(self._world)
        self._agent = agent = await Agent.connect(found.socket)
        self.lives += 1
        await agent.open_session(sessionId=f"s-{self._name}")
        return agent


async def hub(world: World) -> discovery.Found:
    """The hub of the workspace, as an agent finds it; there is never more than one."""
    async with asyncio.timeout(20.0):
        while True:
            found = await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
            assert len(found) <= 1, found
            if found:
                return found[0]
            await asyncio.sleep(0.005)


class Chaos:
    """What happens to the world.

    Attributes:
        pids: All processes that were started.
    """

    def __init__(self, world: World, workers: list[Worker], seed: int) -> None:
        self.pids: set[int] = set()
        self.hubs_killed = 0
        self._world = world
        self._workers = workers
        self._random = random.Random(seed)
        self._user: StrictEditor | None = None
        self._others: list[StrictEditor] = []

    @property
    def user(self) -> StrictEditor:
        """The editor that lives through it all."""
        assert self._user is not None
        return self._user

    async def begin(self) -> None:
        """Start the editors."""
        self._user = await self._started(VsCodeLike)
        uri = self._user.open(self._world.path("typed.txt"))
        self._user.type(uri, "first", "typed by the user")
        for _ in range(2):
            self._others.append(await self._newcomer())

    async def go_on(self, ended: asyncio.Event) -> None:
        """Kill things until it has ended."""
        happenings: list[Callable[[], Awaitable[None]]] = [self._hub_dies, self._editor_dies, self._agent_is_cut]
        while not ended.is_set():
            await self._random.choice(happenings)()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._random.uniform(0.05, 1.0)):
                    await ended.wait()

    async def _hub_dies(self) -> None:
        pid = (await hub(self._world)).pid
        self.hubs_killed += 1
        if pid == self.user.process.pid:
            await self._user_s_server_dies()
        else:
            await self._dies(next(each for each in self._others if each.process.pid == pid))

    async def _editor_dies(self) -> None:
        editor = self._random.choice([self.user, *self._others])
        await (self._user_s_server_dies() if editor is self.user else self._dies(editor))

    async def _agent_is_cut(self) -> None:
        self._random.choice(self._workers).cut()

    async def _user_s_server_dies(self) -> None:
        """The editor starts another one, and has there what it has open."""
        old = self.user
        self._workers[0].may_go_on.clear()
        await self._world.kill(old)
        assert [] == old.problems
        self._user = await self._started(VsCodeLike)
        for buffer in old.buffers.values():
            self._user.open(buffer.uri, buffer.text)
        await self._user.sync()
        self._workers[0].may_go_on.set()

    async def _dies(self, editor: StrictEditor) -> None:
        """An editor and its server: somebody opens another one."""
        await self._world.kill(editor)
        assert [] == editor.problems
        self._others[self._others.index(editor)] = await self._newcomer()

    async def _newcomer(self) -> StrictEditor:
        editor = await self._started(OwnClient)
        if self._random.random() < 0.7:
            editor.open(self._world.path("open.txt"))
        return editor

    async def _started(self, kind: Callable[..., StrictEditor]) -> StrictEditor:
        editor = await self._world.editor(kind)
        self.pids.add(editor.process.pid)
        return editor


@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_G07_G08_what_was_acknowledged_is_there_whatever_is_killed(world: World) -> None:
    """Hubs, editors and agents' connections, at random; at the end there is one hub, and then nothing (G07, G08)."""
    seed = int(os.environ.get("DSH_CHAOS_SEED", "7"))
    for name in ("typed.txt", "open.txt", "closed.txt", "disk.txt"):
        world.file(name, "first\ncount 0\n")
    workers = [
        Worker(world, "typed.txt"),
        Worker(world, "open.txt", may_be_lost=True),
        Worker(world, "closed.txt"),
        Worker(world, "disk.txt"),
    ]
    chaos = Chaos(world, workers, seed)
    await chaos.begin()
    ended = asyncio.Event()
    asyncio.get_running_loop().call_later(SECONDS, ended.set)
    async with asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(worker.work(ended))
        group.create_task(chaos.go_on(ended))
    for worker in workers:
        await worker.last_look()
        await worker.close()
    last = await hub(world)
    user = chaos.user
    uri = world.uri("typed.txt")
    sys.stdout.write(
        f"seed {seed}: {chaos.hubs_killed} hubs killed, {len(chaos.pids)} servers, "
        f"{sum(worker.calls for worker in workers)} edits, {sum(worker.lives for worker in workers)} connections\n"
    )

    assert user.text(uri) == f"typed by the user\ncount {workers[0].count}\n"
    for worker, name in zip(workers[2:], ("closed.txt", "disk.txt"), strict=True):
        assert world.bytes(name) == b"first\ncount %d\n" % worker.count
    assert last.pid in {each.process.pid for each in world.editors}
    assert chaos.hubs_killed >= 3
    assert all(worker.calls > 20 for worker in workers)
    for editor in list(world.editors):
        if editor is not user:
            editor.take("dsh/drift")
            await editor.shutdown()
    await user.shutdown()
    assert [] == await asyncio.to_thread(discovery.find, world.workspace, [world.runtime])
    assert [] == [path.name for path in (world.runtime / "workspaces").iterdir()]
    assert [] == [pid for pid in chaos.pids if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
