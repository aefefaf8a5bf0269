"""A client of the Model Context Protocol: the official kit's own, at the other end of a real ``dsh-lsp mcp``.

Held: the process, what it writes to standard output that is no message, and its end. Deliberately absent: what tools
do.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, types
from mcp.shared.message import SessionMessage
from pydantic import FileUrl

from tests.support.warm import WarmProcess, can_be_warm
from tests.support.world import World

COMMAND: Final = (sys.executable, "-m", "dsh_lsp", "mcp")


class McpClient:
    """A client and its server; made by `mcp_client`.

    Attributes:
        session: The kit's client.
        opened: What the server said in the handshake.
        strays: Lines of standard output that are no messages.
        received: Notifications of the server, the newest last.
    """

    def __init__(self, process: asyncio.subprocess.Process | WarmProcess) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("the server was started without pipes")
        self.session: ClientSession
        self.opened: types.InitializeResult
        self.strays: list[str] = []
        self.received: list[Any] = []
        self.process = process
        self._input, self._output, self._errors = process.stdin, process.stdout, process.stderr
        self._stderr = bytearray()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def stderr(self) -> str:
        """What the server wrote to its standard error so far."""
        return self._stderr.decode("utf-8", "replace")

    async def call(self, tool: str, /, **arguments: Any) -> types.CallToolResult:
        """Call a tool."""
        return await self.session.call_tool(tool, arguments)

    async def value(self, tool: str, /, **arguments: Any) -> Any:
        """The structured content of a call that ends well."""
        result = await self.call(tool, **arguments)
        if result.is_error:
            raise AssertionError(text_of(result))
        return result.structured_content

    async def code(self, tool: str, /, **arguments: Any) -> str:
        """The code of a call that does not end well."""
        result = await self.call(tool, **arguments)
        if not result.is_error:
            raise AssertionError(f"it was not refused: {text_of(result)}")
        return str(error_of(result)["code"])

    def start(
        self,
    ) -> tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]:
        """Begin to carry messages; the streams of the kit's client."""
        to_client, read = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        write, from_client = anyio.create_memory_object_stream[SessionMessage](100)
        for carrying in (self._carry_in(to_client), self._carry_out(from_client), self._listen()):
            self._tasks.append(asyncio.create_task(carrying))
        return read, write

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to the server."""
        os.kill(self.process.pid, number)

    async def end(self, within: float = 10.0) -> int:
        """Close the server's input and wait for its end; the exit code. One that does not end is killed."""
        self._input.close()
        try:
            async with asyncio.timeout(within):
                code = await self.process.wait()
        except TimeoutError:
            self.kill()
            await self.process.wait()
            raise AssertionError(f"the server did not end with its input; it said:\n{self.stderr}") from None
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return code

    async def _carry_in(self, to: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        rest = b""
        async with to:
            while chunk := await self._output.read(65536):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    try:
                        message = types.jsonrpc_message_adapter.validate_python(json.loads(line))
                    except ValueError:
                        self.strays.append(line.decode("utf-8", "replace"))
                        continue
                    await to.send(SessionMessage(message))

    async def _carry_out(self, source: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with source:
            async for message in source:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._input.write(line.encode() + b"\n")

    async def _listen(self) -> None:
        while chunk := await self._errors.read(65536):
            self._stderr += chunk


@asynccontextmanager
async def mcp_client(
    world: World,
    *arguments: str,
    cwd: Path | None = None,
    roots: Sequence[Path] | None = None,
    env: Mapping[str, str] | None = None,
    name: str = "test client",
) -> AsyncIterator[McpClient]:
    """A client and its server, ended at the end; the server must leave with 0 and write nothing but messages.

    Args:
        world: Whose environment and workspace it has.
        arguments: Of the command.
        cwd: Where it is started; by default in the workspace.
        roots: What the client's roots are; without them it does not declare any.
        env: The environment, if not the world's.
        name: What the client calls itself.
    """
    environment = dict(world.env if env is None else env)
    process = await _started([*COMMAND, *arguments], environment, cwd or world.workspace)
    client = McpClient(process)
    read, write = client.start()

    async def listed(_context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(path.as_uri())) for path in roots or ()])

    async def received(message: Any) -> None:
        client.received.append(message)

    more: dict[str, Any] = {"list_roots_callback": listed} if roots is not None else {}
    async with AsyncExitStack() as stack:
        stack.push_async_callback(client.end)
        client.session = await stack.enter_async_context(
            ClientSession(
                read, write, message_handler=received, client_info=types.Implementation(name=name, version="1"), **more
            )
        )
        client.opened = await client.session.initialize()
        yield client
        if process.returncode is None:
            code = await client.end()
            if code != 0 or client.strays or "Traceback" in client.stderr:
                raise AssertionError(f"it left with {code}, printed {client.strays}, and said:\n{client.stderr}")


async def _started(
    command: Sequence[str], env: Mapping[str, str], cwd: Path
) -> asyncio.subprocess.Process | WarmProcess:
    if can_be_warm(command, env):
        return await WarmProcess.start(command, env, cwd)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd)


def text_of(result: types.CallToolResult) -> str:
    """What a model reads of a result."""
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def error_of(result: types.CallToolResult) -> dict[str, Any]:
    """The error of a result, in structured form."""
    return dict((result.meta or {}).get("dsh-lsp/error", {}))
