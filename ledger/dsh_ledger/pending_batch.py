"""Many edits of one text at once, in a time that grows with their number and not with its square.

The outcome is that of the edits one after the other. Held here: that an edit has to do with the hunks around it alone,
so that each is done on those and the others are only moved. Deliberately absent: the rules, which are those of
`PendingHunks`.
"""

from collections.abc import Callable, Sequence

from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunk, PendingHunks, new_hunk

_FEW = 8
"""Edits up to which going through all hunks for each of them is faster."""


def edited(
    hunks: PendingHunks,
    edits: Sequence[LineEdit],
    author: tuple[str, str] | None = None,
    new_id: Callable[[], str] | None = None,
) -> PendingHunks:
    """The hunks after several edits.

    Args:
        hunks: What is pending.
        edits: Of one text, disjoint, the last one first.
        author: The session and the call of an agent's edits; None for those of somebody else.
        new_id: As for `PendingHunks.agent_edit`; needed where there is an author.

    Raises:
        LedgerBug: As for `PendingHunks.agent_edit`.
        ValueError: The edits are not in that order.
    """
    if len(edits) <= _FEW:
        for edit in edits:
            hunks = _one(hunks, edit, author, new_id)
        return hunks
    above = list(hunks)
    # What lies below the edits that are done, the lowest first. A place counts from where the text's end would be if
    # no line had been added or removed yet: so it need not be changed when that happens above it.
    below: list[PendingHunk] = []
    added = 0
    for edit in edits:
        while above and above[-1].start > edit.end:
            below.append(_moved(above.pop(), -added))
        near: list[PendingHunk] = []
        while below and below[-1].start + added <= edit.end:
            near.append(_moved(below.pop(), added))
        while above and above[-1].end >= edit.start:
            near.insert(0, above.pop())
        if near or edit.changes_final_newline:
            done = list(_one(PendingHunks.of(near), edit, author, new_id))
        else:
            trimmed = edit.trimmed()
            done = (
                []
                if new_id is None or author is None or trimmed.changes_nothing
                else [new_hunk(trimmed, author, new_id())]
            )
        added += edit.delta
        below += [_moved(hunk, -added) for hunk in reversed(done)]
    below.reverse()
    return PendingHunks.of([*above, *(_moved(hunk, added) for hunk in below)])


def _one(
    hunks: PendingHunks, edit: LineEdit, author: tuple[str, str] | None, new_id: Callable[[], str] | None
) -> PendingHunks:
    flags = (edit.old_no_newline, edit.new_no_newline)
    if author is None or new_id is None:
        return hunks.user_edit(edit.start, edit.old, edit.new, old_no_newline=flags[0], new_no_newline=flags[1])
    session, call = author
    return hunks.agent_edit(
        session, call, edit.start, edit.old, edit.new, new_id, old_no_newline=flags[0], new_no_newline=flags[1]
    )


def _moved(hunk: PendingHunk, lines: int) -> PendingHunk:
    return hunk.at(hunk.start + lines) if lines else hunk
