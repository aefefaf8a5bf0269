"""JSON values that come from somebody else's code: checked, and shown to others without letting them change it."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, Union

from dsh_ledger.json_values import JsonValue

Frozen: TypeAlias = Union[bool, int, float, str, tuple["Frozen", ...], Mapping[str, "Frozen"], None]  # noqa: UP007
"""A JSON value that can't be changed: arrays are tuples, objects are read-only mappings."""


def json_fault(value: object) -> str | None:
    """Why a value is no JSON value, in a few words, or None if it is one.

    Only what JSON itself knows passes: no NaN, no key that is not a string, no tuple, no object of a class.
    """
    try:
        encoded = json.dumps(value, allow_nan=False)
        same = json.loads(encoded) == value
    except (TypeError, ValueError, RecursionError) as error:
        return f"it is no JSON ({type(error).__name__})"
    return None if same else "it is not what it would be after encoding as JSON (a key that is no string, or a tuple)"


def frozen(value: JsonValue) -> Frozen:
    """A copy of a JSON value that can't be changed."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    return value


def thawed(value: Any) -> Any:
    """The same with lists and dicts again, so that it can be encoded. Anything that is no container passes as it is."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [thawed(item) for item in value]
    return value
