"""The crash log of this server, and what is said of what killed servers left.

Held here: where the log is (``publishing`` in the state directory), and the sentences for a person.

Deliberately absent: what is done about it; see `dsh_tools.fs.recovery`.
"""

import errno
import logging
from pathlib import Path
from typing import assert_never

from dsh_lsp.journals.state_dir import StateDirRefused, state_dir
from dsh_lsp.runtime_dir import RuntimeDirRefused, private_dir
from dsh_tools.fs.crash_log import CrashLog
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.process_turns import ProcessTurns
from dsh_tools.fs.publish import Publisher
from dsh_tools.fs.recovery import Recovered, recover

_log = logging.getLogger(__name__)

_NAME = "publishing"


def logged_publisher() -> tuple[Publisher, CrashLog]:
    """A publisher that writes down what is under way, and takes turns with other servers; its log, to be closed."""
    log = CrashLog(log_directory)
    return Publisher(crash_log=log, turns=ProcessTurns(log_directory)), log


def log_directory() -> Path:
    """The directory of all crash logs of the user, made if it wasn't there. Blocks for a few system calls.

    Raises:
        OSError: None can be had that is the user's alone.
    """
    try:
        path = state_dir()
        path.parent.mkdir(parents=True, exist_ok=True)
        return private_dir(private_dir(path) / _NAME)
    except (StateDirRefused, RuntimeDirRefused):
        raise OSError(errno.EACCES, "there is no state directory that is the user's alone") from None


def recovered(workspace: Workspace) -> list[str]:
    """Set right what killed servers left, in whatever workspace; what a person should know of it. Blocks."""
    try:
        done = recover(log_directory())
    except OSError as error:
        _log.warning("what killed servers left can't be looked for: %s", error.strerror)
        return []
    sentences = [sentence for each in done if (sentence := _sentence(each, workspace))]
    for sentence in sentences:
        _log.warning("%s", sentence)
    return sentences


def _sentence(each: Recovered, workspace: Workspace) -> str | None:
    path = workspace.shown_if_inside(each.path)
    # Of another workspace's file not even the name is for this one's log.
    kept = (each.kept or "") if path else (each.kept or "").partition("-")[0] + "-…"
    path = path or "A file of another workspace"
    match each.outcome:
        case "swept":
            return None
        case "restored":
            return f"{path} was half written when a server was killed. Its content from before is back."
        case "returned":
            return f"{path} was being changed by another program too when a server was killed. What that wrote is back."
        case "kept":
            return (
                f"{path} was being changed when a server was killed, and has been changed since. It was left as it is; "
                f"a content that may be missing is kept in the state directory: {_NAME}/{kept}."
            )
        case _:
            assert_never(each.outcome)
