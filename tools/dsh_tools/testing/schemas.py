"""Whether a tool's schemas are what agents and editors can work with."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.contract import AnyTool
from dsh_tools.json_values import json_fault
from dsh_tools.models import ToolArguments
from dsh_tools.output_schema import SchemaRefused, check_schema, faults, json_schema
from dsh_tools.registry import Registry, ToolRefused

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The names that the interfaces of models take."""

_LISTED = 3


def refusal(tool: object) -> str | None:
    """Why no server would have the tool, or None."""
    try:
        Registry().add(tool)  # type: ignore[arg-type]
    except ToolRefused as refused:
        return f"no server takes it: {refused}"
    return None


def schema_faults(tool: AnyTool) -> Iterator[str]:
    """What is wrong with the name, the description and both schemas of a tool that a server takes."""
    if not _NAME.fullmatch(tool.name):
        yield "its name has something in it other than up to 64 letters, digits, _ and -: models can't call it"
    if not tool.description.strip():
        yield "it has no description: a model can't know when to call it"
    yield from _parameter_faults(tool)
    try:
        output = json_schema(tool.output)
    except Exception as error:  # noqa: BLE001 - the library has many names for it
        yield f"its output can't be told as a JSON schema ({type(error).__name__})"
        return
    if output.get("type") != "object":
        yield "its output schema does not say `type: object`, and a value is a JSON object"


def argument_faults(tool: AnyTool, arguments: Mapping[str, Any]) -> Iterator[str]:
    """What the published parameters, which is all that a model knows, have against arguments that are valid."""
    parameters = tool.schema()["parameters"]
    for error in faults(_mapping(parameters), dict(arguments))[:_LISTED]:
        yield f"they are valid, but not by the published parameters: {error.path or 'they'}: {error.message}"


def published_value_faults(tool: AnyTool, value: JsonObject) -> Iterator[str]:
    """What the published output schema has against a value that the pipeline takes."""
    for error in faults(json_schema(tool.output), value)[:_LISTED]:
        yield f"it does not fit the published output schema: {error.path or 'it'}: {error.message}"


def _parameter_faults(tool: AnyTool) -> Iterator[str]:
    params: object = tool.params
    if not (isinstance(params, type) and issubclass(params, ToolArguments)):
        yield "its params are no subclass of ToolArguments, so they may be coerced or changed"
        return
    try:
        parameters = tool.schema()["parameters"]
        check_schema(_mapping(parameters))
    except SchemaRefused:
        yield "its parameters are no valid JSON schema"
        return
    except Exception as error:  # noqa: BLE001 - the library has many names for it
        yield f"its parameters can't be told as a JSON schema ({type(error).__name__})"
        return
    fault = json_fault(parameters)
    if fault is not None:
        yield f"its parameters can't be sent: {fault}"
    for place in _open_objects(parameters, "parameters"):
        yield f"{place} is not closed: a misspelt argument would be ignored (`additionalProperties: false` is missing)"


def _open_objects(schema: JsonValue, place: str) -> Iterator[str]:
    """The places of objects with named members that let others through."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _open_objects(item, f"{place}[{index}]")
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("properties"), dict) and schema.get("additionalProperties") is not False:
        yield place
    for key, member in schema.items():
        yield from _open_objects(member, f"{place}.{key}")


def _mapping(schema: JsonValue) -> Mapping[str, JsonValue]:
    return schema if isinstance(schema, dict) else {}
