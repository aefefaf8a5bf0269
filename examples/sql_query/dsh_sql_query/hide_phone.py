"""hide_phone: no phone numbers in the results of sql_query.

The *value* is replaced, and all the rest follows from it: what the model reads, what is recorded, the card, and what
programs get. Columns are known by their names in the result, which a query can change: see the README.
"""

from collections.abc import Mapping
from typing import Final

from dsh_tools.decisions import Accept, After, ReplaceValue
from dsh_tools.json_values import Frozen
from dsh_tools.policies import Policy, PolicyCall, PolicyResult

HIDDEN: Final = "(hidden)"


def _after(call: PolicyCall, result: PolicyResult) -> After:
    value = result.value
    if call.tool != "sql_query" or not isinstance(value, Mapping):
        return Accept()
    columns, rows = value["columns"], value["rows"]
    if not isinstance(columns, tuple) or not isinstance(rows, tuple):
        return Accept()
    phones = {index for index, name in enumerate(columns) if "phone" in str(name).lower()}
    if not phones:
        return Accept()
    return ReplaceValue({**value, "rows": [_hidden(row, phones) for row in rows]})


def _hidden(row: Frozen, phones: set[int]) -> list[Frozen]:
    """The row without the numbers; what was NULL stays NULL."""
    cells = row if isinstance(row, tuple) else ()
    return [HIDDEN if index in phones and cell is not None else cell for index, cell in enumerate(cells)]


HIDE_PHONE: Final = Policy("hide_phone", after=_after)
