"""Texts that editors hold and the disk does not have, as far as they lie within a search's root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from dsh_tools.fs.port import FileSystem, OpenText
from dsh_tools.fs.uris import is_file_uri
from dsh_tools.search.roots import Root


async def unsaved_texts(files: FileSystem, root: Root) -> dict[bytes, OpenText]:
    """The texts with unsaved typing inside a root, by their paths from it; the root's own has the empty path."""
    found = [(open_, root.below(open_.target)) for open_ in await files.open_texts() if is_file_uri(open_.target.uri)]
    return {below: open_ for open_, below in found if open_.dirty and below is not None}


@contextmanager
def as_file(text: str) -> Iterator[int]:
    """A descriptor to read a text from, as UTF-8. It lives in memory; a character that is none becomes a ``?``."""
    descriptor = os.memfd_create("dsh-text", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
