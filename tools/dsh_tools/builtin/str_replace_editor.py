"""str_replace_editor: the view, create, str_replace and insert that some models were trained on.

A thin face on the primitives of read, write and edit: the same guards, values and cards. Deliberately absent: an undo
of its own; the user's editor has one, and it is the user's.
"""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from dsh_ledger.edits import Change, Edit
from dsh_ledger.errors import FsAmbiguousEdit, FsEditNotFound, FsTooLarge
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.targets import Target
from dsh_tools.builtin import mutation, reading
from dsh_tools.cards import CallCard, DiffCall, GenericCall, GenericResult, ResultCard
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.contract import Tool, ToolResult, ToolRun
from dsh_tools.fs.port import FileStat
from dsh_tools.hunk_models import FileDiff
from dsh_tools.matching import Replace, Replacements, SecondTry
from dsh_tools.models import Items, ToolArguments, WireModel, optional
from dsh_tools.visible import one_line
from dsh_tools.windows import DEFAULT_LINES

_DESCRIPTION = """\
View and edit files. view shows a file with line numbers (view_range: first and last line, -1 for the end), or the names
in a directory; create writes a new file, or the whole of one that was viewed; str_replace replaces old_str, which must
match exactly and once, by new_str; insert puts new_str after line insert_line (0: at the top). View a file before you
change it: a change of a file that was not viewed, or that changed since, is refused."""

_NEEDS: dict[str, tuple[str, ...]] = {
    "view": (),
    "create": ("file_text",),
    "str_replace": ("old_str",),
    "insert": ("insert_line", "new_str"),
}


_LISTED: Final = 1_000
"""Names in a directory that are shown at most."""

_EDITS_NAMES: Final = re.compile(r"\b(old|new)_string\b")
_REMEDIES: Final = {
    FsAmbiguousEdit.code: "Add surrounding lines to old_str until it is unique.",
    FsEditNotFound.code: "Copy old_str exactly from the file; matching is exact, character for character.",
}


class StrReplaceEditorArguments(ToolArguments):
    """Arguments of str_replace_editor."""

    command: Literal["view", "create", "str_replace", "insert"]
    path: str = Field(description="Path of the file or directory: absolute, or relative to the workspace.")
    file_text: str | None = Field(default=None, description="For create: the whole text of the file.")
    old_str: str | None = Field(default=None, min_length=1, description="For str_replace: the exact text to replace.")
    new_str: str | None = Field(default=None, description="For str_replace (may be left out to delete) and insert.")
    insert_line: int | None = Field(default=None, ge=0, description="For insert: the line after which to insert.")
    view_range: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="For view: first and last line to show, from 1; -1 for the end."
    )

    @model_validator(mode="after")
    def _has_what_the_command_needs(self) -> Self:
        missing = [name for name in _NEEDS[self.command] if getattr(self, name) is None]
        if missing:
            raise ValueError(f"{self.command} needs {', '.join(missing)}")
        # A \r\n means a line end, whichever the file has.
        old, new = ((text or "").replace("\r\n", "\n") for text in (self.old_str, self.new_str))
        if self.command == "str_replace" and old == new:
            raise ValueError("old_str and new_str are equal: there is nothing to change")
        if self.view_range is not None:
            first, last = self.view_range
            if first < 1 or (last != -1 and last < first):
                raise ValueError("view_range must be [first, last] with 1 <= first <= last, or last -1")
        return self


class ListedEntry(WireModel):
    """One name in a directory."""

    name: str
    kind: str


class EditorValue(WireModel):
    """The canonical value: what was seen, or what was changed; one of the three.

    Attributes:
        listing: The first names in a directory.
        names: How many names it has, where there are more.
    """

    command: Literal["view", "create", "str_replace", "insert"]
    path: str
    read: reading.ReadValue | None = optional()
    listing: Items[ListedEntry] | None = optional()
    names: int | None = optional()
    change: mutation.MutationValue | None = optional()


async def _execute(args: StrReplaceEditorArguments, run: ToolRun) -> JsonObject:
    target = await run.fs.resolve(args.path)
    about: JsonObject = {"command": args.command, "path": target.path}
    second_tries: list[tuple[int | None, SecondTry]] = []
    match args.command:
        case "view":
            return about | await _view(args, run, target)
        case "create":
            outcome = await run.fs.write_text(target, args.file_text or "", run.ledger.write_guard(target))
        case "str_replace":
            replace = Replace(args.old_str or "", args.new_str or "", path=target.path, second_try=run.second_try)
            plan = Replacements([replace])
            try:
                outcome = await run.fs.edit_text(target, plan, run.ledger.edit_guard(target))
            except (FsAmbiguousEdit, FsEditNotFound) as error:
                error.message = _with_our_names(error.message, target.path)
                error.remedy = _REMEDIES[error.code]
                raise
            second_tries = plan.second_tries
        case "insert":
            insert = _Insert(target, args.insert_line or 0, args.new_str or "")
            outcome = await run.fs.edit_text(target, insert, run.ledger.edit_guard(target))
    change = mutation.applied(run, target, outcome, 1, second_tries)
    if isinstance(notes := change["notes"], list):
        change["notes"] = [_with_our_names(str(note), target.path) for note in notes]
    about["change"] = change
    return about


def _with_our_names(said: str, path: str) -> str:
    """What is said of edit's arguments, said of ours; the path stays as it is."""
    return path.join(_EDITS_NAMES.sub(r"\1_str", part) for part in said.split(path))


async def _view(args: StrReplaceEditorArguments, run: ToolRun, target: Target) -> JsonObject:
    found = await run.fs.stat(target)
    if isinstance(found, FileStat) and found.kind == "directory":
        entries = await run.fs.list_dir(target)
        listing: list[JsonValue] = [{"name": entry.name, "kind": entry.kind} for entry in entries[:_LISTED]]
        return {"listing": listing, **({"names": len(entries)} if len(entries) > _LISTED else {})}
    first, last = args.view_range or (1, -1)
    limit = DEFAULT_LINES if last == -1 else min(DEFAULT_LINES, last - first + 1)
    try:
        return {"read": await reading.read_window(run, target, first, limit, is_asked=args.view_range is not None)}
    except FsTooLarge as refusal:
        if args.view_range is None:
            refusal.remedy = "View a part of it with view_range."
        raise


class _Insert:
    """A plan that puts whole lines after a line."""

    def __init__(self, target: Target, after: int, lines: str) -> None:
        self._target = target
        self._after = after
        self._lines = lines.replace("\r\n", "\n").removesuffix("\n")

    def __call__(self, text: str) -> Change:
        at, passed = 0, 0
        while passed < self._after:
            end = text.find("\n", at)
            if at >= len(text):
                raise reading.NoSuchLine(self._target.path, self._after, passed, {})
            at, passed = (end + 1 if end >= 0 else len(text)), passed + 1
        if at and not text[:at].endswith("\n"):
            # After a last line without an end: the file still has none afterwards.
            return Change.of(Edit(at, at, f"\n{self._lines}"))
        return Change.of(Edit(at, at, f"{self._lines}\n"))


def _render(_args: StrReplaceEditorArguments, value: JsonObject) -> tuple[ContentBlock, ...]:
    if isinstance(change := value.get("change"), dict):
        return mutation.render(change)
    if isinstance(read := value.get("read"), dict):
        return reading.render(read, lambda line: f"view on with view_range=[{line}, -1]", None)
    done = EditorValue.model_validate(value)
    listing = done.listing or ()
    names = [one_line(entry.name) + ("/" if entry.kind == "directory" else "") for entry in listing]
    head = f"{done.path} holds {done.names or len(names)} name{'' if len(names) == 1 else 's'}."
    if done.names is not None:
        head += f" The first {len(names)} are listed: view a directory in it, or ask glob for those that you mean."
    return text_content("\n".join([head, *names]))


def _meta(args: StrReplaceEditorArguments, value: JsonObject) -> JsonValue:
    if isinstance(change := value.get("change"), dict):
        return {"change": mutation.meta(change, args.file_text)}
    if isinstance(read := value.get("read"), dict):
        return {"read": reading.meta(read)}
    return None


def _call_card(args: StrReplaceEditorArguments) -> CallCard:
    if args.command == "view":
        return GenericCall(title=f"View {args.path}", input=args.model_dump(mode="json", exclude_none=True))
    old = args.old_str if args.command == "str_replace" else None
    diff = FileDiff(path=args.path, old_text=old, new_text=args.new_str or args.file_text or "")
    verb = {"create": "Write", "str_replace": "Edit", "insert": "Insert into"}[args.command]
    return DiffCall(title=f"{verb} {args.path}", path=args.path, diffs=(diff,))


def _card(args: StrReplaceEditorArguments, result: ToolResult) -> ResultCard:
    recorded = result.meta if isinstance(result.meta, dict) else {}
    if isinstance(change := recorded.get("change"), dict):
        return mutation.card(change)
    if isinstance(read := recorded.get("read"), dict):
        return reading.card(read)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    return GenericResult(title=f"View {args.path}", text=text)


STR_REPLACE_EDITOR = Tool(
    name="str_replace_editor",
    description=_DESCRIPTION,
    params=StrReplaceEditorArguments,
    output=EditorValue,
    execute=_execute,
    render=_render,
    presentation_meta=_meta,
    present_call=_call_card,
    present_result=_card,
    open_world=False,
)
