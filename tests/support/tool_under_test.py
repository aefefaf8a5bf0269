"""A tool that does what a test says, and a run for it without files."""

from typing import Any

from dsh_ledger.json_values import JsonObject
from dsh_ledger.ledger import Ledger
from dsh_tools.content import text_content
from dsh_tools.contract import Tool, ToolRun
from dsh_tools.models import ToolArguments, WireModel
from dsh_tools.observing import SessionLedger
from dsh_tools.snapshots import Snapshots


class Args(ToolArguments):
    """Arguments of the tool under test."""

    n: int = 1


class Value(WireModel):
    """Its value."""

    line_count: int


def run_of(snapshots: Snapshots | None = None) -> ToolRun:
    """A run without files."""
    ledger = Ledger()
    session = SessionLedger(ledger, "s", ledger.apply)
    return ToolRun("s", "c", None, session, snapshots or Snapshots())  # type: ignore[arg-type]


def tool(execute: Any, **more: Any) -> Tool[Args]:
    """A tool that does this."""
    usual: dict[str, Any] = {"render": lambda _args, value: text_content(f"{value['lineCount']} lines")}
    return Tool("t", "a tool", Args, Value, execute, **{**usual, **more})


async def good(args: Args, _run: ToolRun) -> JsonObject:
    """A good value."""
    return {"lineCount": args.n}
