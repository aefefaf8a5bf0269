"""``dsh/status``."""

import os
from collections import Counter
from importlib.metadata import version
from typing import Any

from dsh_lsp.editor import Editor
from dsh_lsp.handlers.context import hub_of
from dsh_lsp.hub import Hub
from dsh_lsp.status_wire import EditorStatus, SessionStatus, StatusParams, StatusResult


async def status(peer: Any, _params: StatusParams) -> StatusResult:
    """Who has this workspace, and who is here. It tells counts and names, and no path but the folders."""
    hub = hub_of(peer)
    await hub.ready()
    pending, files = await _pending(hub)
    return StatusResult(
        version=version("dsh-lsp"),
        pid=os.getpid(),
        workspace_folders=tuple(root.as_uri() for root in hub.workspace.roots),
        editors=tuple(_editor(hub, editor) for editor in hub.editors),
        sessions=tuple(
            SessionStatus(
                session_id=session.id,
                agent=session.agent,
                attached=session.peer is not None,
                running=sum(not call.task.done() for call in session.calls.values()),
                pending=pending[session.id],
            )
            for session in hub.sessions
        ),
        pending_hunks=pending.total(),
        pending_files=files,
        watched=hub.watched_directories,
    )


async def _pending(hub: Hub) -> tuple[Counter[str], int]:
    """How many hunks are pending of each session, and in how many files."""
    hunks: Counter[str] = Counter()
    files = 0
    for target in await hub.reviews.targets():
        found = await hub.reviews.of(target)
        if found is not None:
            files += 1
            hunks.update(hunk.session for hunk in found.hunks)
    return hunks, files


def _editor(hub: Hub, editor: Editor) -> EditorStatus:
    traits = editor.traits
    documents = [document for document in hub.documents if document.editor is editor]
    return EditorStatus(
        name=traits.name or None,
        position_encoding=traits.encoding,
        documents=len(documents),
        unsaved=sum(document.dirty for document in documents),
        apply_edit=traits.applies_edits,
        refreshes_tokens=traits.refreshes_tokens,
        change_annotations=traits.annotates,
        dsh=traits.dsh,
    )
