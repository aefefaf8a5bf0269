"""What open documents must know of the disk, asked in an executor."""

import asyncio

from dsh_ledger.errors import FsError
from dsh_ledger.targets import Target
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import canonical_uri
from dsh_tools.fs.port import TextRead


async def text_on_disk(disk: DiskFileSystem, target: Target) -> TextRead | None:
    """What the disk has, or None where there is no text that can be read."""
    if not target.uri.startswith("file:"):
        return None
    try:
        found = await disk.read_text(target)
    except FsError:
        return None
    return found if isinstance(found, TextRead) else None


class WorkspaceDisk:
    """Answers for `dsh_lsp.buffers.open_documents.OpenDocuments`.

    Args:
        disk: The disk under the workspace; another one when the workspace's folders change.
    """

    def __init__(self, disk: DiskFileSystem) -> None:
        self.disk = disk

    async def identify(self, uri: str) -> Target:
        """The target of an editor's URI. One outside the workspace has a name too, and no agent can reach it."""
        name = await asyncio.get_running_loop().run_in_executor(None, canonical_uri, uri)
        return Target(name, name)

    async def text(self, target: Target) -> TextRead | None:
        """What the disk has; None where there is no text to read."""
        return await text_on_disk(self.disk, target)
