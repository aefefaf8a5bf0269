"""Where a search begins: a folder or a file of the workspace, by the decision that every other tool goes by.

It is opened by walking to it without following a link, and searched through that descriptor.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dsh_ledger.errors import FsNotFound, FsNotRegularFile
from dsh_ledger.targets import Target
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Location, joined, target_path
from dsh_tools.fs.places import open_place
from dsh_tools.fs.port import FileSystem, Missing
from dsh_tools.fs.uris import file_uri
from dsh_tools.uninterrupted import completed


@dataclass(frozen=True, slots=True)
class Root:
    """Where a search begins.

    Attributes:
        target: What was named.
        path: Its real path.
        kind: ``directory``, ``file``, or ``missing``.
    """

    target: Target
    path: bytes
    kind: str

    def below(self, target: Target) -> bytes | None:
        """A target's path from here, empty for the root itself; None if it is not inside."""
        real = target_path(target)
        inside = self.path.rstrip(b"/") + b"/"
        return b"" if real == self.path else real[len(inside) :] if real.startswith(inside) else None

    def uri(self, below: bytes) -> str:
        """The URI of a path from here."""
        return file_uri(joined(self.path, below))


class NothingToLookAt(FsNotFound):
    """There is nothing at a path that was to be searched or worked in. To write a file there would be no help."""

    remedy = "Check the path: glob shows what there is."


async def find_root(files: FileSystem, path: str) -> Root:
    """The root that a path names; it need not exist.

    Raises:
        FsError, InvalidArgs: As for the port's ``resolve``.
        FsNotRegularFile: It is neither a file nor a folder.
    """
    target = await files.resolve(path)
    found = await files.stat(target)
    kind = "missing" if isinstance(found, Missing) else found.kind
    if kind not in ("missing", "directory", "file"):
        raise FsNotRegularFile(target.path, kind)
    return Root(target, target_path(target), kind)


@asynccontextmanager
async def opened(root: Root) -> AsyncIterator[int]:
    """A descriptor of a root: of a folder to work in, of a file to read.

    Raises:
        FsError: It is gone, can't be read, or has become something else.
    """
    descriptor, was_cancelled = await completed(asyncio.to_thread(_open, root))
    try:
        if was_cancelled:
            raise asyncio.CancelledError
        yield descriptor
    finally:
        os.close(descriptor)


def _open(root: Root) -> int:
    shown = root.target.path
    # A real path has no link in it, so it can be walked to from the very top.
    location = Location(b"/", tuple(part for part in root.path.split(b"/") if part))
    with translated(shown), open_place(location, shown) as place:
        if place is None:
            raise NothingToLookAt(shown)
        if root.kind == "directory":
            return place.open(os.O_PATH | os.O_DIRECTORY)
        if place.regular() is None:
            raise NothingToLookAt(shown)
        return place.open(os.O_RDONLY)
