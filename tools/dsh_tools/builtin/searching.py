"""What tools that search have in common: arguments, the words for what a search leaves out, and the card."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pydantic import Field

from dsh_ledger.json_values import JsonObject
from dsh_tools.cards import SearchResult
from dsh_tools.contract import ToolResult
from dsh_tools.models import ToolArguments

MOST = 1_000
"""The most that a search lists."""

MOST_CHARACTERS = 50_000
"""The most code points of lines that a search shows."""

TIMEOUT = 60.0
"""Seconds that a search may take."""

Place: TypeAlias = Literal["buffer", "disk"]

_NAMED = 10
_BREAKS = {0x7F, 0x85, 0x2028, 0x2029}


class SearchArguments(ToolArguments):
    """Where to search, and what of it counts."""

    path: str = Field(default=".", description="Where: absolute, or relative to the workspace.")
    include_ignored: bool = Field(
        default=False, description="Also files that .gitignore, .ignore and the like hide; never .git itself."
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 file``, ``2 files``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def one_line(path: str, uri: str) -> str:
    """A path as it stands in a line of text: as its URI where it would break the line. Both name the file."""
    breaks = any(ord(character) < 0x20 or ord(character) in _BREAKS for character in path)
    return uri if breaks else path


def ignored_notes(ignored: int, done: str, do: str, *, exact: bool) -> list[str]:
    """What ignore files hide, as sentences.

    Args:
        ignored: How many files.
        done: What was not done with them: ``listed``, ``searched``.
        do: What can be done with them: ``list``, ``search``.
        exact: It is that many, not more.
    """
    if exact and not ignored:
        return []
    how_many = counted(ignored, "file") if exact else f"More than {counted(ignored, 'file')}"
    verb = "is" if exact and ignored == 1 else "are"
    them = "it" if verb == "is" else "them"
    return [f"{how_many} ignored by .gitignore or the like {verb} not {done}: set include_ignored to {do} {them}."]


def unreadable_notes(unreadable: int) -> list[str]:
    """What could not be read, as sentences."""
    return [f"Files or folders that could not be read: {unreadable}."] if unreadable else []


def named(paths: Sequence[str]) -> str:
    """Some paths, and how many more there are."""
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def card(result: ToolResult) -> SearchResult:
    """The card of a search, from what was recorded."""
    recorded: JsonObject = result.meta if isinstance(result.meta, dict) else {}
    return SearchResult.model_validate(recorded)
