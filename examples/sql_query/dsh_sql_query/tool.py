"""sql_query: one read-only query of a SQLite database in the workspace.

A tool of somebody else, with a JSON schema for its value. Whatever shows a result says how many
of the rows it shows.
"""

import asyncio
import threading
from typing import Final

from pydantic import Field

from dsh_ledger.errors import FieldError, FsNotFound, FsNotRegularFile, InvalidArgs
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_sql_query.database import NoDatabase, QueryRefused, Rows, Stopped, run_query
from dsh_sql_query.table import table
from dsh_tools.cards import GenericCall, GenericResult
from dsh_tools.content import ContentBlock, text_content
from dsh_tools.contract import Tool, ToolResult, ToolRun
from dsh_tools.fs.port import Missing
from dsh_tools.models import ToolArguments

DEFAULT_ROWS: Final = 50
MOST_ROWS: Final = 200

_SECONDS: Final = 30.0

_DESCRIPTION = f"""\
Query a SQLite database of the workspace with one SELECT (or WITH … SELECT). Nothing can be written. The first
{DEFAULT_ROWS} rows are shown unless limit says otherwise, and all are counted. SELECT name, sql FROM sqlite_schema
tells what tables there are."""  # noqa: S608 - prose

_OUTPUT: Final[JsonObject] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "rows": {
            "type": "array",
            "items": {"type": "array", "items": {"type": ["string", "number", "null"]}},
            "description": "The first rows; each has a cell for each column.",
        },
        "total": {"type": "integer", "minimum": 0, "description": "How many rows the query has."},
        "truncated": {"type": "boolean", "description": "Not all of them are in rows."},
    },
    "required": ["columns", "rows", "total", "truncated"],
    "additionalProperties": False,
}


class SqlQueryArguments(ToolArguments):
    """Arguments of sql_query."""

    database: str = Field(min_length=1, description="Path of the database: absolute, or relative to the workspace.")
    query: str = Field(min_length=1, max_length=100_000, description="One SELECT statement of SQLite.")
    limit: int = Field(default=DEFAULT_ROWS, ge=1, le=MOST_ROWS, description="How many rows to show at most.")


async def _execute(args: SqlQueryArguments, run: ToolRun) -> JsonObject:
    target = await run.fs.resolve(args.database)
    found = await run.fs.stat(target)
    if isinstance(found, Missing):
        run.ledger.saw_nothing(target)
        raise FsNotFound(target.path)
    if found.kind != "file":
        raise FsNotRegularFile(target.path, found.kind)
    try:
        rows = await _in_thread(target.uri, args.query, args.limit)
    except NoDatabase as fault:
        raise InvalidArgs([FieldError("database", f"{target.path} can't be read as a database: {fault}")]) from None
    except QueryRefused as fault:
        raise InvalidArgs([FieldError("query", f"{fault} (one read-only SELECT is allowed)")]) from None
    return {
        "columns": list(rows.columns),
        "rows": [list(row) for row in rows.rows],
        "total": rows.total,
        "truncated": rows.total > len(rows.rows),
    }


async def _in_thread(uri: str, query: str, limit: int) -> Rows:
    """The rows. When the call is cancelled, or its time is out, it ends as soon as its thread has ended."""
    stop = threading.Event()
    working = asyncio.ensure_future(asyncio.to_thread(run_query, uri, query, limit, stop))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        stop.set()
        try:
            await working
        except (NoDatabase, QueryRefused, Stopped):
            pass
        raise


def _count(shown: int, total: JsonValue) -> str:
    """``50 of 1,200 rows``; ``3 rows`` where that is all."""
    if shown == total:
        return f"{shown:,} row" + ("" if shown == 1 else "s")
    return f"{shown:,} of {total:,} rows"


def _shown(value: JsonObject) -> tuple[int, str]:
    """How many rows are shown, and the table of them: the one text for models and people."""
    columns, rows = value["columns"], value["rows"]
    return table(columns if isinstance(columns, list) else [], rows if isinstance(rows, list) else [])


def _render(_args: SqlQueryArguments, value: JsonObject) -> tuple[ContentBlock, ...]:
    shown, text = _shown(value)
    head = f"{_count(shown, value['total'])}."
    if shown != value["total"]:
        head += f" To see others, use LIMIT and OFFSET in the query, or a limit of up to {MOST_ROWS}."
    return text_content(f"{head}\n{text}")


def _meta(_args: SqlQueryArguments, value: JsonObject) -> JsonValue:
    shown, text = _shown(value)
    return {"shown": shown, "total": value["total"], "text": text}


def _call_card(args: SqlQueryArguments) -> GenericCall:
    return GenericCall(title=f"Query {args.database}", input=args.model_dump(mode="json"))


def _card(args: SqlQueryArguments, result: ToolResult) -> GenericResult:
    recorded = result.meta if isinstance(result.meta, dict) else {}
    shown = recorded["shown"]
    count = _count(shown if isinstance(shown, int) else 0, recorded["total"])
    return GenericResult(title=f"{count} from {args.database}", text=f"{args.query}\n\n{recorded['text']}")


SQL_QUERY: Final = Tool(
    name="sql_query",
    description=_DESCRIPTION,
    params=SqlQueryArguments,
    output=_OUTPUT,
    execute=_execute,
    render=_render,
    presentation_meta=_meta,
    present_call=_call_card,
    present_result=_card,
    concurrency_safe=True,
    timeout=_SECONDS,
)
