"""The help of the commands for people, and what is loaded before one of them runs."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dsh_lsp.cli import app

COMMANDS = ("agent", "agent run", "agent tools", "watch", "status", "sessions", "doctor")
HEAVY = ("asyncio", "dsh_lsp.client", "dsh_lsp.rpc", "lsprotocol", "pygls", "pygit2", "textual", "httpx", "dsh_tools")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_that_is_of_its_command(command: str) -> None:
    """A person sees at once what a line looks like; its options are the command's."""
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}, color=False)

    assert 0 == shown.exit_code
    assert f"dsh-lsp {command}" in shown.output.partition("Example")[2]


def test_nothing_heavy_is_loaded_to_read_the_command_line() -> None:
    """The version, and help, come at once; an editor that starts the server pays for no command."""
    code = f"import sys, dsh_lsp.cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, timeout=60)

    assert "[]" == done.stdout.strip()


def test_a_level_of_the_log_that_there_is_not_is_said() -> None:
    """As every other option that can't be used; nothing is started."""
    shown = CliRunner().invoke(app, ["--log-level", "loud", "--version"], env={"COLUMNS": "200"}, color=False)

    assert 2 == shown.exit_code
    assert "expected debug, info, warning or error" in shown.output
