"""One file under two names, of which an editor has the other one open.

A hard link is no other name of a path, as a symbolic link is, but the same file once more. To edit it on the disk by
the one name would be to write behind the buffer that is open by the other.
"""

import asyncio
import os
from collections.abc import Iterable

from dsh_ledger.targets import Target
from dsh_tools.fs.uris import uri_path


async def other_name(target: Target, opened: Iterable[Target]) -> Target | None:
    """Which of the targets that are open is the same file on the disk as one that is not; None where there is none."""
    path = uri_path(target.uri)
    others = [(other, path_of) for other in opened if (path_of := uri_path(other.uri)) is not None and other != target]
    return await asyncio.to_thread(_same, path, others) if path is not None and others else None


def _same(path: bytes, others: Iterable[tuple[Target, bytes]]) -> Target | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if status.st_nlink < 2:
        return None
    for target, other in others:
        try:
            if os.path.samestat(status, os.lstat(other)):
                return target
        except OSError:
            continue
    return None
