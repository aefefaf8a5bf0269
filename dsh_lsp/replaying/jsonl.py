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
    for method, params in notes:
        yield json.dumps({"method": method, "params": params}, separators=(",", ":"))
