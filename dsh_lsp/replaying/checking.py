"""``replay --check``: proof that a journal replays byte for byte.

Three things are looked at. Every line, decoded and encoded again, is the same line. Every card of a tool that is
installed, made again from the recorded arguments and the recorded result, is the card that was recorded. And every
call has its result. Nothing is opened and no tool runs.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dsh_ledger.errors import LedgerError
from dsh_ledger.journal import Event, UnreadableLine, decode, encode
from dsh_ledger.journal_folds import History, RecordedCall, RecordedDecision, RecordedResult
from dsh_ledger.json_values import JsonObject
from dsh_tools.content import CONTENT
from dsh_tools.contract import AnyTool, ToolResult
from dsh_tools.presenting import call_card, result_card
from dsh_tools.registry import Registry


@dataclass(slots=True)
class Checked:
    """What a check has found.

    Attributes:
        cards: How many cards there are.
        made_again: How many of them were made again.
        not_installed: The tools that are not installed; their cards are shown as recorded.
        unfinished: Calls without a result.
        unreadable: Numbers of the lines, from 1, that are no events.
        differing: What is not as it was, as sentences.
    """

    cards: int = 0
    made_again: int = 0
    not_installed: set[str] = field(default_factory=set)
    unfinished: int = 0
    unreadable: list[int] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    @property
    def is_exact(self) -> bool:
        """Everything that could be read replays as it was."""
        return not self.differing and not self.unreadable


def check(lines: Iterable[bytes], registry: Registry) -> Checked:
    """Check a journal.

    Args:
        lines: Its lines.
        registry: The tools that are installed.
    """
    found = Checked()
    history = History()
    for number, line in enumerate(lines, start=1):
        event = _event(line)
        if event is None:
            found.unreadable.append(number)
            continue
        if encode(event).rstrip(b"\n") != line.rstrip(b"\n"):
            found.differing.append(f"line {number} is not what its event encodes to")
        history.apply(event)
    for item in history.in_order():
        if isinstance(item, RecordedDecision):
            continue  # it has no card
        found.cards += 1
        name = item.name if isinstance(item, RecordedCall) else _name(history, item)
        tool = registry.find(name)
        if tool is None:
            found.not_installed.add(name)
            continue
        found.made_again += 1
        made = _call(tool, item) if isinstance(item, RecordedCall) else _result(tool, history, item)
        if _bytes(made) != _bytes(item.view):
            kind = "call" if isinstance(item, RecordedCall) else "result"
            found.differing.append(f"the card of the {kind} of {name} (event {item.seq}) is made differently now")
    found.unfinished = len(history.calls.keys() - history.results.keys())
    return found


def _event(line: bytes) -> Event | None:
    try:
        return decode(line)
    except UnreadableLine:
        return None


def _name(history: History, result: RecordedResult) -> str:
    call = history.calls.get(result.call)
    return call.name if call else ""


def _call(tool: AnyTool, call: RecordedCall) -> Any:
    return call_card(tool, call.name, call.arguments).to_wire()


def _result(tool: AnyTool, history: History, result: RecordedResult) -> Any:
    call = history.calls.get(result.call)
    if call is None:
        return None
    try:
        content = CONTENT.validate_python(result.content)
    except ValidationError:
        return None
    error = None if result.error is None else _recorded_error(result.error)
    return result_card(tool, call.name, call.arguments, ToolResult(content, error, result.meta)).to_wire()


def _recorded_error(recorded: JsonObject) -> LedgerError:
    """An error as it was recorded, of a class of its own; what it said to the model is in the recorded content."""
    kind = type("RecordedError", (LedgerError,), {"code": str(recorded.get("code", ""))})
    error: LedgerError = kind(str(recorded.get("message", "")))
    return error


def _bytes(view: Any) -> bytes:
    return json.dumps(view, allow_nan=False).encode("ascii")
