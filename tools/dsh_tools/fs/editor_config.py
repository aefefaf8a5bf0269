r"""``.editorconfig``: what its files ask of a file (EditorConfig 0.17, "Supported Pairs").

Held here: which files are read, and what is made of their properties. The format and its globs are the library's, which
would read every folder up to the root of the disk and follow every link; so it is given the bytes. Every file is read
anew: that takes no longer than to find out whether it changed. What its bytes mean for a path is remembered.

Deliberately absent: properties that are about typing (indentation), ``trim_trailing_whitespace``, and ``end_of_line =
cr``, which would make one line of a text for everyone else here. A file that can't be used is left out with a warning.
"""

import codecs
import io
import logging
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from editorconfig.exceptions import ParsingError
from editorconfig.ini import EditorConfigParser

from dsh_ledger.errors import LedgerError
from dsh_ledger.targets import Target
from dsh_tools.fs.charsets import charset_of
from dsh_tools.fs.file_style import FileStyle
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.paths import Location, Workspace, joined
from dsh_tools.fs.places import open_place
from dsh_tools.fs.snapshots import take
from dsh_tools.fs.uris import file_uri

LIMIT: Final = 1 << 16
"""Bytes that an ``.editorconfig`` has at most."""

LONGEST_LINE: Final = 1_000
"""Characters that a line of it has at most: the library's patterns take quadratic time on a line."""

_MOST_STEPS: Final = 10**9
"""How often a glob's wildcards may try a path, at worst. A matcher that goes back takes that long on a hostile one."""

_NAME: Final = b".editorconfig"
_LINE_ENDS: Final = {"lf": "\n", "crlf": "\r\n"}
_CHOICE = re.compile(r"\{([^{}]*)\}")
_STARS = re.compile(r"\*+")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Properties:
    """What one ``.editorconfig`` says of one file."""

    values: Mapping[str, str]
    is_root: bool = False
    fault: str | None = None


def editor_config_style(workspace: Workspace, target: Target) -> FileStyle:
    """What the ``.editorconfig`` files from the workspace folder down to a file ask of it. Never fails."""
    asked: dict[str, str] = {}
    for shown, data, below in _nearest_first(workspace, target):
        properties = _properties(data, below)
        if properties.fault is not None:
            _warn(shown, properties.fault)
        asked = {**properties.values, **asked}
        if properties.is_root:
            break
    return FileStyle(
        charset=charset_of(asked.get("charset", "")),
        line_end=_LINE_ENDS.get(asked.get("end_of_line", "").lower()),
        final_newline=asked.get("insert_final_newline", "").lower() == "true",
    )


def _nearest_first(workspace: Workspace, target: Target) -> Iterator[tuple[str, bytes, str]]:
    """Each ``.editorconfig``: its path to show, its bytes, and the file's path from its folder on."""
    location = workspace.locate(target)
    for depth in reversed(range(len(location.parts))):
        beside = Location(location.root, (*location.parts[:depth], _NAME))
        path = joined(beside.root, b"/".join(beside.parts))
        shown = workspace.shown(path)
        try:
            with translated(shown):
                data = _data(workspace, beside, path, shown)
        except LedgerError as error:
            _warn(shown, f"it is left out ({error.code})")
            continue
        if data is not None:
            yield shown, data, b"/".join(location.parts[depth:]).decode("utf-8", "surrogateescape")


def _data(workspace: Workspace, location: Location, path: bytes, shown: str) -> bytes | None:
    """The bytes, through a link only if it leads to a file of the workspace.

    Raises:
        LedgerError, OSError: They can't be had.
    """
    with open_place(location, shown) as place:
        found = None if place is None else place.lstat()
        if place is None or found is None:
            return None
        if not stat.S_ISLNK(found.st_mode):
            snapshot = take(place, LIMIT)
            return None if snapshot is None else snapshot.data
    with open_place(workspace.locate(workspace.resolve(file_uri(path))), shown) as place:
        snapshot = None if place is None else take(place, LIMIT)
    return None if snapshot is None else snapshot.data


@lru_cache(maxsize=128)
def _warn(shown: str, what: str) -> None:
    """Warn once, not at every call."""
    _log.warning("%s: %s", shown, what)


@lru_cache(maxsize=128)
def _properties(data: bytes, below: str) -> _Properties:
    """What the bytes of an ``.editorconfig`` say of the file at a path below its folder."""
    try:
        longest = max(map(len, data.decode("utf-8").split("\n")))
    except UnicodeDecodeError:
        return _Properties({}, fault="it is left out, since it is not UTF-8")
    if longest > LONGEST_LINE:
        return _Properties({}, fault=f"it is left out, since it has a line of {longest} characters")
    parser = _Parser(f"/{below}")
    try:
        parser.parse(data)
    except ParsingError:
        return _Properties({}, fault="it is left out, since a line of it is neither a section nor a property")
    return _Properties(dict(parser.options), parser.root_file, parser.fault)


class _Parser(EditorConfigParser):
    """The library's parser, on bytes instead of a path.

    The folder of the ``.editorconfig`` is ``/`` to it: a folder's real name may have characters that mean something in
    a glob.
    """

    fault: str | None = None

    def parse(self, data: bytes) -> None:
        """Read the properties.

        Raises:
            ParsingError: A line can't be understood.
        """
        utf8 = codecs.lookup("utf-8")
        self._read(codecs.StreamReaderWriter(io.BytesIO(data), utf8.streamreader, utf8.streamwriter), "/.editorconfig")

    def matches_filename(self, config_filename: str, glob: str) -> bool:
        """Whether a section is about the file. One that can't be answered, or not in time, is about none."""
        if len(self.filename) ** _wildcards(glob) > _MOST_STEPS:
            self.fault = "a section is left out, since it has too many wildcards"
            return False
        try:
            return super().matches_filename(config_filename, glob)
        except Exception:  # noqa: BLE001 - the library makes a regular expression of what may be no glob
            self.fault = "a section is left out, since it is no glob"
            return False


def _wildcards(glob: str) -> int:
    """How many runs of ``*`` a glob has at most, whichever of its alternatives are taken."""
    while choice := _CHOICE.search(glob):
        most = max(len(_STARS.findall(each)) for each in choice[1].split(","))
        glob = glob[: choice.start()] + "_*" * most + "_" + glob[choice.end() :]
    return len(_STARS.findall(glob))
