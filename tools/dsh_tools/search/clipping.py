"""A line that is longer than what is shown of it, clipped around what was found in it. Never dropped."""

from dataclasses import dataclass

MAX_LINE = 500
"""How many code points of one line are shown."""

_BEFORE = 150


@dataclass(frozen=True, slots=True)
class Clip:
    """What is shown of a line, and how many code points of it are hidden on either side."""

    text: str
    before: int = 0
    after: int = 0


def clip(line: str, match: int = 0) -> Clip:
    """The part of a line around an offset.

    Args:
        line: Without its end.
        match: Where the match begins, as an offset in code points.
    """
    if len(line) <= MAX_LINE:
        return Clip(line)
    start = max(0, min(match - _BEFORE, len(line) - MAX_LINE))
    return Clip(line[start : start + MAX_LINE], start, len(line) - start - MAX_LINE)


def marked(text: str, before: int, after: int) -> str:
    """The clipped text with marks for what is hidden, in the words of the other tools' marks."""
    start = f"[cut: {before} characters] …" if before else ""
    end = f"… [cut: {after} characters]" if after else ""
    return f"{start}{text}{end}"
