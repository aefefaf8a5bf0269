"""Where styled lines are printed: a terminal at its own width, or anything else at a fixed one."""

import sys
from typing import NoReturn

from rich.console import Console


class Printer(Console):
    """A console of which nobody need read all."""

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to whoever prints, instead of ending the program."""
        raise BrokenPipeError


def printer(width: int) -> Console:
    """Standard output.

    Args:
        width: Of what is not a terminal, in cells.
    """
    return Printer() if sys.stdout.isatty() else Printer(width=width)
