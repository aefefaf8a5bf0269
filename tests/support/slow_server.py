"""The server, on a machine on which swapping two names takes its time.

What may happen between the last look at a file and the swap, or between the swap and the first look after it, happens
in some microseconds otherwise: too rarely to be seen. Nothing else is different.
"""

import sys
import time
from collections.abc import Callable
from typing import Final

from dsh_lsp.cli import main
from dsh_tools.fs import renameat2

SLOW_COMMAND: Final = (sys.executable, "-P", __file__, "--stdio")
"""The command of the server."""

_PAUSE: Final = 0.002


def _slow(call: Callable[[int, bytes, bytes], bool]) -> Callable[[int, bytes, bytes], bool]:
    def slowly(directory: int, one: bytes, other: bytes) -> bool:
        time.sleep(_PAUSE)
        try:
            return call(directory, one, other)
        finally:
            time.sleep(_PAUSE)

    return slowly


if __name__ == "__main__":
    setattr(renameat2, "exchange", _slow(renameat2.exchange))  # noqa: B010 - it is no function of that very signature
    main()
