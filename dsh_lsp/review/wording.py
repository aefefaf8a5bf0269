"""Decisions in words: for the agent's model, and for whoever looks at a session again. Pure."""

from collections.abc import Sequence

from dsh_ledger.json_values import JsonObject

_LISTED = 20


def decision_sentence(data: JsonObject) -> str:
    """One decision, as in ``The user undid a change of a.txt (lines 3-5)``, with a full stop."""
    verb = {"kept": "kept", "undone": "undid"}.get(str(data.get("decision")), "decided on")
    modified = ", which they had modified" if data.get("userModified") is True else ""
    return f"The user {verb} a change of {data.get('path', 'a file')}{_place(data)}{modified}."


def told(decisions: Sequence[JsonObject]) -> str | None:
    """What a model is told of the decisions since its last call; None where there are none."""
    if not decisions:
        return None
    lines = [f"{decision_sentence(data)} (call {data.get('callId')})" for data in decisions[:_LISTED]]
    more = len(decisions) - _LISTED
    if more > 0:
        lines.append(f"(And {more} more decisions.)")
    if any(data.get("decision") == "undone" for data in decisions):
        lines.append("Read a file again before you edit it where a change was undone.")
    return "\n".join(["Since your last call:", *lines])


def _place(data: JsonObject) -> str:
    match data.get("lines"):
        case [int(start), int(end)] if end > start:
            return f" (line {start + 1})" if end == start + 1 else f" (lines {start + 1}-{end})"
        case [int(start), int(_)]:
            return f" (at line {start + 1})"
        case _:
            return ""
