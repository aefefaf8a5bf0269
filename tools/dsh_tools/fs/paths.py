"""Paths: from what an agent or an editor wrote to the one name of a file.

Held here: the real path as identity (links followed, through the nearest existing ancestor for what is not there
yet), containment in the workspace by whole components of real paths, and the path that is shown. Deliberately absent:
expansion of any kind (``~``, variables, globs), and a second look at mutation time; `places` walks to a file without
following links at all, so that a path that changed since can't lead outside.

Everything here asks the disk and blocks; run it in an executor. Paths are bytes throughout, so that neither the locale
nor a name that isn't UTF-8 matters.
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dsh_ledger.errors import FieldError, FsNotDirectory, FsSandboxDenied, InvalidArgs, LedgerBug
from dsh_ledger.targets import Target
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.protected import is_protected
from dsh_tools.fs.protected_by_disk import is_protected_by_disk
from dsh_tools.fs.uris import file_uri, is_file_uri, uri_path

_PATH_MAX = 4096
"""Linux's limit in bytes; a longer path is refused without being echoed."""

_VARIABLE = re.compile(r"\$(\w+|\{)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SHARE = re.compile(r"\\\\|%\w+%\\")
_SCHEME_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Location:
    """Where a target is: the real path of a root, and the components from there on."""

    root: bytes
    parts: tuple[bytes, ...]


class Workspace:
    """The folders that a session may touch.

    Args:
        roots: At least one folder. Relative paths resolve against the first. Links in them are followed once, here.
        own: Folders in which the program keeps what is its own. Nothing in them may be changed.
    """

    def __init__(self, roots: Sequence[Path], own: Sequence[Path] = ()) -> None:
        if not roots:
            raise LedgerBug("a workspace needs a root")
        given = [os.fsencode(root.absolute()) for root in roots]
        self._roots = [(_real_path(path), path) for path in given]
        self._own = [_real_path(os.fsencode(folder.absolute())) for folder in own]

    @property
    def roots(self) -> tuple[Path, ...]:
        """The roots' real paths."""
        return tuple(Path(os.fsdecode(real)) for real, _ in self._roots)

    def resolve(self, path: str) -> Target:
        """The target that a path names. See `dsh_tools.fs.port.FileSystem.resolve`.

        Raises:
            InvalidArgs: The text can't be a path here.
            FsSandboxDenied: It leads outside every root.
            FsNotDirectory: A parent of it is a file, or it is one itself and ends with a slash.
            FsError: The disk did not let itself be asked.
        """
        given = _printable(path)
        real = _real_path(self._absolute(path))
        if self._root_of(real) is None:
            raise FsSandboxDenied(given)
        means_directory = path.endswith(("/", "/."))
        with translated(given):
            try:
                is_directory = stat.S_ISDIR(os.lstat(real).st_mode)
            except FileNotFoundError:
                if means_directory:
                    raise _invalid("ends with a slash, as that of a directory, and there is none") from None
            else:
                if means_directory and not is_directory:
                    raise FsNotDirectory(given)
        return self.target(real)

    def target(self, real: bytes) -> Target:
        """The target of a real path that lies inside the workspace."""
        return Target(file_uri(real), self.shown(real))

    def inside(self, target: Target) -> Target | None:
        """The same target, with the path that it shows here; None if it is no file of this workspace."""
        real = uri_path(target.uri)
        return None if real is None or self._root_of(real) is None else self.target(real)

    def shown(self, real: bytes) -> str:
        """The path to show, in a spelling that `resolve` accepts and that leads back.

        Relative to the first root; absolute under another root, as that root was given. A name that is not UTF-8
        shows as its URI, which is the only text that names it.
        """
        root = self._root_of(real)
        if root is None:
            raise LedgerBug("a path to show lies outside the workspace")
        inside = real[len(root[0]) :].strip(b"/")
        raw = (inside or b".") if root is self._roots[0] else joined(root[1], inside)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return file_uri(real)
        misread = text.startswith("~") or any(other.match(text) for other in (_VARIABLE, _SCHEME, _DRIVE, _SHARE))
        misread = misread or "\\" in text.partition("/")[0]
        return f"./{text}" if misread else text

    def shown_if_inside(self, real: bytes) -> str | None:
        """The path to show for a real path; None if it lies outside, and its name is nobody's business here."""
        return None if self._root_of(real) is None else self.shown(real)

    def locate(self, target: Target) -> Location:
        """Where a target lies. Asks the disk nothing.

        Raises:
            FsSandboxDenied: It lies outside: a target of another workspace.
        """
        real = target_path(target)
        root = self._root_of(real)
        if root is None:
            raise FsSandboxDenied(target.path)
        return Location(root[0], tuple(part for part in real[len(root[0]) :].split(b"/") if part))

    def refuse_protected(self, target: Target) -> None:
        """Refuse a target that no tool may change.

        Raises:
            FsSandboxDenied: It is protected, or lies outside.
        """
        location = self.locate(target)
        if is_protected(location.parts) or is_protected_by_disk(location.root, location.parts):
            raise FsSandboxDenied(target.path, f"{target.path} is protected: what is written there may be run.")
        if any(_is_in(target_path(target), folder) for folder in self._own):
            raise FsSandboxDenied(target.path, f"{target.path} is protected: it is a record of this server's.")

    def _root_of(self, real: bytes) -> tuple[bytes, bytes] | None:
        for root in self._roots:
            if _is_in(real, root[0]):
                return root
        return None

    def _absolute(self, path: str) -> bytes:
        if not path:
            raise _invalid("is empty")
        if "\0" in path:
            raise _invalid("has a NUL character")
        if is_file_uri(path):
            return _path_of_file_uri(path)
        try:
            raw = path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise _invalid("has a character that no file name can hold") from None
        if len(raw) > _PATH_MAX:
            raise _invalid(f"has {len(raw)} bytes; the limit is {_PATH_MAX}")
        self._refuse_expansion(path, raw)
        return raw if raw.startswith(b"/") else joined(self._roots[0][0], raw)

    def _refuse_expansion(self, path: str, raw: bytes) -> None:
        """Refuse what a shell or an editor would read as something else, unless it exists literally."""
        if _SCHEME_AUTHORITY.match(path):
            raise _invalid("is a URI; only file: URIs and paths name files")
        reading = (
            "starts with ~, which is not expanded"
            if path.startswith("~")
            else "starts with a variable, which is not expanded"
            if _VARIABLE.match(path)
            else "looks like a URI; only file: URIs and paths name files"
            if _SCHEME.match(path)
            else "is a path of Windows"
            if _DRIVE.match(path) or _SHARE.match(path)
            else "is written with backslashes, as a path of Windows, where / belongs"
            if self._has_backslashes(raw)
            else None
        )
        if reading and not os.path.lexists(joined(self._roots[0][0], raw.partition(b"/")[0])):
            raise _invalid(f"{reading}; write the path in full, or ./ before a name that is meant literally")

    def _has_backslashes(self, raw: bytes) -> bool:
        r"""Whether a path leads through a directory of the workspace as Windows writes it: ``src\main.py``."""
        first, backslash, _ = raw.partition(b"\\")
        there = joined(self._roots[0][0], first)
        return bool(first and backslash) and b"/" not in first and os.path.isdir(there)  # noqa: PTH112 - bytes


def target_path(target: Target) -> bytes:
    """The real path of a target on the disk, as bytes.

    Raises:
        LedgerBug: The target is not a file; whoever asked should have known.
    """
    path = uri_path(target.uri)
    if path is None:
        raise LedgerBug(f"not a target on the disk: {target.uri.partition(':')[0]}")
    return path


def canonical_uri(uri: str) -> str:
    """The canonical spelling of a client's URI, to match open documents with targets.

    Args:
        uri: As a client sent it. Neovim escapes in lower case, VS Code writes ``%3A``, others leave unicode as it is.

    Returns:
        For a ``file:`` URI of this machine, the URI of the real path; any other URI verbatim.
    """
    path = uri_path(uri)
    return uri if path is None or b"\0" in path else file_uri(_real_path(path))


def joined(directory: bytes, below: bytes) -> bytes:
    """A path below a directory; the directory itself for an empty one."""
    return (directory.rstrip(b"/") + b"/" + below).rstrip(b"/") or b"/"


def kind_of(mode: int) -> str:
    """What a file mode says that something is, in a word or two: ``file``, ``directory``, ``link``, ``FIFO``, …."""
    match stat.S_IFMT(mode):
        case stat.S_IFREG:
            return "file"
        case stat.S_IFDIR:
            return "directory"
        case stat.S_IFLNK:
            return "link"
        case stat.S_IFIFO:
            return "FIFO"
        case stat.S_IFSOCK:
            return "socket"
        case _:
            return "device"


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _real_path(path: bytes) -> bytes:
    return os.path.realpath(path)


def _path_of_file_uri(uri: str) -> bytes:
    if "?" in uri or "#" in uri:
        raise _invalid("is a file: URI with a query or a fragment; in a name, write %3F for ? and %23 for #")
    path = uri_path(uri)
    if path is None:
        raise _invalid("is not the URI of a file on this machine; write file:///path")
    if b"\0" in path:
        raise _invalid("has a NUL character")
    if len(path) > _PATH_MAX:
        raise _invalid(f"has {len(path)} bytes; the limit is {_PATH_MAX}")
    return path


def _printable(path: str) -> str:
    """A path as it was given, with what JSON can't hold escaped."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _invalid(what: str) -> InvalidArgs:
    return InvalidArgs([FieldError("path", what)])
