"""A replayed session as JSON lines: the notifications that an editor gets, one object a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def json_lines(notes: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    r"""One line for each note, in the order given, without its ``\n``: ``{"method": …, "params": …}``.

    Lines are ASCII, so that nothing in them can move a terminal's cursor, end a line early, or fail to be encoded.

    Args:
        notes: The method and the params, as JSON, of every notification.
    """
    yield from message_lines({"method": method, "params": params} for method, params in notes)


def message_lines(messages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for each message, in ASCII, as `json_lines` makes them."""
    for message in messages:
        yield json.dumps(message, separators=(",", ":"))
