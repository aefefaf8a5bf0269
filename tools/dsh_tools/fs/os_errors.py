"""What the operating system says, as the errors of the port.

Held here: the only place where an errno becomes a refusal. Deliberately absent: the system's own texts and paths; they
would name places outside the workspace.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from dsh_ledger.errors import (
    FsError,
    FsIoError,
    FsNotDirectory,
    FsNotFound,
    FsNotRegularFile,
    FsPermissionDenied,
    FsSandboxDenied,
)

_SENTENCES = {
    errno.ENOSPC: "the file system that holds it is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the new content is over a limit on file sizes",
    errno.ENAMETOOLONG: "a name in it is too long",
    errno.EIO: "the device failed",
}


def fs_error(error: OSError, path: str) -> FsError:
    """The refusal for an error of the operating system.

    Args:
        error: What a system call raised.
        path: The path as given, or as the target shows itself.
    """
    match error.errno:
        case errno.ENOENT:
            return FsNotFound(path)
        case errno.ENOTDIR:
            return FsNotDirectory(path)
        case errno.EISDIR:
            return FsNotRegularFile(path, "directory")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return FsPermissionDenied(path)
        case errno.ELOOP:
            return leads_through_link(path)
        case number:
            reason = errno.errorcode.get(number or 0, "UNKNOWN")
            sentence = _SENTENCES.get(number or 0)
            return FsIoError(path, reason, sentence and f"{path}: {sentence} ({reason}).")


def leads_through_link(path: str) -> FsSandboxDenied:
    """The refusal for a real path that has a link in it: it was swapped since, or it is a loop."""
    return FsSandboxDenied(path, f"{path} leads through a link that can't be followed safely.")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn every OSError of the block into a refusal that names only ``path``."""
    try:
        yield
    except OSError as error:
        raise fs_error(error, path) from None
