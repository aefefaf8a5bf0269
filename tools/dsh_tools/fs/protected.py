"""Places in a workspace that no tool may change: what is written there runs, or decides what may run.

One decision, by the real path of a target, so that every tool and every spelling of the path gets the same one. Reading
is not affected. Names are compared without regard to case: a disk may not tell them apart, and no honest file is lost
by it. Deliberately absent: the disk (`protected_by_disk` asks it what else runs), and a shell command, which is outside
of this fence; the user is asked before one runs.
"""

from collections.abc import Sequence
from typing import Final

_DIRECTORIES: Final = frozenset(
    {b".git", b".hg", b".svn", b".jj", b".ssh", b".claude", b".cursor", b".codex", b".gemini", b".dsh"}
)
"""Version control (hooks, configuration, and a ``.git`` file that leads elsewhere), who may log in, and what agents are
told and may do."""

_FILES: Final = frozenset(
    {
        b".envrc",
        b".mcp.json",
        b".gitmodules",
        b".gitconfig",
        b".pre-commit-config.yaml",
        b".exrc",
        b".nvimrc",
        b".nvim.lua",
        b".vimrc",
        b".dir-locals.el",
        b".devcontainer.json",
        b".gdbinit",
        b".lldbinit",
        b".bashrc",
        b".bash_profile",
        b".bash_login",
        b".bash_logout",
        b".profile",
        b".zshrc",
        b".zshenv",
        b".zprofile",
        b".zlogin",
        b".zlogout",
    }
)
"""Read and run by shells, editors, debuggers, agents and version control, wherever they are."""

_ENDING: Final = b".code-workspace"
"""What the files end with in which VS Code keeps tasks and settings of several folders."""

_BELOW: Final = {
    b".vscode": frozenset({b"tasks.json", b"launch.json", b"settings.json", b"extensions.json", b"mcp.json"}),
    b".zed": frozenset({b"tasks.json", b"settings.json", b"debug.json"}),
    b".idea": frozenset(
        {b"workspace.xml", b"runconfigurations", b"externaltools.xml", b"startup.xml", b"watchertasks.xml"}
    ),
    b".devcontainer": frozenset({b"devcontainer.json"}),
    b".husky": None,
}
"""Directories of which some names are protected, at any depth; None for all of them."""

NAMES: Final = _DIRECTORIES | _FILES | _BELOW.keys()
"""The names that protection begins at."""


def is_protected(parts: Sequence[bytes]) -> bool:
    """Whether a target must not be changed by a tool.

    Args:
        parts: The components of its real path below the workspace's root.
    """
    names = [part.lower() for part in parts]
    if any(name in _DIRECTORIES for name in names):
        return True
    if names and (names[-1] in _FILES or names[-1].endswith(_ENDING)):
        return True
    for place, name in enumerate(names[:-1]):
        if name in _BELOW:
            below = _BELOW[name]
            if below is None or not below.isdisjoint(names[place + 1 :]):
                return True
    return False


def spelled(name: bytes) -> tuple[bytes, ...]:
    """What is protected at one of `NAMES`: paths from the directory that it is in."""
    below = _BELOW.get(name)
    return (name,) if below is None else tuple(name + b"/" + each for each in sorted(below))
