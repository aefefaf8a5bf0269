"""One file in several editors: which of its documents edits go to, and what the others have of its hunks.

An editor's document may hold something unsaved (dirty) or not. The rule, in this order:

1. One with unsaved text is the file's document.
2. Several with the same unsaved text: the one in the editor that was used last.
3. Several with different unsaved texts: nobody can say which one is meant. Edits are refused as stale, whoever's they
   are (`UnsavedTwice`); reads get the text of the editor that was used last, and say so.
4. None with unsaved text: the one in the editor that was used last, of those that have what the disk has.

The hunks are those of the file's document. Another document has a copy while its text is the same, and none else: what
is painted is always about the text that it is painted in. Deliberately absent: asking editors, and the disk.
"""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final

from dsh_ledger.drift import Drift
from dsh_ledger.errors import FsStaleVersion
from dsh_ledger.pending import PendingHunks
from dsh_ledger.pending_batch import edited
from dsh_ledger.versions import Version, logical_text
from dsh_lsp.buffers.document_diff import settled_edits
from dsh_lsp.buffers.open_document import OpenDocument

_REMEMBERED: Final = 8
"""Versions of the disk that are remembered, the latest: a reload may be overtaken by some saves."""


class UnsavedTwice(FsStaleVersion):
    """Two editors hold different unsaved texts of the file."""

    remedy = "Ask the user to save the file in one of the two and to reload or close it in the other; then read it."

    def __init__(self, path: str, observed: Version, current: Version, editors: tuple[str, str]) -> None:
        super().__init__(path, observed, current)
        self.message = f"{told(path, editors)} Nothing was changed."
        self.details["unsavedIn"] = list(editors)

    def explained(self, drift: Drift) -> "UnsavedTwice":
        """The same error: it is not a change that is in the way."""
        del drift
        return self


def told(path: str, editors: tuple[str, str]) -> str:
    """What is wrong with a file, in a sentence."""
    return f"{path} has different unsaved text in two editors, {editors[0]} and {editors[1]}."


class SharedFile:
    """The open documents of one file, at least one.

    Args:
        document: The first one.
        loaded: Told when another document takes the place of one that differs from it only by what loading does to a
            text, with the version there and here.

    Attributes:
        documents: The file's document first.
        on_disk: The version that the disk had when it was last looked at; None where that is not known.
    """

    def __init__(self, document: OpenDocument, loaded: Callable[[Version, Version], None]) -> None:
        self.documents = [document]
        self.on_disk: Version | None = None
        self._loaded = loaded
        self._disk_had: deque[Version] = deque(maxlen=_REMEMBERED)

    @property
    def lead(self) -> OpenDocument:
        """The file's document."""
        return self.documents[0]

    @property
    def others(self) -> Sequence[OpenDocument]:
        """The others."""
        return self.documents[1:]

    def conflict(self) -> tuple[OpenDocument, OpenDocument] | None:
        """Two documents with different unsaved texts: the one that was used last, and another one."""
        dirty = sorted((each for each in self.documents if each.dirty), key=_by_use)
        first = dirty[0] if dirty else None
        return next(((first, each) for each in dirty[1:] if first and not _same_text(first, each)), None)

    def disk_has(self, version: Version) -> None:
        """The disk has been looked at."""
        self.on_disk = version
        if version not in self._disk_had:
            self._disk_had.append(version)

    def note_agreements(self, reloading: Collection[OpenDocument]) -> None:
        """A document that has what the disk has holds nothing unsaved: it was read again after another one's save.

        Where it was asked to read again, that may also be what the disk had a moment ago.
        """
        for each in self.documents:
            version = each.mirror.content_version
            if each.dirty and (version == self.on_disk or (each in reloading and version in self._disk_had)):
                each.agree(version, version)

    def choose(self) -> bool:
        """Have the right document lead; whether it is another one now. Not while an edit of ours is under way."""
        lead = self.lead
        if lead.busy or len(self.documents) == 1:
            return False
        best = self._best()
        if best is lead:
            return False
        hunks = _moved(lead, best)
        self.documents.remove(best)
        self.documents.insert(0, best)
        lead_is_loaded_otherwise = lead.disk_version == best.disk_version and lead.clean_version != best.clean_version
        if not lead.dirty and not best.dirty and lead_is_loaded_otherwise and lead.clean_version and best.clean_version:
            self._loaded(lead.clean_version, best.clean_version)
        _give(best, hunks)
        return True

    def pass_on(self) -> None:
        """The file's document has gone: have another one in its place. What is pending is given to it from outside."""
        best = self._best()
        self.documents.remove(best)
        self.documents.insert(0, best)

    def copy_hunks(self) -> None:
        """Have the others' hunks be those of the lead where they have its text, and none elsewhere."""
        for other in self.others:
            hunks = self.lead.hunks if _same_text(self.lead, other) else PendingHunks()
            if other.hunks is not hunks and (other.hunks or hunks):
                _give(other, hunks)

    def _best(self) -> OpenDocument:
        by_use = sorted(self.documents, key=_by_use)
        dirty = [each for each in by_use if each.dirty]
        if dirty:
            return dirty[0]
        newest = [each for each in by_use if self.on_disk in (each.disk_version, each.clean_version)]
        return (newest or by_use)[0]


def _by_use(document: OpenDocument) -> tuple[int, int]:
    return -document.editor.last_used, -document.mirror.epoch


def _same_text(one: OpenDocument, other: OpenDocument) -> bool:
    return one.mirror.content_version == other.mirror.content_version


def _moved(before: OpenDocument, after: OpenDocument) -> PendingHunks:
    """The hunks of one document in the text of another; what else is different there is the user's."""
    if not before.hunks or _same_text(before, after):
        return before.hunks
    return edited(before.hunks, settled_edits(logical_text(before.mirror.text), logical_text(after.mirror.text)))


def _give(document: OpenDocument, hunks: PendingHunks) -> None:
    document.hunks = hunks
    if document.on_disk is not None and not document.dirty:
        document.on_disk = (hunks, logical_text(document.mirror.text))
    document.take_over(hunks)
