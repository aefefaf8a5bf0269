"""Linux's ``renameat2``: two kinds of rename that POSIX does not have.

Held here: swapping two names in one step, and renaming without replacing. Deliberately absent: fallbacks; whoever calls
knows what to do where the kernel, the C library or the file system does not offer them.
"""

import ctypes
import errno
import os
from typing import Final

_NOREPLACE: Final = 1
_EXCHANGE: Final = 2
_NOT_OFFERED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})

_library = ctypes.CDLL(None, use_errno=True)
_function = getattr(_library, "renameat2", None)
if _function is not None:
    _function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    _function.restype = ctypes.c_int


def exchange(directory: int, one: bytes, other: bytes) -> bool:
    """Swap two names in a directory in one step.

    Returns:
        False when that can't be had here, with nothing changed.

    Raises:
        OSError: It could be had, and failed.
    """
    return _rename(directory, one, other, _EXCHANGE)


def rename_new(directory: int, old: bytes, new: bytes) -> bool:
    """Rename within a directory, unless the new name is taken.

    Returns:
        False when that can't be had here, with nothing changed.

    Raises:
        FileExistsError: The new name is taken.
        OSError: It failed otherwise.
    """
    return _rename(directory, old, new, _NOREPLACE)


def _rename(directory: int, old: bytes, new: bytes, flags: int) -> bool:
    if _function is None:
        return False
    if _function(directory, old, directory, new, flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_OFFERED:
        return False
    raise OSError(number, os.strerror(number))
