"""Places in a workspace that no tool may change: what is written there runs, or decides what may run.

One decision, by the real path of a target, so that every tool and every spelling of the path gets the same one. Reading
is not affected. Names are compared without regard to case: a disk may not tell them apart, and no honest file is lost
by it. Deliberately absent: a shell command, which is outside of this fence; the user is asked before one runs.
"""

from collections.abc import Sequence
from typing import Final

_DIRECTORIES: Final = frozenset(
    {b".git", b".hg", b".svn", b".jj", b".claude", b".cursor", b".codex", b".gemini", b".dsh"}
)
"""Version control (hooks, configuration, and a ``.git`` file that leads elsewhere), and configuration of agents."""

_FILES: Final = frozenset(
    {
        b".envrc",
        b".mcp.json",
        b".gitmodules",
        b".pre-commit-config.yaml",
        b".exrc",
        b".nvimrc",
        b".nvim.lua",
        b".vimrc",
        b".dir-locals.el",
    }
)
"""Read and run by shells, editors, agents and version control, wherever they are."""

_BELOW: Final = {
    b".vscode": frozenset({b"tasks.json", b"launch.json", b"settings.json", b"extensions.json", b"mcp.json"}),
    b".idea": frozenset({b"workspace.xml", b"runconfigurations", b"externaltools.xml"}),
    b".devcontainer": frozenset({b"devcontainer.json"}),
    b".husky": None,
}
"""Directories of which some names are protected; None for all of them."""


def is_protected(parts: Sequence[bytes]) -> bool:
    """Whether a target must not be changed by a tool.

    Args:
        parts: The components of its real path below the workspace's root.
    """
    names = [part.lower() for part in parts]
    if any(name in _DIRECTORIES for name in names) or (names and names[-1] in _FILES):
        return True
    for place, name in enumerate(names[:-1]):
        if name in _BELOW:
            below = _BELOW[name]
            if below is None or names[place + 1] in below:
                return True
    return False
