"""Sending an edit to an editor, and finding out what became of it.

An editor's yes proves nothing: a stock Neovim says it of stale edits that it skips, others say it always. A time-out
proves nothing either: a blocked Neovim applies the edit when the user presses a key. The proof is the text.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from dsh_ledger.hunks import Block
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.document_diff import document_blocks
from dsh_lsp.buffers.open_document import Author, EditInFlight, OpenDocument
from dsh_lsp.editor import EditAnswer, SaidNo, SaidYes, Silent
from dsh_lsp.wire import TextEdit


@dataclass(frozen=True, slots=True)
class Timing:
    """How long to wait for an editor, in seconds.

    Attributes:
        answer: For the answer to an edit.
        confirm: For the text, once the editor said yes.
        settle: For the change that made the editor say no; longer than the usual 150 ms of a debounced ``didChange``.
        save: For a save, formatters included.
        reload: For a document to be read from the disk again.
        ask: For the user to say whether a call may run.
    """

    answer: float = 10.0
    confirm: float = 3.0
    settle: float = 0.4
    save: float = 10.0
    reload: float = 1.5
    ask: float = 120.0


@dataclass(frozen=True, slots=True)
class Arrived:
    """The edit is in the text. ``among_typing``: so is something that the user typed meanwhile."""

    among_typing: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The edit is not in the text, and will not be."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """The edit has not been seen, and may still come. ``answered``: the editor said yes."""

    answered: bool


Verdict: TypeAlias = Arrived | Refused | Unknown


async def send_and_confirm(
    document: OpenDocument, flight: EditInFlight, base: Version, edits: Sequence[TextEdit], timing: Timing
) -> Verdict:
    """Send an edit, and wait until its fate is known or can't be known in time.

    Args:
        document: Where it goes; its version at this moment is the one that is sent.
        flight: The edit, as `OpenDocument.launch` gave it.
        base: The content version it was computed for.
        edits: Disjoint and in order, in the editor's encoding.
        timing: The deadlines.
    """
    mirror = document.mirror
    proposes = isinstance(flight.source, Author) and flight.source.proposes
    asking = _start(document.editor.apply_edit(mirror.uri, mirror.version, base, edits, proposes=proposes))
    await _first(timing.ask if proposes else timing.answer, asking, flight.arrived.wait(), document.closed.wait())
    if flight.arrived.is_set():
        return Arrived()
    if not asking.done():
        return _judged(document, flight) or Unknown(answered=False)
    answer: EditAnswer = asking.result()
    match answer:
        case SaidYes():
            return await _confirmed(document, flight, timing)
        case SaidNo(reason):
            if not flight.touched:
                await _first(timing.settle, document.changed(), document.closed.wait())
            return Arrived() if flight.arrived.is_set() else Refused(reason)
        case Silent():
            return Unknown(answered=False)
        case _:
            assert_never(answer)


async def _confirmed(document: OpenDocument, flight: EditInFlight, timing: Timing) -> Verdict:
    """The editor said yes: wait for the text."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timing.confirm
    flushing = _start(document.editor.flush())
    while not flight.arrived.is_set():
        if flight.touched and (verdict := _judged(document, flight)):
            return verdict
        if flight.touched and document.editor.traits.flushes and flushing.done():
            # All that it held back is here. If the edit is not in it, it was stale, and skipped.
            skipped = lacks_edit(flight.before, flight.after, logical_text(document.mirror.text))
            return Refused(None) if skipped else Unknown(answered=True)
        left = deadline - loop.time()
        if left <= 0 or document.closed.is_set():
            return Unknown(answered=True)
        waits = [document.changed(), flight.arrived.wait(), document.closed.wait()]
        await _first(left, *([] if flushing.done() else [flushing]), *waits)
    return Arrived()


def _judged(document: OpenDocument, flight: EditInFlight) -> Arrived | None:
    """The edit, found in a text that holds typing as well; None where it can't be told with certainty."""
    text = logical_text(document.mirror.text)
    if text == flight.after:
        return Arrived()
    return Arrived(among_typing=True) if holds_edit(flight.before, flight.after, text) else None


def holds_edit(before: str, after: str, text: str) -> bool:
    """Whether ``text`` is ``after`` with further changes elsewhere, and not ``before`` with changes of somebody else.

    Both must be plain: what was changed since touches none of the edit's lines, and seen from ``before`` every place
    of the edit is changed. In doubt the answer is no.
    """
    edit = document_blocks(before, after)
    later = document_blocks(after, text)
    whole = document_blocks(before, text)
    untouched = not any(_touch(_new_side(mine), _old_side(theirs)) for mine in edit for theirs in later)
    return untouched and all(any(_touch(_old_side(mine), _old_side(one)) for one in whole) for mine in edit)


def lacks_edit(before: str, after: str, text: str) -> bool:
    """Whether ``text`` is ``before`` with changes of somebody else, and nothing of the edit is in it.

    No place of the edit is changed, and no line that it adds or removes was added or removed anywhere: where lines
    repeat, a diff may find the edit in another place. The answer may be no to this and to `holds_edit`: where somebody
    typed at the edit's own place.
    """
    whole = document_blocks(before, text)
    edit = document_blocks(before, after)
    if any(_touch(_old_side(mine), _old_side(one)) for mine in edit for one in whole):
        return False
    added = {line for one in whole for line in one.added}
    removed = {line for one in whole for line in one.removed}
    return not any(added.intersection(mine.added) or removed.intersection(mine.removed) for mine in edit)


def _old_side(block: Block) -> tuple[int, int]:
    return block.old_line, block.old_line + len(block.removed)


def _new_side(block: Block) -> tuple[int, int]:
    return block.new_line, block.new_line + len(block.added)


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two runs of lines share a line; a run without lines, whether its place is in the other or at its edge."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]


def _start(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start work that may outlive the call: an answer that comes late is still taken in, by nobody."""
    task = asyncio.ensure_future(work)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


_running: set[asyncio.Task[Any]] = set()


async def _first(within: float, *work: asyncio.Task[Any] | Coroutine[Any, Any, Any]) -> None:
    """Wait until one of them is done or the time is up. Coroutines are dropped then; tasks go on."""
    mine = [asyncio.ensure_future(item) for item in work if not isinstance(item, asyncio.Task)]
    given = [item for item in work if isinstance(item, asyncio.Task)]
    try:
        await asyncio.wait([*mine, *given], timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in mine:
            task.cancel()
