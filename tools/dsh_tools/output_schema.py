"""Output schemas: what a tool promises of its canonical value, and the check that it keeps it.

Our own tools bring a pydantic model. Others may bring a JSON schema (draft 2020-12), checked against the metaschema
when the tool is registered. References lead nowhere but into the schema itself: nothing is fetched.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError

from dsh_ledger.errors import FieldError
from dsh_ledger.json_values import JsonValue
from dsh_tools.models import field_errors, field_path

OutputSchema: TypeAlias = type[BaseModel] | Mapping[str, JsonValue]
"""A pydantic model, or a JSON schema."""

_LISTED = 20


class SchemaRefused(Exception):
    """The schema is no valid JSON schema. The message names the place."""


def check_schema(output: OutputSchema) -> None:
    """Check a schema against the metaschema.

    Raises:
        SchemaRefused: It does not fit.
    """
    if isinstance(output, type):
        return
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(output)
    except SchemaError as error:
        place = field_path(error.absolute_path) or "the schema"
        raise SchemaRefused(f"its output schema is no JSON schema: {place} does not fit the metaschema") from None


def faults(output: OutputSchema, value: JsonValue) -> Sequence[FieldError]:
    """What of a value does not fit a schema that was checked; nothing if it fits."""
    return _model_faults(output, value) if isinstance(output, type) else _schema_faults(output, value)


def json_schema(output: OutputSchema) -> dict[str, Any]:
    """The schema as JSON."""
    return output.model_json_schema(by_alias=True, mode="serialization") if isinstance(output, type) else dict(output)


def _model_faults(model: type[BaseModel], value: JsonValue) -> Sequence[FieldError]:
    try:
        model.model_validate(value)
    except ValidationError as error:
        return field_errors(error)
    return ()


def _schema_faults(schema: Mapping[str, JsonValue], value: JsonValue) -> Sequence[FieldError]:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    validator = Draft202012Validator(schema, registry=Registry())
    try:
        found = list(islice(validator.iter_errors(value), _LISTED))
    except Exception as error:  # noqa: BLE001 - a reference that leads nowhere; the library has many names for it
        return [FieldError("", f"its schema can't be applied ({type(error).__name__})")]
    # Not the library's message: it quotes the value.
    return [FieldError(field_path(error.absolute_path), f"does not fit `{error.validator}`") for error in found]
