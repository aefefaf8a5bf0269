"""Whether a tool's projections are pure.

Each is called once as it is, and twice with everything taken away that is not in its arguments (`sealing`), in two time
zones, each time with copies of its inputs: it must return something of the right shape, the same bytes each time, and
leave its inputs as they are. `present_result` gets what is recorded, and no value.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.content import CONTENT
from dsh_tools.contract import AnyTool, ToolResult
from dsh_tools.json_values import json_fault
from dsh_tools.models import field_errors
from dsh_tools.presenting import CALL_CARD, RESULT_CARD
from dsh_tools.testing.cases import Check
from dsh_tools.testing.sealing import other_zones, sealed


class _Unfit(Exception):
    """What a projection returned can't be sent. The message says why."""


@dataclass(frozen=True, slots=True)
class _Projection:
    """One function of a tool, ready to be called.

    Attributes:
        check: Its name.
        inputs: Makes what it is given, anew each time.
        call: Calls it.
        sent: What is sent of its output. Raises `_Unfit`.
    """

    check: Check
    inputs: Callable[[], tuple[Any, ...]]
    call: Callable[..., object]
    sent: Callable[[Any], JsonValue]


class _Recorded(ToolResult):
    """A result as a replay has it, which notes when it is asked for the value that it has not got."""

    asked_for_value = False

    def __getattribute__(self, name: str) -> Any:
        if name == "value":
            object.__setattr__(self, "asked_for_value", True)
        return super().__getattribute__(name)


def call_faults(tool: AnyTool, arguments: Mapping[str, Any]) -> Iterator[tuple[Check, str]]:
    """What is wrong with the card of a call; the arguments must be valid."""
    if tool.present_call is not None:
        yield from _faults(
            _Projection("present_call", lambda: (_args(tool, arguments),), tool.present_call, _call_card)
        )


def value_faults(tool: AnyTool, arguments: Mapping[str, Any], value: JsonObject) -> Iterator[tuple[Check, str]]:
    """What is wrong with what is made of a value that fits its schema; the arguments must be valid."""

    def inputs() -> tuple[Any, ...]:
        return _args(tool, arguments), deepcopy(value)

    yield from _faults(_Projection("render", inputs, tool.render, _content))
    if tool.presentation_meta is not None:
        yield from _faults(_Projection("presentation_meta", inputs, tool.presentation_meta, _json))


def result_faults(tool: AnyTool, arguments: Mapping[str, Any], result: ToolResult) -> Iterator[tuple[Check, str]]:
    """What is wrong with the card of a successful result."""
    if tool.present_result is None:
        return
    made: list[_Recorded] = []

    def inputs() -> tuple[Any, ...]:
        made.append(_Recorded(tuple(result.content), meta=deepcopy(result.meta)))
        return _args(tool, arguments), made[-1]

    yield from _faults(_Projection("present_result", inputs, tool.present_result, _result_card))
    if any(each.asked_for_value for each in made):
        yield "present_result", "it asks for result.value, which is not recorded: what it needs belongs into the meta"


def encoded(value: JsonValue) -> str:
    """A JSON value as the text that is compared, members in their order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _faults(projection: _Projection) -> Iterator[tuple[Check, str]]:
    """What is wrong with a projection, as sentences, each once."""
    said: dict[str, None] = {}
    texts: list[str] = []
    for text, faults in _runs(projection):
        said.update(dict.fromkeys(faults))
        if text is not None:
            texts.append(text)
    if any(text != texts[0] for text in texts):
        said["it does not give the same bytes each time, or not in each time zone"] = None
    for fault in said:
        yield projection.check, fault


def _runs(projection: _Projection) -> Iterator[tuple[str | None, list[str]]]:
    """Each run's text and what is wrong with it; the first run has everything, so that it may import and prepare."""
    first = projection.inputs()
    yield _run(projection, first, lambda: projection.call(*first))
    with other_zones() as zones:
        for _ in zones:
            inputs = projection.inputs()
            reached: list[str] = []
            text, faults = _run(projection, inputs, _sealing(projection, inputs, reached))
            if reached:
                text, faults = None, [f"it reaches for {what}" for what in reached]
            yield text, faults


def _sealing(projection: _Projection, inputs: tuple[Any, ...], reached: list[str]) -> Callable[[], object]:
    def call() -> object:
        outcome = sealed(lambda: projection.call(*inputs))
        reached.extend(outcome.reached)
        if outcome.failure is not None:
            raise outcome.failure
        return outcome.value

    return call


def _run(projection: _Projection, inputs: tuple[Any, ...], call: Callable[[], object]) -> tuple[str | None, list[str]]:
    before = [_seen(each) for each in inputs]
    try:
        text = encoded(projection.sent(call()))
    except _Unfit as unfit:
        return None, [str(unfit)]
    except Exception as error:  # noqa: BLE001 - somebody else's code
        return None, [f"it raises {type(error).__name__}: {error}"]
    if before != [_seen(each) for each in inputs]:
        return text, ["it changes what it is given"]
    return text, []


def _args(tool: AnyTool, arguments: Mapping[str, Any]) -> Any:
    return tool.params.model_validate(deepcopy(dict(arguments)))


def _seen(given: Any) -> str:
    """An input as text, to see whether it is still the same. What is no JSON any more is told by its ``repr``."""
    if isinstance(given, BaseModel):
        given = given.model_dump()
    elif isinstance(given, ToolResult):
        given = [[block.to_wire() for block in given.content], given.meta]
    return json.dumps(given, default=repr)


def _content(blocks: Any) -> JsonValue:
    try:
        return [block.to_wire() for block in CONTENT.validate_python(blocks)]
    except ValidationError as error:
        raise _Unfit(f"it does not return content blocks ({_fields(error)})") from None


def _json(meta: Any) -> JsonValue:
    fault = json_fault(meta)
    if fault is not None:
        raise _Unfit(f"what it returns can't be recorded: {fault}")
    checked: JsonValue = meta
    return checked


def _call_card(card: Any) -> JsonValue:
    return _card(CALL_CARD, card, "a card of a call (generic, terminal, diff)")


def _result_card(card: Any) -> JsonValue:
    return _card(RESULT_CARD, card, "one of the six cards of a result")


def _card(adapter: TypeAdapter[Any], card: Any, what: str) -> JsonValue:
    try:
        wire: JsonObject = adapter.validate_python(card).to_wire()
    except ValidationError as error:
        raise _Unfit(f"it does not return {what} ({_fields(error)})") from None
    return _json(wire)


def _fields(error: ValidationError) -> str:
    return "; ".join(f"{each.path or 'it'}: {each.message}" for each in field_errors(error)[:3])
