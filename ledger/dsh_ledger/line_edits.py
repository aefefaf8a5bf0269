"""A replacement of lines, and the one way to say it among several that mean the same.

Lines have no line ends. A text of n lines ends with a newline or it doesn't: that is one flag of the text. Deliberately
absent: the text, offsets, and how the replacement was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineEdit:
    """The lines ``old`` at ``start`` become the lines ``new``.

    Attributes:
        start: First line that is replaced, 0-based; with no old lines, the line that the new ones go before.
        old: The lines that stand there.
        new: The lines that will.
        old_no_newline: The edit reaches the end of the text, and there is no newline there.
        new_no_newline: The edit reaches the end of the text, and there will be no newline there.

    Raises:
        ValueError: ``start`` is negative.
    """

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_no_newline: bool = False
    new_no_newline: bool = False

    def __post_init__(self) -> None:
        if self.start < 0:
            raise ValueError(f"there is no line {self.start}")

    @property
    def end(self) -> int:
        """The line after the last one that is replaced."""
        return self.start + len(self.old)

    @property
    def delta(self) -> int:
        """How many lines longer the text gets."""
        return len(self.new) - len(self.old)

    @property
    def changes_final_newline(self) -> bool:
        """The text gets a newline at its end, or loses it."""
        return self.old_no_newline != self.new_no_newline

    @property
    def changes_nothing(self) -> bool:
        """The text stays as it is."""
        return self.old == self.new and not self.changes_final_newline

    def trimmed(self) -> "LineEdit":
        """The same edit without the lines at its two ends that it leaves as they are.

        Where the final newline changes, the last lines count as different, and one pair of lines is left to show
        that on.
        """
        limit = min(len(self.old), len(self.new))
        front = back = 0
        while front < limit and self.old[front] == self.new[front]:
            front += 1
        if self.changes_final_newline:
            if front and self.old == self.new:
                front -= 1
        else:
            while back < limit - front and self.old[-1 - back] == self.new[-1 - back]:
                back += 1
        if front == back == 0:
            return self
        return LineEdit(
            self.start + front,
            self.old[front : len(self.old) - back],
            self.new[front : len(self.new) - back],
            self.old_no_newline,
            self.new_no_newline,
        )

    def settled(self, before: Sequence[str]) -> "LineEdit":
        """The same edit, trimmed, where it lies furthest down.

        "Insert a blank line" can be said before or after a blank line that is there already, and an editor's undo may
        say it otherwise than the edit did. Settled, the two always meet.

        Args:
            before: All lines of the text before the edit. Only those below it are looked at.
        """
        edit = self.trimmed()
        if edit.old and edit.new:
            return edit
        block, end = edit.old or edit.new, edit.end
        slid = 0
        # The block goes down a line when its first line equals the one after it, which then comes before it.
        while end + slid < len(before):
            first = block[slid] if slid < len(block) else before[end + slid - len(block)]
            if before[end + slid] != first:
                break
            slid += 1
        moved = (*block, *before[end : end + slid])[slid:]
        old, new = (moved, ()) if edit.old else ((), moved)
        return LineEdit(edit.start + slid, old, new, edit.old_no_newline, edit.new_no_newline)
