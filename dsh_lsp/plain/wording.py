"""The agents' hunks in words, for people.

What comes from agents (names, lines of files) is shown with nothing hidden in it, and can't end what it stands in.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from dsh_lsp.plain.names import Names
from dsh_lsp.plain.places import ShownHunk
from dsh_tools.visible import one_line, visible

Quote: TypeAlias = Callable[[str], str]
"""Shows a name that an agent chose."""

_NAMES: Final = 3
_NAME: Final = 60

LONG: Final = (60, 4_000)
"""Lines and characters of a text from before, where there is room."""

BRIEF: Final = (12, 800)
"""The same, in a message."""


def short(text: str) -> str:
    """A name in one line, cut where it is long."""
    line = one_line(text)
    return line if len(line) <= _NAME else f"{line[:_NAME]}…"


def sentence(shown: ShownHunk, names: Names, quote: Quote = short) -> str:
    """One hunk, without a full stop: ``agent x changed 3 lines here (+3 -1)``."""
    painted, own = shown.painted, ", and you have changed it since" if shown.hunk.user_modified else ""
    who = authors(shown, names, quote)
    if not painted.added_lines and not painted.removed_lines:
        at_end = painted.no_newline_at_end
        verb = "added" if at_end is not None and at_end.old else "removed"
        return f"{who} {verb} the line end at the end of the text{own}"
    count = painted.removed_lines if painted.kind == "deleted" else painted.added_lines
    verb = "changed" if painted.kind == "modified" else painted.kind
    return f"{who} {verb} {count} line{'' if count == 1 else 's'} here {counts([shown])}{own}"


def authors(shown: ShownHunk, names: Names, quote: Quote = short) -> str:
    """Whose hunk it is: ``agent x``, ``agents x and y``, or ``an agent`` where no name is known."""
    found = list(dict.fromkeys(name for session, _ in shown.hunk.calls if (name := names.agent(session))))
    if not found:
        return "an agent"
    told = [quote(name) for name in found[:_NAMES]]
    if len(found) > _NAMES:
        told.append(f"{len(found) - _NAMES} more")
    return f"agent{'s' if len(found) > 1 else ''} {' and '.join(told)}"


def counts(shown: Sequence[ShownHunk]) -> str:
    """Added and removed lines: ``(+3 -1)``."""
    added = sum(each.painted.added_lines for each in shown)
    removed = sum(each.painted.removed_lines for each in shown)
    return f"(+{added} -{removed})"


def removed_lines(shown: ShownHunk, limit: tuple[int, int] = LONG) -> tuple[list[str], str | None]:
    """The lines from before, each behind a ``-``, and in words what of them is left out, if anything is.

    Args:
        shown: The hunk.
        limit: Lines and characters.
    """
    most, left = limit
    lines = shown.painted.removed_text.split("\n") if shown.painted.removed_lines else []
    told: list[str] = []
    for line in lines[:most]:
        if left <= 0:
            break
        told.append(line[:left])
        left -= len(line)
    without = len(lines) - len(told)
    missing = sum(map(len, lines)) - sum(map(len, told))
    cut = f"{without} of {len(lines)} lines from before are not shown, {missing} characters in all"
    return [f"-{visible(line)}" for line in told], cut if without or missing else None


def fenced(lines: Sequence[str], language: str) -> str:
    """A Markdown code block that no line of it can end."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}{language}\n{text}\n{fence}"


def code_span(text: str) -> str:
    """A name in Markdown, shown as it is."""
    line = short(text)
    ticks = "`" * (1 + _longest_run(line))
    return f"{ticks} {line} {ticks}" if line.startswith("`") or line.endswith("`") else f"{ticks}{line}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
