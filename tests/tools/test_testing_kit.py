"""The kit for authors of tools: it catches a tool that breaks the contract, and lets one pass that keeps it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ConfigDict

from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import READ
from dsh_tools.cards import DiffCall, DiffResult, GenericCall, GenericResult
from dsh_tools.content import text_content
from dsh_tools.contract import SessionTraits, ToolResult, ToolRun
from dsh_tools.decisions import Allow
from dsh_tools.hunk_models import FileDiff
from dsh_tools.models import ToolArguments
from dsh_tools.policies import Policy
from dsh_tools.testing import Call, Finding, ToolCase, assert_tool, check_tool, run_case, workspace_run
from tests.support.contract_tool import CASE, Args, Value, card, findings, good, missing, tool


class OpenArgs(ToolArguments):
    """Arguments that let others through."""

    model_config = ConfigDict(extra="ignore")


async def test_a_tool_that_keeps_the_contract_passes(tmp_path: Path) -> None:
    """Success, a refusal of its own and arguments that are wrong: nothing is found."""
    refusing = tool(execute=missing)
    wrong = ToolCase("wrong", {"name": 1}, expect_error="INVALID_ARGS")

    await assert_tool(tool(), [CASE, wrong], tmp_path)
    found = await check_tool(refusing, [ToolCase("none", {}, expect_error="FS_NOT_FOUND")], tmp_path)

    assert [Finding("t", None, "case", "no case gives a value, so what is made of it was not seen")] == found


@pytest.mark.parametrize(
    "meta", [{"at": datetime(2000, 1, 1, tzinfo=UTC)}, {"a": (1, 2)}, {1: "a"}, {"n": float("nan")}, {"s": {1}}]
)
async def test_meta_is_json(tmp_path: Path, meta: Any) -> None:
    """What can't be recorded is found, by the name of the function that returned it."""
    found = await findings(tool(presentation_meta=lambda _args, _value: meta), tmp_path)

    assert "presentation_meta" == found[0][0]
    assert found[0][1].startswith("what it returns can't be recorded")


@pytest.mark.parametrize("content", ["text", [{"type": "text"}], [object()], None])
async def test_render_returns_blocks(tmp_path: Path, content: Any) -> None:
    """Anything that is no sequence of content blocks is found."""
    found = await findings(tool(render=lambda _args, _value: content), tmp_path)

    assert "render" == found[0][0]
    assert found[0][1].startswith("it does not return content blocks")


@pytest.mark.parametrize("shown", [None, {"card": "generic"}, {"card": "own", "title": "t"}, GenericCall(title="t")])
async def test_a_result_is_one_of_six_cards(tmp_path: Path, shown: Any) -> None:
    """A card of another kind, or without its members, would be replaced by the generic one: that is found."""
    found = await findings(tool(present_result=lambda _args, _result: shown), tmp_path)

    assert ["present_result"] == [check for check, _ in found]
    assert "one of the six cards" in found[0][1]


@pytest.mark.parametrize("shown", [None, {"card": "read", "title": "t"}])
async def test_a_call_is_one_of_three_cards(tmp_path: Path, shown: Any) -> None:
    """The same for the card of the call."""
    found = await findings(tool(present_call=lambda _args: shown), tmp_path)

    assert ["present_call"] == [check for check, _ in found]


@pytest.mark.parametrize("place", ["render", "presentation_meta", "present_call", "present_result"])
async def test_a_projection_that_fails_is_named(tmp_path: Path, place: str) -> None:
    """A server would fall back, or call it a bug; the kit says which function raised what."""

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("by zero")

    assert [(place, "it raises ZeroDivisionError: by zero")] == await findings(tool(**{place: broken}), tmp_path)


async def test_a_result_card_is_made_without_the_value(tmp_path: Path) -> None:
    """The value is not recorded: a card that is made of it is another one on replay, and asking for it is found."""

    def from_value(_args: Args, result: ToolResult) -> GenericResult:
        return GenericResult(title="t", text=str(result.value))

    def asking(args: Args, result: ToolResult) -> GenericResult:
        assert result.value is None or isinstance(result.value, dict)
        return card(args, result)

    differing = await findings(tool(present_result=from_value), tmp_path)
    same = await findings(tool(present_result=asking), tmp_path)

    assert ["present_result", "replay"] == [check for check, _ in differing]
    assert ["present_result"] == [check for check, _ in same]
    assert "result.value" in same[0][1]


async def test_a_card_that_changes_from_call_to_call_is_found(tmp_path: Path) -> None:
    """A counter is neither a clock nor random, and gives other bytes on replay all the same."""
    shown: list[int] = []

    def counting(args: Args) -> GenericCall:
        shown.append(1)
        return GenericCall(title=f"{args.name} {len(shown)}")

    found = await findings(tool(present_call=counting), tmp_path)

    assert ["present_call", "replay"] == [check for check, _ in found]


DIFF = FileDiff(path="a", old_text="a", new_text="b")
APPLIED = DiffResult(
    title="Edited a", path="a", uri="file:///a", operation="modified", via="disk", saved=True, added=1, removed=1,
    diffs=(DIFF,),
)  # fmt: skip


async def test_a_completed_change_stays_a_diff(tmp_path: Path) -> None:
    """A pending diff card is replaced by the completed one, which must show the change too; and hunks are a change."""

    async def hunks(_args: Args, _run: ToolRun) -> JsonObject:
        return {"hunks": [{}]}

    pending = {"present_call": lambda _args: DiffCall(title="t", path="a", diffs=(DIFF,))}
    with_hunks = {"execute": hunks, "output": {"type": "object"}, "render": lambda *_: text_content("done")}
    with_hunks["presentation_meta"] = lambda *_: None

    lost = await findings(tool(**pending), tmp_path)
    hidden = await findings(tool(**with_hunks), tmp_path)
    kept = await findings(tool(**pending, **with_hunks, present_result=lambda *_: APPLIED), tmp_path)

    assert ["replay"] == [check for check, _ in lost]
    assert ["replay"] == [check for check, _ in hidden]
    assert [] == kept


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"output": {"type": "nothing"}}, "its output schema is no JSON schema"),
        ({"output": {"type": "array"}}, "`type: object`"),
        ({"params": OpenArgs}, "parameters is not closed"),
        ({"params": Value}, "no subclass of ToolArguments"),
        ({"name": "my tool"}, "its name"),
        ({"description": " "}, "no description"),
    ],
)
async def test_schemas_are_looked_at(tmp_path: Path, other: dict[str, Any], told: str) -> None:
    """Both schemas, the name and the description, before any case."""
    found = await findings(tool(**other), tmp_path)

    assert "schema" == found[0][0]
    assert told in found[0][1]


async def test_something_that_is_no_tool_is_told(tmp_path: Path) -> None:
    """No server would take it, and no case is run."""
    assert [("schema", "no server takes it: a dict is not a Tool")] == await findings({}, tmp_path)  # type: ignore[arg-type]


async def test_valid_arguments_fit_what_is_published(tmp_path: Path) -> None:
    """A model knows the published parameters alone; what they refuse, no model would send."""

    class Published(Args):
        model_config = ConfigDict(json_schema_extra={"required": ["tags"]})

    [(check, message)] = await findings(tool(params=Published), tmp_path)

    assert ("arguments", True) == (check, "does not fit `required`" in message)


async def test_a_value_fits_what_is_published(tmp_path: Path) -> None:
    """A value that the model takes under the names of its fields is not the one that was promised on the wire."""

    async def snake(_args: Args, _run: ToolRun) -> JsonObject:
        return {"line_count": 1}

    made = tool(
        execute=snake, render=lambda *_: text_content("1"), presentation_meta=None, output=Value, present_result=None
    )

    assert ["value", "value"] == [check for check, _ in await findings(made, tmp_path)]


@pytest.mark.parametrize("value", [{"lineCount": "1"}, {"lineCount": 1, "more": 2}, {"lineCount": object()}, [], None])
async def test_a_value_that_does_not_fit_is_told(tmp_path: Path, value: Any) -> None:
    """With the code and the field."""

    async def execute(_args: Args, _run: ToolRun) -> Any:
        return value

    found = await findings(tool(execute=execute), tmp_path)

    assert ["outcome", "case"] == [check for check, _ in found]
    assert found[0][1].startswith("it fails with INVALID_TOOL_OUTPUT, success was expected")


@pytest.mark.parametrize(
    ("other", "case", "told"),
    [
        ({"execute": missing}, CASE, "it fails with FS_NOT_FOUND, success was expected"),
        ({}, ToolCase("c", {}, expect_error="DENIED"), "it succeeds; DENIED was expected"),
        ({"execute": missing}, ToolCase("c", {}, expect_error="DENIED"), "it fails with FS_NOT_FOUND, DENIED was"),
        ({}, ToolCase("c", {"nmae": "a"}), "it fails with INVALID_ARGS, success was expected"),
        ({"asks": True}, CASE, "it fails with DENIED, success was expected"),
    ],
)
async def test_another_outcome_than_expected_is_told(
    tmp_path: Path, other: dict[str, Any], case: ToolCase, told: str
) -> None:
    """Success where a refusal was expected, a refusal where success was, and another refusal."""
    found = await findings(tool(**other), tmp_path, CASE, case)

    assert told in [message for check, message in found if check == "outcome"][-1]


async def test_a_case_has_its_files_its_session_and_its_policies(tmp_path: Path) -> None:
    """Files as bytes or text, calls and functions before the call, the ledger between them, and leave to run."""
    seen: list[object] = []

    async def execute(args: Args, run: ToolRun) -> JsonObject:
        target = await run.fs.resolve(args.name)
        seen.append(run.ledger.observation(target))
        return await good(args, run)

    case = ToolCase(
        "all of it",
        {"name": "b/a.txt"},
        {"b/a.txt": b"one\r\ntwo"},
        [lambda folder: (folder / "b" / "a.txt").write_text("other", "utf-8"), Call(READ, {"file_path": "b/a.txt"})],
        session=SessionTraits(attachments=True),
        policies=[Policy("yes", before=lambda _call: Allow())],
    )
    made = tool(
        execute=execute, asks=True, withheld=lambda traits: None if traits.attachments else "the agent takes no images"
    )
    result = await run_case(made, case, tmp_path)
    [(check, message)] = (await findings(made, tmp_path, ToolCase("without", {})))[:1]

    assert {"lineCount": 1, "lines": ["other"]} == result.value
    assert "Present" == type(seen[0]).__name__
    assert ("case", "a session like that does not get the tool: the agent takes no images") == (check, message)


async def test_a_case_that_is_wrong_itself_is_told_apart(tmp_path: Path) -> None:
    """A call that prepares and fails, and arguments that no agent can send, are not the tool's fault."""
    unprepared = ToolCase("unprepared", {}, prepare=[Call(READ, {"file_path": "b"})])
    unsendable = ToolCase("unsendable", {"name": {1}})

    found = await check_tool(tool(), [CASE, unprepared, unsendable], tmp_path)

    assert [("unprepared", "case"), ("unsendable", "case")] == [(each.case, each.check) for each in found]
    with pytest.raises(AssertionError, match="unprepared: the call of read"):
        await run_case(tool(), unprepared, tmp_path)


async def test_findings_are_told_one_a_line(tmp_path: Path) -> None:
    """`assert_tool` fails with the tool, the case, what was looked at, and what is wrong."""
    with pytest.raises(AssertionError, match=r"\nt, case 'usual': render: it does not return") as told:
        await assert_tool(tool(render=lambda *_: "text", description=" \n"), [CASE], tmp_path)

    assert "t: schema: it has no description: a model can't know when to call it" == str(told.value).split("\n")[0]


def test_a_run_of_ones_own_has_a_workspace(tmp_path: Path) -> None:
    """For a test that calls a tool by itself."""
    with workspace_run(tmp_path, {"a/b.txt": "one\n"}) as run:
        assert ("s-test", "c-1") == (run.session, run.call)
    assert b"one\n" == (tmp_path / "a" / "b.txt").read_bytes()
