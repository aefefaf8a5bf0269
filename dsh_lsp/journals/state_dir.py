"""The directory for what outlives a process: the journals of sessions.

``$DSH_LSP_STATE_DIR`` if set (an absolute path), else the user's state directory (``$XDG_STATE_HOME/dsh-lsp`` or
``~/.local/state/dsh-lsp``; XDG Base Directory Specification 0.8). It and all below it belong to the user alone: mode
0700, files 0600. All functions block for a few system calls: call them in an executor.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import platformdirs

from dsh_lsp.runtime_dir import RuntimeDirRefused, private_dir

STATE_DIR_VARIABLE: Final = "DSH_LSP_STATE_DIR"
"""The environment variable that overrules the choice."""

_PLAIN_ID = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,99}")
SUFFIX: Final = ".jsonl"


class StateDirRefused(Exception):
    """There is no directory for journals. The message says why and what to do, without a path."""


def state_dir() -> Path:
    """Where the state directory is. Creates nothing.

    Raises:
        StateDirRefused: The environment names one by a relative path.
    """
    named = os.environ.get(STATE_DIR_VARIABLE)
    if named and not Path(named).is_absolute():
        raise StateDirRefused(f"{STATE_DIR_VARIABLE} is not an absolute path")
    return Path(named) if named else Path(platformdirs.user_state_dir("dsh-lsp", appauthor=False))


def journals_dir(workspace: Path) -> Path:
    """The directory for the journals of a workspace, created if it wasn't there.

    Args:
        workspace: The real path of the workspace's first folder.

    Raises:
        StateDirRefused: None can be had that is the user's alone.
    """
    return _private_below("sessions", workspace)


def reviews_dir(workspace: Path) -> Path:
    """The directory for what is pending in a workspace; else as `journals_dir`."""
    return _private_below("reviews", workspace)


def _private_below(name: str, workspace: Path) -> Path:
    path = state_dir()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for below in ("", name, workspace_key(workspace)):
            path = private_dir(path / below)
    except OSError as error:
        raise StateDirRefused(f"the state directory can't be created: {error.strerror}") from None
    except RuntimeDirRefused as refusal:
        said = f"the state directory {refusal.reason}; {STATE_DIR_VARIABLE} can name another one"
        raise StateDirRefused(said) from None
    return path


def known_journals() -> Iterator[Path]:
    """All journals of the user, of every workspace; none where there is no directory.

    Raises:
        StateDirRefused: As for `state_dir`.
    """
    yield from sorted((state_dir() / "sessions").glob(f"*/*{SUFFIX}"))


def workspace_key(workspace: Path) -> str:
    """The name of a workspace's directory: it tells workspaces apart and says nothing about them."""
    return hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]


def journal_name(session_id: str) -> str:
    """The file name of a session's journal. An id that is no plain lower-case name is told by its digest."""
    if _PLAIN_ID.fullmatch(session_id):
        return session_id + SUFFIX
    return f"id.{hashlib.sha256(session_id.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}{SUFFIX}"
