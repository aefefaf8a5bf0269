"""What the README tells a person to type exists: make's targets, and the program's commands with their options.

The two commands of the start are run as written by ``.ci/run``, from an empty home; here it is only checked that they
are there and that nothing else in the README has drifted.
"""

import os
import re
import subprocess
import sys

import pytest

from tests.support.repository import fenced_lines, read

START = ("make demo", "make test")


def documented_commands() -> dict[str, set[str]]:
    """The commands of ``dsh-lsp`` that the README shows, in fences or in code marks, each with its long options.

    The program called without a command is the empty one.
    """
    readme = read("README.md")
    shown = [*fenced_lines(readme), *re.findall(r"`([^`\n]+)`", readme)]
    commands: dict[str, set[str]] = {}
    for line in shown:
        for command, rest in re.findall(r"(?:^|[\s\"'/(])dsh-lsp(?: ([a-z][a-z-]*)|(?= --))([^|;&#]*)", line):
            commands.setdefault(command, set()).update(re.findall(r"(?<!\S)--[a-z][a-z-]*", rest))
    return commands


def help_of(*command: str) -> subprocess.CompletedProcess[str]:
    """Ask the program for the help of a command, in plain text on a wide terminal."""
    return subprocess.run(
        [sys.executable, "-m", "dsh_lsp", *command, "--help"],
        env={**os.environ, "COLUMNS": "300", "NO_COLOR": "1", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("command", START)
def test_the_start_is_two_commands(command: str) -> None:
    """The README shows both commands alone on a line, and the continuous integration runs both as they are written."""
    assert command in fenced_lines(read("README.md"))
    assert command in read(".ci/run").splitlines()


def test_every_target_that_the_readme_names_exists() -> None:
    """Each ``make ...`` of the README is a target of the Makefile."""
    named = {
        target for line in fenced_lines(read("README.md")) for target in re.findall(r"(?:^|\s)make ([a-z-]+)", line)
    }
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))

    assert set() == named - targets


def test_every_command_that_the_readme_names_exists() -> None:
    """Each ``dsh-lsp ...`` of the README is a command of the program, and each option shown with it is its own."""
    unknown: list[str] = []
    for command, options in sorted(documented_commands().items()):
        answer = help_of(*command.split())
        if answer.returncode != 0:
            unknown.append(command)
            continue
        known = set(re.findall(r"--[a-z][a-z-]*", answer.stdout))
        unknown.extend(f"{command} {option}".lstrip() for option in sorted(options - known))

    assert [] == unknown


def test_an_unknown_command_has_no_help() -> None:
    """The program refuses the help of a command that it doesn't have; else the check above would check nothing."""
    assert help_of("no-such-command").returncode != 0
    assert 0 == help_of().returncode
