"""``dsh-lsp status``: who has a workspace, and who is attached."""

import json
from pathlib import Path

from dsh_lsp.client import observe
from dsh_lsp.commands.ending import DONE, put
from dsh_lsp.commands.hunk_words import folder_path
from dsh_lsp.replaying.wording import many
from dsh_lsp.status_wire import EditorStatus, SessionStatus, StatusResult
from dsh_tools.visible import one_line


async def run_status(workspace: Path, *, as_json: bool, wait: float) -> int:
    """Print it; the exit code.

    Raises:
        ClientError: There is no server, or it can't tell.
    """
    async with observe(workspace, patience=wait) as observer:
        status = await observer.status()
    put(json.dumps(status.to_wire(), ensure_ascii=False, indent=2) if as_json else status_text(status))
    return DONE


def status_text(status: StatusResult) -> str:
    """The status in lines."""
    lines = [f"server    dsh-lsp {status.version}, process {status.pid}, protocol {status.protocol_version}"]
    lines += _listed("folders", [folder_path(folder) for folder in status.workspace_folders])
    lines += _listed("editors", [editor_line(editor) for editor in status.editors] or ["none"])
    lines += _listed("sessions", [_session_line(session) for session in status.sessions] or ["none"])
    pending = f"{many(status.pending_hunks, 'hunk')} in {many(status.pending_files, 'file')}"
    return "\n".join([*lines, f"{'pending':<10}{pending if status.pending_hunks else 'nothing'}"])


def editor_line(editor: EditorStatus) -> str:
    """An editor in one line."""
    unsaved = f", {editor.unsaved} with unsaved typing" if editor.unsaved else ""
    name = one_line(editor.name or "an editor without a name")
    return f"{name}: {many(editor.documents, 'document')} open{unsaved}"


def _session_line(session: SessionStatus) -> str:
    said = ["attached" if session.attached else "not attached"]
    if session.running:
        said.append(many(session.running, "call") + " running")
    if session.pending:
        said.append(many(session.pending, "hunk") + " pending")
    return f"{one_line(session.session_id)} ({one_line(session.agent or 'no name')}): {', '.join(said)}"


def _listed(name: str, items: list[str]) -> list[str]:
    return [f"{name if not number else '':<10}{item}" for number, item in enumerate(items)]
