"""Base classes of everything that crosses the wire. Deliberately absent: any particular shape."""

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError
from pydantic.alias_generators import to_camel

from dsh_ledger.errors import FieldError

T = TypeVar("T")

Items: TypeAlias = Annotated[tuple[T, ...], Strict(False)]
"""A JSON array as a tuple: the array may be a list, its items are as strict as ever."""


def optional() -> Any:
    """The default of a member that is left out of the JSON object when there is nothing to say (``name?``).

    A member that may be null but is always there is declared ``X | None`` without a default.
    """
    return Field(default=None, exclude_if=lambda value: value is None)


class WireModel(BaseModel):
    """A value on the wire: camelCase names, no unknown members, no silent coercion, immutable."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,  # an editor waits for our start; a model that is never used costs nothing then
    )

    def to_wire(self) -> dict[str, Any]:
        """The JSON object, its members in the order of declaration."""
        return self.model_dump(mode="json", by_alias=True)


class ToolArguments(BaseModel):
    """Arguments of a tool, under the names that models know (``file_path``): strict, closed, immutable."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def field_errors(error: ValidationError) -> list[FieldError]:
    """The fields that did not validate, as dotted paths with list items in brackets, without the values given."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    wrong = {item["loc"] for item in found}
    return [
        FieldError(field_path(item["loc"]), _said(item["type"], item["msg"]))
        for item in found
        # What is wrong with an item is also said as a list of one item less.
        if item["type"] != "too_short" or not any(_is_below(loc, item["loc"]) for loc in wrong)
    ]


def _said(kind: str, message: str) -> str:
    """What is wrong, in terms of JSON: an array is never called a tuple, whatever we make of it."""
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    return message.replace(" after validation", "").replace("tuple", "list").replace("Tuple", "List")


def _is_below(path: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    return len(path) > len(other) and path[: len(other)] == other


def field_path(parts: Iterable[str | int]) -> str:
    """The way to a field, dotted, with list items in brackets: ``edits[2].old_string``."""
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path
