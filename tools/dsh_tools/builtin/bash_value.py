"""The canonical value of a command that was run, and its projections."""

from typing import Literal

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_tools.cards import TerminalResult
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.models import Items, WireModel
from dsh_tools.shell.changes import ChangedFile
from dsh_tools.shell.output import Shown
from dsh_tools.shell.showing import marked, plain

_LISTED = 30
"""How many changed files are named to a model."""


class OutputModel(WireModel):
    """What was printed: ``head`` and then ``tail``, escape sequences and all.

    Attributes:
        head: The beginning; everything if nothing is left out.
        tail: The end; empty if nothing is left out.
        left_out: Characters in between that are in neither.
        left_out_lines: Line ends among them.
    """

    head: str
    tail: str
    left_out: int
    left_out_lines: int

    @classmethod
    def of(cls, shown: Shown) -> "OutputModel":
        """The model of an output."""
        return cls(head=shown.head, tail=shown.tail, left_out=shown.left_out, left_out_lines=shown.left_out_lines)


class FileModel(WireModel):
    """A file."""

    path: str
    uri: str


class ChangedModel(FileModel):
    """A file that the session had read, or that is open, and that changed on disk while the command ran.

    Attributes:
        change: What happened to it.
        open: An editor has it open.
        stale: What the session has seen of it is no longer so; an edit is refused until it is read again.
    """

    change: Literal["modified", "deleted", "created"]
    open: bool
    stale: bool

    @classmethod
    def of(cls, file: ChangedFile) -> "ChangedModel":
        """The model of a changed file."""
        return cls(
            path=file.target.path, uri=file.target.uri, change=file.change, open=file.is_open, stale=file.is_stale
        )


class BashValue(WireModel):
    """The canonical value of a command.

    Attributes:
        command: As it was given.
        cwd: The directory it ran in, as shown.
        exit_code: Its exit code; None if it did not end by itself.
        signal: The name of the signal that ended it, or None.
        timed_out: It was ended because its time was out.
        output: What it printed.
        total_bytes: How many bytes that was.
        truncated: Not all of it is in ``output``.
        changed: What it changed of the files that the session knows or an editor has open.
        unsaved: Files with agents' edits in the editor that were not on the disk, so that it did not see them.
        notes: What else the caller should know, as sentences.
    """

    command: str
    cwd: str
    exit_code: int | None
    signal: str | None
    timed_out: bool
    output: OutputModel
    total_bytes: int
    truncated: bool
    changed: Items[ChangedModel]
    unsaved: Items[FileModel]
    notes: Items[str]


def render(value: JsonObject, timeout: float) -> tuple[ContentBlock, ...]:
    """What the model reads: how it ended, what to know of files, and last the output, lest it pass for our words."""
    done = BashValue.model_validate(value)
    lines = [f"{_ending(done, timeout)}.", *done.notes]
    lines += map(_about_change, done.changed[:_LISTED])
    if len(done.changed) > _LISTED:
        lines.append(f"Changed too: {len(done.changed) - _LISTED} more files that you have read or that are open.")
    lines += [f"Not on disk yet, so the command did not see it: the edit of {file.path}" for file in done.unsaved]
    if not done.total_bytes:
        return text_content("\n".join([*lines, "It printed nothing."]))
    if done.truncated:
        lines.append(
            "The middle of its output is left out below; to see more, run it with the output going to a file or "
            "through grep, head or tail."
        )
    return text_content("\n".join([*lines, "Output:", plain(marked(_shown(done)))]))


def meta(value: JsonObject, timeout: float) -> JsonValue:
    """What is recorded for the card."""
    done = BashValue.model_validate(value)
    return {
        "exitCode": done.exit_code,
        "ending": None if done.exit_code is not None else _ending(done, timeout),
        "output": marked(_shown(done)),
        "truncated": done.truncated,
    }


def card(recorded: JsonObject, title: str, command: str) -> TerminalResult:
    """The card of a command that ended.

    Args:
        recorded: What `meta` made.
        title: The title of the call.
        command: The command as it was given.
    """
    ending = recorded["ending"]
    return TerminalResult.model_validate(
        {
            "title": title if ending is None else f"{ending}: {title}",
            "command": command,
            "output": recorded["output"],
            "exitCode": recorded["exitCode"],
            "truncated": recorded["truncated"],
        }
    )


def _ending(done: BashValue, timeout: float) -> str:
    if done.timed_out:
        return f"Timed out after {timeout:g} second" + ("" if timeout == 1 else "s") + " and was ended"
    if done.exit_code is not None:
        return f"Exit code {done.exit_code}"
    return f"Ended by {done.signal}"


def _about_change(file: ChangedModel) -> str:
    remarks = []
    if file.stale:
        remarks.append(
            {
                "modified": "you have read it: read it again before editing",
                "deleted": "you have read it",
                "created": "it did not exist when you looked: read it before editing",
            }[file.change]
        )
    if file.open:
        remarks.append("open in the user's editor, which may not show it yet")
    verb = {"modified": "Changed", "deleted": "Deleted", "created": "Created"}[file.change]
    return f"{verb}: {file.path}" + (f" ({'; '.join(remarks)})" if remarks else "")


def _shown(done: BashValue) -> Shown:
    output = done.output
    return Shown(output.head, output.tail, done.total_bytes, output.left_out, output.left_out_lines)
