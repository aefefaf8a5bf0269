"""multi_edit: several replacements in one file, each on the text that the one before has left; all of them or none."""

from pydantic import Field

from dsh_ledger.edits import Change
from dsh_ledger.errors import FsAmbiguousEdit, FsEditNotFound
from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import mutation
from dsh_tools.builtin.arguments import FilePath
from dsh_tools.builtin.edit import Replacement
from dsh_tools.cards import DiffCall
from dsh_tools.contract import ToolRun
from dsh_tools.hunk_models import FileDiff
from dsh_tools.matching import Replace
from dsh_tools.models import Items

_DESCRIPTION = """\
Make several replacements in one file, in order, each on the text that the one before has left. Either all of them are
applied, as one change, or none: the first that does not match is named by its index. For the rest as edit."""

_MOST = 100


class MultiEditArguments(FilePath):
    """Arguments of multi_edit."""

    edits: Items[Replacement] = Field(min_length=1, max_length=_MOST, description="The replacements, in order.")


class _Sequence:
    """A plan that makes all replacements in memory, and counts them."""

    def __init__(self, path: str, edits: tuple[Replacement, ...]) -> None:
        self._replaces = [Replace(e.old_string, e.new_string, path=path, replace_all=e.replace_all) for e in edits]
        self.count = 0

    def __call__(self, text: str) -> Change:
        whole, self.count = Change(), 0
        for index, replace in enumerate(self._replaces):
            try:
                planned = replace.plan(text)
            except (FsEditNotFound, FsAmbiguousEdit) as error:
                error.message = f"edits[{index}]: {error.message} None of the edits was applied."
                error.details |= {"index": index}
                raise
            text = planned.change.apply(text)
            whole = whole.then(planned.change)
            self.count += planned.count
        return whole


async def _execute(args: MultiEditArguments, run: ToolRun) -> JsonObject:
    target = await run.fs.resolve(args.file_path)
    guard = run.ledger.edit_guard(target)
    plan = _Sequence(target.path, args.edits)
    outcome = await run.fs.edit_text(target, plan, guard)
    return mutation.applied(run, target, outcome, plan.count)


def _call_card(args: MultiEditArguments) -> DiffCall:
    return DiffCall(
        title=f"Edit {args.file_path}",
        path=args.file_path,
        diffs=tuple(
            FileDiff(path=args.file_path, old_text=each.old_string, new_text=each.new_string) for each in args.edits
        ),
    )


MULTI_EDIT = mutation.mutating_tool("multi_edit", _DESCRIPTION, MultiEditArguments, _execute, _call_card)
