"""A tool that keeps the contract of tools, to be spoilt in one place, and what the kit for authors finds in it."""

from pathlib import Path
from typing import Any

from dsh_ledger.errors import FsNotFound
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.cards import GenericCall, GenericResult
from dsh_tools.content import text_content
from dsh_tools.contract import AnyTool, Tool, ToolResult, ToolRun
from dsh_tools.models import Items, ToolArguments, WireModel
from dsh_tools.testing import ToolCase, check_tool


class Args(ToolArguments):
    """Arguments of the tool under test."""

    name: str = "a"
    tags: Items[str] = ()


class Value(WireModel):
    """Its value."""

    line_count: int
    lines: Items[str] = ()


async def good(args: Args, run: ToolRun) -> JsonObject:
    """Read a file if there is one of that name."""
    target = await run.fs.resolve(args.name)
    found = await run.fs.read_text(target)
    lines: list[JsonValue] = [*getattr(found, "text", "").splitlines()]
    return {"lineCount": len(lines), "lines": lines}


async def missing(args: Args, _run: ToolRun) -> JsonObject:
    """Refuse."""
    raise FsNotFound(args.name)


def render(_args: Args, value: JsonObject) -> Any:
    """What the model reads."""
    return text_content(f"{value['lineCount']} lines")


def card(_args: Args, result: ToolResult) -> GenericResult:
    """The card, of what was recorded."""
    return GenericResult(title="Lines", text=str(result.meta))


USUAL: dict[str, Any] = {
    "name": "t",
    "description": "A tool.",
    "params": Args,
    "output": Value,
    "execute": good,
    "render": render,
    "presentation_meta": lambda _args, value: {"lines": value["lineCount"]},
    "present_call": lambda args: GenericCall(title=args.name),
    "present_result": card,
}
CASE = ToolCase("usual", {"name": "a.txt"}, {"a.txt": "one\ntwo\n"})


def tool(**other: Any) -> AnyTool:
    """A good tool, but for what is given."""
    return Tool(**{**USUAL, **other})


async def findings(made: AnyTool, workspace: Path, *cases: ToolCase) -> list[tuple[str, str]]:
    """What the kit finds, as checks and messages."""
    return [(found.check, found.message) for found in await check_tool(made, cases or [CASE], workspace)]
