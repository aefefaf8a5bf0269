"""What is pending in a workspace, file by file, as the files are now."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from dsh_ledger.pending import PendingHunks
from dsh_ledger.targets import Target
from dsh_ledger.versions import logical_text
from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.disk_view import text_on_disk
from dsh_lsp.review.pending_files import PendingFiles
from dsh_tools.fs.disk import DiskFileSystem


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What is pending in a file as it is now.

    Attributes:
        target: Which file.
        document: The open document, or None.
        hunks: What is pending.
        text: The logical text that the hunks are in.
        is_created: An agent created the file, and nobody has kept anything of it.
    """

    target: Target
    document: OpenDocument | None
    hunks: PendingHunks
    text: str
    is_created: bool


class Reviews:
    """All that is pending.

    Args:
        documents: What editors have open.
        pending: The files that are not open.
        disk: The disk under them, at the time of asking.
        undisturbed: A block during which no edit is under way in a file.
    """

    def __init__(
        self,
        documents: OpenDocuments,
        pending: PendingFiles,
        disk: Callable[[], DiskFileSystem],
        undisturbed: Callable[[Target], AbstractAsyncContextManager[None]],
    ) -> None:
        self.pending = pending
        self._documents = documents
        self._disk = disk
        self._undisturbed = undisturbed

    async def targets(self) -> list[Target]:
        """The files in which something may be pending: the open ones first."""
        await self._documents.settled()
        opened = [document.target for document in self._documents if document.hunks and document.target is not None]
        return list(dict.fromkeys([*opened, *self.pending]))

    async def of(self, target: Target) -> Reviewed | None:
        """What is pending in a file; None where nothing is, or where the file can't be read.

        A file that is gone may come back: what is pending in it stays. An edit of a file that is not open ends first:
        what it does there would be taken for the user's.
        """
        if await self._documents.find(target) is not None:
            return await self.of_held(target)
        async with self._undisturbed(target):
            return await self.of_held(target)

    async def of_held(self, target: Target) -> Reviewed | None:
        """As `of`, for who sees to it that no edit is under way in the file."""
        while True:
            document = await self._documents.find(target)
            created = self.pending.is_created(target)
            if document is not None:
                text = logical_text(document.mirror.text)
                return Reviewed(target, document, document.hunks, text, created) if document.hunks else None
            known = await self.pending.get(target)
            if known is None or known.text is None:
                return None
            now = await text_on_disk(self._disk(), target)
            if self.pending.is_current(target, known):  # else somebody has edited or opened it meanwhile
                break
        if now is None:
            return None
        hunks = known.hunks
        if now.version != known.version or known.saved:
            hunks = known.as_found(now.text)
            self.pending.put(target, hunks, now.text)
        return Reviewed(target, None, hunks, now.text, created) if hunks else None
