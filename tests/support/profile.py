"""What kinds of editor say of themselves in ``initialize``.

The capabilities of stock editors are those that pytest-lsp has recorded from them. Deliberately absent: what they do
(see `applying` and `sending`).
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lsprotocol.converters import get_converter
from pytest_lsp import client_capabilities


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of editor.

    Attributes:
        client_info: As in ``initialize``; None if it doesn't say.
        position_encodings: ``general.positionEncodings``; None if it declares none.
        capabilities: The rest of the client's capabilities.
        dsh: ``experimental.dsh``; None if it has never heard of it.
        first_version: The version of a document that was just opened.
        first_change: The version after the first change.
    """

    client_info: Mapping[str, str] | None
    position_encodings: tuple[str, ...] | None
    capabilities: Mapping[str, Any]
    dsh: Mapping[str, bool] | None = None
    first_version: int = 1
    first_change: int = 2

    def without_apply_edit(self) -> "Profile":
        """The same, but it can't be asked for an edit."""
        workspace = {**self.capabilities.get("workspace", {}), "applyEdit": False}
        dsh = None if self.dsh is None else {**self.dsh, "applyEdit": False}
        return replace(self, capabilities={**self.capabilities, "workspace": workspace}, dsh=dsh)


PLAIN = Profile(
    client_info={"name": "plain test editor"},
    position_encodings=("utf-16",),
    capabilities={
        "workspace": {
            "applyEdit": True,
            "workspaceEdit": {"documentChanges": True},
            "workspaceFolders": True,
            "configuration": True,
        },
        "window": {"workDoneProgress": True},
        "textDocument": {"synchronization": {"didSave": True}},
    },
)
"""Plain LSP and no more, done as the specification says."""

OWN = replace(
    PLAIN,
    client_info={"name": "own test editor"},
    position_encodings=("utf-8", "utf-16"),
    dsh={"decorations": True, "cards": True, "applyEdit": True, "saveDocument": True, "reloadDocument": True},
)
"""A client of ours, with all it can have."""


@cache
def vs_code() -> Profile:
    """VS Code; pytest-lsp's record is of 1.65, which did not declare its position encoding yet."""
    return Profile({"name": "Visual Studio Code", "version": "1.100.3"}, ("utf-16",), _recorded("visual-studio-code"))


@cache
def neovim() -> Profile:
    """Stock Neovim 0.11.4; ``changedtick`` is its version from the first change on."""
    return Profile(
        {"name": "Neovim", "version": "0.11.4+v0.11.4"},
        ("utf-8", "utf-16", "utf-32"),
        _recorded("neovim@0.11"),
        first_version=0,
        first_change=3,
    )


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both JSON objects in one, objects member by member; ``over`` wins."""
    result = copy.deepcopy(dict(base))
    for name, value in over.items():
        mine = result.get(name)
        result[name] = merged(mine, value) if isinstance(mine, dict) and isinstance(value, Mapping) else value
    return result


def _recorded(client: str) -> dict[str, Any]:
    recorded: dict[str, Any] = get_converter().unstructure(client_capabilities(client))
    return recorded
