"""A Neovim, the server that its plug-in starts, and agents: the room in which tests of the Neovim client play.

The plug-in connects to a socket of the test's, and each connection gets a server that is forked from a warm process;
`tests/neovim/test_start.py` has it start one by its command.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from dsh_lsp import discovery
from tests.support.agent import Agent
from tests.support.editor import COMMAND
from tests.support.inbox import Unmet
from tests.support.naive_text import content_version
from tests.support.neovim import PLUGIN, Neovim
from tests.support.process import ServerProcess
from tests.support.world import World

LUA: Final = Path(__file__).with_name("neovim_view.lua")
"""Functions for tests, as ``View`` in Neovim."""

_CHUNK: Final = 1 << 16


class NeovimRoom:
    """Neovims and agents in the world of a test.

    Args:
        world: Its files, and the environment.

    Attributes:
        nvim: The last Neovim that was started.
        servers: The servers that were started for them.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.servers: list[ServerProcess] = []
        self._neovims: list[Neovim] = []
        self._agents: list[Agent] = []
        self._relays: set[asyncio.Task[None]] = set()
        self._door: asyncio.Server | None = None

    @property
    def nvim(self) -> Neovim:
        """The last Neovim that was started."""
        return self._neovims[-1]

    @property
    def socket(self) -> str:
        """Where editors connect."""
        return str(self.world.runtime / "editors.sock")

    async def start(
        self, *, plugin: bool = True, options: str = "", before: str = "", door: asyncio.Server | None = None
    ) -> Neovim:
        """Start a Neovim in the workspace.

        Args:
            plugin: With our plug-in; else it is a stock one.
            options: Members of the table of options, in Lua.
            before: Lua that is run before plug-ins are loaded.
            door: Where it connects, if not to a server of ours.
        """
        self._door = door or self._door
        if self._door is None:
            self._door = await asyncio.start_unix_server(self._serve, self.socket, limit=1 << 24)
        lua = f"SOCKET = {json.dumps(self.socket)}\n{before}\n"
        if plugin:
            lua += f"vim.opt.rtp:prepend({json.dumps(str(PLUGIN))})\n"
            # A function can't be in a variable of Vim's own.
            lua += f"OPTIONS = {{ init_options = {{ watch = false }}, {options} }}\n"
            lua += "OPTIONS.cmd = OPTIONS.cmd or vim.lsp.rpc.connect(SOCKET)\nrequire('dsh.config').set(OPTIONS)\n"
        lua += f"dofile({json.dumps(str(LUA))})\n"
        script = self.world.runtime / f"init-{len(self._neovims)}.lua"
        script.write_text(lua, encoding="utf-8")
        nvim = await Neovim.start(self.world.env, self.world.workspace, "--cmd", f"luafile {script}")
        self._neovims.append(nvim)
        return nvim

    async def open(self, name: str, *, attached: bool = True) -> int:
        """Edit a file in the current window, and wait until the server has it; the buffer's number."""
        await self.nvim.command(f"edit {self.world.path(name)}")
        buffer: int = await self.nvim.call("nvim_get_current_buf")
        if attached:
            await self.attached(buffer)
        return buffer

    async def attached(self, buffer: int) -> None:
        """Wait until a buffer is attached to a server that is ready."""
        await self.nvim.until("View.attached(...)", buffer)

    async def agent(self, within: float = 15.0, folder: str = ".", **params: Any) -> Agent:
        """An agent with a session, on the socket of the last server that was started, which has that folder."""
        agent = await Agent.connect(await self._agents_socket(within, self.world.path(folder)))
        self._agents.append(agent)
        await agent.open_session(**params)
        return agent

    async def synced(self) -> None:
        """Return when the server has dealt with all that Neovim has to tell."""
        await self.nvim.until("View.synced()", what="the server's answer")

    async def painted(self, buffer: int, where: str = "#hunks > 0", within: float = 10.0) -> dict[str, Any]:
        """Wait until a buffer is painted for its text, and ``where`` (Lua over ``hunks``) holds; the paint."""
        await self.nvim.until(f"View.painted(..., function(hunks) return {where} end)", buffer, within=within)
        paint: dict[str, Any] = await self.nvim.lua("return View.paint(...)", buffer)
        return paint

    async def text(self, buffer: int = 0) -> str:
        """The text of a buffer as the server must have it."""
        text: str = await self.nvim.lua("return View.text(...)", buffer)
        return text

    async def same(self, agent: Agent, name: str, buffer: int = 0) -> bool:
        """Whether the server's mirror of a file is what is in the buffer."""
        await self.synced()
        version = (await agent.read(name))["value"]["version"]
        return bool(version == content_version(await self.text(buffer)))

    async def end(self) -> None:
        """End everything that was started."""
        for agent in self._agents:
            await agent.close()
        for nvim in self._neovims:
            await nvim.end()
        if self._door is not None:
            self._door.close()
        for server in self.servers:
            await server.wait(5.0)
            await server.end()
        for task in list(self._relays):
            task.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await task

    async def _agents_socket(self, within: float, folder: Path) -> Path:
        loop = asyncio.get_running_loop()
        look = partial(discovery.find, folder, [self.world.runtime])
        try:
            async with asyncio.timeout(within):
                while True:
                    for each in await loop.run_in_executor(None, look):
                        if not self.servers or each.pid == self.servers[-1].pid:
                            return each.socket
                    await self.nvim.lua("vim.wait(10, function() end)")
        except TimeoutError:
            raise Unmet(f"no server was to be found in {within} s") from None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = await ServerProcess.start(COMMAND, dict(self.world.env), self.world.workspace)
        self.servers.append(server)

        async def from_editor() -> None:
            # A Neovim that quits with something unread resets the connection.
            with suppress(ConnectionError):
                while chunk := await reader.read(_CHUNK):
                    server.write(chunk)
            server.writer.close()

        async def to_editor() -> None:
            with suppress(ConnectionError):
                while chunk := await server._reader.read(_CHUNK):
                    writer.write(chunk)
                    await writer.drain()
            writer.close()

        for relay in (from_editor, to_editor):
            self._start(relay)

    def _start(self, relay: Callable[[], Any]) -> None:
        task = asyncio.ensure_future(relay())
        self._relays.add(task)
        task.add_done_callback(self._relays.discard)
