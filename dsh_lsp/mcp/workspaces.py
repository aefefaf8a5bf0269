"""Which folder a client of the Model Context Protocol works in.

Its own roots come first, then what this process was told, then where it was started. Never the user's home, or what is
above it: that is where clients without a folder start their servers.
"""

from collections.abc import Iterable, Sequence
from os import fsdecode
from pathlib import Path

from dsh_tools.fs.uris import uri_path


class NoWorkspace(Exception):
    """There is no folder to work in. The message says what to do."""


def chosen(roots: Iterable[str], told: Path | None, here: Path, home: Path) -> list[Path]:
    """The folders of the workspace; relative paths start from the first.

    Args:
        roots: The client's roots, as URIs; empty where it has none.
        told: The folder that was given on the command line.
        here: The directory that this process was started in.
        home: The user's home.

    Raises:
        NoWorkspace: All that there is, is not there, or is the home, or above it.
    """
    named = [Path(fsdecode(path)) for uri in roots if (path := uri_path(uri)) is not None]
    for candidates in (named, [told] if told is not None else [], [here]):
        folders = _usable(candidates, home)
        if folders:
            return folders
    raise NoWorkspace(
        "there is no folder to work in: the client names none, and this server was started in the home directory or "
        "above it. Start the agent in a project's folder, or add --workspace DIR to the command of this server."
    )


def _usable(folders: Sequence[Path], home: Path) -> list[Path]:
    real_home = home.resolve()
    return [folder for folder in folders if folder.is_dir() and not real_home.is_relative_to(folder.resolve())]
