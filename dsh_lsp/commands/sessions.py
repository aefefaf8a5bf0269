"""``dsh-lsp sessions``: the recorded sessions of a workspace, with or without a server."""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.table import Table
from rich.text import Text

from dsh_lsp.client import NoServer, observe
from dsh_lsp.commands.console import printer
from dsh_lsp.commands.ending import DONE, Usage, put
from dsh_lsp.handlers.session_list import session_info
from dsh_lsp.journals.journals import Journals
from dsh_lsp.journals.state_dir import StateDirRefused, state_dir, workspace_key
from dsh_lsp.wire import SessionInfo
from dsh_tools.visible import one_line


async def run_sessions(workspace: Path, *, as_json: bool, wait: float) -> int:
    """Print them, the latest first; the exit code.

    Raises:
        ClientError: The server can't tell.
        Usage: There is no place for journals.
    """
    try:
        async with observe(workspace, patience=wait) as observer:
            sessions = await observer.sessions()
    except NoServer:
        sessions = await _recorded(workspace)
    if as_json:
        put(json.dumps([session.to_wire() for session in sessions], ensure_ascii=False, indent=2))
    elif sessions:
        _print(sessions)
    else:
        put("No session is recorded for this workspace.")
    return DONE


async def _recorded(workspace: Path) -> tuple[SessionInfo, ...]:
    """What is recorded of the nearest folder that has journals."""
    try:
        home = await asyncio.to_thread(_home, workspace)
    except StateDirRefused as refusal:
        raise Usage(str(refusal)) from None
    if home is None:
        return ()
    journals = Journals(home)
    try:
        return tuple(session_info(item, live=False) for item in await journals.listed())
    finally:
        journals.close()


def _home(workspace: Path) -> Path | None:
    kept, folder = state_dir() / "sessions", workspace.resolve()
    return next((each for each in (folder, *folder.parents) if (kept / workspace_key(each)).is_dir()), None)


def _print(sessions: Sequence[SessionInfo]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("session", overflow="fold")
    for name in ("agent", "began", "last", ""):
        table.add_column(name, no_wrap=name != "agent", overflow="fold")
    for each in sessions:
        state = "live" if each.live else "ended" if each.ended else ""
        agent = each.agent.name if each.agent else ""
        last = _when(each.last_at or each.started_at)
        table.add_row(*(Text(one_line(cell)) for cell in (each.session_id, agent, _when(each.started_at), last, state)))
    printer(120).print(table)


def _when(at: str) -> str:
    try:
        return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return at
