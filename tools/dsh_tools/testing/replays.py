"""Whether a replay shows what was shown live: the cards made from a record alone are those that were made at first."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from dsh_ledger.json_values import JsonObject
from dsh_tools.content import CONTENT
from dsh_tools.contract import AnyTool, ToolResult
from dsh_tools.presenting import call_card, result_card
from dsh_tools.testing.projections import encoded


def replay_faults(tool: AnyTool, arguments: Mapping[str, Any], result: ToolResult) -> Iterator[str]:
    """What a replay would show differently.

    Args:
        tool: The tool.
        arguments: The arguments as they were sent.
        result: The result, its value included; a record has content, error and meta.
    """
    live: JsonObject = deepcopy(dict(arguments))
    record: JsonObject = json.loads(json.dumps(arguments))
    recorded = ToolResult(
        CONTENT.validate_python(json.loads(encoded([block.to_wire() for block in result.content]))),
        result.error,
        json.loads(encoded(result.meta)),
    )
    call = call_card(tool, tool.name, deepcopy(live)).to_wire()
    if encoded(call) != encoded(call_card(tool, tool.name, deepcopy(record)).to_wire()):
        yield "the card of the call is another one when it is made from the recorded arguments"
    shown = result_card(tool, tool.name, live, result).to_wire()
    if encoded(shown) != encoded(result_card(tool, tool.name, record, recorded).to_wire()):
        yield "the card of the result is another one when it is made from what is recorded: arguments, content, meta"
    if not result.is_error:
        yield from _completion_faults(call, shown, result)


def _completion_faults(call: JsonObject, shown: JsonObject, result: ToolResult) -> Iterator[str]:
    """A completed card takes the place of the pending one: what was shown as a change must stay one."""
    if shown["card"] == "diff":
        return
    if call["card"] == "diff":
        yield f"the call is shown as a diff, and its result as a {shown['card']} card, which takes the diff away"
    elif isinstance(result.value, dict) and result.value.get("hunks"):
        yield f"the value has hunks, and the result is shown as a {shown['card']} card: a change is a diff card"
