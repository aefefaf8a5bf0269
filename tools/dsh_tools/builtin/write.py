"""write: create a file, or replace the whole text of one that the session has read."""

from pydantic import Field

from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import mutation
from dsh_tools.builtin.arguments import FilePath
from dsh_tools.cards import DiffCall
from dsh_tools.contract import ToolRun
from dsh_tools.hunk_models import FileDiff

_DESCRIPTION = """\
Create a file with the given content, or replace the whole content of a file that was read in this session. Writing over
a file that was not read, or that changed since, is refused. Missing directories are created. An existing file keeps its
line ends, byte order mark and mode. To change a part of a file, use edit."""


class WriteArguments(FilePath):
    """Arguments of write."""

    content: str = Field(description="The whole text of the file, exactly as it is to be.")


async def _execute(args: WriteArguments, run: ToolRun) -> JsonObject:
    target = await args.target(run)
    guard = run.ledger.write_guard(target)
    outcome = await run.fs.write_text(target, args.content, guard)
    return mutation.applied(run, target, outcome, 1)


def _call_card(args: WriteArguments) -> DiffCall:
    return DiffCall(
        title=f"Write {args.file_path}",
        path=args.file_path,
        diffs=(FileDiff(path=args.file_path, old_text=None, new_text=args.content),),
    )


WRITE = mutation.mutating_tool(
    "write", _DESCRIPTION, WriteArguments, _execute, _call_card, whole=lambda args: args.content, idempotent=True
)
