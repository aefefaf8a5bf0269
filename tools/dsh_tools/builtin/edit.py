"""edit: replace literal text in a file that the session has read."""

from typing import Self

from pydantic import Field, model_validator

from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import mutation
from dsh_tools.builtin.arguments import DRY_RUN, FilePath
from dsh_tools.cards import DiffCall
from dsh_tools.contract import ToolRun
from dsh_tools.hunk_models import FileDiff
from dsh_tools.matching import Replace, Replacements
from dsh_tools.models import ToolArguments

_DESCRIPTION = """\
Replace text in a file. Read the file first: an edit of a file that was not read, or that changed since, is refused.
old_string must match exactly, character for character, and only once unless replace_all is set; add surrounding lines
to make it unique. Lines are separated by \\n whatever the file uses; the file's own line ends are kept. If the file is
open in the user's editor, the edit goes into the editor's buffer, beside the user's unsaved typing."""


class Replacement(ToolArguments):
    """One replacement."""

    old_string: str = Field(min_length=1, description="The exact text to replace. Not empty.")
    new_string: str = Field(description="The text to put in its place; may be empty to delete.")
    replace_all: bool = Field(default=False, description="Replace every occurrence, from the start, without overlap.")
    expected_replacements: int | None = Field(
        default=None, ge=1, description="Refuse unless exactly so many are replaced; over 1 needs replace_all."
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        # A \r\n means a line end, whichever the file has.
        if self.old_string.replace("\r\n", "\n") == self.new_string.replace("\r\n", "\n"):
            raise ValueError("old_string and new_string are equal: there is nothing to change")
        if not self.replace_all and (self.expected_replacements or 1) > 1:
            raise ValueError("expected_replacements over 1 needs replace_all")
        return self

    def plan(self, path: str, run: ToolRun) -> Replace:
        """The plan that does it."""
        return Replace(
            self.old_string,
            self.new_string,
            path=path,
            replace_all=self.replace_all,
            expected=self.expected_replacements,
            second_try=run.second_try,
        )


class EditArguments(Replacement, FilePath):
    """Arguments of edit."""

    dry_run: bool = DRY_RUN


async def _execute(args: EditArguments, run: ToolRun) -> JsonObject:
    target = await args.target(run)
    guard = run.ledger.edit_guard(target)
    plan = Replacements([args.plan(target.path, run)])
    outcome = await run.fs.edit_text(target, plan, guard, dry_run=args.dry_run)
    return mutation.applied(run, target, outcome, plan.count, plan.second_tries, dry_run=args.dry_run)


def _call_card(args: EditArguments) -> DiffCall:
    return DiffCall(
        title=mutation.call_title(args.file_path, dry_run=args.dry_run),
        path=args.file_path,
        diffs=(FileDiff(path=args.file_path, old_text=args.old_string, new_text=args.new_string),),
    )


EDIT = mutation.mutating_tool("edit", _DESCRIPTION, EditArguments, _execute, _call_card)
