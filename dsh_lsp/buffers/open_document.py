"""One open document: its mirror, the agents' hunks in it, and whether the disk has its text.

Everything here happens on the event loop, synchronously, in the order in which the editor's messages arrive.
Deliberately absent: asking the editor for anything, and reading the disk.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from dsh_ledger.hunks import Block
from dsh_ledger.line_edits import LineEdit
from dsh_ledger.pending import PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.editor import Editor
from dsh_lsp.text.document import AppliedChange, Document
from dsh_tools.diff import line_blocks


@dataclass(frozen=True, slots=True)
class TextChange:
    """One item of ``contentChanges``: a range and its new text, or the whole new text when there is no range."""

    range: tuple[int, int, int, int] | None
    text: str


@dataclass(frozen=True, slots=True)
class Author:
    """The call that an edit comes from."""

    session: str
    call: str


class EditInFlight:
    """An edit that was sent to the editor and has not been seen in the text yet.

    Attributes:
        before: The logical text it was computed for.
        after: The logical text it must lead to.
        author: Whose edit it is.
        arrived: Set when the text has been exactly ``after``.
        touched: The document has changed since the edit was sent.
    """

    __slots__ = ("after", "arrived", "author", "before", "hunks_before", "touched")

    def __init__(self, before: str, after: str, author: Author, hunks_before: PendingHunks) -> None:
        self.before = before
        self.after = after
        self.author = author
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

    def agree(self, version: Version, disk_version: Version) -> None:
        """Buffer and disk have been seen to hold the same text, these being its versions there and there."""
        self.clean_version = version
        self.disk_version = disk_version

    def change(self, version: int, changes: Sequence[TextChange]) -> None:
        """Follow a ``didChange``: all of its items, then the version."""
        for item in changes:
            if item.range is None:
                applied = self.mirror.replace_all(item.text)
            else:
                applied = self.mirror.apply(*item.range, item.text)
            if self.hunks:
                self._follow(applied)
        self.mirror.version = version
        flight = self._in_flight
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

    def launch(self, before: str, after: str, author: Author) -> EditInFlight:
        """An edit is about to be sent. One at a time: whoever sends holds the target's lock."""
        self._in_flight = EditInFlight(before, after, author, self.hunks)
        return self._in_flight

    def land(self, flight: EditInFlight) -> None:
        """The edit's fate is known; later changes are the user's."""
        if self._in_flight is flight:
            self._in_flight = None

    def arrived_among_typing(self, flight: EditInFlight) -> None:
        """The edit has been found in a text that holds the user's typing too: tell the two apart."""
        hunks = self._with_agent_edit(flight)
        for edit in settled_edits(flight.after, logical_text(self.mirror.text)):
            hunks = hunks.user_edit(edit.start, edit.old, edit.new)
        self.hunks = hunks
        self._repaint(self)

    def reformatted(self, flight: EditInFlight) -> None:
        """What a formatter did while the edit was saved belongs to the edit."""
        self.hunks = self._with_agent_edit(flight, logical_text(self.mirror.text))
        self._repaint(self)

    def _follow(self, applied: AppliedChange) -> None:
        """Tell the hunks what the user did, in as many small edits as it takes.

        An editor may say the undo of several hunks as one range over all of them; each hunk must meet its own part.
        """
        old, new = _bare(applied.old_lines), _bare(applied.new_lines)
        if self._restores_base(applied.start_line, old, new):
            return
        if len(old) + len(new) > 2 and old and new:
            blocks = line_blocks(_text(old), _text(new))
        else:
            blocks = (Block(0, old, 0, new),)
        mirror = self.mirror
        edits = _bottom_up(blocks, applied.start_line, lambda at: _bare_line(mirror.line(at)), mirror.line_count)
        for edit in edits:
            self.hunks = self.hunks.user_edit(edit.start, edit.old, edit.new)

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
        session, call = flight.author.session, flight.author.call
        for edit in settled_edits(flight.before, flight.after if after is None else after):
            hunks = hunks.agent_edit(session, call, edit.start, edit.old, edit.new, self._new_hunk_id)
        return hunks

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


def document_lines(text: str) -> list[str]:
    r"""The lines of a document with this logical text, without their ends.

    There is one more than a diff has where the text ends with a line end (the empty last one), and a lone ``\r`` ends a
    line (LSP 3.17, "Text Documents").
    """
    return text.replace("\r", "\n").split("\n")


def document_blocks(before: str, after: str) -> tuple[Block, ...]:
    """What changed between two logical texts, in the lines of `document_lines`."""
    return line_blocks(before.replace("\r", "\n") + "\n", after.replace("\r", "\n") + "\n")


def settled_edits(before: str, after: str) -> Iterator[LineEdit]:
    """The edits that lead from one logical text to the other, bottom up, so that each one's place is right in its turn.

    Settled, as every edit that the hunks are told of: an editor's undo then meets the edit that it undoes.
    """
    lines = document_lines(after)
    return _bottom_up(document_blocks(before, after), 0, lines.__getitem__, len(lines))


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
