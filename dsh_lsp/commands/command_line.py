"""The commands for people, as typer knows them. What a command needs is imported when it runs."""

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from dsh_lsp.commands.defaults import SESSION, WAIT


class Output(StrEnum):
    """What a call prints."""

    TEXT = "text"
    JSON = "json"


Workspace: TypeAlias = Annotated[
    Path, typer.Option(help="A folder of the workspace, or one in it; the working directory by default.")
]
Wait: TypeAlias = Annotated[float, typer.Option(min=0.0, help="Seconds to look for a server.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Session: TypeAlias = Annotated[
    str,
    typer.Option(help="The session to go on with. The default is one of this workspace that all commands share."),
]
Name: TypeAlias = Annotated[str, typer.Option(help="Who you are; people see it beside the changes.")]

_AGENT_HELP = (
    "Be an agent: run tools under the same guards as any other.\n\n"
    "Without a command: in a terminal, a prompt (:help says what there is); else calls as JSON lines on standard "
    'input, one {"tool": "read", "arguments": {"file_path": "a.txt"}} a line, answered in order with one each.\n\n'
    "Exit code: 0 done; 1 refused, with the code on standard error; 2 the command line can't be used, or there is no "
    "server."
)
_AGENT_EXAMPLES = """Examples:

dsh-lsp agent run read a.txt

dsh-lsp agent run edit --file-path a.txt --old-string one --new-string two

dsh-lsp agent run edit --json - --output json < arguments.json

dsh-lsp agent tools"""
_RUN_HELP = (
    "Run one tool. Its arguments are options by their names; --help after the tool's name lists them.\n\n"
    "Words without an option are the required arguments in their order; lists are given by repetition; --file is short "
    "for --file-path. Relative paths start from the workspace's first folder. --json takes all arguments as one JSON "
    "object, - from standard input; single options go over it.\n\n"
    "Without --session, all runs of a user in a workspace share one session, so that what one has read the next may "
    "edit.\n\n"
    "Exit code: 0 done; 1 refused, with the code on standard error; 2 the command line can't be used, or there is no "
    "server."
)
_RUN_EXAMPLES = """Examples:

dsh-lsp agent run read a.txt --limit 20

dsh-lsp agent run edit --file a.txt --old-string one --new-string two --output json

dsh-lsp agent run edit --help"""


def add_commands(app: typer.Typer) -> None:
    """Add them to the program."""
    agent = typer.Typer(
        invoke_without_command=True, no_args_is_help=False, add_completion=False, pretty_exceptions_enable=False
    )
    agent.callback(help=_AGENT_HELP, epilog=_AGENT_EXAMPLES)(_agent)
    agent.command("run", help=_RUN_HELP, epilog=_RUN_EXAMPLES, context_settings={"allow_interspersed_args": False})(
        _run
    )
    agent.command("tools", epilog="Example: dsh-lsp agent tools --json")(_tools)
    app.add_typer(agent, name="agent")
    commands: dict[str, tuple[Callable[..., None], str]] = {
        "watch": (_watch, "Example: dsh-lsp watch --workspace ."),
        "status": (_status, "Example: dsh-lsp status --json"),
        "sessions": (_sessions, "Example: dsh-lsp sessions --json"),
        "doctor": (_doctor, "Example: dsh-lsp doctor --editor neovim"),
    }
    for name, (command, example) in commands.items():
        app.command(name, epilog=example)(command)


def _agent(
    context: typer.Context,
    workspace: Workspace = Path(),
    session: Session = SESSION,
    name: Name = SESSION,
    wait: Wait = WAIT,
) -> None:
    if context.invoked_subcommand is not None:
        return
    from dsh_lsp.commands.agent_run import RunOptions

    options = RunOptions(workspace, session, name, wait=wait)
    if sys.stdin.isatty():
        from dsh_lsp.commands.agent_prompt import run_prompt

        raise typer.Exit(run_prompt(options))
    from dsh_lsp.commands.agent_lines import run_lines
    from dsh_lsp.commands.ending import run

    raise typer.Exit(run("agent", run_lines(options)))


def _run(
    tool: Annotated[str, typer.Argument(help="The tool's name.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="ARGUMENT", help="Its arguments.")] = None,
    workspace: Workspace = Path(),
    session: Session = SESSION,
    name: Name = SESSION,
    output: Annotated[
        Output, typer.Option(help="The text that a model is told, or {callId, isError, content, error?, value?}.")
    ] = Output.TEXT,
    json: Annotated[
        str | None, typer.Option(help="The arguments as a JSON object, or - to read it from standard input.")
    ] = None,
    call_id: Annotated[
        str | None, typer.Option(help="The call's id: one that has run already is answered from the record.")
    ] = None,
    wait: Wait = WAIT,
) -> None:
    from dsh_lsp.commands.agent_run import RunOptions, run_tool
    from dsh_lsp.commands.ending import run

    options = RunOptions(workspace, session, name, output.value, call_id, json, wait)
    raise typer.Exit(run("agent run", run_tool(tool, words or [], options)))


def _tools(workspace: Workspace = Path(), as_json: AsJson = False, wait: Wait = WAIT) -> None:
    """List the tools with their arguments."""
    from dsh_lsp.commands.agent_run import list_tools
    from dsh_lsp.commands.ending import run

    raise typer.Exit(run("agent tools", list_tools(workspace, as_json=as_json, wait=wait)))


def _watch(
    workspace: Workspace = Path(),
    plain: Annotated[
        bool, typer.Option("--plain", help="Print lines, as where the output is no terminal, instead of drawing.")
    ] = False,
    history: Annotated[int, typer.Option(min=0, help="How many cards from before to show.")] = 20,
) -> None:
    """Follow a workspace's sessions: cards as they come, what runs, and what is pending; k keeps it and u undoes it.

    A server that ends is waited for. Where the output is no terminal, one block of lines is printed for each card.
    """
    from dsh_lsp.commands.ending import run
    from dsh_lsp.commands.watch import run_watch

    raise typer.Exit(run("watch", run_watch(workspace, plain=plain, history=history)))


def _status(workspace: Workspace = Path(), as_json: AsJson = False, wait: Wait = WAIT) -> None:
    """Say who has a workspace: the server, its folders, editors, sessions, and what is pending."""
    from dsh_lsp.commands.ending import run
    from dsh_lsp.commands.status import run_status

    raise typer.Exit(run("status", run_status(workspace, as_json=as_json, wait=wait)))


def _sessions(workspace: Workspace = Path(), as_json: AsJson = False, wait: Wait = 0.2) -> None:
    """List the recorded sessions of a workspace, the latest first; a server is not needed."""
    from dsh_lsp.commands.ending import run
    from dsh_lsp.commands.sessions import run_sessions

    raise typer.Exit(run("sessions", run_sessions(workspace, as_json=as_json, wait=wait)))


def _doctor(
    workspace: Workspace = Path(),
    editor: Annotated[
        str | None, typer.Option(help="Part of the name of the editor that should be attached: neovim, code.")
    ] = None,
    as_json: AsJson = False,
    wait: Wait = WAIT,
) -> None:
    """Explain what is wrong with a set-up, and what to do about it; the exit code is 1 if something is."""
    from dsh_lsp.commands.doctor import run_doctor
    from dsh_lsp.commands.ending import run

    raise typer.Exit(run("doctor", run_doctor(workspace, editor, as_json=as_json, wait=wait)))
