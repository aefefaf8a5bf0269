r"""Names that mean something else on a file system of Windows.

On a share, a USB stick or a drive of Windows, `nul` is a device, `a:b` is a stream of `a`, and `a.` is `a`: what is
written there is gone, hidden, or over another file. On a file system of Linux they are names like any other.

Deliberately absent: refusing them where something has such a name already; it was made with knowledge of it.
"""

import os
import re
from typing import Final

from dsh_ledger.errors import FieldError, InvalidArgs

_WINDOWS: Final = frozenset({"9p", "cifs", "drvfs", "exfat", "fuseblk", "msdos", "ntfs", "ntfs3", "smb3", "vfat"})
"""Types in ``/proc/self/mountinfo`` (``9p`` and ``drvfs`` are how WSL shows drives; ``fuseblk`` is ntfs-3g)."""

_DEVICE: Final = re.compile(rb"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?:\..*)?")
_FORBIDDEN: Final = re.compile(rb'[\x00-\x1f<>:"|?*\\]')


def refuse_windows_name(directory: int, name: bytes, shown: str) -> None:
    """Refuse to make a file or directory whose name Windows would take for something else.

    Args:
        directory: The open directory in which it is to be made.
        name: Its name there.
        shown: The path to name in the error.

    Raises:
        InvalidArgs: It is on a file system of Windows, and has such a name.
    """
    what = _what_is_wrong(name)
    if what is not None and file_system(directory) in _WINDOWS:
        raise InvalidArgs([FieldError("path", f"{what}, and {shown} is on a file system of Windows")])


def file_system(directory: int) -> str | None:
    """The type of the file system that an open directory is on; None where the system does not tell."""
    status = os.fstat(directory)
    device = b"%d:%d" % (os.major(status.st_dev), os.minor(status.st_dev))
    try:
        fd = os.open("/proc/self/mountinfo", os.O_RDONLY)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as lines:
        for line in lines:
            # proc(5): id, parent, major:minor, … "-", type, …
            before, _, after = line.partition(b" - ")
            if before.split(b" ", 3)[2:3] == [device]:
                return after.split(b" ", 1)[0].decode("ascii", "replace")
    return None


def _what_is_wrong(name: bytes) -> str | None:
    if _DEVICE.fullmatch(name):
        return "is the name of a device"
    if _FORBIDDEN.search(name):
        return "has a character that a name can't have there"
    if name.endswith((b".", b" ")):
        return "ends with a dot or a space, which is left out there"
    return None
