"""read: a numbered window of a text file, or of the editor's buffer where it is open."""

from pydantic import Field

from dsh_ledger.json_values import JsonObject
from dsh_tools.builtin import reading
from dsh_tools.builtin.arguments import FilePath
from dsh_tools.cards import GenericCall, ReadResult
from dsh_tools.contract import Tool, ToolResult, ToolRun
from dsh_tools.windows import DEFAULT_LINES

_DESCRIPTION = f"""\
Read a text file. Lines come numbered, "number| text"; the number and the bar are not part of the file. At most
{DEFAULT_LINES} lines, 50 KB and 2000 characters a line are shown; every cut is said, and offset, limit and column show
more. Where the file is open in the user's editor, its buffer is read, unsaved typing included."""


class ReadArguments(FilePath):
    """Arguments of read."""

    offset: int = Field(default=1, ge=1, description="Number of the first line to show, from 1.")
    limit: int = Field(default=DEFAULT_LINES, ge=1, le=DEFAULT_LINES, description="How many lines to show at most.")
    column: int = Field(
        default=1, ge=1, description="Number of the character, from 1, that the first line is shown from on."
    )


async def _execute(args: ReadArguments, run: ToolRun) -> JsonObject:
    target, is_asked = await args.target(run), bool(args.model_fields_set & {"offset", "limit", "column"})
    return await reading.read_window(run, target, args.offset, args.limit, column=args.column, is_asked=is_asked)


def _call_card(args: ReadArguments) -> GenericCall:
    return GenericCall(title=f"Read {args.file_path}", input=args.model_dump(mode="json"))


def _card(_args: ReadArguments, result: ToolResult) -> ReadResult:
    return reading.card(result.meta if isinstance(result.meta, dict) else {})


READ = Tool(
    name="read",
    description=_DESCRIPTION,
    params=ReadArguments,
    output=reading.ReadValue,
    execute=_execute,
    render=lambda _args, value: reading.render(value),
    presentation_meta=lambda _args, value: reading.meta(value),
    present_call=_call_card,
    present_result=_card,
    concurrency_safe=True,
    open_world=False,
)
