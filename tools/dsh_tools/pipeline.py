"""One call, from arguments to projections.

Arguments are validated, policies admit the call, the tool executes under its guards, its value is checked against its
schema and passes the policies once more, and content and meta are projected from it. Whatever is raised, or is no JSON,
becomes a result: a tool can't take the server down. Deliberately absent: sessions, peers, the order of a session's
calls, and who is told of a call; cards are in `dsh_tools.presenting`.
"""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn

from pydantic import ValidationError

from dsh_ledger.errors import (
    Aborted,
    Denied,
    FieldError,
    FsStaleVersion,
    InvalidArgs,
    InvalidToolOutput,
    LedgerBug,
    LedgerError,
)
from dsh_tools.content import CONTENT, text_content
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.decisions import Block, ReplaceContent, ReplaceValue
from dsh_tools.diff import drift
from dsh_tools.json_values import frozen, json_fault, thawed
from dsh_tools.models import ToolArguments, field_errors
from dsh_tools.output_schema import faults
from dsh_tools.policies import Policies, PolicyCall, PolicyResult
from dsh_tools.presenting import call_card
from dsh_tools.reporting import log_failure
from dsh_tools.snapshots import Snapshots

_log = logging.getLogger(__name__)

_NO_POLICIES = Policies()


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


async def run_tool(
    tool: AnyTool, arguments: Mapping[str, Any], run: ToolRun, policies: Policies = _NO_POLICIES
) -> ToolResult:
    """Run a call to its end. Never raises."""
    try:
        args = validate(tool, arguments)
        seen = _as_seen(tool, args, run)
        await policies.admit(seen, partial(call_card, tool, tool.name, arguments), asks=tool.asks)
        return _reviewed(tool, args, seen, await _execute(tool, args, run), policies)
    except FsStaleVersion as error:
        return failed(explain(error, run.snapshots))
    except LedgerError as error:
        return failed(error)
    except asyncio.CancelledError:
        return failed(Aborted())
    except LedgerBug as bug:
        log_failure(_log, f"a bug in tool {tool.name}", bug)
        return failed(bug)
    except BaseException as error:  # noqa: BLE001 - a tool that calls sys.exit() must not end the server either
        log_failure(_log, f"tool {tool.name} failed", error)
        return failed(LedgerBug(f"{tool.name} failed with {type(error).__name__}."))


async def _execute(tool: AnyTool, args: ToolArguments, run: ToolRun) -> object:
    limit = asyncio.timeout(tool.timeout)
    try:
        async with limit:
            return await tool.execute(args, run)
    except TimeoutError:
        if limit.expired():
            raise Aborted(f"{tool.name} did not end within {tool.timeout:g} seconds and was cancelled.") from None
        raise


def _reviewed(tool: AnyTool, args: ToolArguments, call: PolicyCall, value: object, policies: Policies) -> ToolResult:
    """The result of a value, after every policy has had its say."""
    result = _projected(tool, args, value)
    for policy, review in policies.reviews():
        try:
            match review(call, PolicyResult(frozen(result.value), result.content)):
                case ReplaceContent(content):
                    result = ToolResult(_content(tool, content), meta=result.meta, value=result.value)
                case ReplaceValue(other):
                    result = _projected(tool, args, thawed(other))
                case Block(feedback):
                    raise Denied(f"The result of {tool.name} is withheld: {feedback}")
                case _:
                    pass
        except InvalidToolOutput as error:
            said = error.message.removeprefix(f"{tool.name} returned a value")
            error.message = f"The policy {policy} replaced the result of {tool.name} by one{said}"
            error.remedy = "Report it to the author of the policy; the effects of the call, if any, stand."
            raise
    return result


def _projected(tool: AnyTool, args: ToolArguments, value: object) -> ToolResult:
    """A value that fits its schema, and what is made of it."""
    if not isinstance(value, dict):
        _refuse(tool, "", "it is no JSON object")
    fault = json_fault(value)
    if fault is not None:
        _refuse(tool, "", fault)
    wrong = faults(tool.output, value)
    if wrong:
        raise InvalidToolOutput(tool.name, wrong)
    meta = tool.presentation_meta(args, value) if tool.presentation_meta else None
    fault = json_fault(meta)
    if fault is not None:
        _refuse(tool, "meta", fault)
    return ToolResult(_content(tool, tool.render(args, value)), meta=meta, value=value)


def _content(tool: AnyTool, content: object) -> tuple[Any, ...]:
    try:
        return CONTENT.validate_python(content)
    except ValidationError as error:
        places = [FieldError(f"content{fault.path}", fault.message) for fault in field_errors(error)]
        raise InvalidToolOutput(tool.name, places) from None


def _refuse(tool: AnyTool, place: str, fault: str) -> NoReturn:
    raise InvalidToolOutput(tool.name, [FieldError(place, fault)])


def _as_seen(tool: AnyTool, args: ToolArguments, run: ToolRun) -> PolicyCall:
    given: Any = frozen(args.model_dump(mode="json"))
    return PolicyCall(run.session, run.call, tool.name, tool.concurrency_safe, given)


def explain(error: FsStaleVersion, snapshots: Snapshots) -> FsStaleVersion:
    """The error with what changed, as far as both texts are known."""
    seen = snapshots.get(error.observed)
    if seen is None or error.current_text is None:
        return error
    return error.explained(drift(seen, error.current_text))
