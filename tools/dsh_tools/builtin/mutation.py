"""What write and edit have in common: the value of a change, applied or only tried, and its projections.

What else is to be said of one (that it was rebased, or found by a second try) is in `remarks`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.targets import Target
from dsh_tools.builtin.remarks import Rebased, SecondTryModel, lost_characters, rebased, second_tries
from dsh_tools.cards import DiffCall, DiffResult, GenericResult, Operation
from dsh_tools.content import ContentBlock, TextBlock, text_content
from dsh_tools.contract import ArgsT, Tool, ToolRun
from dsh_tools.diff import compare, unified
from dsh_tools.fs.port import NOT_ON_DISK, WriteOutcome
from dsh_tools.hunk_models import FileDiff, HunkModel, file_diffs
from dsh_tools.matching import SecondTry
from dsh_tools.models import Items, WireModel, optional

_SHOWN_LINES = 80
_SHOWN_CHARACTERS = 6_000


class MutationValue(WireModel):
    """The canonical value of a change that was applied; or, with ``dryRun``, of one that would be.

    Attributes:
        operation: What happened to the file.
        version: The content version that the session has now observed; with ``dryRun`` the one that there would be.
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
        dry_run: Nothing was changed, on the disk, in the buffer, or in what the session has observed.
        rebased: The file was not as the session had observed it, and what had changed elsewhere.
        second_tries: Replacements that were found only with another typography.
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
    dry_run: Literal[True] | None = optional()
    rebased: Rebased | None = optional()
    second_tries: Items[SecondTryModel] | None = optional()


def applied(
    run: ToolRun,
    target: Target,
    outcome: WriteOutcome,
    replacements: int,
    tries: Sequence[tuple[int | None, SecondTry]] = (),
    *,
    dry_run: bool = False,
) -> JsonObject:
    """Record an outcome as observed, unless it is that of a dry run, and make the canonical value of it.

    All of it happens without waiting, so that nothing can come between the change and its record.
    """
    if not dry_run:
        run.ledger.saw(target, outcome.version)
        run.snapshots.keep(outcome.version, outcome.after)
    drifted, drift_note = rebased(outcome)
    tried, tries_note = second_tries(tries, is_rebased=drifted is not None)
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
        notes=(*outcome.notes, *drift_note, *tries_note, *lost_characters(outcome)),
        created_directories=outcome.created_directories,
        dry_run=True if dry_run else None,
        rebased=drifted,
        second_tries=tried,
    ).to_wire()


def render(value: JsonObject) -> tuple[ContentBlock, ...]:
    """What the model reads of a change: what happened, where, and what else to know."""
    done = MutationValue.model_validate(value)
    lines = [_headline(done)]
    if done.operation == "modified":
        shown, cut = unified([x.to_hunk() for x in done.hunks], _SHOWN_LINES, _SHOWN_CHARACTERS)
        lines.append(shown)
        if cut:
            lines.append(f"(The diff is cut here; the whole change {'is larger' if done.dry_run else 'was applied'}.)")
    if done.via == "buffer" and not done.saved and not done.dry_run and NOT_ON_DISK not in done.notes:
        lines.append("The edit is in the editor's buffer; the file on disk still has the old text.")
    lines += [f"Created directory {x}." for x in done.created_directories]
    lines += done.notes
    if done.rebased is not None and done.rebased.hunks:
        lines.append(done.rebased.hunks.removesuffix("\n"))
        if done.rebased.truncated:
            lines.append("(What had changed is cut here; read the file before you edit near there.)")
    return text_content("\n".join(lines))


def _headline(done: MutationValue) -> str:
    size = f" (+{done.added} -{done.removed})" if done.operation != "unchanged" else ""
    if done.dry_run:
        places = "1 place" if done.replacements == 1 else f"{done.replacements} places"
        return f"Dry run, nothing was changed: this would replace {places} in {done.path}{size}."
    verb = {"created": "Created", "modified": "Edited", "unchanged": "Left as it was:"}[done.operation]
    more = f" Replaced {done.replacements} places." if done.replacements > 1 else ""
    return f"{verb} {done.path}{size}.{more}"


def meta(value: JsonObject, whole: str | None = None) -> JsonValue:
    """What is recorded for the card.

    Args:
        value: The canonical value.
        whole: The whole text, for a file that was created or written with what it already had.
    """
    done = MutationValue.model_validate(value)
    if done.dry_run:
        return {"dryRun": True, "path": done.path, "text": _text(value)}
    if whole is not None and done.operation != "modified":
        text = _created_text(done) if done.operation == "created" and not done.coarse else whole
        diffs: tuple[FileDiff, ...] = (FileDiff(path=done.path, old_text=None, new_text=text),)
    else:
        diffs = file_diffs(done.path, done.hunks)
    shown = {key: member for key, member in value.items() if key in _SHOWN}
    return {**shown, "diffs": [diff.to_wire() for diff in diffs], "truncated": done.coarse}


def _text(value: JsonObject) -> str:
    return "\n".join(block.text for block in render(value) if isinstance(block, TextBlock))


_SHOWN = ("path", "uri", "operation", "via", "saved", "added", "removed", "notes")
"""Members of the value that the card shows, under the card's names."""


def _created_text(done: MutationValue) -> str:
    """The text of a created file: what was written, which need not be what was asked for (a final newline)."""
    lines = [line.text for hunk in done.hunks for line in hunk.lines]
    end = "" if not lines or done.hunks[-1].new_no_newline else "\n"
    return "\n".join(lines) + end


def card(recorded: JsonObject) -> DiffResult | GenericResult:
    """The card of a change, from what was recorded. A dry run has no diff card: such a card tells what was done."""
    if recorded.get("dryRun"):
        return GenericResult(title=f"Dry run of an edit of {recorded['path']}", text=str(recorded["text"]))
    verb = {"created": "Created", "modified": "Edited", "unchanged": "Unchanged"}[str(recorded["operation"])]
    return DiffResult.model_validate({**recorded, "title": f"{verb} {recorded['path']}"})


def call_title(path: str, *, dry_run: bool) -> str:
    """The title of the card of a call."""
    return f"Dry run of an edit of {path}" if dry_run else f"Edit {path}"


def mutating_tool(
    name: str,
    description: str,
    params: type[ArgsT],
    execute: Callable[[ArgsT, ToolRun], Awaitable[JsonObject]],
    present_call: Callable[[ArgsT], DiffCall],
    whole: Callable[[ArgsT], str | None] = lambda _args: None,
    *,
    idempotent: bool = False,
) -> Tool[ArgsT]:
    """A tool whose value is an applied change: what the model reads and both cards follow from that.

    Args:
        name: As for `Tool`.
        description: As for `Tool`.
        params: As for `Tool`.
        execute: As for `Tool`.
        present_call: As for `Tool`.
        whole: The whole text that the arguments ask for, for a tool that writes whole texts.
        idempotent: As for `Tool`.
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
        idempotent=idempotent,
        open_world=False,
    )
