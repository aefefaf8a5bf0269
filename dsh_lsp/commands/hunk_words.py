"""A pending hunk in one line, and a file by the name that people know it by."""

import os
from collections.abc import Sequence
from pathlib import PurePath

from dsh_lsp.wire import ReviewedHunk
from dsh_tools.fs.uris import uri_path
from dsh_tools.visible import one_line


def hunk_line(hunk: ReviewedHunk, folders: Sequence[str]) -> str:
    """A hunk in one line: ``src/a.py:3-5  modified +3 -1  by an agent``."""
    first, count = hunk.range.start.line + 1, hunk.added_lines
    place = f"{first}-{first + count - 1}" if count > 1 else str(first)
    author = f"  by {hunk.author}" if hunk.author else ""
    counts = f"+{hunk.added_lines} -{hunk.removed_lines}"
    return one_line(f"{file_name(hunk.uri, folders)}:{place}  {hunk.kind} {counts}{author}")


def file_name(uri: str, folders: Sequence[str]) -> str:
    """A file's path from the workspace folder that it is in; its URI where it is in none."""
    path = _path(uri)
    for folder in map(_path, folders):
        if path is not None and folder is not None and path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return uri


def folder_path(uri: str) -> str:
    """A folder's path; its URI where it has none."""
    path = _path(uri)
    return uri if path is None else str(path)


def _path(uri: str) -> PurePath | None:
    path = uri_path(uri)
    return None if path is None else PurePath(os.fsdecode(path))
