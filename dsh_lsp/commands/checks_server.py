"""What `dsh-lsp doctor` asks of the server of a folder: which it is, and what each editor said it can do."""

import asyncio
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

from dsh_lsp.client import ClientError, RequestRefused, observe
from dsh_lsp.commands.findings import Finding
from dsh_lsp.commands.hunk_words import folder_path
from dsh_lsp.commands.status import editor_line
from dsh_lsp.discovery import find
from dsh_lsp.replaying.wording import many
from dsh_lsp.status_wire import EditorStatus, StatusResult

_START: Final = {
    "neovim": "open a file of the folder in Neovim and look at :checkhealth vim.lsp and at its log (vim.lsp.log)",
    "code": "open the folder in VS Code and look at the output of the extension that starts dsh-lsp",
}
_START_ANY: Final = "open the folder in an editor that starts dsh-lsp --stdio, and look at the editor's log of it"


async def checks_server(workspace: Path, editor: str | None, wait: float) -> list[Finding]:
    """Whether a server has the folder, and who is attached to it.

    Args:
        workspace: The folder.
        editor: Part of the name of the editor that matters; None for all.
        wait: Seconds to look for a server.
    """
    try:
        async with observe(workspace, patience=wait) as observer:
            status = await observer.status()
    except RequestRefused:
        return [Finding("server", "note", "an older server runs that can't tell who is attached", "restart the editor")]
    except ClientError as error:
        return [Finding("server", "wrong", str(error), _how_to_start(editor))]
    found = [*_server(status), *await asyncio.to_thread(_others, workspace, status.pid)]
    wanted = [each for each in status.editors if editor is None or editor.casefold() in (each.name or "").casefold()]
    if editor is not None and not wanted:
        names = ", ".join(each.name or "one without a name" for each in status.editors) or "none"
        message = f"no editor of the name {editor!r} is attached (there are: {names})"
        found.append(Finding("editor", "wrong", message, _how_to_start(editor)))
    elif not wanted:
        found.append(
            Finding("editor", "note", "no editor is attached: agents' edits go to the disk alone", _how_to_start(None))
        )
    for each in wanted:
        found += _editor(each)
    return found


def _server(status: StatusResult) -> Iterator[Finding]:
    here = version("dsh-lsp")
    said = f"process {status.pid}, dsh-lsp {status.version}"
    if status.version == here:
        yield Finding("server", "ok", said)
    else:
        yield Finding("server", "note", f"{said}; this program is {here}", "restart the editor for it to be the same")
    yield Finding("server", "ok", f"it has {', '.join(map(folder_path, status.workspace_folders))}")
    if status.watched is None:
        yield Finding(
            "server",
            "note",
            "it does not watch files: agents learn of changed ones when they use them again",
            "leave initializationOptions.watch out, or set it to true",
        )
    else:
        yield Finding("server", "ok", f"it watches {many(status.watched, 'directory', 'directories')}")
    sessions = sum(session.attached for session in status.sessions)
    yield Finding("server", "ok", f"{many(sessions, 'agent')} attached")


def _others(workspace: Path, pid: int) -> Iterator[Finding]:
    others = [found for found in find(workspace) if found.pid != pid]
    if others:
        processes = ", ".join(str(found.pid) for found in others)
        yield Finding(
            "server",
            "note",
            f"other servers have this folder or one above it, too: process {processes}",
            "agents take the one of the nearest folder; end the editors that should not have it",
        )


def _editor(editor: EditorStatus) -> Iterator[Finding]:
    about = editor.name or "editor"
    yield Finding(about, "ok", f"attached; positions in {editor.position_encoding}")
    yield Finding(about, "ok" if editor.documents else "note", editor_line(editor), _NOTHING_OPEN[not editor.documents])
    if editor.dsh.apply_edit:
        yield Finding(about, "ok", "applies edits by our own method, checked by content")
    elif not editor.apply_edit:
        yield Finding(
            about,
            "wrong",
            "it declares no workspace/applyEdit: agents can't edit what it has open",
            "use a client that declares workspace.applyEdit, or close files that agents are to edit",
        )
    elif editor.name == "Neovim" and not editor.refreshes_tokens:
        yield Finding(
            about,
            "wrong",
            "this Neovim can't be asked to send what it holds back: edits may stay unconfirmed",
            "use Neovim 0.10 or newer, and leave workspace.semanticTokens.refreshSupport as it is",
        )
    else:
        yield Finding(about, "ok", "applies edits by workspace/applyEdit")
    if editor.dsh.decorations:
        yield Finding(about, "ok", "paints hunks itself")
    else:
        yield Finding(
            about,
            "note",
            "it has no plug-in of ours: hunks are shown as diagnostics, code lenses, code actions and hovers",
            "editor-clients has plug-ins; nothing needs them",
        )
    if not editor.dsh.save_document:
        yield Finding(
            about,
            "note",
            "it can't be asked to save: after an agent's edit, the file on the disk is as it was until you save it",
            "switch on the editor's own saving, or use a plug-in of ours",
        )


_NOTHING_OPEN: Final = (None, "open a file of the workspace in it: it shows its buffers to the server only then")


def _how_to_start(editor: str | None) -> str:
    if editor is None:
        return _START_ANY
    return next((said for name, said in _START.items() if name in editor.casefold()), _START_ANY)
