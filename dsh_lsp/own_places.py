"""Where this user's servers keep what is theirs: journals, pending changes, crash logs, sockets, tokens.

A workspace may be a folder above (a home folder, say). What an agent could write there would be believed by the next
server. Creates nothing.
"""

from pathlib import Path

from dsh_lsp.journals.state_dir import StateDirRefused, state_dir
from dsh_lsp.runtime_dir import RuntimeDirRefused, possible_runtime_dirs


def own_places() -> tuple[Path, ...]:
    """The directories, as far as they can be told."""
    places: list[Path] = []
    try:
        places.append(state_dir())
    except StateDirRefused:
        pass
    try:
        places += possible_runtime_dirs()
    except RuntimeDirRefused:
        pass
    return tuple(places)
