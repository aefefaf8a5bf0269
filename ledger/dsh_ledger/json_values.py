"""JSON values as types. Deliberately absent: encoding and decoding."""

from typing import TypeAlias, Union

JsonValue: TypeAlias = Union[bool, int, float, str, list["JsonValue"], dict[str, "JsonValue"], None]  # noqa: UP007
JsonObject: TypeAlias = dict[str, JsonValue]
