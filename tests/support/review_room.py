"""Everything that a review needs, without a server: an editor, a disk in memory, and the real parts between them.

The parts of `dsh_lsp` are real: documents, files under guards, pending hunks and their store, decisions. Not real are
the disk under them, which is a dictionary, and the editor, which has plain strings and answers at once. One thing is
asked at a time, so that nothing needs to be waited for.
"""

import asyncio
import itertools
from pathlib import Path
from typing import Any, cast

from dsh_ledger.guards import Guard
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version, version_of_logical
from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.buffers.open_document import TextChange
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.buffers.workspace_files import WorkspaceFiles
from dsh_lsp.editor import Editor, EditorTraits
from dsh_lsp.review.deciding import Deciding
from dsh_lsp.review.pending_files import PendingFiles
from dsh_lsp.review.reviews import Reviews
from dsh_lsp.text.positions import PositionEncoding
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.guard_check import change_under, check_guard
from dsh_tools.fs.port import EditPlan, FileStat, Missing, TextRead, WriteOutcome
from tests.support.naive_text import Span, content_changes, replaced, spans_of

_AT_ONCE = Timing(answer=5.0, confirm=0.0, settle=0.0, save=5.0, reload=0.0)
"""The editor answers at once, or never: nothing is gained by waiting."""


class DiskInMemory:
    """What is used of `dsh_tools.fs.disk.DiskFileSystem`; it is its own workspace.

    Attributes:
        texts: The files.
    """

    def __init__(self) -> None:
        self.texts: dict[Target, str] = {}

    @property
    def workspace(self) -> "DiskInMemory":
        """Itself."""
        return self

    async def refuse_protected(self, target: Target) -> None:
        """Nothing is."""

    async def identify(self, uri: str) -> Target:
        """A file by its URI."""
        return Target(uri, uri.rsplit("/", 1)[-1])

    async def text(self, target: Target) -> TextRead | None:
        """As `identify`, of the view that documents have."""
        found = await self.read_text(target)
        return found if isinstance(found, TextRead) else None

    async def read_text(self, target: Target) -> TextRead | Missing:
        """See the port."""
        text = self.texts.get(target)
        return Missing() if text is None else TextRead(text, version_of_logical(text), "disk")

    async def stat(self, target: Target) -> FileStat | Missing:
        """See the port."""
        text = self.texts.get(target)
        return Missing() if text is None else FileStat("file", len(text), writable=True)

    async def edit_text(
        self, target: Target, plan: EditPlan, guard: Guard, *, dry_run: bool = False, by_user: bool = False
    ) -> WriteOutcome:
        """See the port."""
        before = self.texts[target]
        version = version_of_logical(before)
        check_guard(guard, target.path, version, before)
        after = change_under(guard, target.path, version, before, plan).apply(before)
        assert not dry_run
        self.texts[target] = after
        return WriteOutcome(before, after, version, version_of_logical(after), "disk", saved=True)

    async def write_text(self, target: Target, text: str, guard: Guard) -> WriteOutcome:
        """See the port."""
        before = self.texts.get(target)
        version = None if before is None else version_of_logical(before)
        check_guard(guard, target.path, version, before)
        self.texts[target] = text
        return WriteOutcome(before, text, version, version_of_logical(text), "disk", saved=True)

    async def remove(self, target: Target, version: Version) -> bool:
        """Remove a file of this version."""
        text = self.texts.get(target)
        if text is None or version_of_logical(text) != version:
            return False
        del self.texts[target]
        return True


class Room:
    """An editor with at most one document, a disk with at most one file, and what lies between them.

    Args:
        state: The workspace, by whose name the store of pending hunks is found.
        encoding: The editor's position encoding.

    Attributes:
        disk: The files.
        target: The one file.
        buffer: What the editor has open of it, or None.
        typed: What the user types while the next edit of an agent is on its way.
        documents, files, pending, reviews, deciding: The parts of a hub.
    """

    documents: OpenDocuments
    files: WorkspaceFiles
    pending: PendingFiles
    reviews: Reviews
    deciding: Deciding

    def __init__(self, state: Path, encoding: PositionEncoding) -> None:
        self.loop = asyncio.new_event_loop()
        self.disk = DiskInMemory()
        self.target = Target("file:///w/a.txt", "a.txt")
        self.buffer: str | None = None
        self.typed: list[Span] = []
        self._state = state
        self._encoding: PositionEncoding = encoding
        self._editor = Editor(self, EditorTraits(encoding=encoding, applies_edits=True))
        self._version = 0
        self._ids = itertools.count(1)
        self.run(self._start())

    def run(self, work: Any) -> Any:
        """Do one thing, and what follows from it."""
        return self.loop.run_until_complete(work)

    async def _start(self) -> None:
        disk = cast("DiskFileSystem", self.disk)
        self.pending = PendingFiles(self._state, self._new_id)
        self.documents = OpenDocuments(self.disk, lambda _: None, lambda *_: None, self.pending, self._new_id)
        self.files = WorkspaceFiles(disk, self.documents, _AT_ONCE, self.pending)
        self.reviews = Reviews(self.documents, self.pending, lambda: disk, self.files.undisturbed)
        self.deciding = Deciding(self.reviews, self.files, self._new_id)
        await self.pending.load()

    def _new_id(self) -> str:
        return f"h{next(self._ids)}"

    # The server's life

    async def stop(self, *, killed: bool) -> None:
        """The server ends, in order or not; the editor's buffer and the disk stay."""
        if killed:
            self.pending._unsaved.clear()  # what a killed server has not written down is gone
        else:
            self.documents.close_all(self._editor)
        await self.pending.close()

    async def restart(self, *, killed: bool) -> None:
        """Another server comes, and the editor tells it of what it has open."""
        await self.stop(killed=killed)
        await self._start()
        if self.buffer is not None:
            await self.open(self.buffer)

    def end(self) -> None:
        """Let everything go."""
        self.run(self.stop(killed=True))
        self.loop.close()

    # The editor

    async def open(self, text: str) -> None:
        """Open the document with this text."""
        self.buffer = text
        self._version = 1
        self.documents.open(self.target.uri, "x", 1, text, self._editor)
        await self.documents.settled()

    async def save(self) -> None:
        """Write the buffer to the disk."""
        assert self.buffer is not None
        self.disk.texts[self.target] = self.buffer
        self.documents.saved(self.target.uri, self._editor)
        await self.documents.settled()

    async def close(self) -> None:
        """Close the document, whatever is unsaved in it."""
        self.buffer = None
        self.documents.close(self.target.uri, self._editor)
        await self.documents.settled()

    def change(self, after: str, changes: list[TextChange]) -> None:
        """The document changes, and the server is told."""
        self.buffer = after
        self._version += 1
        self.documents.change(self.target.uri, self._version, changes, self._editor)

    def replace(self, spans: list[Span], *, whole: bool = False) -> None:
        """Replace disjoint spans, given in order, in one change; told as it is, or as the whole text."""
        assert self.buffer is not None
        after = replaced(self.buffer, spans)
        if whole:
            self.change(after, [TextChange(None, after)])
        else:
            self.change(after, [_text_change(event) for event in content_changes(self.buffer, spans, self._encoding)])

    # The editor as a peer

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Apply an edit, and after it what the user has typed meanwhile elsewhere, and tell of both at once."""
        assert method == "workspace/applyEdit"
        assert self.buffer is not None
        [edit] = cast("dict[str, Any]", params)["edit"]["documentChanges"]
        if edit["textDocument"]["version"] != self._version:
            return {"applied": False}
        spans = spans_of(self.buffer, edit["edits"], self._encoding)
        typed, self.typed = self.typed, []
        self.replace(sorted([*spans, *typed], key=lambda span: span.start))
        return {"applied": True}

    def notify(self, method: str, params: object = None) -> None:
        """Nothing is painted here."""


def _text_change(event: dict[str, Any]) -> TextChange:
    if "range" not in event:
        return TextChange(None, event["text"])
    start, end = event["range"]["start"], event["range"]["end"]
    return TextChange((start["line"], start["character"], end["line"], end["character"]), event["text"])
