"""Hunks on the wire: the models of `dsh_ledger.hunks`, and the wire's ``FileDiff``.

Lines are structured, kind and text apart, and are never parsed out of a diff's text again: a removed SQL comment
``-- a`` is one removed line.
"""

from collections.abc import Iterable
from typing import Literal

from dsh_ledger.hunks import Diff, Hunk, HunkLine, LineKind
from dsh_tools.diff import file_diffs as diff_texts
from dsh_tools.models import Items, WireModel

_KINDS: dict[LineKind, Literal["context", "removed", "added"]] = {
    LineKind.CONTEXT: "context",
    LineKind.REMOVED: "removed",
    LineKind.ADDED: "added",
}
_MARKS = {name: kind for kind, name in _KINDS.items()}


class HunkLineModel(WireModel):
    """One line of a hunk, without its end."""

    kind: Literal["context", "removed", "added"]
    text: str


class HunkModel(WireModel):
    """A hunk; line numbers are 1-based, as in a unified diff."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: Items[HunkLineModel]
    old_no_newline: bool = False
    new_no_newline: bool = False

    @classmethod
    def of(cls, hunk: Hunk) -> "HunkModel":
        """The model of a hunk. Built without validation: the hunk is already what it says."""
        return cls.model_construct(
            old_start=hunk.old_start,
            old_lines=hunk.old_lines,
            new_start=hunk.new_start,
            new_lines=hunk.new_lines,
            lines=tuple(HunkLineModel.model_construct(kind=_KINDS[x.kind], text=x.text) for x in hunk.lines),
            old_no_newline=hunk.old_no_newline,
            new_no_newline=hunk.new_no_newline,
        )

    def to_hunk(self) -> Hunk:
        """The hunk of this model."""
        return Hunk(
            self.old_start,
            self.old_lines,
            self.new_start,
            self.new_lines,
            tuple(HunkLine(_MARKS[line.kind], line.text) for line in self.lines),
            self.old_no_newline,
            self.new_no_newline,
        )


class HunkPosition(WireModel):
    """Where a hunk is; as in `HunkModel`."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class FileDiff(WireModel):
    """A diff block as clients show it.

    Attributes:
        path: The path as shown.
        old_text: The old side with its context, or None for a pure insertion or a created file.
        new_text: The new side with its context; for a pure insertion the inserted lines alone.
        hunks: Where the block is.
    """

    path: str
    old_text: str | None
    new_text: str
    hunks: Items[HunkPosition] = ()


def file_diffs(path: str, hunks: Iterable[HunkModel]) -> tuple[FileDiff, ...]:
    """One block for each hunk, in order."""
    derived = diff_texts(Diff(path, None, None, tuple(hunk.to_hunk() for hunk in hunks)))
    return tuple(
        FileDiff(
            path=path,
            old_text=item.old_text,
            new_text=item.new_text,
            hunks=(HunkPosition.model_validate(item.at.to_json()),),
        )
        for item in derived
    )
