"""One read-only query of a SQLite database, in a thread that can be told to stop.

Held here: what a query may do, and how its rows become JSON. Deliberately absent: tools, and where databases may lie.
"""

import math
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final

Cell = str | int | float | None

LONGEST_CELL: Final = 1_000
"""Characters of a text that are kept."""

MOST_COLUMNS: Final = 100

_LONGEST_VALUE: Final = 10_000_000
"""Bytes that a value may have inside of SQLite."""

_LOCKED: Final = 2.0
"""Seconds to wait for another program's lock."""

_STEPS: Final = 1_000
"""Instructions of SQLite's machine between two looks at whether to stop."""

_ALLOWED: Final = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


class NoDatabase(Exception):
    """The file is no SQLite database, or can't be opened as one. The message says why."""


class QueryRefused(Exception):
    """The query is no single read-only query, or SQLite does not understand it. The message says why."""


class Stopped(Exception):
    """The query was told to stop."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query gives.

    Attributes:
        columns: The names of the columns; two may be called the same.
        rows: The first rows, as many as were asked for.
        total: How many rows there are.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    total: int


def run_query(uri: str, query: str, limit: int, stop: threading.Event) -> Rows:
    """Run a query to its end. Blocks: call it in a thread.

    Args:
        uri: The database's ``file:`` URI, without parameters.
        query: One statement.
        limit: How many rows to keep.
        stop: Ends the query soon after it is set.

    Raises:
        NoDatabase, QueryRefused, Stopped: As their names say.
    """
    try:
        connection = sqlite3.connect(f"{uri}?mode=ro", timeout=_LOCKED, uri=True)
    except sqlite3.Error as error:
        raise NoDatabase(str(error)) from None
    with closing(connection):
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raise NoDatabase(str(error)) from None
        _restrict(connection, stop)
        try:
            return _rows(connection.execute(query), limit)
        except sqlite3.Error as error:
            if stop.is_set():
                raise Stopped from None
            raise QueryRefused(str(error)) from None


def _restrict(connection: sqlite3.Connection, stop: threading.Event) -> None:
    """Let nothing but reading through; the authorizer comes last, since it stops PRAGMA too."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.set_progress_handler(stop.is_set, _STEPS)
    connection.set_authorizer(_authorize)


def _authorize(action: int, *_about: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _rows(cursor: sqlite3.Cursor, limit: int) -> Rows:
    if cursor.description is None:
        raise QueryRefused("it is no query: nothing is selected")
    columns = [str(column[0]) for column in cursor.description]
    if len(columns) > MOST_COLUMNS:
        raise QueryRefused(f"it selects {len(columns)} columns; at most {MOST_COLUMNS} can be shown")
    rows = [[_cell(value) for value in row] for row in islice(cursor, limit)]
    return Rows(columns, rows, len(rows) + sum(1 for _ in cursor))


def _cell(value: object) -> Cell:
    """A value of SQLite as JSON. What can't be whole says so itself."""
    if isinstance(value, bytes):
        return f"({len(value):,} bytes)"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str) and len(value) > LONGEST_CELL:
        return f"{value[:LONGEST_CELL]}… ({LONGEST_CELL:,} of {len(value):,} characters)"
    return value if isinstance(value, str | int | float) else None
