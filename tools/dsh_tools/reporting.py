"""What may be said about somebody else's message, and about a failure, without repeating what was in it.

Held: how names that a peer made up are shown, and how an exception is logged. Absent: anything but the standard
library, so that the parts of this project that only move bytes stay quick to load.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import logging

_SHOWN: Final = 200


def shown(name: object) -> str:
    """Return a peer's name for something, fit for an answer and for the log: cut, and without control characters."""
    text = str(name)
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in cut)


def log_failure(logger: logging.Logger, what: str, error: BaseException) -> None:
    """Log where an exception came from, and not what it says: messages of exceptions quote the values they choked on.

    The chain of causes is followed; each link is its type and the source lines it passed through.
    """
    parts: list[str] = []
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        parts.append(f"{type(link).__qualname__}\n{''.join(traceback.format_tb(link.__traceback__))}")
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    logger.error("%s: %s", what, "caused by ".join(parts))
