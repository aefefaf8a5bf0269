"""Waiting a moment for what a process that is ending still holds."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

_T = TypeVar("_T")

_WITHIN: Final = 3.0
_PAUSE: Final = 0.02
"""Seconds: the system lets a killed process's locks go one after the other, and whoever waited for one may be faster
than the rest."""


def patiently(job: Callable[[], _T], busy: type[Exception]) -> _T:
    """Do something that fails with ``busy`` while somebody else has it, again and again for a moment. Blocks."""
    deadline = time.monotonic() + _WITHIN
    while True:
        try:
            return job()
        except busy:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
