"""``dsh-lsp watch``: a workspace's sessions as they go; drawn in a terminal, printed elsewhere."""

import sys
from pathlib import Path

from dsh_lsp.commands.console import printer
from dsh_lsp.commands.ending import DONE
from dsh_lsp.commands.following import Card, Follower, Gone, Pending, Present, Running
from dsh_lsp.commands.hunk_words import folder_path
from dsh_lsp.replaying.text import print_card
from dsh_lsp.replaying.wording import many
from dsh_tools.visible import one_line

_WIDTH = 100
"""Of what is not a terminal."""


async def run_watch(workspace: Path, *, plain: bool, history: int) -> int:
    """Follow a workspace until it is told to stop; the exit code.

    Raises:
        Unsupported: The server speaks another version of the protocol.
        BrokenPipeError: Nobody reads the output any more.
    """
    follower = Follower(workspace, history=history)
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        await _print(follower)
        return DONE
    from dsh_lsp.commands.watch_screen import WatchScreen

    screen = WatchScreen(follower)
    await screen.run_async()
    return screen.return_code or DONE


async def _print(follower: Follower) -> None:
    """One block for each card; one line for what else there is to say."""
    console = printer(_WIDTH)
    server: int | None = None
    session: str | None = None
    pending: int | None = None
    async for event in follower.events():
        match event:
            case Card():
                if event.session != session:
                    session = event.session
                    _say(f"\n== {event.agent or 'an agent without a name'}, session {session}")
                print_card(event.shown, console)
            case Present(status=status):
                if status.pid != server:
                    server = status.pid
                    _say(f"-- server: process {server}, {', '.join(map(folder_path, status.workspace_folders))}")
            case Pending(hunks=hunks):
                if len(hunks) != pending:
                    pending = len(hunks)
                    _say(f"-- pending: {many(pending, 'hunk')} in {many(len({h.uri for h in hunks}), 'file')}")
            case Gone(why=why):
                if server != 0:
                    server = 0
                    _say(f"-- no server now, waiting for one ({why})")
            case Running():
                pass
        sys.stdout.flush()


def _say(line: str) -> None:
    begin, end = ("\n", line[1:]) if line.startswith("\n") else ("", line)
    print(begin + one_line(end))  # noqa: T201 - what it is for
