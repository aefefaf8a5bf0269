"""A program that is not ours and writes to a file again and again, and looks whether what it wrote was lost.

Run as ``outside_writer.py FILE STYLE COUNT``. Each text that it publishes begins with a line of its number and a
checksum; with the style ``append`` it is such a line. After each, and again before the next, it looks whether the file
begins with that line (or has it): nobody else may take it away. It prints the numbers that were lost, as JSON.

Its pace is random, such that edits of others often come through, and often meet it at a bad moment. A file may, for a
while, show an edit that is about to be taken back; so it looks again before it complains.
"""

import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

_LOOKS = 20_000
_BETWEEN = 0.04
"""Seconds between two writes at the most."""
_OPEN = 0.002
"""Seconds for which the file is open at the most, before something is written to it."""

_moments = random.Random(0)


def line_of(number: int) -> str:
    """The line of a number."""
    return f"outside {number} {hashlib.sha256(b'%d' % number).hexdigest()[:16]}\n"


def text_of(number: int) -> bytes:
    """A whole text: some kilobytes, so that it is not written and read in one go by accident."""
    return (line_of(number) + f"filler of {number}\n" * 200 + "end\n").encode()


def _rename(path: Path, number: int) -> None:
    other = path.with_name("outside.tmp")
    other.write_bytes(text_of(number))
    other.replace(path)


def _truncate(path: Path, number: int) -> None:
    with path.open("wb") as file:
        _pause(_OPEN)
        file.write(text_of(number))


def _append(path: Path, number: int) -> None:
    with path.open("ab") as file:
        _pause(_OPEN)
        file.write(line_of(number).encode())


def _pause(longest: float) -> None:
    time.sleep(_moments.uniform(0, longest))


STYLES: dict[str, Callable[[Path, int], None]] = {"rename": _rename, "truncate": _truncate, "append": _append}


def is_there(path: Path, style: str, number: int) -> bool:
    """Whether the version with a number is what the file is made of, once it has settled."""
    line = line_of(number).encode()
    for _ in range(_LOOKS):
        there = path.read_bytes()
        if line in there if style == "append" else there.startswith(line):
            return True
        os.sched_yield()
    return False


def main(path: Path, style: str, count: int) -> None:
    """Write and look; wait, and look again."""
    lost = set()
    for number in range(1, count + 1):
        STYLES[style](path, number)
        if not is_there(path, style, number):
            lost.add(number)
        _pause(_BETWEEN)
        if not is_there(path, style, number):
            lost.add(number)
    sys.stdout.write(json.dumps({"lost": sorted(lost)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
