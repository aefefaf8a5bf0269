r"""What ``git diff`` says about many pairs of texts at once, as hunks.

One process compares two folders with a file for each pair. Its output is read as bytes and by the numbers in the hunk
headers, so that no content can be taken for a header. The user's and the machine's git settings are out of the way.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dsh_ledger.hunks import Hunk, HunkLine, LineKind

_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_KINDS = {kind.value.encode("ascii"): kind for kind in LineKind}


def git_hunks(pairs: Sequence[tuple[str, str]], context: int = 3) -> list[tuple[Hunk, ...]]:
    """The hunks of ``git diff -U<context>`` for each pair of an old and a new text."""
    with tempfile.TemporaryDirectory() as folder:
        for side in (0, 1):
            at = Path(folder, "ab"[side])
            at.mkdir()
            for index, pair in enumerate(pairs):
                Path(at, f"{index:06}").write_bytes(pair[side].encode("utf-8", "surrogatepass"))
        flags = ["--no-index", f"-U{context}", "--no-color", "--no-ext-diff", "--text", "--no-renames"]
        result = subprocess.run(
            ["git", "diff", *flags, "a", "b"],
            cwd=folder,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            check=False,
        )
    assert result.returncode in (0, 1), result.stderr
    return _parsed(result.stdout, len(pairs))


def _parsed(output: bytes, count: int) -> list[tuple[Hunk, ...]]:
    found: list[list[Hunk]] = [[] for _ in range(count)]
    rows = output.split(b"\n")
    at, index = 0, -1
    while at < len(rows):
        header = _HEADER.match(rows[at])
        if rows[at].startswith(b"diff --git "):
            index = int(rows[at][-6:])
        elif header:
            hunk, at = _hunk(rows, at + 1, header)
            found[index].append(hunk)
            continue
        at += 1
    return [tuple(hunks) for hunks in found]


def _hunk(rows: list[bytes], at: int, header: re.Match[bytes]) -> tuple[Hunk, int]:
    old_start, old_lines, new_start, new_lines = (int(number) if number else 1 for number in header.groups())
    lines: list[HunkLine] = []
    flags = {"old_no_newline": False, "new_no_newline": False}
    old_left, new_left = old_lines, new_lines
    while old_left or new_left or rows[at].startswith(b"\\"):
        if rows[at].startswith(b"\\"):
            flags["old_no_newline"] |= lines[-1].kind is not LineKind.ADDED
            flags["new_no_newline"] |= lines[-1].kind is not LineKind.REMOVED
        else:
            kind = _KINDS[rows[at][:1]]
            lines.append(HunkLine(kind, rows[at][1:].decode("utf-8", "surrogatepass")))
            old_left -= kind is not LineKind.ADDED
            new_left -= kind is not LineKind.REMOVED
        at += 1
    return Hunk(old_start, old_lines, new_start, new_lines, tuple(lines), **flags), at
