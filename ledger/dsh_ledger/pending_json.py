"""Pending hunks as JSON, to be kept on a disk and had again."""

from collections.abc import Iterable

from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.pending import PendingHunk, PendingHunks


class UnreadableHunks(Exception):
    """The JSON holds no pending hunks."""


def hunks_to_json(hunks: Iterable[PendingHunk]) -> list[JsonValue]:
    """One object for each hunk, in order."""
    return [_to_json(hunk) for hunk in hunks]


def hunks_from_json(value: JsonValue) -> PendingHunks:
    """The hunks again.

    Raises:
        UnreadableHunks: It is something else, or the hunks contradict each other.
    """
    if not isinstance(value, list):
        raise UnreadableHunks("no list")
    try:
        return PendingHunks.of([_from_json(item) for item in value])
    except ValueError as error:
        raise UnreadableHunks(str(error)) from None


def _to_json(hunk: PendingHunk) -> JsonObject:
    return {
        "id": hunk.id,
        "start": hunk.start,
        "base": list(hunk.base),
        "current": list(hunk.current),
        "calls": [[session, call] for session, call in hunk.calls],
        "userModified": hunk.user_modified,
        "oldNoNewline": hunk.old_no_newline,
        "newNoNewline": hunk.new_no_newline,
    }


def _from_json(value: JsonValue) -> PendingHunk:
    match value:
        case {
            "id": str(name),
            "start": int(start),
            "base": list(base),
            "current": list(current),
            "calls": list(calls),
            "userModified": bool(modified),
            "oldNoNewline": bool(old),
            "newNoNewline": bool(new),
        } if calls:
            return PendingHunk(name, start, _lines(base), _lines(current), tuple(map(_call, calls)), modified, old, new)
        case _:
            raise UnreadableHunks("no hunk")


def _lines(value: list[JsonValue]) -> tuple[str, ...]:
    lines = tuple(line for line in value if isinstance(line, str))
    if len(lines) != len(value):
        raise UnreadableHunks("a line is no text")
    return lines


def _call(value: JsonValue) -> tuple[str, str]:
    match value:
        case [str(session), str(call)]:
            return session, call
        case _:
            raise UnreadableHunks("no call")
