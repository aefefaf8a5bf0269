"""One open document: its mirror, the agents' hunks in it, and whether the disk has its text.

Everything here happens on the event loop, synchronously, in the order in which the editor's messages arrive.
Deliberately absent: asking the editor for anything, and reading the disk.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

from dsh_ledger.hunks import Block
from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunks
from dsh_ledger.pending_batch import edited
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.editor import Editor
from dsh_lsp.text.document import AppliedChange, Document
from dsh_tools.diff import line_blocks

MAX_BLOCKS = 20_000
"""Places of one edit above which it is one place, from the first to the last of them: nobody decides on so many."""

_SINGLY = 64
"""Items of one ``didChange`` up to which the hunks are told of each by itself."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One item of ``contentChanges``: a range and its new text, or the whole new text when there is no range."""

    range: tuple[int, int, int, int] | None
    text: str


@dataclass(frozen=True, slots=True)
class Author:
    """The call that an edit comes from.

    Attributes:
        session: Its session.
        call: The call.
        proposes: The edit is a proposal: the editor has its user confirm it.
    """

    session: str
    call: str
    proposes: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """An edit that takes hunks back, in place of an author.

    Attributes:
        parts: The hunks by id, each with the lines in which it is taken back: 0-based from the hunk's first one, the
            second excluded; None for all of it. Not lines of the text: those move while the edit is on its way.
    """

    parts: tuple[tuple[str, tuple[int, int] | None], ...]

    def of(self, hunks: PendingHunks) -> list[tuple[str, int, int]]:
        """The parts of hunks that are still there, with their lines in the text.

        From the last hunk on: each one's lines are right in its turn.
        """
        chosen = dict(self.parts)
        found: list[tuple[str, int, int]] = []
        for hunk in reversed(hunks):
            if hunk.id in chosen:
                start, end = chosen[hunk.id] or (0, hunk.count)
                found.append((hunk.id, hunk.start + start, hunk.start + end))
        return found


Source: TypeAlias = Author | Undo
"""Where an edit of ours comes from."""


class EditInFlight:
    """An edit that was sent to the editor and has not been seen in the text yet.

    Attributes:
        before: The logical text it was computed for.
        after: The logical text it must lead to.
        source: Whose edit it is, or what it takes back.
        arrived: Set when the text has been exactly ``after``.
        touched: The document has changed since the edit was sent.
    """

    __slots__ = ("after", "arrived", "before", "hunks_before", "source", "touched")

    def __init__(self, before: str, after: str, source: Source, hunks_before: PendingHunks) -> None:
        self.before = before
        self.after = after
        self.source = source
        self.hunks_before = hunks_before
        self.arrived = asyncio.Event()
        self.touched = False


class OpenDocument:
    """A document from ``didOpen`` to ``didClose``.

    Args:
        mirror: The text as the editor has it.
        editor: Who has it open.
        new_hunk_id: Makes ids for the agents' hunks.
        repaint: Told when the hunks have changed and the text has not.

    Attributes:
        mirror: As above.
        editor: As above.
        hunks: What the agents changed in it and is pending.
        target: What it is to the ledger; None until it is known.
        clean_version: The buffer's content version when buffer and disk were last seen to agree, or None.
        disk_version: The disk's content version then; another one only by what loading does to a text.
        on_disk: What was pending then, with the logical text that it is in; None if they were never seen to agree.
        busy: An agent's edit is under way; whose a change is will be known when it has ended.
        closed: Set when the document was closed or opened anew.
    """

    def __init__(
        self,
        mirror: Document,
        editor: Editor,
        new_hunk_id: Callable[[], str],
        repaint: Callable[["OpenDocument"], None],
    ) -> None:
        self.mirror = mirror
        self.editor = editor
        self.hunks = PendingHunks()
        self.target: Target | None = None
        self.clean_version: Version | None = None
        self.disk_version: Version | None = None
        self.on_disk: tuple[PendingHunks, str] | None = None
        self.busy = False
        self.closed = asyncio.Event()
        self._new_hunk_id = new_hunk_id
        self._repaint = repaint
        self._in_flight: EditInFlight | None = None
        self._waiters: set[asyncio.Event] = set()

    @property
    def dirty(self) -> bool:
        """The buffer holds something that the disk, when it was last looked at, did not."""
        return self.mirror.content_version != self.clean_version

    def agree(self, version: Version, disk_version: Version, then: tuple[PendingHunks, str] | None = None) -> None:
        """Buffer and disk have been seen to hold the same text, these being its versions there and there.

        Args:
            version: The buffer's.
            disk_version: The disk's.
            then: What was pending in that text, and the text; without it, the buffer still has it.
        """
        self.clean_version = version
        self.disk_version = disk_version
        self.on_disk = then or (self.hunks, logical_text(self.mirror.text))

    def kept_on_disk(self, hunk_id: str) -> None:
        """A hunk was accepted: should the buffer be closed unsaved, it is not pending in the file either."""
        if self.on_disk is not None and self.on_disk[0].get(hunk_id) is not None:
            self.on_disk = (self.on_disk[0].kept(hunk_id), self.on_disk[1])

    def change(self, version: int, changes: Sequence[TextChange]) -> None:
        """Follow a ``didChange``: all of its items, then the version."""
        flight = self._in_flight
        if self.hunks and len(changes) > _SINGLY:
            before = self.mirror.lines()
            for item in changes:
                self._apply(item)
            if flight is None or flight.arrived.is_set() or logical_text(self.mirror.text) != flight.after:
                self._follow(_between(before, self.mirror.lines()))
        else:
            for item in changes:
                applied = self._apply(item)
                if self.hunks:
                    self._follow(applied)
        self.mirror.version = version
        if flight is not None:
            flight.touched = True
            if not flight.arrived.is_set() and logical_text(self.mirror.text) == flight.after:
                self.hunks = self._with_agent_edit(flight)
                flight.arrived.set()
        self._wake()

    def close(self) -> None:
        """The editor has closed it, or has opened it anew."""
        self.closed.set()
        self._wake()

    def take_over(self, hunks: PendingHunks) -> None:
        """These hunks were pending in the file before it was opened, or are left of those that were."""
        self.hunks = hunks
        self._repaint(self)

    def launch(self, before: str, after: str, source: Source) -> EditInFlight:
        """An edit is about to be sent. One at a time: whoever sends holds the target's lock."""
        self._in_flight = EditInFlight(before, after, source, self.hunks)
        return self._in_flight

    def land(self, flight: EditInFlight) -> None:
        """The edit's fate is known; later changes are the user's."""
        if self._in_flight is flight:
            self._in_flight = None

    def arrived_among_typing(self, flight: EditInFlight) -> None:
        """The edit has been found in a text that holds the user's typing too: tell the two apart."""
        hunks = self._with_agent_edit(flight)
        self.hunks = edited(hunks, settled_edits(flight.after, logical_text(self.mirror.text)))
        self._repaint(self)

    def reformatted(self, flight: EditInFlight) -> None:
        """What a formatter did while the edit was saved belongs to the edit."""
        self.hunks = self._with_agent_edit(flight, logical_text(self.mirror.text))
        self._repaint(self)

    def _apply(self, item: TextChange) -> AppliedChange:
        if item.range is None:
            return self.mirror.replace_all(item.text)
        return self.mirror.apply(*item.range, item.text)

    def _follow(self, applied: AppliedChange) -> None:
        """Tell the hunks what the user did, in as many small edits as it takes.

        An editor may say the undo of several hunks as one range over all of them; each hunk must meet its own part.
        """
        old, new = _bare(applied.old_lines), _bare(applied.new_lines)
        if self._restores_base(applied.start_line, old, new):
            return
        if len(old) + len(new) > 2 and old and new:
            blocks = _bounded(line_blocks(_text(old), _text(new)), old, new)
        else:
            blocks = (Block(0, old, 0, new),)
        mirror = self.mirror
        edits = _bottom_up(blocks, applied.start_line, lambda at: _bare_line(mirror.line(at)), mirror.line_count)
        self.hunks = edited(self.hunks, list(edits))

    def _restores_base(self, start: int, old: tuple[str, ...], new: tuple[str, ...]) -> bool:
        """Whether the change takes back all hunks that it touches; they are gone then.

        That is what an editor's undo does. Where lines repeat or have moved, no diff would find it out.
        """
        end = start + len(old)
        touched = self.hunks.touching(start, end)
        if not touched:
            return False
        first, last = touched[0], touched[-1]
        above = first.current[: max(0, start - first.start)]
        below = last.current[len(last.current) - max(0, last.end - end) :]
        base: list[str] = []
        at = start
        for hunk in touched:
            base += old[at - start : max(at, hunk.start) - start]
            base += hunk.base
            at = max(at, hunk.end)
        base += old[at - start :]
        if tuple(base) != (*above, *new, *below):
            return False
        for hunk in reversed(touched):
            self.hunks = self.hunks.undone(hunk.id)
        return True

    def _with_agent_edit(self, flight: EditInFlight, after: str | None = None) -> PendingHunks:
        hunks = flight.hunks_before
        if isinstance(flight.source, Undo):
            hunks = undone(hunks, flight.source, flight.before, self._new_hunk_id)
            return edited(hunks, settled_edits(flight.after, flight.after if after is None else after))
        author = (flight.source.session, flight.source.call)
        edits = settled_edits(flight.before, flight.after if after is None else after)
        return edited(hunks, edits, author, self._new_hunk_id)

    async def changed(self) -> None:
        """Wait for the next change of the document, or for its end."""
        event = asyncio.Event()
        self._waiters.add(event)
        try:
            await event.wait()
        finally:
            self._waiters.discard(event)

    def _wake(self) -> None:
        for event in self._waiters:
            event.set()
        self._waiters.clear()


def undone(hunks: PendingHunks, undo: Undo, text: str, new_hunk_id: Callable[[], str]) -> PendingHunks:
    """The hunks of a logical text after some were taken back.

    A text of which no line is left is one empty line, which belongs to the hunk that deleted the others.
    """
    lines = len(document_lines(text))
    for name, start, end in undo.of(hunks):
        lines += sum(edit.delta for edit in hunks.undo_edits(name, start, end))
        hunks = hunks.undone_lines(name, start, end, new_hunk_id)
    last = next(reversed(hunks), None)
    if lines == 0 and last is not None:
        return hunks.agent_edit(*last.calls[-1], 0, (), ("",), new_hunk_id)
    return hunks


def document_lines(text: str) -> list[str]:
    r"""The lines of a document with this logical text, without their ends.

    There is one more than a diff has where the text ends with a line end (the empty last one), and a lone ``\r`` ends a
    line (LSP 3.17, "Text Documents").
    """
    return text.replace("\r", "\n").split("\n")


def document_blocks(before: str, after: str) -> tuple[Block, ...]:
    """What changed between two logical texts, in the lines of `document_lines`."""
    old, new = before.replace("\r", "\n") + "\n", after.replace("\r", "\n") + "\n"
    blocks = line_blocks(old, new)
    return blocks if len(blocks) <= MAX_BLOCKS else _bounded(blocks, document_lines(before), document_lines(after))


def _bounded(blocks: tuple[Block, ...], old: Sequence[str], new: Sequence[str]) -> tuple[Block, ...]:
    """The blocks, or one over all of them if they are too many."""
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    first, last = blocks[0], blocks[-1]
    removed = tuple(old[first.old_line : last.old_line + len(last.removed)])
    return (
        Block(first.old_line, removed, first.new_line, tuple(new[first.new_line : last.new_line + len(last.added)])),
    )


def _between(before: Sequence[str], after: Sequence[str]) -> AppliedChange:
    """One change that made the lines of a document others, or none where they are the same."""
    limit = min(len(before), len(after))
    head = next((at for at in range(limit) if before[at] != after[at]), limit)
    tail = next((at for at in range(limit - head) if before[-1 - at] != after[-1 - at]), limit - head)
    return AppliedChange(head, tuple(before[head : len(before) - tail]), tuple(after[head : len(after) - tail]))


def settled_edits(before: str, after: str) -> list[LineEdit]:
    """The edits that lead from one logical text to the other, bottom up, so that each one's place is right in its turn.

    Settled, as every edit that the hunks are told of: an editor's undo then meets the edit that it undoes.
    """
    lines = document_lines(after)
    return list(_bottom_up(document_blocks(before, after), 0, lines.__getitem__, len(lines)))


def _bottom_up(blocks: Sequence[Block], first: int, line: Callable[[int], str], count: int) -> Iterator[LineEdit]:
    """Blocks of changed lines as settled edits, the last one first.

    Args:
        blocks: In order.
        first: The line of the document that their line 0 is.
        line: A line of the document as it is after all of them.
        count: How many lines it has then.
    """
    for block in reversed(blocks):
        edit = LineEdit(first + block.old_line, block.removed, block.added).trimmed()
        # Below this edit, all later ones are done already: those lines are the new text's.
        delta = block.new_line - block.old_line + len(block.added) - len(block.removed)
        yield edit.settled(_LinesBelow(line, count, delta))


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class _LinesBelow(Sequence[str]):
    """The lines of a text before an edit, of which only those below the edit are looked at.

    Args:
        line: A line of the text after the edit.
        count: How many lines that text has.
        delta: How many lines further down its lines below the edit are.
    """

    def __init__(self, line: Callable[[int], str], count: int, delta: int) -> None:
        self._line = line
        self._count = count - delta
        self._delta = delta

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._line(at + self._delta) for at in range(*index.indices(self._count))]
        return self._line(index + self._delta)


def _bare(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_bare_line, lines))


def _bare_line(line: str) -> str:
    return line.rstrip("\r\n")
