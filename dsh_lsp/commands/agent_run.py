"""``dsh-lsp agent run`` and ``dsh-lsp agent tools``: one call, and what may be called."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from dsh_lsp.client import Agent, Progress, connect, observe
from dsh_lsp.commands.arguments import Words, json_object, parse, usage
from dsh_lsp.commands.defaults import SESSION, WAIT
from dsh_lsp.commands.ending import DONE, REFUSED, Usage, put, shown
from dsh_lsp.wire import ToolInfo, ToolRunResult
from dsh_tools.content import TextBlock
from dsh_tools.visible import one_line

OWN: Final = ("json", "session", "output", "call-id")
"""Options that may also stand after the tool's name."""

_OUTCOME: Final = frozenset(("callId", "isError", "content", "error", "value"))
"""What of an outcome is printed as JSON: the rest is for editors, or stands in the content as well."""

Output: TypeAlias = Literal["text", "json"]
_OUTPUTS: Final[dict[str, Output]] = {"text": "text", "json": "json"}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a call is made.

    Attributes:
        workspace: A folder of the workspace, or one in it.
        session: The session's id.
        name: Who the agent says it is.
        output: What is printed: what a model is told, or one JSON object.
        call_id: The call's id, if it is to have a certain one.
        json: Arguments as a JSON object; ``-`` for standard input.
        wait: Seconds to look for a server.
    """

    workspace: Path = Path()
    session: str = SESSION
    name: str = SESSION
    output: Output = "text"
    call_id: str | None = None
    json: str | None = None
    wait: float = WAIT

    def with_own(self, own: dict[str, str]) -> "RunOptions":
        """These options, with those that stand after the tool's name.

        Raises:
            Usage: There is no such output.
        """
        output = _OUTPUTS.get(own.get("output", self.output))
        if output is None:
            raise Usage("--output: expected text or json")
        return replace(
            self,
            session=own.get("session", self.session),
            output=output,
            call_id=own.get("call-id", self.call_id),
            json=own.get("json", self.json),
        )


async def run_tool(name: str, words: Sequence[str], options: RunOptions) -> int:
    """Call a tool once; the exit code.

    Raises:
        Usage: What was typed can't be used.
        ClientError: There is no server, or it did not answer.
    """
    tool = await _tool(name, options)
    if {"--help", "-h"} & set(words[: words.index("--") if "--" in words else None]):
        put(usage(tool))
        return DONE
    typed = parse(words, tool, OWN)
    options = options.with_own(typed.own)
    arguments = _arguments(typed, options)
    async with connect(
        options.workspace, name=options.name, session_id=options.session, patience=options.wait
    ) as agent:
        result = await call(agent, name, arguments, call_id=options.call_id)
    return show(result, options.output)


async def list_tools(workspace: Path, *, as_json: bool, wait: float) -> int:
    """Print the tools with their arguments; the exit code."""
    async with observe(workspace, patience=wait) as observer:
        tools = await observer.tools()
    if as_json:
        put(json.dumps([tool.to_wire() for tool in tools], ensure_ascii=False, indent=2))
    else:
        put("\n\n".join(map(usage, tools)))
    return DONE


async def call(agent: Agent, name: str, arguments: dict[str, Any], *, call_id: str | None = None) -> ToolRunResult:
    """Call a tool; how far it is, is told on standard error if that is a terminal."""
    is_watched = sys.stderr.isatty()
    return await agent.result(name, arguments, call_id=call_id, progress=_tell if is_watched else None)


def show(result: ToolRunResult, output: Output) -> int:
    """Print an outcome; the exit code. The text of a refusal, which begins with its code, goes to standard error."""
    failed = result.is_error or result.error is not None
    if output == "json":
        put(json.dumps(outcome(result), ensure_ascii=False))
    elif failed:
        code = result.error.code if result.error is not None else "ABORTED"
        said = text_of(result)
        sys.stderr.write(shown(f"{said if said.startswith(code) else f'{code}: {said}'}\n", sys.stderr))
    else:
        put(text_of(result))
    return REFUSED if failed else DONE


def outcome(result: ToolRunResult) -> dict[str, Any]:
    """An outcome as scripts take it: ``{callId, isError, content, error?, value?}``."""
    return {name: value for name, value in result.to_wire().items() if name in _OUTCOME}


def text_of(result: ToolRunResult) -> str:
    """What a model is told; of what is no text, only that it is there."""
    return "\n".join(block.text if isinstance(block, TextBlock) else f"[{block.type}]" for block in result.content)


def _arguments(typed: Words, options: RunOptions) -> dict[str, Any]:
    if options.json is None:
        return typed.arguments
    text = sys.stdin.read() if options.json == "-" else options.json
    return {**json_object(text, "--json"), **typed.arguments}


async def _tool(name: str, options: RunOptions) -> ToolInfo:
    async with observe(options.workspace, patience=options.wait) as observer:
        tools = {tool.name: tool for tool in await observer.tools()}
    if name not in tools:
        raise Usage(f"there is no tool {name!r}; there are {', '.join(sorted(tools))}")
    return tools[name]


def _tell(progress: Progress) -> None:
    words = [progress.title, progress.message, None if progress.percentage is None else f"{progress.percentage} %"]
    if said := " ".join(str(word) for word in words if word is not None):
        sys.stderr.write(f"... {one_line(said)}\n")
