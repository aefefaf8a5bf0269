"""``dsh-lsp mcp``: standard input and output, and the end.

Standard output is the protocol's alone: whatever is printed besides goes to standard error.
"""

import asyncio
import json
import signal
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Final, cast

from dsh_lsp.rpc.stdio import stdio_streams, take_stdio

_PACKAGE: Final = "mcp"
_OLDEST: Final = (2, 0)

CANT_RUN: Final = 2
"""The exit code for a command that could not begin."""


def run_mcp(workspace: Path | None) -> int:
    """Serve the client that started this process until its input ends; the exit code.

    Args:
        workspace: The folder for clients that don't name one.
    """
    missing = why_missing()
    if missing is not None:
        sys.stderr.write(f"dsh-lsp mcp: {missing}\n")
        return CANT_RUN
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write("dsh-lsp mcp: agents start this themselves, and speak to it here; Ctrl+D ends it\n")
    return asyncio.run(_serve(workspace))


def why_missing() -> str | None:
    """What is wrong with the official kit, and what to do; None if it can be used."""
    needed = f"the Python package {_PACKAGE} {'.'.join(map(str, _OLDEST))} or newer"
    remedy = f"install it beside dsh-lsp: pip install '{_PACKAGE}>={'.'.join(map(str, _OLDEST))}'"
    try:
        installed = metadata.version(_PACKAGE)
    except metadata.PackageNotFoundError:
        return f"{needed} is needed, and it is not installed; {remedy}"
    if _numbers(installed) < _OLDEST:
        return f"{needed} is needed, and {installed} is installed; {remedy}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())


async def _serve(workspace: Path | None) -> int:
    from mcp.server.stdio import stdio_server
    from pygls.exceptions import JsonRpcInvalidParams

    from dsh_lsp.mcp.lines import LinesIn, LinesOut
    from dsh_lsp.mcp.server import McpServer
    from dsh_lsp.rpc.errors import MsgId, error_answer

    reader, writer, read_transport = await stdio_streams(take_stdio())
    loop = asyncio.get_running_loop()

    def end() -> None:
        if read_transport is not None:
            read_transport.close()
        reader.feed_eof()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)

    def refuse(request_id: MsgId) -> None:
        error = JsonRpcInvalidParams("it holds half of a character (a lone surrogate), or is too deep: send whole text")
        writer.write(json.dumps(error_answer(request_id, error)).encode("ascii") + b"\n")

    server = McpServer(workspace)
    try:
        # The kit only iterates, writes and flushes.
        lines: tuple[Any, Any] = cast("Any", LinesIn(reader, refuse=refuse)), cast("Any", LinesOut(writer))
        async with stdio_server(*lines) as (incoming, outgoing):
            await server.kit.run(incoming, outgoing, server.options)
    finally:
        await server.close()
        writer.close()
    return 0
