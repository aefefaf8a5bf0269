"""bash: run a shell command, with the user's leave.

Outside of the path fence: a command can touch whatever its user can, so the user is asked before each, unless a policy
allows it. Only its working directory is held to the workspace. What it changed of the files that the session has read
or that are open is named, since those are stale now; what the disk did not have, and the command did not see, is named
too. A non-zero exit is a result like any other, not an error.

Nothing of a command, its environment or its output is ever logged.
"""

from collections.abc import Sequence

from pydantic import Field, field_validator

from dsh_ledger.errors import FsNotDirectory, FsNotFound
from dsh_ledger.json_values import JsonObject
from dsh_ledger.targets import Target
from dsh_tools.builtin import bash_value
from dsh_tools.builtin.arguments import resolved
from dsh_tools.builtin.bash_value import BashValue, ChangedModel, FileModel, OutputModel
from dsh_tools.cards import TerminalCall, TerminalResult
from dsh_tools.contract import SessionTraits, Tool, ToolResult, ToolRun
from dsh_tools.fs.os_errors import translated
from dsh_tools.fs.port import Missing
from dsh_tools.fs.uris import uri_path
from dsh_tools.models import ToolArguments
from dsh_tools.search.roots import NothingToLookAt
from dsh_tools.shell.changes import Before, ChangedFile, Changes
from dsh_tools.shell.output import LIMIT
from dsh_tools.shell.process import Ended, bash_path, run_command
from dsh_tools.shell.showing import one_line

DEFAULT_TIMEOUT = 120
"""Seconds."""

MAX_TIMEOUT = 600
"""Seconds."""

_MAX_BYTES = 128 * 1024 - 1
"""Linux's limit for one argument of a program, without the NUL at its end (``MAX_ARG_STRLEN``)."""

_DESCRIPTION = f"""\
Run a command with bash, and read what it printed (stdout and stderr together) and its exit code. The user is asked
first: a command is not confined to the workspace and can do whatever the user can. Each call is a new shell, so cd and
variables don't last; there is no terminal and nothing to read on stdin. What is still running when the shell ends, or
when the time is out, is ended: nothing can be left in the background. Of an output over {LIMIT:,} characters the middle
is left out, which is said; colours are removed. Variables that look like secrets are not passed on. The command sees
the files on disk, not unsaved text in the user's editor. To read or edit files, use the tools for that: edits made by
a command go behind the editor's back, and files that it changed must be read again before they are edited."""

_CWD_SHOWN = 200
"""Characters of a title that the directory takes."""

_OUT_OF_REACH = "A process that left the command's session still holds its output; it may still be running."


class BashArguments(ToolArguments):
    """Arguments of bash.

    ``description`` is kept with the call and shown nowhere near the question to the user, who decides by the command.
    """

    command: str = Field(min_length=1, description="The command, as for bash -c.")
    cwd: str = Field(default=".", description="Directory to run it in: a path in the workspace. Default: its root.")
    timeout: float = Field(
        default=DEFAULT_TIMEOUT,
        gt=0,
        le=MAX_TIMEOUT,
        description=f"Seconds after which it is ended. Default {DEFAULT_TIMEOUT}, at most {MAX_TIMEOUT}.",
    )
    description: str | None = Field(default=None, description="What the command is for, in a few words.")

    @field_validator("command")
    @classmethod
    def _can_be_passed(cls, command: str) -> str:
        if not command.strip():
            raise ValueError("it is blank")
        if "\0" in command:
            raise ValueError("it has a NUL character, which no program can be given")
        try:
            size = len(command.encode("utf-8"))
        except UnicodeEncodeError:
            raise ValueError("it has a lone surrogate, which has no bytes") from None
        if size > _MAX_BYTES:
            raise ValueError(f"it has {size} bytes; the limit is {_MAX_BYTES}: write a script and run that")
        return command


def bash_tool() -> Tool[BashArguments]:
    """The tool. Each remembers for itself which files it found on the disk in which version."""
    changes = Changes()

    async def execute(args: BashArguments, run: ToolRun) -> JsonObject:
        directory = await _directory(args.cwd, run)
        bash = bash_path()
        if bash is None:
            raise FsNotFound("bash", "bash is not installed.")
        before = await changes.before(run.fs, run.ledger.observations())
        with translated(args.cwd):
            ended = await run_command(bash, args.command, uri_path(directory.uri) or b"", args.timeout)
        return _value(args, directory, ended, before, await changes.since(before, run.fs))

    return Tool(
        name="bash",
        description=_DESCRIPTION,
        params=BashArguments,
        output=BashValue,
        execute=execute,
        render=lambda args, value: bash_value.render(value, args.timeout),
        presentation_meta=lambda args, value: bash_value.meta(value, args.timeout),
        present_call=_call_card,
        present_result=_card,
        asks=True,
        open_world=True,
        withheld=_withheld,
    )


async def _directory(path: str, run: ToolRun) -> Target:
    target = await resolved(run, path, "cwd")
    if uri_path(target.uri) is None:
        raise FsNotDirectory(path)
    found = await run.fs.stat(target)
    if isinstance(found, Missing):
        raise NothingToLookAt(path)
    if found.kind != "directory":
        raise FsNotDirectory(path)
    return target


def _withheld(_traits: SessionTraits) -> str | None:
    return "bash is not installed" if bash_path() is None else None


def _value(
    args: BashArguments, directory: Target, ended: Ended, before: Before, changed: Sequence[ChangedFile]
) -> JsonObject:
    notes: list[str] = []
    if ended.left_running:
        notes.append("It left processes running in the background; they were ended.")
    if ended.still_printing:
        notes.append(_OUT_OF_REACH)
    return BashValue(
        command=args.command,
        cwd=directory.path,
        exit_code=ended.exit_code,
        signal=ended.signal,
        timed_out=ended.timed_out,
        output=OutputModel.of(ended.output),
        total_bytes=ended.output.total_bytes,
        truncated=ended.output.left_out > 0,
        changed=tuple(map(ChangedModel.of, changed)),
        unsaved=tuple(FileModel(path=target.path, uri=target.uri) for target in before.unsaved_edits()),
        notes=tuple(notes),
    ).to_wire()


def _title(args: BashArguments) -> str:
    """What the user is asked with: the command, and before it the directory if it is not the usual one."""
    where = "" if args.cwd == "." else f" in {one_line(args.cwd, _CWD_SHOWN)}"
    return f"Run{where}: {one_line(args.command)}"


def _call_card(args: BashArguments) -> TerminalCall:
    return TerminalCall(title=_title(args), command=args.command, cwd=None if args.cwd == "." else args.cwd)


def _card(args: BashArguments, result: ToolResult) -> TerminalResult:
    recorded = result.meta if isinstance(result.meta, dict) else {}
    return bash_value.card(recorded, _title(args), args.command)


BASH = bash_tool()
