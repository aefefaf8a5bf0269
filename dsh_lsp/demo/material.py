"""What the demo works on: a copy of a folder, and the places in it that can be edited."""

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SKIPPED = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache"}
_LARGEST_FILE = 200_000
_MOST_FILES = 5_000
_GAP = 10
"""Lines between the two places that are edited, so that they are two hunks with room for context."""

_COMMENTS = {
    "#": (".py", ".sh", ".toml", ".yaml", ".yml", ".rb", ".cfg", ".ini", ".mk"),
    "//": (".js", ".ts", ".tsx", ".jsx", ".c", ".h", ".cpp", ".hpp", ".go", ".rs", ".java", ".kt", ".swift", ".cs"),
    "--": (".lua", ".sql", ".hs"),
}


class Unsuitable(Exception):
    """The folder holds nothing that the demo could be shown on; the message says what it needs."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the story is told with.

    Attributes:
        folder: The copy.
        file: The file that the editor opens.
        first: A line of it (without its end) that occurs once, and its index (0-based).
        second: Another one, further down.
        unread: A file that the agent never reads, relative to the folder.
        comment: What starts a comment in the file, or an empty string.
    """

    folder: Path
    file: Path
    first: tuple[int, str]
    second: tuple[int, str]
    unread: str
    comment: str


def copy_of(folder: Path, to: Path) -> None:
    """Copy a folder for the demo; version control, environments and large files stay behind.

    Raises:
        Unsuitable: There is no such folder, or it is too large.
    """
    if not folder.is_dir():
        raise Unsuitable(f"{folder} is not a folder.")
    for count, path in enumerate(_files(folder)):
        if count == _MOST_FILES:
            raise Unsuitable(f"{folder} has more than {_MOST_FILES} files; name a smaller folder.")
        copied = to / path.relative_to(folder)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)


def fingerprint(folder: Path) -> str:
    """A digest of all names and bytes that `copy_of` would take."""
    digest = hashlib.sha256()
    for path in _files(folder):
        digest.update(os.fsencode(path.relative_to(folder)) + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def material(folder: Path) -> Material:
    """Find something to edit in the copy: the file with the most lines that occur once.

    Raises:
        Unsuitable: There is no text file with two such lines.
    """
    best: tuple[int, Path, list[tuple[int, str]]] | None = None
    files = [path for path in _files(folder) if _text(path) is not None]
    for path in files:
        places = _places(_text(path) or "")
        if len(places) >= 2 and (best is None or len(places) > best[0]):
            best = (len(places), path, places)
    if best is None:
        raise Unsuitable(
            f"{folder} has no UTF-8 text file with two different lines that occur once; name another folder."
        )
    _, file, places = best
    first = places[len(places) // 4]
    second = next((place for place in places if place[0] >= first[0] + _GAP), places[-1])
    if second == first:
        first = places[0]
    unread = next((path for path in files if path != file), None)
    if unread is None:
        unread = folder / "not-read-by-the-agent.txt"
        unread.write_bytes(b"somebody else's text\n")
    comment = next((mark for mark, endings in _COMMENTS.items() if file.suffix in endings), "")
    return Material(folder, file, first, second, str(unread.relative_to(folder)), comment)


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST_FILE:
                yield path


def _text(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if "\0" not in text else None


def _places(text: str) -> list[tuple[int, str]]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    counts = Counter(lines)
    return [
        (index, line)
        for index, line in enumerate(lines)
        if counts[line] == 1 and len(line.strip()) >= 3 and len(line) <= 100 and text.count(line) == 1
    ]
