"""The run of a tool through its cases.

Each case is a call in a workspace and a session of its own, by the pipeline that servers use. Whatever is wrong becomes
a finding; the kit itself raises only where it can't work at all.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsh_ledger.errors import InvalidArgs, LedgerError
from dsh_ledger.json_values import JsonObject
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.json_values import json_fault
from dsh_tools.output_schema import faults
from dsh_tools.pipeline import run_tool, validate
from dsh_tools.policies import Policies
from dsh_tools.testing.cases import Call, Check, Finding, ToolCase
from dsh_tools.testing.projections import call_faults, result_faults, value_faults
from dsh_tools.testing.replays import replay_faults
from dsh_tools.testing.schemas import argument_faults, published_value_faults, refusal, schema_faults
from dsh_tools.testing.workspaces import TemporaryWorkspace, write_files

_TOOLS_OWN = ("LEDGER_BUG", "INVALID_TOOL_OUTPUT")
"""Codes that say that the tool is wrong, and not the call."""

_Fault = tuple[Check, str]


class _CaseFault(Exception):
    """The case can't be run. The message says why."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """A call that has ended: its result, and the value that went into the projections, if one got as far."""

    result: ToolResult
    value: JsonObject | None


async def check_tool(tool: AnyTool, cases: Iterable[ToolCase], workspace: Path) -> list[Finding]:
    """Run a tool through its cases.

    Args:
        tool: The tool.
        cases: At least one that gives a value, or what is made of it can't be looked at.
        workspace: An existing folder; each case makes one of its own in it, and leaves it there.

    Returns:
        What is wrong, in the order in which it was found; empty if nothing is.
    """
    refused = refusal(tool)
    if refused is not None:
        return [Finding(str(getattr(tool, "name", type(tool).__name__)), None, "schema", refused)]
    findings = [Finding(tool.name, None, "schema", fault) for fault in schema_faults(tool)]
    seen = False
    for case in cases:
        try:
            ran = await _run(tool, case, workspace)
        except _CaseFault as fault:
            findings.append(Finding(tool.name, case.name, "case", str(fault)))
            continue
        seen = seen or ran.value is not None
        findings += [Finding(tool.name, case.name, check, fault) for check, fault in _faults(tool, case, ran)]
    if not seen:
        findings.append(Finding(tool.name, None, "case", "no case gives a value, so what is made of it was not seen"))
    return findings


async def assert_tool(tool: AnyTool, cases: Iterable[ToolCase], workspace: Path) -> None:
    """`check_tool`, for a test.

    Raises:
        AssertionError: Something is wrong; the message is the findings, one a line.
    """
    findings = await check_tool(tool, cases, workspace)
    if findings:
        raise AssertionError("\n".join(map(str, findings)))


async def run_case(tool: AnyTool, case: ToolCase, workspace: Path) -> ToolResult:
    """Run one case, without any check, to look at its result.

    Args:
        tool: The tool.
        case: The case; what it expects is not looked at.
        workspace: As for `check_tool`.

    Raises:
        AssertionError: A call that prepares the case failed.
    """
    try:
        return (await _run(tool, case, workspace)).result
    except _CaseFault as fault:
        raise AssertionError(f"{case.name}: {fault}") from None


async def _run(tool: AnyTool, case: ToolCase, parent: Path) -> _Ran:
    fault = json_fault(dict(case.arguments))
    if fault is not None:
        raise _CaseFault(f"its arguments can't come from an agent: {fault}")
    why = tool.withheld(case.session) if tool.withheld is not None else None
    if why is not None:
        raise _CaseFault(f"a session like that does not get the tool: {why}")
    folder = await asyncio.to_thread(_folder, parent, case.files)
    workspace = TemporaryWorkspace(folder)
    try:
        for step in case.prepare:
            await _prepare(step, workspace, folder)
        values: list[JsonObject] = []
        watched = replace(tool, execute=_watched(tool, values))
        result = await run_tool(watched, deepcopy(dict(case.arguments)), workspace.run(), Policies(case.policies))
        return _Ran(result, values[0] if values else None)
    finally:
        workspace.close()


def _folder(parent: Path, files: Mapping[str, str | bytes]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="case-", dir=parent))
    write_files(folder, files)
    return folder


async def _prepare(step: Call | Callable[[Path], object], workspace: TemporaryWorkspace, folder: Path) -> None:
    if not isinstance(step, Call):
        await asyncio.to_thread(step, folder)
        return
    result = await run_tool(step.tool, step.arguments, workspace.run())
    if result.error is not None:
        raise _CaseFault(f"the call of {step.tool.name} that prepares it failed: {result.error.model_text()}")


def _watched(tool: AnyTool, values: list[JsonObject]) -> Callable[[Any, ToolRun], Awaitable[JsonObject]]:
    """The tool's `execute`, keeping what fits the schema: the pipeline keeps nothing of what goes wrong later."""

    async def execute(args: Any, run: ToolRun) -> JsonObject:
        value: object = await tool.execute(args, run)
        if isinstance(value, dict) and json_fault(value) is None and not faults(tool.output, value):
            values.append(deepcopy(value))
        return value  # type: ignore[return-value]

    return execute


def _faults(tool: AnyTool, case: ToolCase, ran: _Ran) -> Iterator[_Fault]:
    """What is wrong with a case that has run."""
    result = ran.result
    about_tool: list[_Fault] = []
    if _is_valid(tool, case.arguments):
        about_tool += _each("arguments", argument_faults(tool, case.arguments))
        about_tool += call_faults(tool, case.arguments)
        if ran.value is not None:
            about_tool += value_faults(tool, case.arguments, ran.value)
    if result.error is None:
        about_tool += _success_faults(tool, case.arguments, result)
    about_tool += _each("replay", replay_faults(tool, case.arguments, result))
    yield from about_tool
    # A projection that fails has been told of by its own name already.
    if result.error is None or result.error.code not in _TOOLS_OWN or not about_tool:
        yield from _outcome_faults(case, result)


def _success_faults(tool: AnyTool, arguments: Mapping[str, Any], result: ToolResult) -> Iterator[_Fault]:
    if isinstance(result.value, dict):
        yield from _each("value", published_value_faults(tool, result.value))
    yield from result_faults(tool, arguments, result)


def _each(check: Check, said: Iterable[str]) -> Iterator[_Fault]:
    return ((check, fault) for fault in said)


def _outcome_faults(case: ToolCase, result: ToolResult) -> Iterator[_Fault]:
    code = result.error.code if result.error is not None else None
    if code == case.expect_error:
        return
    if result.error is None:
        yield "outcome", f"it succeeds; {case.expect_error} was expected"
        return
    expected = "success" if case.expect_error is None else case.expect_error
    # Validation of a value is told with its fields, which the message leaves to the details.
    details = f" {dict(result.error.details)}" if isinstance(result.error, LedgerError) and result.error.details else ""
    yield "outcome", f"it fails with {code}, {expected} was expected: {result.error.message}{details}"


def _is_valid(tool: AnyTool, arguments: Mapping[str, Any]) -> bool:
    try:
        validate(tool, arguments)
    except InvalidArgs:
        return False
    return True
