"""multi_edit: several replacements in one file, each on the text that the one before has left; all of them or none."""

from pydantic import Field

from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import mutation
from dsh_tools.builtin.arguments import DRY_RUN, FilePath
from dsh_tools.builtin.edit import Replacement
from dsh_tools.cards import DiffCall
from dsh_tools.contract import ToolRun
from dsh_tools.hunk_models import FileDiff
from dsh_tools.matching import Replacements
from dsh_tools.models import Items

_DESCRIPTION = """\
Make several replacements in one file, in order, each on the text that the one before has left. Either all of them are
applied, as one change, or none: the first that does not match is named by its index. For the rest as edit."""

_MOST = 100


class MultiEditArguments(FilePath):
    """Arguments of multi_edit."""

    edits: Items[Replacement] = Field(min_length=1, max_length=_MOST, description="The replacements, in order.")
    dry_run: bool = DRY_RUN


async def _execute(args: MultiEditArguments, run: ToolRun) -> JsonObject:
    target = await args.target(run)
    guard = run.ledger.edit_guard(target)
    plan = Replacements([each.plan(target.path, run) for each in args.edits], is_list=True)
    outcome = await run.fs.edit_text(target, plan, guard, dry_run=args.dry_run)
    return mutation.applied(run, target, outcome, plan.count, plan.second_tries, dry_run=args.dry_run)


def _call_card(args: MultiEditArguments) -> DiffCall:
    return DiffCall(
        title=mutation.call_title(args.file_path, dry_run=args.dry_run),
        path=args.file_path,
        diffs=tuple(
            FileDiff(path=args.file_path, old_text=each.old_string, new_text=each.new_string) for each in args.edits
        ),
    )


MULTI_EDIT = mutation.mutating_tool("multi_edit", _DESCRIPTION, MultiEditArguments, _execute, _call_card)
