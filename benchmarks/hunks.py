"""Hunks with three lines of context: ours, difflib's, and a ``git diff`` process.

Milliseconds, medians. ``edit_1k`` and ``edit_100k`` change one line in the middle of 1,000 and of 100,000 lines;
``pair_100k`` changes two lines eight apart, so that there are lines to match between them; ``edits_20k`` changes 500
lines spread over 20,000. Ours and difflib start from two texts in memory, git from two files.
"""

import difflib
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from dsh_tools.diff import hunks

ROUNDS = {"ours": 15, "difflib": 3, "git": 9}
BLANKS_AND_BRACES = ("", "}", "    return x")


def measure() -> dict[str, float]:
    """Medians in milliseconds, as ``<engine>_<case>``."""
    row: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="dsh-bench-") as folder:
        for case, (old, new) in cases().items():
            files = (Path(folder, f"{case}.old"), Path(folder, f"{case}.new"))
            for file, text in zip(files, (old, new), strict=True):
                file.write_bytes(text.encode("utf-8"))
            row[f"ours_{case}"] = _median_ms(partial(hunks, old, new), ROUNDS["ours"])
            row[f"difflib_{case}"] = _median_ms(partial(_difflib, old, new), ROUNDS["difflib"])
            row[f"git_{case}"] = _median_ms(partial(_git, *files), ROUNDS["git"])
    return row


def cases() -> dict[str, tuple[str, str]]:
    """The old and the new text of each case."""
    random = Random(1)
    return {
        "edit_1k": _pair(random, 1_000, [500]),
        "edit_100k": _pair(random, 100_000, [50_000]),
        "pair_100k": _pair(random, 100_000, [50_000, 50_008]),
        "edits_20k": _pair(random, 20_000, random.sample(range(20_000), 500)),
    }


def _pair(random: Random, count: int, changed: list[int]) -> tuple[str, str]:
    lines = [_line(random) for _ in range(count)]
    old = "".join(f"{line}\n" for line in lines)
    for index in changed:
        lines[index] = f"changed {index}"
    return old, "".join(f"{line}\n" for line in lines)


def _line(random: Random) -> str:
    if random.random() < 0.2:
        return random.choice(BLANKS_AND_BRACES)
    return "    " * random.randint(0, 4) + "".join(random.choices("abcdefghij ", k=random.randint(20, 60)))


def _difflib(old: str, new: str) -> int:
    matcher = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"))
    return sum(1 for _ in matcher.get_grouped_opcodes(3))


def _git(old: Path, new: Path) -> None:
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    flags = ("--no-index", "-U3", "--no-color", "--no-ext-diff")
    subprocess.run(["git", "diff", *flags, str(old), str(new)], env=quiet, capture_output=True, check=False)


def _median_ms(work: Callable[[], object], rounds: int) -> float:
    taken: list[float] = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        taken.append((perf_counter() - began) * 1e3)
    return median(taken)


if __name__ == "__main__":
    for figure, value in measure().items():
        print(f"{figure:20} {value:10.2f} ms")
