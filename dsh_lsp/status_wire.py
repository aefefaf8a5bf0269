"""The shapes of ``dsh/status``: who has a workspace, and who is here. Counts and names; no paths, no contents."""

from typing import Literal

from dsh_lsp.wire import PROTOCOL_VERSION, DshCapabilities
from dsh_tools.models import Items, WireModel, optional


class StatusParams(WireModel):
    """``dsh/status``."""


class EditorStatus(WireModel):
    """An editor that is attached, as it described itself.

    Attributes:
        name: ``clientInfo.name``; left out where it has none.
        position_encoding: What its positions are counted in.
        documents: How many documents it has open.
        unsaved: How many of them have unsaved typing.
        apply_edit: It declared ``workspace.applyEdit``.
        refreshes_tokens: It declared ``workspace.semanticTokens.refreshSupport``.
        change_annotations: It declared ``workspace.workspaceEdit.changeAnnotationSupport``.
        dsh: What it declared of ``experimental.dsh``.
    """

    name: str | None = optional()
    position_encoding: Literal["utf-8", "utf-16", "utf-32"]
    documents: int
    unsaved: int
    apply_edit: bool
    refreshes_tokens: bool
    change_annotations: bool
    dsh: DshCapabilities


class SessionStatus(WireModel):
    """A session that the server has in memory.

    Attributes:
        agent: Who the agent says it is.
        attached: Its agent is connected.
        running: How many of its calls have not ended.
        pending: How many hunks of it nobody has decided on.
    """

    session_id: str
    agent: str | None = optional()
    attached: bool
    running: int
    pending: int


class StatusResult(WireModel):
    """The answer to ``dsh/status``.

    Attributes:
        version: The version of the server's package.
        pid: The server's process.
        workspace_folders: Its folders, as ``file:`` URIs.
        editors: The one that was used last first.
        sessions: Those in memory.
        pending_hunks: How many hunks nobody has decided on, in all.
        pending_files: In how many files they are.
        watched: How many directories are watched for changes; left out where watching is switched off.
    """

    version: str
    protocol_version: int = PROTOCOL_VERSION
    pid: int
    workspace_folders: Items[str]
    editors: Items[EditorStatus]
    sessions: Items[SessionStatus]
    pending_hunks: int
    pending_files: int
    watched: int | None = optional()
