"""The example of a plug-in: exact counts, reading only, and a policy that replaces the value."""

import asyncio
import importlib
import sqlite3
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dsh_tools.builtin import READ
from dsh_tools.content import content_text, text_content
from dsh_tools.contract import ToolResult
from dsh_tools.decisions import After, ReplaceContent
from dsh_tools.pipeline import run_tool
from dsh_tools.policies import Policy, PolicyCall, PolicyResult
from dsh_tools.presenting import result_card
from dsh_tools.testing import ToolCase, assert_tool, run_case, workspace_run
from tests.support.repository import ROOT

sys.path.append(str(ROOT / "examples" / "sql_query"))
TOOL = importlib.import_module("dsh_sql_query.tool").SQL_QUERY
HIDE_PHONE = importlib.import_module("dsh_sql_query.hide_phone").HIDE_PHONE
DATABASE = importlib.import_module("dsh_sql_query.database")

ALL = "SELECT id, name, phone FROM people ORDER BY id"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
PEOPLE = 1_200


def people(folder: Path) -> None:
    """A database with 1,200 people; the third has no phone."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, phone TEXT)")
        rows = ((n, f"person {n}", None if n == 3 else f"+44 20 {n:06}") for n in range(1, PEOPLE + 1))
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)


def case(query: str, *, expect_error: str | None = None, policies: Sequence[Policy] = (), **more: Any) -> ToolCase:
    """A query of that database."""
    arguments = {"database": "shop.db", "query": query, **more}
    return ToolCase(query[:40], arguments, prepare=[people], expect_error=expect_error, policies=policies)


async def value_of(query: str, workspace: Path, **more: Any) -> dict[str, Any]:
    """The value of a query that is not refused."""
    result = await run_case(TOOL, case(query, **more), workspace)
    assert None is result.error
    assert isinstance(result.value, dict)
    return result.value


def everywhere(result: ToolResult, query: str = ALL) -> dict[str, str]:
    """All that anybody sees of a result, as text."""
    view = result_card(TOOL, "sql_query", {"database": "shop.db", "query": query}, result).to_wire()
    return {
        "content": content_text(result.content),
        "value": str(result.value),
        "meta": str(result.meta),
        "card": str(view),
    }


async def test_50_of_1200_rows_are_kept_and_the_rest_is_counted(tmp_path: Path) -> None:
    """The value says exactly how many there are; what the model and people read says so too."""
    result = await run_case(TOOL, case(ALL), tmp_path)
    assert isinstance(result.value, dict)
    shown = everywhere(result)
    rows = result.value["rows"]

    assert isinstance(rows, list)
    assert (["id", "name", "phone"], 50, 1_200, True) == (
        result.value["columns"],
        len(rows),
        result.value["total"],
        result.value["truncated"],
    )
    assert [1, "person 1", "+44 20 000001"] == rows[0]
    assert shown["content"].startswith("50 of 1,200 rows. To see others,")
    assert "50 of 1,200 rows from shop.db" in shown["card"]


async def test_all_rows_are_not_called_some(tmp_path: Path) -> None:
    """Where nothing is cut, nothing is said of a cut; exactly as many rows as the limit are all of them."""
    exact = await value_of(f"{ALL} LIMIT 50", tmp_path)
    none = await run_case(TOOL, case("SELECT 1 WHERE 0"), tmp_path)
    one = await run_case(TOOL, case("SELECT 'x' AS a"), tmp_path)

    assert (50, False) == (exact["total"], exact["truncated"])
    assert "0 rows.\n1" == content_text(none.content)
    assert "1 row.\na\nx" == content_text(one.content)


async def test_it_keeps_the_contract_of_tools(tmp_path: Path) -> None:
    """Schemas, refusals, purity and replay, by the kit."""
    cases = [
        case(ALL),
        case(f"{ALL} LIMIT 3"),
        case(ALL, limit=200),
        case(ALL, policies=[HIDE_PHONE]),
        case("SELECT 1, 1.5, NULL, 'a|b\nc', x'00ff', 9e999, -9223372036854775808"),
        case(f"SELECT '{'é' * 3_000}' AS long"),
        case("SELECT * FROM nobody", expect_error="INVALID_ARGS"),
        case(ALL, limit=0, expect_error="INVALID_ARGS"),
        case(ALL, limt=1, expect_error="INVALID_ARGS"),
        ToolCase("no file", {"database": "b.db", "query": ALL}, expect_error="FS_NOT_FOUND"),
        ToolCase("a folder", {"database": ".", "query": ALL}, expect_error="FS_NOT_REGULAR_FILE"),
        ToolCase("outside", {"database": "../b.db", "query": ALL}, expect_error="FS_SANDBOX_DENIED"),
        ToolCase("a text", {"database": "a", "query": ALL}, {"a": "no database " * 99}, expect_error="INVALID_ARGS"),
    ]

    await assert_tool(TOOL, cases, tmp_path)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM people",
        "UPDATE people SET phone = ''",
        "INSERT INTO people VALUES (0, '', '')",
        "CREATE TABLE more (a)",
        "CREATE TEMP TABLE more (a)",
        "DROP TABLE people",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'other.db'",
        "PRAGMA query_only = 0",
        "PRAGMA table_info(people)",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM people",
        "BEGIN",
        "-- nothing",
        "SELEC 1",
        "SELECT ?",
        "SELECT '\0'",
        "SELECT '\ud800'",
        "SELECT zeroblob(20000000)",
        "SELECT " + ", ".join("1" * 101),
    ],
)
async def test_only_reading_is_allowed(tmp_path: Path, query: str) -> None:
    """Everything else is refused with what to do, changes nothing and makes no file."""
    result = await run_case(TOOL, case(query), tmp_path)
    [folder] = tmp_path.iterdir()

    assert result.error is not None
    assert "INVALID_ARGS" == result.error.code
    assert ["shop.db"] == [path.name for path in folder.iterdir()]
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        assert (PEOPLE, PEOPLE - 1) == connection.execute("SELECT count(*), count(phone) FROM people").fetchone()


def test_a_database_that_went_away_is_not_made(tmp_path: Path) -> None:
    """The file is opened for reading: where there is none any more, none is created."""
    with pytest.raises(DATABASE.NoDatabase):
        DATABASE.run_query((tmp_path / "shop.db").as_uri(), "SELECT 1", 1, threading.Event())

    assert [] == list(tmp_path.iterdir())


async def test_odd_cells_are_json_and_say_what_is_cut(tmp_path: Path) -> None:
    """Bytes, what is no number in JSON, a long text, and text that would break the table."""
    value = await value_of(
        f"SELECT x'00ff', 9e999, '{'é' * 3_000}', cast(x'ff41' AS TEXT), 'a|b' || char(10)", tmp_path
    )
    result = await run_case(TOOL, case("SELECT 'a|b' || char(10) AS x, NULL AS y"), tmp_path)

    assert [["(2 bytes)", "inf", "é" * 1_000 + "… (1,000 of 3,000 characters)", "\ufffdA", "a|b\n"]] == value["rows"]
    assert "1 row.\nx | y\na\\|b\\n | NULL" == content_text(result.content)


async def test_rows_that_are_too_much_for_a_model_are_counted_too(tmp_path: Path) -> None:
    """The value has the rows that were asked for; text and card stop earlier, and say after how many."""
    wide = ", ".join(f"hex(zeroblob(400)) AS c{n}" for n in range(10))
    result = await run_case(TOOL, case("SELECT " + wide + " FROM people"), tmp_path)  # noqa: S608 - ours
    assert isinstance(result.value, dict)
    shown = everywhere(result)
    lines = shown["content"].split("\n")

    assert (50, 1_200) == (len(result.value["rows"]), result.value["total"])  # type: ignore[arg-type]
    assert lines[0].startswith(f"{len(lines) - 2} of 1,200 rows.")
    assert f"{len(lines) - 2} of 1,200 rows" in shown["card"]
    assert 0 < len(lines) - 2 < 50


async def test_a_cancelled_query_ends_with_its_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is ABORTED once the thread has stopped: nothing goes on in the background."""
    begun, ended = threading.Event(), threading.Event()
    run_query = DATABASE.run_query

    def noted(*given: Any) -> Any:
        begun.set()
        try:
            return run_query(*given)
        finally:
            ended.set()

    monkeypatch.setattr("dsh_sql_query.tool.run_query", noted)
    people(tmp_path)
    with workspace_run(tmp_path) as run:
        running = asyncio.ensure_future(run_tool(TOOL, {"database": "shop.db", "query": ENDLESS}, run))
        await asyncio.to_thread(begun.wait, 10)
        running.cancel()
        result = await running

    assert result.error is not None
    assert "ABORTED" == result.error.code
    assert ended.is_set()


def numbers(shown: dict[str, str]) -> list[str]:
    """Where a phone number can be seen."""
    return [place for place, text in shown.items() if "+44" in text]


async def test_hide_phone_hides_the_numbers_from_everybody(tmp_path: Path) -> None:
    """The value is replaced, and content, record and card follow; NULL stays NULL, and counts stay exact."""
    result = await run_case(TOOL, case(ALL, policies=[HIDE_PHONE]), tmp_path)
    assert isinstance(result.value, dict)

    assert [] == numbers(everywhere(result))
    assert [[1, "person 1", "(hidden)"], [3, "person 3", None]] == [result.value["rows"][n] for n in (0, 2)]  # type: ignore[index]
    assert (1_200, True) == (result.value["total"], result.value["truncated"])
    assert content_text(result.content).startswith("50 of 1,200 rows.")


async def test_hiding_the_content_alone_would_not_do(tmp_path: Path) -> None:
    """A policy that replaces what the model reads leaves the numbers to programs, to the record and on the card."""

    def after(_call: PolicyCall, _result: PolicyResult) -> After:
        return ReplaceContent(text_content("1,200 people"))

    result = await run_case(TOOL, case(ALL, policies=[Policy("content alone", after=after)]), tmp_path)

    assert ["value", "meta", "card"] == numbers(everywhere(result))


async def test_hide_phone_leaves_everything_else_alone(tmp_path: Path) -> None:
    """Results without such a column, and those of other tools, are what they were."""
    query = "SELECT id, name FROM people"
    with_policy = await run_case(TOOL, case(query, policies=[HIDE_PHONE]), tmp_path)
    without = await run_case(TOOL, case(query), tmp_path)
    read = ToolCase("read", {"file_path": "a.txt"}, {"a.txt": "phone +44"}, policies=[HIDE_PHONE])

    assert without == with_policy
    assert "+44" in content_text((await run_case(READ, read, tmp_path)).content)


async def test_a_query_that_renames_the_column_gets_around_it(tmp_path: Path) -> None:
    """A limit of the example that its README admits: a policy sees names of columns, not where they come from."""
    result = await run_case(TOOL, case("SELECT phone AS x FROM people", policies=[HIDE_PHONE]), tmp_path)

    assert numbers(everywhere(result))
    assert "gets around it" in (ROOT / "examples" / "sql_query" / "README.md").read_text(encoding="utf-8")
