"""One call from arguments to projections: whatever goes wrong becomes a result."""

import asyncio
from typing import Any

import pytest

from dsh_ledger.errors import FsStaleVersion, LedgerBug
from dsh_ledger.json_values import JsonObject
from dsh_ledger.versions import version_of_text
from dsh_tools.cards import GenericCall, GenericResult
from dsh_tools.content import text_content
from dsh_tools.contract import ToolResult, ToolRun
from dsh_tools.pipeline import run_tool
from dsh_tools.presenting import call_card, result_card
from dsh_tools.registry import Registry
from dsh_tools.snapshots import Snapshots
from tests.support.tool_under_test import Args, good, run_of, tool


async def test_a_good_call_is_projected_from_its_value() -> None:
    """Content and meta are made from arguments and value."""
    made = tool(good, presentation_meta=lambda args, value: {"asked": args.n, **value})

    result = await run_tool(made, {"n": 3}, run_of())

    assert (result.value, result.meta, result.error) == ({"lineCount": 3}, {"asked": 3, "lineCount": 3}, None)
    assert result.content == text_content("3 lines")


@pytest.mark.parametrize("arguments", [{"n": "3"}, {"n": 1.0}, {"n": True}, {"m": 1}, {"n": None}])
async def test_arguments_are_strict(arguments: dict[str, Any]) -> None:
    """Nothing is coerced and nothing is ignored; the field is named and its value is not repeated."""
    result = await run_tool(tool(good), arguments, run_of())

    assert result.error is not None
    assert result.error.code == "INVALID_ARGS"
    assert result.error.details["errors"][0]["path"] == next(iter(arguments))  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    "value", [{"lineCount": "3"}, {"lineCount": 1, "more": 2}, {"line_count": 1, "x": 1}, {}, [], None, "text"]
)
async def test_a_value_that_does_not_fit_is_the_tools_fault(value: Any) -> None:
    """INVALID_TOOL_OUTPUT names the tool; nothing of the value is projected."""

    async def execute(_args: Args, _run: ToolRun) -> Any:
        return value

    result = await run_tool(tool(execute), {}, run_of())

    assert result.error is not None
    assert result.error.code == "INVALID_TOOL_OUTPUT"
    assert result.value is None


@pytest.mark.parametrize("value", [{"lineCount": float("nan")}, {"lineCount": object()}, {"lineCount": {1, 2}}])
async def test_a_value_that_is_no_json_is_an_error_result(value: Any) -> None:
    """Nothing that can't be sent gets out of a call."""

    async def execute(_args: Args, _run: ToolRun) -> Any:
        return value

    result = await run_tool(tool(execute), {}, run_of())

    assert result.error is not None
    assert result.error.code == "INVALID_TOOL_OUTPUT"


@pytest.mark.parametrize("error", [RuntimeError("a secret"), KeyError("secret"), LedgerBug("contradiction.")])
async def test_whatever_a_tool_throws_becomes_a_result_without_its_words(error: Exception) -> None:
    """A bug is its own code, and what the exception says of content or paths is not passed on."""

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        raise error

    result = await run_tool(tool(execute), {}, run_of())

    assert result.error is not None
    assert result.error.code == "LEDGER_BUG"
    assert "secret" not in result.error.model_text()


async def test_a_projection_that_throws_is_a_bug_of_the_tool() -> None:
    """Also a failing `render` ends in a result."""

    def broken(_args: Args, _value: JsonObject) -> Any:
        raise ZeroDivisionError

    result = await run_tool(tool(good, render=broken), {}, run_of())

    assert result.error is not None
    assert result.error.code == "LEDGER_BUG"


async def test_a_cancelled_call_is_a_result() -> None:
    """Cancellation while the tool runs is ABORTED."""
    begun = asyncio.Event()

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        begun.set()
        await asyncio.Event().wait()
        return {}

    running = asyncio.ensure_future(run_tool(tool(execute), {}, run_of()))
    await begun.wait()
    running.cancel()

    result = await running

    assert result.error is not None
    assert result.error.code == "ABORTED"


async def test_a_stale_edit_says_what_changed_if_the_seen_text_is_kept() -> None:
    """The explanation is made once, for every tool, from the text that the session saw."""
    seen, now = "a\nb\n", "a\nB\n"
    snapshots = Snapshots()
    snapshots.keep(version_of_text(seen), seen)

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        raise FsStaleVersion("f", version_of_text(seen), version_of_text(now), now)

    explained = await run_tool(tool(execute), {}, run_of(snapshots))
    bare = await run_tool(tool(execute), {}, run_of())

    assert explained.error is not None
    assert explained.error.details["changes"] == [{"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 1}]
    assert bare.error is not None
    assert "changes" not in bare.error.details


def test_a_failing_presenter_falls_back_to_the_generic_card() -> None:
    """The call and its result are shown all the same."""

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    made = tool(good, present_call=broken, present_result=broken)
    result = ToolResult(text_content("1 lines"))

    assert call_card(made, "t", {"n": 1}) == GenericCall(title="t", input={"n": 1})
    assert result_card(made, "t", {"n": 1}, result) == GenericResult(title="t", text="1 lines")


def test_an_error_is_shown_with_its_code_and_remedy() -> None:
    """An error's card is generic, whatever the tool's is."""
    error = FsStaleVersion("f", version_of_text("a"), None)

    card = result_card(tool(good), "t", {}, ToolResult(text_content(error.model_text()), error=error))

    assert card == GenericResult(title="t", text=error.model_text(), code="FS_STALE_VERSION")


def test_a_tool_is_told_of_by_an_allow_list() -> None:
    """Name, description and parameters, and nothing of how it works."""
    assert tool(good).schema() == {
        "name": "t",
        "description": "a tool",
        "parameters": {
            "description": "Arguments of the tool under test.",
            "type": "object",
            "properties": {"n": {"type": "integer", "default": 1}},
            "additionalProperties": False,
        },
    }


def test_two_tools_of_one_name_are_a_bug() -> None:
    """A registry refuses to choose."""
    with pytest.raises(LedgerBug):
        Registry([tool(good), tool(good)])
