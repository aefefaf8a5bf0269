"""What a workspace asks of a file: its encoding where the bytes don't say it, and how a new one is written.

Asked are, in this order, the encodings that the user has set for globs, and ``.editorconfig``. Deliberately absent: any
look at the file itself, and any say over line ends and byte order mark of a file that exists.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from dsh_ledger.targets import Target
from dsh_tools.fs.charsets import Charset, charset_of
from dsh_tools.fs.paths import Workspace
from dsh_tools.search.globs import Glob, GlobRefused

_log = logging.getLogger(__name__)

_LOGGED = 60
"""How many characters of a pattern the log repeats."""


@dataclass(frozen=True, slots=True)
class FileStyle:
    r"""What is asked of one file.

    Attributes:
        charset: The declared encoding, if there is one.
        line_end: ``\n`` or ``\r\n`` for a new file; None: as it is given.
        final_newline: A new file that is not empty ends with a line end.
    """

    charset: Charset | None = None
    line_end: str | None = None
    final_newline: bool = False

    @property
    def codec(self) -> str | None:
        """The declared codec."""
        return self.charset.codec if self.charset else None


NO_STYLE = FileStyle()
"""Nothing is asked."""

StyleOf: TypeAlias = Callable[[], FileStyle]
"""Finds out what is asked of one file; called only where that matters, since it asks the disk."""


def no_style() -> FileStyle:
    """Nothing is asked."""
    return NO_STYLE


class FileStyles:
    """Finds out what is asked of files. May be used from several threads; asks the disk and blocks.

    Args:
        encodings: As for `set_encodings`.
    """

    def __init__(self, encodings: Mapping[str, str] = MappingProxyType({})) -> None:
        self._encodings: tuple[tuple[Glob, Charset], ...] = ()
        self.set_encodings(encodings)

    def set_encodings(self, encodings: Mapping[str, str]) -> None:
        """Take the user's encodings. What can't be used is left out, with a warning in the log.

        Args:
            encodings: Encodings by glob. A glob of one name is about that name in every folder, another one about the
                path from the workspace folder; the last that matches counts.
        """
        usable: list[tuple[Glob, Charset]] = []
        for pattern, name in encodings.items():
            charset = charset_of(name)
            try:
                glob = Glob(pattern, anywhere=True)
            except GlobRefused:
                glob = None
            if glob is None or charset is None:
                _log.warning("encodings: %.*r can't be used, or not with its encoding", _LOGGED, pattern)
            else:
                usable.append((glob, charset))
        self._encodings = tuple(usable)

    def of(self, workspace: Workspace, target: Target) -> FileStyle:
        """What is asked of a file, which need not exist. Never fails: what can't be read asks for nothing.

        Args:
            workspace: Nothing outside the folder of it that the file is in is looked at.
            target: Which file.
        """
        from dsh_tools.fs.editor_config import editor_config_style

        style = editor_config_style(workspace, target)
        charset = self._set_for(workspace, target)
        return style if charset is None else replace(style, charset=charset)

    def _set_for(self, workspace: Workspace, target: Target) -> Charset | None:
        if not self._encodings:
            return None
        # Not `os.fsdecode`: its encoding is the locale's.
        path = b"/".join(workspace.locate(target).parts).decode("utf-8", "surrogateescape")
        return next((charset for glob, charset in reversed(self._encodings) if glob.matches(path)), None)
