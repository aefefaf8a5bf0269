r"""Edits of a document's lines as a change of its text.

Lines are those of `dsh_lsp.buffers.document_diff.document_lines`: one more than the text has line ends, a lone ``\r``
being one. Restored lines end in ``\n``, which becomes the line end of their neighbours where the text is written.
"""

import re
from collections.abc import Iterable, Sequence

from dsh_ledger.edits import Change, Edit
from dsh_ledger.line_edits import LineEdit

_LINE_END = re.compile(r"[\n\r]")


def line_change(text: str, edits: Iterable[LineEdit]) -> Change:
    """The change of a logical text that these edits are.

    Args:
        text: The text.
        edits: Of its lines, disjoint, the last one first.
    """
    joined = _joined(edits)
    if not joined:
        return Change()
    starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
    return Change.of(*(_edit(text, starts, edit) for edit in joined))


def _joined(edits: Iterable[LineEdit]) -> list[LineEdit]:
    """The edits in order, those that touch made one: an edit at the end of a text may reach into the line before."""
    joined: list[LineEdit] = []
    for edit in reversed([edit for edit in edits if not edit.changes_nothing]):
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            edit = LineEdit(last.start, last.old + edit.old, last.new + edit.new)
        joined.append(edit)
    return joined


def _edit(text: str, starts: Sequence[int], edit: LineEdit) -> Edit:
    count = len(starts)
    if edit.end < count:
        return Edit(starts[edit.start], starts[edit.end], "".join(f"{line}\n" for line in edit.new))
    new = "\n".join(edit.new)
    if edit.start == 0:
        return Edit(0, len(text), new)
    if edit.start == count:  # behind the last line
        return Edit(len(text), len(text), f"\n{new}")
    if not edit.new:  # the line end before the first of them goes too
        return Edit(starts[edit.start] - 1, len(text), "")
    return Edit(starts[edit.start], len(text), new)
