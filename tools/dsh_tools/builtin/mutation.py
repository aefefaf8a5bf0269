"""What write and edit have in common: the value of an applied change, and its projections."""

from collections.abc import Awaitable, Callable
from typing import Literal

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.targets import Target
from dsh_tools.cards import DiffCall, DiffResult, Operation
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.contract import ArgsT, Tool, ToolRun
from dsh_tools.diff import compare, unified
from dsh_tools.fs.port import WriteOutcome
from dsh_tools.hunk_models import FileDiff, HunkModel, file_diffs
from dsh_tools.models import Items, WireModel

_SHOWN_LINES = 80
_SHOWN_CHARACTERS = 6_000


class MutationValue(WireModel):
    """The canonical value of a change that was applied.

    Attributes:
        operation: What happened to the file.
        version: The content version that the session has now observed.
        before_version: The one that was replaced, or None where there was no file.
        via: Into the editor's buffer, or on the disk.
        saved: The disk has the new text too.
        replacements: How many places were replaced; 1 for a write.
        added: Number of added lines, from the hunks.
        removed: Number of removed lines, from the hunks.
        hunks: What changed, by lines, from the text before to the text after.
        coarse: The change was too large to be told apart line by line; its one hunk covers all of it.
        notes: What else the caller should know, as sentences.
        created_directories: Directories made on the way.
    """

    path: str
    uri: str
    operation: Operation
    version: str
    before_version: str | None
    via: Literal["buffer", "disk"]
    saved: bool
    replacements: int
    added: int
    removed: int
    hunks: Items[HunkModel]
    coarse: bool = False
    notes: Items[str] = ()
    created_directories: Items[str] = ()


def applied(run: ToolRun, target: Target, outcome: WriteOutcome, replacements: int) -> JsonObject:
    """Record an outcome as observed, and make the canonical value of it.

    All of it happens without waiting, so that nothing can come between the change and its record.
    """
    run.ledger.saw(target, outcome.version)
    run.snapshots.keep(outcome.version, outcome.after)
    found = compare(outcome.before or "", outcome.after)
    operation: Operation = "modified"
    if outcome.before is None:
        operation = "created"
    elif outcome.before == outcome.after:
        operation = "unchanged"
    return MutationValue.model_construct(
        path=target.path,
        uri=target.uri,
        operation=operation,
        version=outcome.version,
        before_version=outcome.before_version,
        via=outcome.via,
        saved=outcome.saved,
        replacements=replacements,
        added=sum(hunk.added for hunk in found.hunks),
        removed=sum(hunk.removed for hunk in found.hunks),
        hunks=tuple(map(HunkModel.of, found.hunks)),
        coarse=found.coarse,
        notes=outcome.notes,
        created_directories=outcome.created_directories,
    ).to_wire()


def render(value: JsonObject) -> tuple[ContentBlock, ...]:
    """What the model reads of an applied change: what happened, where, and what else to know."""
    done = MutationValue.model_validate(value)
    verb = {"created": "Created", "modified": "Edited", "unchanged": "Left as it was:"}[done.operation]
    lines = [f"{verb} {done.path}" + (f" (+{done.added} -{done.removed})." if done.operation != "unchanged" else ".")]
    if done.replacements > 1:
        lines[0] += f" Replaced {done.replacements} places."
    if done.operation == "modified":
        shown, cut = unified([x.to_hunk() for x in done.hunks], _SHOWN_LINES, _SHOWN_CHARACTERS)
        lines.append(shown)
        if cut:
            lines.append("(The diff is cut here; the whole change was applied.)")
    if done.via == "buffer" and not done.saved:
        lines.append("The edit is in the editor's buffer; the file on disk still has the old text.")
    lines += [f"Created directory {x}." for x in done.created_directories]
    lines += done.notes
    return text_content("\n".join(lines))


def meta(value: JsonObject, whole: str | None = None) -> JsonValue:
    """What is recorded for the card.

    Args:
        value: The canonical value.
        whole: The whole text, for a file that was created or written with what it already had.
    """
    done = MutationValue.model_validate(value)
    if whole is not None and done.operation != "modified":
        diffs: tuple[FileDiff, ...] = (FileDiff(path=done.path, old_text=None, new_text=whole),)
    else:
        diffs = file_diffs(done.path, done.hunks)
    shown = {key: member for key, member in value.items() if key in _SHOWN}
    return {**shown, "diffs": [diff.to_wire() for diff in diffs], "truncated": done.coarse}


_SHOWN = ("path", "uri", "operation", "via", "saved", "added", "removed", "notes")
"""Members of the value that the card shows, under the card's names."""


def card(recorded: JsonObject) -> DiffResult:
    """The card of an applied change, from what was recorded."""
    verb = {"created": "Created", "modified": "Edited", "unchanged": "Unchanged"}[str(recorded["operation"])]
    return DiffResult.model_validate({**recorded, "title": f"{verb} {recorded['path']}"})


def mutating_tool(
    name: str,
    description: str,
    params: type[ArgsT],
    execute: Callable[[ArgsT, ToolRun], Awaitable[JsonObject]],
    present_call: Callable[[ArgsT], DiffCall],
    whole: Callable[[ArgsT], str | None] = lambda _args: None,
) -> Tool[ArgsT]:
    """A tool whose value is an applied change: what the model reads and both cards follow from that.

    Args:
        name: As for `Tool`.
        description: As for `Tool`.
        params: As for `Tool`.
        execute: As for `Tool`.
        present_call: As for `Tool`.
        whole: The whole text that the arguments ask for, for a tool that writes whole texts.
    """
    return Tool(
        name=name,
        description=description,
        params=params,
        output=MutationValue,
        execute=execute,
        render=lambda _args, value: render(value),
        presentation_meta=lambda args, value: meta(value, whole(args)),
        present_call=present_call,
        present_result=lambda _args, result: card(result.meta if isinstance(result.meta, dict) else {}),
    )
