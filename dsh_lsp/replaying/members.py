"""Members of a recorded view, each with the type it should have, or as if it were not there."""

import json
from collections.abc import Mapping
from typing import Any


def string(view: Mapping[str, Any], name: str) -> str | None:
    """A member that is a string."""
    value = view.get(name)
    return value if isinstance(value, str) else None


def integer(view: Mapping[str, Any], name: str) -> int | None:
    """A member that is an integer."""
    value = view.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def boolean(view: Mapping[str, Any], name: str) -> bool | None:
    """A member that is true or false."""
    value = view.get(name)
    return value if isinstance(value, bool) else None


def items(view: Mapping[str, Any], name: str) -> list[Any]:
    """A member that is an array; empty when it is none."""
    value = view.get(name)
    return list(value) if isinstance(value, list | tuple) else []


def strings(view: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The strings of a member that is an array."""
    return tuple(item for item in items(view, name) if isinstance(item, str))


def pretty(value: object) -> str:
    """A value as indented JSON, letters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError) as error:
        return f"(can't be shown as JSON: {type(error).__name__})"
