"""A guarded edit of an open document: version check, match, send, see it arrive.

The caller holds the target's lock, so that edits of one document follow each other; the user's typing is what the
versions are for.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsApplyRejected, FsApplyUnconfirmed, FsNotText
from dsh_ledger.guards import Guard, MustBeAbsent
from dsh_ledger.pending import PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text, version_of_logical
from dsh_lsp.buffers.confirm import Arrived, Refused, Timing, Unknown, send_and_confirm
from dsh_lsp.buffers.document_diff import LARGE
from dsh_lsp.buffers.neovim_lines import MISCOUNTS
from dsh_lsp.buffers.open_document import Author, EditInFlight, Foreseen, OpenDocument, Source
from dsh_lsp.text.document import Document
from dsh_lsp.wire import Position, Range, TextEdit
from dsh_tools.fs.charsets import UTF8
from dsh_tools.fs.guard_check import change_under, check_guard, drifted_from
from dsh_tools.fs.line_ends import to_physical
from dsh_tools.fs.port import EditPlan
from dsh_tools.fs.text_faults import named_character

_ATTEMPTS = 5
"""How often an edit is sent when the editor refuses it and the text is still, or again, what the guard expects."""


class DocumentClosed(Exception):
    """The document was closed before the edit reached it. Nothing happened; look again at what is there."""


@dataclass(frozen=True, slots=True)
class BufferEdit:
    """An edit that is in the buffer.

    Attributes:
        before: Logical text it replaced.
        after: Logical text it led to.
        version: Content version of ``after``.
        before_version: Content version of ``before``.
        flight: What is needed to extend it to what a formatter does; None when nothing was sent.
        rebased_from: The observed text that the edit was planned for, where ``before`` is another one by now.
        kept_end: The plan would have changed whether the last line has an end, and the editor can't.
    """

    before: str
    after: str
    before_version: Version
    version: Version
    flight: EditInFlight | None
    rebased_from: str | None = None
    kept_end: bool = False


async def edit_document(
    document: OpenDocument,
    target: Target,
    plan: EditPlan,
    guard: Guard,
    source: Source,
    timing: Timing,
    *,
    dry_run: bool = False,
) -> BufferEdit:
    """Apply a plan to an open document under a guard; send nothing if it is a dry run.

    Raises:
        FsStaleVersion, FsNotObserved: The guard refuses what is in the buffer.
        FsEditNotFound, FsAmbiguousEdit: From the plan.
        FsNotText: The new text has half of a character.
        FsApplyRejected: The editor refused.
        FsApplyUnconfirmed: The editor did not refuse, and the text never came.
        DocumentClosed: Nothing was sent, or it was refused, and the document has gone.
    """
    mirror = document.mirror
    reason: str | None = None
    for _ in range(_ATTEMPTS):
        if document.closed.is_set():
            raise DocumentClosed
        text = mirror.text
        before = logical_text(text)
        base, sent = mirror.content_version, mirror.version
        # A buffer for a file that was never written holds nothing, and is no obstacle to creating it.
        nothing = isinstance(guard, MustBeAbsent) and not before.strip("\n")
        check_guard(guard, target.path, None if nothing else base, before)
        keeps_end = document.editor.traits.is_stock_neovim and isinstance(source, Author)
        make = partial(_made, partial(change_under, guard, target.path, base, before, plan), text, keeps_end=keeps_end)
        if len(before) > LARGE:
            author = source if isinstance(source, Author) and not dry_run else None
            prepare = partial(_prepare, make, before, document, document.hunks, author)
            made, foreseen = await asyncio.to_thread(prepare)
        else:
            made, foreseen = make(), None
        change, after = made.change, made.after
        if mirror.version != sent or mirror.text is not text or document.closed.is_set():
            continue  # the user has typed, or has closed it, while the plan was made
        observed = drifted_from(guard, base)
        rebased_from = observed.text if observed else None
        if after == before:
            return BufferEdit(before, after, base, base, None, rebased_from, made.kept_end)
        if isinstance(source, Author):
            _refuse_halves(target.path, change, before, after)
        if not document.editor.can_apply_edits:
            raise FsApplyRejected(target.path, "it does not support workspace/applyEdit")
        if document.miscounted:
            raise FsApplyRejected(target.path, MISCOUNTS)
        if dry_run:
            return BufferEdit(before, after, base, version_of_logical(after), None, rebased_from, made.kept_end)
        edits = text_edits(mirror, change, spares_end=document.editor.traits.is_stock_neovim)
        flight = document.launch(before, after, source, foreseen)
        try:
            verdict = await send_and_confirm(document, flight, base, edits, timing)
        finally:
            document.land(flight)
        match verdict:
            case Arrived(among_typing):
                if among_typing:
                    document.arrived_among_typing(flight)
                return BufferEdit(before, after, base, version_of_logical(after), flight, rebased_from, made.kept_end)
            case Unknown(answered):
                document.overdue(flight)
                raise FsApplyUnconfirmed(target.path, answered)
            case Refused(reason):
                unchanged = mirror.content_version == base and mirror.version == sent
                if unchanged and not document.closed.is_set():
                    raise FsApplyRejected(target.path, reason)
            case _:
                assert_never(verdict)
    raise FsApplyRejected(target.path, reason or "the text kept changing")


@dataclass(frozen=True, slots=True)
class _Made:
    """A change of the physical text, the logical text after it, and whether the last line kept its end against it."""

    change: Change
    after: str
    kept_end: bool


def _made(make: Callable[[], Change], text: str, *, keeps_end: bool) -> _Made:
    """The change that a plan makes of a physical text.

    An edit of a stock Neovim's buffer can't change whether the last line has an end ('endofline'): such an edit never
    arrives, or leaves an empty line too many on the disk.
    """
    change = to_physical(make(), text)
    physical = change.apply(text)
    kept = keeps_end and text.endswith("\n") != physical.endswith("\n")
    if kept:
        size, ended = len(physical), physical if physical.endswith("\n") else text
        end = "\r\n" if ended.endswith("\r\n") else "\n"
        edit = Edit(size - len(end), size, "") if ended is physical else Edit(size, size, end)
        change = change.then(Change.of(edit))
        physical = change.apply(text)
    return _Made(change, logical_text(physical), kept)


def _prepare(
    make: Callable[[], _Made], before: str, document: OpenDocument, hunks: PendingHunks, author: Author | None
) -> tuple[_Made, Foreseen | None]:
    """What takes its time in a large text: the change, and what will be pending after it."""
    made = make()
    if made.after == before or author is None:
        return made, None
    return made, document.foresee(hunks, before, made.after, author)


def _refuse_halves(path: str, change: Change, before: str, after: str) -> None:
    """Refuse half of a character where there was none: the editor could hold it, and not save it as what it is.

    Raises:
        FsNotText: As the disk does.
    """
    if all(edit.text.isascii() for edit in change.edits) or _half(before) is not None:
        return
    at = _half(after)
    if at is not None:
        raise FsNotText(path, UTF8, f"the new text has {named_character(after, at)}, which it can't hold")


def _half(text: str) -> int | None:
    """Where the first lone surrogate is."""
    try:
        text.encode(UTF8)
    except UnicodeEncodeError as error:
        return error.start
    return None


def text_edits(mirror: Document, change: Change, *, spares_end: bool = False) -> list[TextEdit]:
    r"""The LSP edits for a change of the physical text, in its order, in the document's position encoding.

    Text appended after a final line end goes in before that line end instead, which gives the same text: LSP has a
    position past the last line end, and editors that have no line there (Neovim) make an empty line of it. With
    ``spares_end`` no final line end is replaced by itself either: a stock Neovim that is left with one empty line would
    tell of two.
    """
    edits = list(change.edits)
    if edits:
        floor = edits[-2].end if len(edits) > 1 else 0
        edits[-1] = _before_final_end(edits[-1], mirror.text, floor, spares_end=spares_end)
    offsets = [offset for edit in edits for offset in (edit.start, edit.end)]
    positions = [Position(line=line, character=character) for line, character in mirror.positions_at(offsets)]
    return [
        TextEdit(range=Range(start=positions[2 * i], end=positions[2 * i + 1]), new_text=edit.text)
        for i, edit in enumerate(edits)
    ]


def _before_final_end(edit: Edit, text: str, floor: int, *, spares_end: bool) -> Edit:
    """The same edit before the text's final line end, if it ends behind it and keeps it, and there is room for it."""
    if edit.end != len(text) or not (spares_end or edit.start == edit.end):
        return edit
    for end in ("\r\n", "\n", "\r"):
        start = len(text) - len(end)
        if text.endswith(end) and edit.text.endswith(end) and start >= floor:
            if edit.start <= start:
                return Edit(edit.start, start, edit.text[: -len(end)])
            if edit.start == edit.end:
                return Edit(start, start, end + edit.text[: -len(end)])
    return edit
