"""Files found by a glob, on the disk and among the unsaved texts that have no file.

Where a pattern leads is decided as for every other path: what stands before its first wildcard is resolved, links and
``..`` followed, and refused where it leaves the workspace. A path that is written out is answered whatever ignore files
say. Every path that comes out went through ``resolve`` once more.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import fsdecode
from urllib.parse import quote

from dsh_ledger.errors import FieldError, FsNotDirectory, InvalidArgs, LedgerError
from dsh_ledger.targets import Target
from dsh_tools.fs.port import FileSystem, Missing, OpenText, Via
from dsh_tools.fs.uris import is_file_uri
from dsh_tools.search.globs import Glob, GlobRefused, has_wildcards
from dsh_tools.search.roots import NothingToLookAt, Root, find_root, opened
from dsh_tools.search.unsaved import unsaved_texts
from dsh_tools.search.walks import Walked, in_order, walk

_NOTHING = Walked(0, (), frozenset(), 0, True, 0)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, where it is, and whether an editor holds unsaved typing of it."""

    target: Target
    via: Via
    dirty: bool


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """What a glob found.

    Attributes:
        files: The first by path.
        total: How many match.
        ignored: How many more match and are hidden by ignore files.
        ignored_exact: No more than that many are.
        deeper: How many files have a name that matches and lie deeper than the pattern says.
        deeper_pattern: The pattern that finds those too.
        directory: The pattern is the path of a directory.
        unreadable: How many folders could not be read.
    """

    files: tuple[FoundFile, ...] = ()
    total: int = 0
    ignored: int = 0
    ignored_exact: bool = True
    deeper: int = 0
    deeper_pattern: str = ""
    directory: bool = False
    unreadable: int = 0


async def find_files(
    files: FileSystem, path: str, pattern: str, limit: int, *, include_ignored: bool = False
) -> FoundFiles:
    """Find files.

    Args:
        files: Where.
        path: What a relative pattern is relative to.
        pattern: A glob, or the path or URI of one file.
        limit: How many files to give back.
        include_ignored: Ignore files don't count.

    Raises:
        FsNotFound, FsNotDirectory: The path is no directory.
        FsSandboxDenied: Path or pattern lead outside the workspace.
        InvalidArgs: Path or pattern can't be used.
    """
    if not _stands_alone(pattern):
        await _check_folder(files, path)
    with _about_pattern():
        literal = await _literal(files, _below(path, pattern)) if not set(pattern) & {"*", "?"} else FoundFiles()
        if _is_literal(pattern):
            return literal
        before, rest = _split(pattern)
        glob = Glob(rest)
        root = await find_root(files, _below(path, before) if before else path)
    texts = await unsaved_texts(files, root)
    deeper = _Deeper(rest) if glob.depth == 1 else None
    asked = {*texts, *(below for each in literal.files if (below := root.below(each.target)) is not None)}
    walked = _NOTHING
    if root.kind == "directory":
        async with opened(root) as folder:
            walked = await walk(
                folder,
                lambda found: glob.matches(fsdecode(found)),
                include_ignored=include_ignored,
                keep=limit,
                asked=asked,
                depth=None if deeper else glob.depth,
                rest=deeper.look if deeper else None,
            )
    new = [below for below, text in texts.items() if glob.matches(fsdecode(below)) and await _is_new(files, text)]
    first = sorted([*walked.first, *new], key=in_order)[:limit]
    found = await _resolved(files, root, first, texts)
    result = FoundFiles(
        found,
        walked.files + len(new) - (len(first) - len(found)),
        walked.ignored,
        walked.ignored_exact,
        deeper.count if deeper else 0,
        f"{before.rstrip('/')}/**/{rest}" if before else f"**/{rest}",
        unreadable=walked.unreadable,
    )
    return _with_literal(result, literal, root, walked, glob, limit)


class _Deeper:
    """Counts files whose name matches although their path does not."""

    def __init__(self, name: str) -> None:
        self._glob = Glob(name, anywhere=True)
        self.count = 0

    def look(self, path: bytes) -> None:
        self.count += self._glob.matches(fsdecode(path))


def _with_literal(
    result: FoundFiles, literal: FoundFiles, root: Root, walked: Walked, glob: Glob, limit: int
) -> FoundFiles:
    """The result with the file that is named exactly like the pattern, which ignore files don't hide then."""
    for file in literal.files:
        below = root.below(file.target)
        if file.target in {each.target for each in result.files} or below in walked.met:
            continue
        hidden = below is not None and file.via == "disk" and glob.matches(fsdecode(below))
        result = replace(
            result,
            files=(file, *result.files)[:limit],
            total=result.total + 1,
            ignored=max(0, result.ignored - hidden),
        )
    return result


async def _check_folder(files: FileSystem, path: str) -> None:
    root = await find_root(files, path)
    if root.kind == "file":
        raise FsNotDirectory(root.target.path)
    if root.kind == "missing" and not await unsaved_texts(files, root):
        raise NothingToLookAt(root.target.path)


async def _literal(files: FileSystem, path: str) -> FoundFiles:
    """The one file that a path names, if it is one."""
    target = await files.resolve(path)
    dirty = target in {each.target for each in await files.open_texts() if each.dirty}
    found = await files.stat(target)
    if isinstance(found, Missing):
        return FoundFiles((FoundFile(target, "buffer", True),), 1) if dirty else FoundFiles()
    if found.kind != "file":
        return FoundFiles(directory=found.kind == "directory")
    return FoundFiles((FoundFile(target, "disk", dirty),), 1)


async def _is_new(files: FileSystem, text: OpenText) -> bool:
    return isinstance(await files.stat(text.target), Missing)


async def _resolved(
    files: FileSystem, root: Root, paths: list[bytes], texts: Mapping[bytes, OpenText]
) -> tuple[FoundFile, ...]:
    """The files at some paths. One that leads elsewhere by now is left out."""
    found: list[FoundFile] = []
    for path in paths:
        try:
            target = await files.resolve(root.uri(path))
        except LedgerError:
            continue
        dirty = path in texts
        via: Via = "buffer" if dirty and await _is_new(files, texts[path]) else "disk"
        found.append(FoundFile(target, via, dirty))
    return tuple(found)


def _stands_alone(pattern: str) -> bool:
    return pattern.startswith("/") or is_file_uri(pattern)


def _is_literal(pattern: str) -> bool:
    return is_file_uri(pattern) or not has_wildcards(pattern)


def _below(path: str, pattern: str) -> str:
    """A pattern's path as it can be resolved, echoing what was given."""
    if _stands_alone(pattern) or path == ".":
        return pattern
    if is_file_uri(path):
        return f"{path.rstrip('/')}/{quote(pattern.encode('utf-8', 'surrogateescape'))}"
    return f"{path.rstrip('/')}/{pattern}"


def _split(pattern: str) -> tuple[str, str]:
    """What stands before the first name with a wildcard, and the rest."""
    names = pattern.split("/")
    wild = next(at for at, name in enumerate(names) if has_wildcards(name))
    return "/".join(names[:wild]) or ("/" if wild else ""), "/".join(names[wild:])


@contextmanager
def _about_pattern() -> Iterator[None]:
    """Refusals of a path that came from the pattern name the pattern."""
    try:
        yield
    except GlobRefused as refused:
        raise InvalidArgs([FieldError("pattern", str(refused))]) from None
    except InvalidArgs as error:
        raise error.about("pattern") from None
