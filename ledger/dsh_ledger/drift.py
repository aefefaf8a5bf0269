"""What moved on since a session looked, as bounded facts. Deliberately absent: how it was found out."""

from dataclasses import dataclass

from dsh_ledger.json_values import JsonObject


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """One place where the content moved on: the shape of a hunk without its text. Lines as in `Hunk`, no context."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int

    def to_json(self) -> JsonObject:
        """The wire shape."""
        return {
            "oldStart": self.old_start,
            "oldLines": self.old_lines,
            "newStart": self.new_start,
            "newLines": self.new_lines,
        }

    def __str__(self) -> str:
        if self.new_lines == 0:
            return f"{self.old_lines} removed after line {self.new_start}"
        last = self.new_start + self.new_lines - 1
        return f"{self.new_start}" if last == self.new_start else f"{self.new_start}-{last}"


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed in a target since a session saw it.

    Attributes:
        changes: Where, in order; at most as many as the bound of whoever made it.
        hunks: The same as unified-diff text, for reading; bounded.
        total: The number of changed places, whether listed or not.
        truncated: Something was left out of ``changes`` or ``hunks``.
    """

    changes: tuple[ChangedLines, ...]
    hunks: str
    total: int
    truncated: bool
