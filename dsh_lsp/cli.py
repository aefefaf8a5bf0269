"""The command line. Everything that a command needs is imported when the command runs."""

import logging
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dsh_lsp.commands.command_line import add_commands


class Format(StrEnum):
    """How a session is shown."""

    TEXT = "text"
    JSONL = "jsonl"
    HTML = "html"
    ACP = "acp"


app = typer.Typer(
    name="dsh-lsp",
    help="A language server for your editor that lets AI agents edit open buffers without losing your work.",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve the editor that started this process.")] = False,
    log_level: Annotated[
        str, typer.Option(help="What goes to standard error: debug, info, warning, error.")
    ] = "warning",
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Serve an editor over standard input and output (--stdio), or run a command."""
    if log_level.upper() not in logging.getLevelNamesMapping():
        raise typer.BadParameter("expected debug, info, warning or error", param_hint="--log-level")
    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    if context.invoked_subcommand is not None:
        return
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"dsh-lsp {installed('dsh-lsp')}")
        return
    if stdio:
        raise typer.Exit(_serve())
    if sys.stdin.isatty():
        typer.echo(context.get_help())
        return
    raise typer.Exit(_serve())


@app.command()
def demo(
    workspace: Annotated[
        Path | None,
        typer.Option(help="Work on a copy of this folder instead of dsh-lsp's own sources; it is left as it is."),
    ] = None,
) -> None:
    """Show the main job: a real server, a headless editor with unsaved typing, and an agent on the socket."""
    import asyncio

    from dsh_lsp.demo.story import run_demo

    raise typer.Exit(asyncio.run(run_demo(workspace)))


@app.command()
def replay(
    session: Annotated[str, typer.Argument(help="A session's id, or the path of its journal.")],
    check: Annotated[
        bool, typer.Option("--check", help="Prove that it replays byte for byte, instead of showing it.")
    ] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Format,
        typer.Option(
            help="Cards in the terminal, notifications as JSON lines, one self-contained page, or the session updates "
            "of the Agent Client Protocol, one a line."
        ),
    ] = Format.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file to write to, instead of standard output.")
    ] = None,
) -> None:
    """Show a recorded session again, from its journal alone: no workspace, no clock, no tool is needed."""
    from dsh_lsp.replaying.command import run_check, run_replay

    raise typer.Exit(run_check(session) if check else run_replay(session, format.value, output))


@app.command()
def serve(
    workspace: Annotated[
        list[Path] | None,
        typer.Option(help="A workspace folder; may be given more than once. The working directory by default."),
    ] = None,
) -> None:
    """Let agents in without an editor: the same guarantees, on the disk. An editor may join later. Ctrl+C ends it."""
    import asyncio

    from dsh_lsp.headless import serve_headless

    folders = workspace or [Path.cwd()]
    if missing := next((folder for folder in folders if not folder.is_dir()), None):
        raise typer.BadParameter(f"{missing} is not a folder", param_hint="--workspace")
    raise typer.Exit(asyncio.run(serve_headless(folders)))


add_commands(app)


@app.command()
def mcp(
    workspace: Annotated[
        Path | None,
        typer.Option(help="The workspace folder, for clients that don't name one; the working directory by default."),
    ] = None,
) -> None:
    """Be a server of the Model Context Protocol on standard input and output: agents that speak it start this."""
    from dsh_lsp.mcp.command import run_mcp

    if workspace is not None and not workspace.is_dir():
        raise typer.BadParameter(f"{workspace} is not a folder", param_hint="--workspace")
    raise typer.Exit(run_mcp(workspace))


def _serve() -> int:
    import asyncio

    from dsh_lsp.server import serve_stdio

    return asyncio.run(serve_stdio())


def main() -> None:
    """The entry point of ``dsh-lsp``."""
    app()
