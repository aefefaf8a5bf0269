"""What policies decide before a call and about its result."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from dsh_ledger.json_values import JsonObject
from dsh_tools.content import text_content
from dsh_tools.contract import ToolResult, ToolRun
from dsh_tools.decisions import Accept, Allow, Ask, Block, Deny, ReplaceContent, ReplaceValue
from dsh_tools.pipeline import run_tool
from dsh_tools.policies import Policies, Policy, PolicyCall, PolicyResult, Question
from dsh_tools.presenting import result_card
from tests.support.tool_under_test import Args, good, run_of, tool

MADE = tool(good, presentation_meta=lambda _args, value: dict(value))


class User:
    """A user who answers the same each time, and remembers what was asked."""

    def __init__(self, refusal: str | None = None) -> None:
        self.refusal = refusal
        self.asked: list[Question] = []

    async def __call__(self, question: Question) -> str | None:
        """Answer."""
        self.asked.append(question)
        return self.refusal


async def called(*policies: Policy, user: User | None = None, asks: bool = False, n: int = 3) -> ToolResult:
    """The result of a call of a tool under policies."""
    made = tool(good, asks=asks, presentation_meta=lambda _args, value: dict(value))
    return await run_tool(made, {"n": n}, run_of(), Policies(policies, user or User()))


def before(*opinions: Any) -> list[Policy]:
    """Policies with these opinions."""
    return [Policy(f"p{n}", before=lambda _call, say=say: say) for n, say in enumerate(opinions)]


def after(decision: Any) -> Policy:
    """A policy that decides this about every result."""
    return Policy("after", after=lambda _call, _result: decision)


def code(result: ToolResult) -> str | None:
    """The code of a result's error."""
    return result.error.code if result.error else None


@pytest.mark.parametrize(
    ("opinions", "asks", "asked", "runs_after_no"),
    [
        ((), False, False, True),
        ((), True, True, False),
        ((None, None), True, True, False),
        ((Allow(),), True, False, True),
        ((Ask("why"),), False, True, False),
        ((Allow(), Ask()), False, True, False),
        ((Allow(), Deny("no")), False, False, False),
        ((Ask(), Deny("no"), Allow()), True, False, False),
    ],
)
async def test_the_strictest_opinion_holds(
    opinions: Sequence[Any], asks: bool, asked: bool, runs_after_no: bool
) -> None:
    """Deny before ask before allow; an explicit allow answers for the user where the tool would have them asked."""
    user = User("the user said no")
    result = await called(*before(*opinions), user=user, asks=asks)

    assert asked == bool(user.asked)
    assert (None if runs_after_no else "DENIED") == code(result)


async def test_the_question_says_what_and_why() -> None:
    """The call's card and the reasons of those who want the user asked."""
    user = User()
    result = await called(*before(Ask("it costs money"), Ask(), Ask("it is late")), user=user)

    assert None is code(result)
    assert ["t"] == [question.card.title for question in user.asked]
    assert ("it costs money", "it is late") == user.asked[0].reasons


async def test_where_nobody_can_be_asked_the_answer_is_no() -> None:
    """Without an editor a call that asks is denied."""
    result = await run_tool(tool(good, asks=True), {}, run_of())

    assert "DENIED" == code(result)
    assert "no editor" in result.content[0].text  # type: ignore[union-attr]


async def test_a_guard_can_only_tighten() -> None:
    """It denies what was allowed, and can't allow what was denied or get around the user."""
    yes = Policy("loosens", guard=lambda _call: Allow())  # type: ignore[arg-type,return-value]
    no = Policy("tightens", guard=lambda _call: Deny("not on a Friday"))

    assert "DENIED" == code(await called(*before(Allow()), no))
    assert "DENIED" == code(await called(*before(Allow()), yes))
    assert "DENIED" == code(await called(yes, user=User("no"), asks=True))


@pytest.mark.parametrize("kind", ["before", "guard", "after"])
@pytest.mark.parametrize("wrong", [ZeroDivisionError("secret"), "allow", True, 0])
async def test_a_policy_that_fails_stops_what_it_should_have_judged(kind: str, wrong: Any) -> None:
    """A mistake in a policy lets nothing through, and what its exception says is not passed on."""

    def decide(*_: Any) -> Any:
        if isinstance(wrong, Exception):
            raise wrong
        return wrong

    result = await called(Policy("broken", **{kind: decide}))  # type: ignore[arg-type]

    assert "DENIED" == code(result)
    assert None is result.value
    assert "secret" not in str(result.content)
    assert "broken" in str(result.content)


async def test_a_policy_sees_the_call_and_the_result_and_can_change_neither() -> None:
    """Arguments with their defaults, the value and the content; all of it read-only."""
    seen: list[tuple[PolicyCall, PolicyResult]] = []

    def look(call: PolicyCall, result: PolicyResult) -> Accept:
        seen.append((call, result))
        for value in (call.arguments, result.value):
            with pytest.raises(TypeError):
                value["n"] = 5  # type: ignore[index]
        return Accept()

    async def nested(_args: Args, _run: ToolRun) -> JsonObject:
        return {"lineCount": 3}

    result = await run_tool(tool(nested), {}, run_of(), Policies([Policy("looks", after=look)]))
    [(call, shown)] = seen

    assert ("s", "c", "t", False, {"n": 1}) == (
        call.session,
        call.call,
        call.tool,
        call.reads_only,
        dict(call.arguments),
    )
    assert {"lineCount": 3} == dict(shown.value)  # type: ignore[arg-type]
    assert {"lineCount": 3} == result.value


async def test_replaced_content_leaves_value_and_card_as_they_are() -> None:
    """The model reads something else; programs and people don't."""
    result = await called(after(ReplaceContent(text_content("hidden"))))

    assert text_content("hidden") == result.content
    assert ({"lineCount": 3}, {"lineCount": 3}) == (result.value, result.meta)


async def test_a_replaced_value_is_what_everything_is_made_of() -> None:
    """Content, meta and value follow; a read-only part of the old value may be in the new one."""
    result = await called(
        Policy("doubles", after=lambda _call, found: ReplaceValue({**found.value, "lineCount": 6}))  # type: ignore[dict-item]
    )

    assert text_content("6 lines") == result.content
    assert ({"lineCount": 6}, {"lineCount": 6}) == (result.value, result.meta)


@pytest.mark.parametrize("value", [{"lineCount": "6"}, {}, [], None, {"lineCount": float("inf")}, {"lineCount": {1}}])
async def test_a_replaced_value_is_validated_again(value: Any) -> None:
    """What does not fit the schema does not get out, whoever wrote it."""
    result = await called(after(ReplaceValue(value)))

    assert ("INVALID_TOOL_OUTPUT", None, None) == (code(result), result.value, result.meta)


@pytest.mark.parametrize("content", ["text", [1], [{"type": "text"}], None])
async def test_replaced_content_has_to_be_content(content: Any) -> None:
    """Nothing that a client could not read."""
    assert "INVALID_TOOL_OUTPUT" == code(await called(after(ReplaceContent(content))))


async def test_a_blocked_result_is_withheld_whole() -> None:
    """The model reads the feedback, and neither programs nor people see the value."""
    result = await called(after(Block("it holds a secret.")))
    card = result_card(MADE, "t", {}, result)

    assert ("DENIED", None, None) == (code(result), result.value, result.meta)
    assert "it holds a secret" in result.content[0].text  # type: ignore[union-attr]
    assert ("generic", "DENIED") == (card.card, card.code)  # type: ignore[union-attr]


async def test_results_pass_through_all_policies_in_order() -> None:
    """Each sees what the one before has left, and a block ends it."""
    double = Policy("double", after=lambda _call, found: ReplaceValue({"lineCount": found.value["lineCount"] * 2}))  # type: ignore[index,call-overload,operator]
    seen: list[Any] = []
    last = Policy("last", after=lambda _call, found: seen.append(found.value) or Accept())  # type: ignore[func-returns-value]

    assert {"lineCount": 12} == (await called(double, double, last)).value
    assert "DENIED" == code(await called(double, after(Block("no")), last))
    assert [{"lineCount": 12}] == [dict(value) for value in seen]


async def test_a_tool_that_takes_too_long_is_cancelled_and_says_so() -> None:
    """It is really ended, and its result names the limit; the time that the user thinks does not count."""
    ended = asyncio.Event()

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    async def slow_user(_question: Question) -> str | None:
        await asyncio.sleep(0.1)
        return None

    made = tool(execute, timeout=0.05, asks=True)
    result = await run_tool(made, {}, run_of(), Policies((), slow_user))

    assert "ABORTED" == code(result)
    assert "0.05 seconds" in result.content[0].text  # type: ignore[union-attr]
    assert ended.is_set()
    assert None is code(await run_tool(tool(good, timeout=0.05, asks=True), {}, run_of(), Policies((), slow_user)))


async def test_a_time_out_inside_a_tool_is_not_ours() -> None:
    """A tool that lets one of its own out has a fault, and was not cancelled by us."""

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        raise TimeoutError

    assert "LEDGER_BUG" == code(await run_tool(tool(execute, timeout=60), {}, run_of()))


@pytest.mark.parametrize("leave", [SystemExit, KeyboardInterrupt, GeneratorExit])
async def test_a_tool_that_wants_to_end_the_server_fails_alone(leave: type[BaseException]) -> None:
    """``sys.exit()`` in a tool, or in what it uses, is a result like any other failure."""

    async def execute(_args: Args, _run: ToolRun) -> JsonObject:
        if leave is SystemExit:
            sys.exit(3)
        raise leave

    assert "LEDGER_BUG" == code(await run_tool(tool(execute), {}, run_of()))


SCHEMA = {
    "type": "object",
    "properties": {"lineCount": {"type": "integer"}, "rows": {"type": "array", "items": {"type": "string"}}},
    "required": ["lineCount"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"lineCount": 3, "rows": ["a"]}, None),
        ({"lineCount": "secret"}, "lineCount"),
        ({"lineCount": 3, "rows": ["a", 5]}, "rows[1]"),
        ({"rows": []}, ""),
        ({"lineCount": 3, "secret": 1}, ""),
    ],
)
async def test_a_schema_that_a_tool_brings_is_held_against_its_values(value: Any, path: str | None) -> None:
    """The place is named; the value is not repeated."""

    async def execute(_args: Args, _run: ToolRun) -> Any:
        return value

    made = tool(execute)
    brought = type(made)(made.name, made.description, made.params, SCHEMA, execute, made.render)  # type: ignore[arg-type]
    result = await run_tool(brought, {}, run_of())

    assert (None if path is None else "INVALID_TOOL_OUTPUT") == code(result)
    if path is not None and result.error is not None:
        assert path == result.error.details["errors"][0]["path"]  # type: ignore[index,call-overload]
        assert "secret" not in result.error.model_text()


@pytest.mark.parametrize("decision", [ReplaceValue({"bad": 1}), ReplaceContent("text")])  # type: ignore[arg-type]
async def test_a_replacement_that_does_not_fit_is_the_policys_fault(decision: Any) -> None:
    """The tool's value was right: its author has nothing to mend."""
    result = await called(after(decision))

    said = result.content[0].text  # type: ignore[union-attr]
    assert "INVALID_TOOL_OUTPUT" == code(result)
    assert said.startswith(
        "INVALID_TOOL_OUTPUT: The policy after replaced the result of t by one that does not fit its schema: "
    )
    assert said.endswith(". Report it to the author of the policy; the effects of the call, if any, stand.")


@pytest.mark.parametrize("reason", ["not here", "not here."])
async def test_a_reason_is_told_apart_from_the_next_action(reason: str) -> None:
    """Whether whoever gave it has ended it with a full stop or not."""
    denied = await called(*before(Deny(reason)))
    blocked = await called(after(Block(reason)))

    said = "DENIED: t was denied: not here. Don't retry without asking the user."
    assert said == denied.content[0].text  # type: ignore[union-attr]
    said = "DENIED: The result of t is withheld: not here. Don't retry without asking the user."
    assert said == blocked.content[0].text  # type: ignore[union-attr]


async def test_what_is_no_content_is_called_content() -> None:
    """The value fits, and what was rendered from it does not."""
    result = await run_tool(tool(good, render=lambda _args, _value: "text"), {}, run_of())

    assert ["content"] == [each["path"] for each in result.error.details["errors"]]  # type: ignore[union-attr,index,call-overload]
