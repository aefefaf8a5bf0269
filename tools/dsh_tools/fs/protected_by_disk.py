"""Places that no tool may change because of what the disk says, whatever they are called.

Held here: git directories with any name (a bare repository, one that a ``.git`` file leads to), and what a place where
things run leads to, by a link or by git's configuration: a hook that is a link to a script, a folder of hooks, a
``.vscode`` that is kept elsewhere. Writing there is writing a hook, by another name.

Looked at are the directories that a target is in, up to the workspace's root; links in others are not found. Blocks:
run it in an executor. Deliberately absent: names (`protected`).
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from dsh_tools.fs.protected import NAMES, spelled

_GIT: Final = b".git"
_MARKS: Final = (b"HEAD", b"objects", b"refs")
"""What git takes a directory for a repository by (gitrepository-layout(5))."""

_LEADS_TO: Final = re.compile(rb"gitdir:[ \t]*([^\r\n]+)")
_HOOKS_PATH: Final = re.compile(rb'^[ \t]*hookspath[ \t]*=[ \t]*"?([^"#;\r\n]*)', re.IGNORECASE | re.MULTILINE)
_MOST_HOOKS: Final = 200
"""Names in a folder of hooks that are looked at; git knows some thirty."""

_LIMIT: Final = 1 << 16
"""Bytes of a file of git's that are looked at."""


def is_protected_by_disk(root: bytes, parts: Sequence[bytes]) -> bool:
    """Whether a target must not be changed by a tool.

    Args:
        root: The real path of the workspace's root.
        parts: The components of the target's real path from there on.
    """
    directories = [_below(root, *parts[:depth]) for depth in range(len(parts))]
    if _is_in_git_directory(directories, parts):
        return True
    target = _below(root, *parts)
    return any(_leads(place, directory, target) for directory in directories for place in _places(directory))


def _is_in_git_directory(directories: Sequence[bytes], parts: Sequence[bytes]) -> bool:
    """Whether the repository that a target is nearest to has it among its own files, and not in its work tree.

    It may be what makes the directory a repository.
    """
    for directory, name in zip(reversed(directories), reversed(parts), strict=True):
        if os.path.lexists(_below(directory, _GIT)):
            return False
        if all(mark == name or os.path.lexists(_below(directory, mark)) for mark in _MARKS):
            return True
    return False


def _leads(place: bytes, directory: bytes, target: bytes) -> bool:
    """Whether a place of a directory is, behind all links, the target or a directory that the target is in."""
    real = os.path.realpath(place)
    if directory == real or directory.startswith(_below(real, b"")):
        return False  # A link back to what it is in would make everything a place where things run.
    return target == real or target.startswith(_below(real, b""))


def _places(directory: bytes) -> Iterator[bytes]:
    for name in NAMES:
        if os.path.lexists(_below(directory, name)):
            yield from (_below(directory, each) for each in spelled(name))
            if name == _GIT:
                yield from _hooks(directory)


def _hooks(directory: bytes) -> Iterator[bytes]:
    """The hooks of the repository that has its work tree here."""
    git = _git_directory(directory)
    configured = _HOOKS_PATH.search(_beginning(_below(git, b"config")))
    hooks = _below(git, b"hooks")
    if configured and configured[1].strip():
        hooks = os.path.join(directory, configured[1].strip())  # noqa: PTH118 - bytes
    yield hooks
    try:
        with os.scandir(hooks) as entries:
            yield from (entry.path for entry in islice(entries, _MOST_HOOKS) if entry.is_symlink())
    except OSError:
        pass


def _git_directory(directory: bytes) -> bytes:
    """Where the hooks and the configuration are: another place for a work tree whose ``.git`` is a file."""
    git = _below(directory, _GIT)
    found = _LEADS_TO.match(_beginning(git))
    if found is not None:
        git = os.path.join(directory, found[1].strip())  # noqa: PTH118 - bytes
    common = _beginning(_below(git, b"commondir")).strip()
    return os.path.join(git, common) if common else git  # noqa: PTH118 - bytes


def _beginning(path: bytes) -> bytes:
    """The first bytes of a regular file; none of anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, _LIMIT) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def _below(directory: bytes, *parts: bytes) -> bytes:
    return b"/".join((directory.rstrip(b"/"), *parts)) or b"/"
