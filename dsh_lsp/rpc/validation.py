"""What is wrong with the params of a message, field by field.

Held: the errors of pydantic (our own methods) and of cattrs (LSP's types) in one form,
``{"path": "params.edits[3].range.start", "message": "…"}``: names as on the wire, dots between them, indices in
brackets. Absent: the values. Neither a path nor a message repeats what the field held, so both may be logged.

An answer lists at most 50 errors; a peer that sends a hundred thousand bad items does not get a hundred thousand back.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final, TypedDict

from cattrs import AttributeValidationNote, BaseValidationError, IterableValidationNote
from pygls.exceptions import JsonRpcInvalidParams

from dsh_tools.reporting import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import ValidationError

_REPORTED: Final = 50
_QUALIFIERS = re.compile(r"\b(?:lsprotocol\.types|typing|collections\.abc)\.|^<class '|'>$")


class FieldError(TypedDict):
    """One thing that is wrong with one field."""

    path: str
    message: str


class InvalidParams(JsonRpcInvalidParams):
    """The answer to a request whose params are not what the method takes.

    Attributes:
        errors: What is wrong; also in ``data``, as it goes on the wire.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = list(islice(errors, _REPORTED))
        super().__init__("invalid params", data={"errors": self.errors})


def not_an_object() -> Iterator[FieldError]:
    """Yield the error of params that are an array or a scalar; every method here takes an object."""
    yield {"path": "params", "message": "must be an object"}


def pydantic_errors(error: ValidationError) -> Iterator[FieldError]:
    """Yield the errors that pydantic found."""
    for each in error.errors(include_url=False, include_input=False, include_context=False):
        yield {"path": _path(each["loc"]), "message": shown(each["msg"])}


def cattrs_errors(error: BaseException) -> Iterator[FieldError]:
    """Yield the errors that cattrs found, from the tree of exceptions in which it reports them."""
    return _leaves(error, (), None)


def _leaves(error: BaseException, where: tuple[str | int, ...], expected: object) -> Iterator[FieldError]:
    if not isinstance(error, BaseValidationError):
        yield {"path": _path(where), "message": _cattrs_message(error, expected)}
        return
    for child in error.exceptions:
        step, wanted = _note(child)
        # Without a note it is the class's own validator that refused a value, which already had the right type.
        yield from _leaves(child, where if step is None else (*where, step), wanted)


def _note(error: BaseException) -> tuple[str | int | None, object]:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return _wire_name(note.name), note.type
        if isinstance(note, IterableValidationNote):
            return note.index if isinstance(note.index, int) else str(note.index), note.type
    return None, None


def _cattrs_message(error: BaseException, expected: object) -> str:
    if isinstance(error, KeyError):
        return "is required"
    if expected is None:
        return "is out of range"
    return shown(f"is not a valid {_QUALIFIERS.sub('', str(expected))}")


def _wire_name(attribute: str) -> str:
    first, *rest = attribute.removesuffix("_").split("_")
    return first + "".join(part.title() for part in rest)


def _path(where: Iterable[str | int]) -> str:
    return shown("params" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where))
