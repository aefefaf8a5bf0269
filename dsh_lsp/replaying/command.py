"""``dsh-lsp replay``: which journal is meant, and what is written where."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_ledger.journal import UnreadableLine, decode
from dsh_lsp.acp import session_updates
from dsh_lsp.journals.journal_file import read_lines
from dsh_lsp.journals.reading import read_history
from dsh_lsp.journals.state_dir import StateDirRefused, journal_name, known_journals
from dsh_lsp.replaying.html import render_html
from dsh_lsp.replaying.jsonl import json_lines, message_lines
from dsh_lsp.replaying.notes import notes
from dsh_lsp.replaying.sessions import replayed_session
from dsh_lsp.replaying.text import print_text, render_text
from dsh_tools.visible import one_line

if TYPE_CHECKING:
    from dsh_lsp.replaying.checking import Checked

EXACT = 0
DIFFERENT = 1
NOT_FOUND = 2


class NoSuchSession(Exception):
    """It can't be said which journal is meant. The message says why, and what to do."""


def run_replay(session: str, form: str, output: Path | None) -> int:
    """Show a session; the exit code."""
    try:
        path = find_journal(session)
        history, unreadable = read_history(path)
    except NoSuchSession as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"the journal can't be read: {error.strerror}")
    shown = replayed_session(history, unreadable)
    if form == "text" and output is None:
        print_text(shown)
        return EXACT
    if form == "jsonl":
        text = "".join(f"{line}\n" for line in json_lines(notes(history)))
    elif form == "acp":
        folder = shown.workspace_folders[0] if shown.workspace_folders else None
        text = "".join(f"{line}\n" for line in message_lines(session_updates(notes(history), folder)))
    else:
        text = render_html(shown) if form == "html" else render_text(shown)
    return _write(text, output)


def run_check(session: str) -> int:
    """Check a session's journal, and say what was found; the exit code."""
    try:
        lines = [line for _, line in read_lines(find_journal(session))]
    except NoSuchSession as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"the journal can't be read: {error.strerror}")
    # Only the check needs tools; showing a session needs none.
    from dsh_lsp.plugins import load_plugins, register
    from dsh_lsp.replaying.checking import check
    from dsh_tools.builtin import BUILTIN
    from dsh_tools.registry import Registry

    registry = Registry(BUILTIN)
    register(load_plugins(), registry)
    found = check(lines, registry)
    sys.stdout.write(_report(found))
    return EXACT if found.is_exact else DIFFERENT


def find_journal(session: str) -> Path:
    """The journal that is meant by a session's id or by a path.

    Raises:
        NoSuchSession: There is none, or there are several.
    """
    if session.endswith(".jsonl") and Path(session).is_file():
        return Path(session)
    try:
        found = [path for path in known_journals() if path.name == journal_name(session)]
    except StateDirRefused as refusal:
        raise NoSuchSession(str(refusal)) from None
    if not found:
        raise NoSuchSession(f"there is no recorded session {session!r}; name one, or the path of a journal")
    if len(found) > 1:
        places = "\n".join(f"  {path}  ({one_line(_folder(path))})" for path in found)
        raise NoSuchSession(f"several workspaces have a session {session!r}; name one of the journals:\n{places}")
    return found[0]


def _folder(path: Path) -> str:
    """The workspace folder that a journal begins with."""
    try:
        _, line = next(iter(read_lines(path)))
        folders = decode(line).data.get("workspaceFolders")
    except (OSError, StopIteration, UnreadableLine):
        return "unknown"
    return str(folders[0]) if isinstance(folders, list) and folders else "unknown"


def _report(found: "Checked") -> str:
    lines = [f"{found.cards} cards; {found.made_again} of them made again from the record."]
    lines += [f"Not the same: {each}." for each in found.differing]
    lines += [f"Line {number} can't be read." for number in found.unreadable]
    if found.not_installed:
        names = ", ".join(sorted(found.not_installed))
        lines.append(f"Not installed here, so shown as recorded: {names}.")
    if found.unfinished:
        lines.append(f"Calls without a result: {found.unfinished}.")
    lines.append("Replay is exact." if found.is_exact else "Replay is not exact.")
    return "".join(f"{one_line(line)}\n" for line in lines)  # names of tools are what agents called them


def _write(text: str, output: Path | None) -> int:
    data = text.encode("utf-8", "backslashreplace")  # whatever the terminal's encoding is
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return EXACT
    try:
        output.write_bytes(data)
    except OSError as error:
        return _complain(f"the output can't be written: {error.strerror}")
    return EXACT


def _complain(message: str) -> int:
    sys.stderr.write(f"dsh-lsp replay: {message}\n")
    return NOT_FOUND
