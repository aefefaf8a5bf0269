"""``dsh-lsp agent`` with standard input that is no terminal: calls as JSON lines, outcomes as JSON lines, in order."""

import asyncio
import json
import sys
import threading
from contextlib import suppress
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from dsh_lsp.client import Agent, RequestRefused, connect
from dsh_lsp.commands.agent_run import RunOptions, call, outcome
from dsh_lsp.commands.ending import DONE, NOT_ASKED, put
from dsh_tools.models import WireModel, field_errors


class Line(WireModel):
    """One line: a call."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    call_id: str | None = Field(default=None, min_length=1, max_length=200)


async def run_lines(options: RunOptions) -> int:
    """Answer each line of standard input with one line; the exit code: 2 if there was a line that is no call.

    A refused call is an answer like any other. Empty lines are passed over.
    """
    code = DONE
    async with connect(
        options.workspace, name=options.name, session_id=options.session, patience=options.wait
    ) as agent:
        number = 0
        while line := await _read_line():
            number += 1
            if line.strip():
                answer = await _answer(agent, line, number)
                if "line" in answer:
                    code = NOT_ASKED
                put(json.dumps(answer, ensure_ascii=False))
    return code


async def _read_line() -> bytes:
    """The next line; empty at the end. A thread that waits for one does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes] = loop.create_future()

    def have(line: bytes) -> None:
        if not read.done():
            read.set_result(line)

    def wait() -> None:
        line = sys.stdin.buffer.readline()
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(have, line)

    threading.Thread(target=wait, name="standard input", daemon=True).start()
    return await read


async def _answer(agent: Agent, line: bytes, number: int) -> dict[str, Any]:
    try:
        read = Line.model_validate_json(line)
    except ValidationError as error:
        said = "; ".join(f"{each.path or 'line'}: {each.message}" for each in field_errors(error))
        return _unusable(number, said)
    try:
        return outcome(await call(agent, read.tool, read.arguments, call_id=read.call_id))
    except RequestRefused as refusal:
        return _unusable(number, str(refusal))


def _unusable(number: int, why: str) -> dict[str, Any]:
    message = f'line {number} is no call: {why}; expected {{"tool": "...", "arguments": {{...}}}}'
    return {"isError": True, "error": {"code": "INVALID_ARGS", "message": message}, "line": number}
