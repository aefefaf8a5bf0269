"""``initialize``: what an editor says of itself, and what we say (LSP 3.17, "Initialize Request")."""

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.editor import EditorTraits
from dsh_lsp.permissions import Permission
from dsh_lsp.wire import PROTOCOL_VERSION, DshCapabilities
from dsh_tools.builtin import BUILTIN, WEB_FETCH
from dsh_tools.builtin.web_fetch import web_fetch
from dsh_tools.contract import AnyTool
from dsh_tools.fs.uris import local_paths

_log = logging.getLogger(__name__)


class WebOptions(BaseModel):
    """``initializationOptions.web``."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    allow_private: bool = Field(default=False, alias="allowPrivate")


class Options(BaseModel):
    """``initializationOptions``. Members that are not ours are other people's, and ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    timing: Timing = Timing()
    permissions: dict[str, Permission] = {}
    web: WebOptions = WebOptions()
    encodings: dict[str, str] = {}
    watch: bool = True
    tcp: bool = False

    def tools(self) -> list[AnyTool]:
        """The built-in tools as these options want them."""
        fetch = web_fetch(allow_private=True) if self.web.allow_private else WEB_FETCH
        return [fetch if tool is WEB_FETCH else tool for tool in BUILTIN]


def options_of(params: types.InitializeParams) -> Options:
    """The editor's options; defaults, and a warning, where they can't be used."""
    try:
        return Options.model_validate(params.initialization_options or {})
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, item["loc"])) for item in error.errors())
        _log.warning("initializationOptions are ignored: %s can't be used", fields)
        return Options()


def editor_traits(params: types.InitializeParams, result: types.InitializeResult) -> EditorTraits:
    """What matters of an editor."""
    capabilities = params.capabilities
    workspace = capabilities.workspace
    tokens = workspace.semantic_tokens if workspace else None
    encoding = types.PositionEncodingKind(result.capabilities.position_encoding or "utf-16")
    return EditorTraits(
        name=params.client_info.name if params.client_info else "",
        encoding=encoding.value,
        applies_edits=bool(workspace and workspace.apply_edit),
        refreshes_tokens=bool(tokens and tokens.refresh_support),
        annotates=bool(workspace and workspace.workspace_edit and workspace.workspace_edit.change_annotation_support),
        shows_progress=bool(capabilities.window and capabilities.window.work_done_progress),
        dsh=_dsh(capabilities.experimental),
    )


def _dsh(experimental: Any) -> DshCapabilities:
    ours = experimental.get("dsh") if isinstance(experimental, dict) else None
    try:
        return DshCapabilities.model_validate(ours or {})
    except ValidationError:
        _log.warning("experimental.dsh can't be used, and is ignored")
        return DshCapabilities()


def experimental_capabilities() -> dict[str, Any]:
    """Our own server capabilities."""
    return {"dsh": {"protocolVersion": PROTOCOL_VERSION}}


NOWHERE = Path(os.devnull, "no-workspace-folder")
"""A folder that can't be: every path is outside of it."""


def workspace_folders(params: types.InitializeParams) -> list[Path]:
    """The folders that agents may touch: those that the editor has open.

    Where it has none, the folder that the server was started in, as for a command in a terminal; but not if that is the
    user's home or above it, which is where an editor without a folder starts its servers. There is nothing then that an
    agent could reach. The same goes for an editor whose folders are none of this machine's files.
    """
    uris = [folder.uri for folder in params.workspace_folders or []]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    paths = local_paths(uris)
    if not paths and not uris and params.root_path and "\0" not in params.root_path:
        paths = [Path(params.root_path)]
    if paths:
        return paths
    here = Path.cwd()
    if uris or Path.home().is_relative_to(here):
        _log.warning("the editor has no folder open: agents can't reach any file")
        return [NOWHERE]
    return [here]


def changed_folders(folders: Iterable[Path], event: types.WorkspaceFoldersChangeEvent) -> list[Path]:
    """The folders after ``workspace/didChangeWorkspaceFolders``. The last one stays: a workspace has a folder."""
    gone = {os.path.realpath(path) for path in local_paths(folder.uri for folder in event.removed)}
    kept = [folder for folder in folders if os.path.realpath(folder) not in gone]
    added = [path for path in local_paths(folder.uri for folder in event.added) if path not in kept]
    return [*kept, *added] or list(folders)[:1]
