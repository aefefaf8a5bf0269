"""LSP's types to and from JSON: one converter, shared by all peers.

Held: lsprotocol's converter with its three defects of tolerance repaired, and the hook that makes values JSON.
Absent: our own methods' models, which pydantic reads (see ``validation`` for why something was refused).

- A member of an enumeration that this version does not know must not refuse the whole message: a client of tomorrow
  sends one in ``initialize``. It is kept as the plain string or number that it came as.
- cattrs reads null as the text "None" and 3 as "3". A document with the text "None" is worse than a refused message.
- A position after the last representable one (2^31 - 1) is how many clients say "to the end": it is taken as that.

Building it takes milliseconds, a hundred times what an agent's peer costs, so it is done once, when first needed.
"""

from __future__ import annotations

import enum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import attrs
from cattrs.gen import make_dict_structure_fn
from lsprotocol import converters, types
from pydantic import BaseModel

if TYPE_CHECKING:
    from cattrs import Converter

_UINTEGER_MAX: Final = 2**31 - 1  # LSP 3.17, Base Types: uinteger


@cache
def shared_converter() -> Converter:
    """Return the converter for ``lsprotocol.types``, the same one each time."""
    converter = converters.get_converter()
    for known in vars(types).values():
        if isinstance(known, type) and issubclass(known, enum.Enum) and known.__module__ == types.__name__:
            # A hook for a predicate would lose to cattrs' own ones for str and int, so each class gets one.
            converter.register_structure_hook(known, partial(_enum_member, known))
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(bool, _boolean)  # else cattrs takes the hook of int for it
    position = make_dict_structure_fn(types.Position, converter)
    converter.register_structure_hook(types.Position, lambda value, _: position(_clamped(value), types.Position))
    return converter


def jsonable(value: Any) -> Any:
    """Return what stands for a value that :mod:`json` does not know; the ``default`` of ``json.dumps``.

    lsprotocol's and other attrs classes become objects with camelCase names, null members left out where LSP allows
    it. A pydantic model decides by itself what it leaves out (``Field(exclude_if=...)``, ``@model_serializer``) and is
    written by alias.

    Raises:
        TypeError: The value has no JSON form.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if attrs.has(type(value)):
        return shared_converter().unstructure(value)
    if isinstance(value, enum.Enum):
        return value.value
    raise TypeError(f"{type(value).__qualname__} has no JSON form")


def _enum_member(known: type[enum.Enum], value: Any, _: object) -> Any:
    try:
        return known(value)
    except ValueError:
        if isinstance(value, str | int) and not isinstance(value, bool):
            return value
        raise


def _text(value: Any, _: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError("not a string")


def _integer(value: Any, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():  # some Lua and JavaScript encoders write 1 as 1.0
        return int(value)
    raise TypeError("not an integer")


def _boolean(value: Any, _: object) -> bool:
    if value in (True, False):  # 1 and 0 too: Vim script had no other booleans for a long time
        return bool(value)
    raise TypeError("not a boolean")


def _clamped(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: _UINTEGER_MAX if isinstance(part, int | float) and part > _UINTEGER_MAX else part
        for name, part in value.items()
    }
