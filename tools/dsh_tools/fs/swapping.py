"""Swapping a finished file in, and what came out back.

Two names, in one step of the kernel's: at no moment is there nothing, or half of something, under the target's name.
Deliberately absent: whether what came out is what was expected. Whoever calls compares, and keeps it until then.
"""

import os
from typing import Final

from dsh_tools.fs import renameat2
from dsh_tools.fs.snapshots import begins_with, is_own

_TURNS: Final = 100
"""How often another program may write between two swaps, each some microseconds after the other."""


def put_back(directory: int, held: bytes, name: bytes, ours: os.stat_result, data: bytes) -> bool:
    """Give a target's name back to the file that a swap took it from.

    Another program may write there meanwhile: what it wrote is newer, and goes back instead.

    Args:
        directory: The directory of both names.
        held: The name under which the file that came out is.
        name: The target's name.
        ours: The file that was swapped in, as it was before.
        data: Its content.

    Returns:
        Whether what is under ``held`` now, if anything, is of no value: ours, or replaced by somebody since. False
        when it may be the only copy of something.
    """
    there = ours
    for _ in range(_TURNS):
        try:
            mine = os.stat(held, dir_fd=directory, follow_symlinks=False)
            if not renameat2.exchange(directory, held, name):
                return False
        except FileNotFoundError:
            return _given_back(directory, held, name)
        if is_own(directory, held, there):
            return True
        if there is ours and begins_with(directory, held, ours.st_ino, data):
            # Somebody added to our file. That goes on top again, and nobody has seen what it covers.
            renameat2.exchange(directory, held, name)
            return False
        there = mine
    return False


def _given_back(directory: int, held: bytes, name: bytes) -> bool:
    """The target was deleted: the file that came out takes its name again, unless it is taken by now."""
    try:
        return renameat2.rename_new(directory, held, name)
    except FileExistsError:
        return True
