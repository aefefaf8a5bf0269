r"""A diff as text for people and models to read, bounded; nothing here reads it back.

Deliberately absent: colours, file headers, and a mark at the place where something was left out. Whether anything was
left out is a value of its own.
"""

from collections.abc import Iterable, Iterator

from dsh_ledger.drift import ChangedLines, Drift
from dsh_ledger.hunks import Hunk, LineKind
from dsh_tools.diff.building import hunks_of
from dsh_tools.diff.scripts import Run, script

DRIFT_CHANGES = 50
"""How many changed places a drift lists."""

DRIFT_LINES = 60
"""How many lines of unified diff a drift shows."""

DRIFT_CHARACTERS = 4_000
"""How many code points of unified diff a drift shows."""

_DRIFT_CONTEXT = 1
_NO_NEWLINE = "\\ No newline at end of file"


def unified(hunks: Iterable[Hunk], limit_lines: int | None = None, limit_chars: int | None = None) -> tuple[str, bool]:
    r"""The body of a unified diff.

    Args:
        hunks: In order.
        limit_lines: At most so many lines, headers included.
        limit_chars: At most so many code points, line ends included.

    Returns:
        Whole lines, each with a ``\n``, and whether there were more. A header is not left without a line of its hunk.
    """
    shown: list[str] = []
    size, last_header = 0, 0
    for hunk in hunks:
        for header, line in _unified_lines(hunk):
            size += len(line) + 1
            if (limit_lines is not None and len(shown) >= limit_lines) or (
                limit_chars is not None and size > limit_chars
            ):
                whole = shown[:-1] if shown and last_header == len(shown) - 1 else shown
                return _text(whole), True
            if header:
                last_header = len(shown)
            shown.append(line)
    return _text(shown), False


def drift(old: str, new: str) -> Drift:
    """What changed between two texts, bounded by `DRIFT_CHANGES`, `DRIFT_LINES` and `DRIFT_CHARACTERS`.

    ``total`` counts every changed place. Context is one line, so that places next to each other read as one.
    """
    found = script(old, new, _DRIFT_CONTEXT)
    changes = tuple(_changed_lines(found.window.above, run) for run in found.runs[:DRIFT_CHANGES])
    text, cut = unified(hunks_of(found, _DRIFT_CONTEXT), DRIFT_LINES, DRIFT_CHARACTERS)
    return Drift(changes, text, len(found.runs), cut or len(found.runs) > DRIFT_CHANGES)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _unified_lines(hunk: Hunk) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is the header."""
    old, new = _range(hunk.old_start, hunk.old_lines), _range(hunk.new_start, hunk.new_lines)
    yield True, f"@@ -{old} +{new} @@"
    old_left, new_left = hunk.old_lines, hunk.new_lines
    for line in hunk.lines:
        yield False, line.kind.value + line.text
        old_left -= line.kind is not LineKind.ADDED
        new_left -= line.kind is not LineKind.REMOVED
        ends_old = hunk.old_no_newline and old_left == 0 and line.kind is not LineKind.ADDED
        ends_new = hunk.new_no_newline and new_left == 0 and line.kind is not LineKind.REMOVED
        if ends_old or ends_new:
            yield False, _NO_NEWLINE


def _range(start: int, lines: int) -> str:
    return f"{start}" if lines == 1 else f"{start},{lines}"


def _changed_lines(above: int, run: Run) -> ChangedLines:
    return ChangedLines(
        above + run.old_line + (1 if run.old_lines else 0),
        run.old_lines,
        above + run.new_line + (1 if run.new_lines else 0),
        run.new_lines,
    )
