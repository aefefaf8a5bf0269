"""The journal: what happened in a session, as events in one total order, one line of JSON each.

Held here: the events, their lines, and the codec of what was observed. Deliberately absent: files, clocks, and what
follows from the events (`dsh_ledger.journal_folds`).

A line is an object ``{v, seq, at, type, data}`` in ASCII: ``seq`` counts from 1 without gaps unless a line was lost,
``at`` is a time in ISO 8601, ``type`` is one of the constants below. Types and members that are not known are kept: a
journal written by a later version is still read, and still replays what is known of it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.ledger import Observed
from dsh_ledger.observations import Absent, LineSpan, Observation, Present, Unseen
from dsh_ledger.targets import Target
from dsh_ledger.versions import Version

JOURNAL_VERSION: Final = 1
"""Raised when an old reader would misread a new journal."""

SESSION_START: Final = "session/start"
TOOL_CALL: Final = "tool/call"
TOOL_RESULT: Final = "tool/result"
FS_OBSERVED: Final = "fs/observed"
REVIEW_DECIDED: Final = "review/decided"
SESSION_END: Final = "session/end"


class UnreadableLine(Exception):
    """A line is no event. The message says why, without any of its content."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        seq: Its place in the session's order, from 1.
        at: When, in ISO 8601; what is said of it is never computed with.
        type: One of the constants of this module, or something that a later version wrote.
        data: What happened.
        v: The version of the journal's format.
        more: Members of the line that this version does not know.
    """

    seq: int
    at: str
    type: str
    data: JsonObject
    v: int = JOURNAL_VERSION
    more: JsonObject = field(default_factory=dict)


def encode(event: Event) -> bytes:
    """The event's line, line feed included.

    Raises:
        ValueError: The data hold a number that JSON does not have.
    """
    members = {"v": event.v, "seq": event.seq, "at": event.at, "type": event.type, "data": event.data, **event.more}
    return json.dumps(members, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def decode(line: bytes) -> Event:
    """The event of a line.

    Raises:
        UnreadableLine: It is none.
    """
    try:
        members = json.loads(line)
    except (ValueError, RecursionError):
        raise UnreadableLine("it is no JSON") from None
    if not isinstance(members, dict):
        raise UnreadableLine("it is no object")
    v, seq, at = members.pop("v", None), members.pop("seq", None), members.pop("at", None)
    kind, data = members.pop("type", None), members.pop("data", None)
    if not _is_count(v) or not _is_count(seq):
        raise UnreadableLine("it has no version or no number")
    if not isinstance(at, str) or not isinstance(kind, str) or not isinstance(data, dict):
        raise UnreadableLine("it lacks a member")
    return Event(seq, at, kind, data, v, members)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def observed_data(fact: Observed) -> JsonObject:
    """The data of an ``fs/observed`` event."""
    about: JsonObject = {"uri": fact.target.uri, "path": fact.target.path}
    match fact.observation:
        case Present(version, lines):
            about |= {"state": "present", "version": version}
            if lines is not None:
                about["lines"] = [[span.start, span.end] for span in lines]
        case Absent():
            about["state"] = "absent"
        case Unseen():
            about["state"] = "unseen"
    return about


def observed_fact(session: str, data: Mapping[str, JsonValue]) -> Observed:
    """The fact of an ``fs/observed`` event.

    Raises:
        UnreadableLine: The data hold none.
    """
    uri, path = data.get("uri"), data.get("path")
    if not isinstance(uri, str) or not isinstance(path, str):
        raise UnreadableLine("it names no target")
    return Observed(session, Target(uri, path), _observation(data))


def _observation(data: Mapping[str, JsonValue]) -> Observation:
    match data.get("state"), data.get("version"), data.get("lines"):
        case "absent", _, _:
            return Absent()
        case "unseen", _, _:
            return Unseen()
        case "present", str(version), None:
            return Present(Version(version))
        case "present", str(version), list(lines):
            return Present(Version(version), tuple(map(_span, lines)))
        case _:
            raise UnreadableLine("it holds no observation")


def _span(value: JsonValue) -> LineSpan:
    match value:
        case [int(start), int(end)]:
            return LineSpan(start, end)
        case _:
            raise UnreadableLine("it holds no lines")
