"""One call, from arguments to projections.

Arguments are validated, the tool executes under its guards, its value is checked against its schema, and content and
meta are projected from it. Whatever is raised becomes a result: a tool can't take the server down. Deliberately
absent: sessions, peers, and who is told of the call.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from dsh_ledger.errors import (
    Aborted,
    FieldError,
    FsStaleVersion,
    InvalidArgs,
    InvalidToolOutput,
    LedgerBug,
    LedgerError,
)
from dsh_tools.cards import CallCard, GenericCall, GenericResult, ResultCard
from dsh_tools.content import text_content
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.diff import drift
from dsh_tools.models import ToolArguments, field_errors
from dsh_tools.reporting import log_failure
from dsh_tools.snapshots import Snapshots

_log = logging.getLogger(__name__)


def failed(error: LedgerError | LedgerBug) -> ToolResult:
    """The result of a call that failed. The remedy is appended here, for every tool and code."""
    return ToolResult(text_content(error.model_text()), error=error)


def validate(tool: AnyTool, arguments: Mapping[str, Any]) -> ToolArguments:
    """The arguments as the tool's model.

    Raises:
        InvalidArgs: With a path for each field that is wrong.
    """
    try:
        return tool.params.model_validate(arguments)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise InvalidArgs(field_errors(error)) from None


async def run_tool(tool: AnyTool, arguments: Mapping[str, Any], run: ToolRun) -> ToolResult:
    """Run a call to its end. Never raises, but for a cancellation from outside of the event loop's own ending."""
    try:
        args = validate(tool, arguments)
        return await _execute(tool, args, run)
    except FsStaleVersion as error:
        return failed(explain(error, run.snapshots))
    except LedgerError as error:
        return failed(error)
    except asyncio.CancelledError:
        return failed(Aborted())
    except LedgerBug as bug:
        log_failure(_log, f"a bug in tool {tool.name}", bug)
        return failed(bug)
    except Exception as error:  # noqa: BLE001 - whatever a tool throws must become a result
        log_failure(_log, f"tool {tool.name} failed", error)
        return failed(LedgerBug(f"{tool.name} failed with {type(error).__name__}."))


async def _execute(tool: AnyTool, args: ToolArguments, run: ToolRun) -> ToolResult:
    value = await tool.execute(args, run)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidToolOutput(tool.name, [FieldError("", f"it is no JSON ({type(error).__name__})")]) from None
    try:
        tool.output.model_validate(value)
    except ValidationError as error:
        raise InvalidToolOutput(tool.name, field_errors(error)) from None
    meta = tool.presentation_meta(args, value) if tool.presentation_meta else None
    return ToolResult(tool.render(args, value), meta=meta, value=value)


def explain(error: FsStaleVersion, snapshots: Snapshots) -> FsStaleVersion:
    """The error with what changed, as far as both texts are known."""
    seen = snapshots.get(error.observed)
    if seen is None or error.current_text is None:
        return error
    return error.explained(drift(seen, error.current_text))


def call_card(tool: AnyTool | None, name: str, arguments: Mapping[str, Any]) -> CallCard:
    """The card of a call that is about to run; generic where the tool has none or its presenter fails."""
    if tool is not None and tool.present_call is not None:
        try:
            return tool.present_call(validate(tool, arguments))
        except InvalidArgs:
            pass
        except Exception as error:  # noqa: BLE001 - a failing presenter must not fail the call
            _log.warning("presenter of %s failed with %s", name, type(error).__name__)
    return GenericCall(title=name, input=dict(arguments))


def result_card(tool: AnyTool | None, name: str, arguments: Mapping[str, Any], result: ToolResult) -> ResultCard:
    """The card of a result; generic for an error, and where the tool has none or its presenter fails."""
    if result.error is not None:
        return GenericResult(title=name, text=result.error.model_text(), code=result.error.code)
    if tool is not None and tool.present_result is not None:
        try:
            return tool.present_result(validate(tool, arguments), result)
        except Exception as error:  # noqa: BLE001 - a failing presenter must not hide the result
            _log.warning("presenter of %s failed with %s", name, type(error).__name__)
    return GenericResult(title=name, text="\n".join(x.text for x in result.content if x.type == "text"))
