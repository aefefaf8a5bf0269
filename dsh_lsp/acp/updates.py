"""Notifications of ours as ``session/update`` notifications of ACP 1.

========================  ========================================================================
``dsh/toolCall``          ``tool_call``, ``pending``, with the change that the arguments ask for
``dsh/toolResult``        ``tool_call_update``, ``completed`` or ``failed``, with what was done
``dsh/decided``           ``tool_call_update`` that says which hunk was kept or undone
========================  ========================================================================

What ACP has no member for is under ``_meta.dsh``. The content of an update takes the place of the call's.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from dsh_lsp.acp.contents import Json, Kind, absolute, kind_of, shown
from dsh_lsp.replaying.members import boolean, integer, string

_KNOWN_TOOLS: Final[dict[str, Kind]] = {
    "read": "read",
    "read_image": "read",
    "glob": "search",
    "grep": "search",
    "web_fetch": "fetch",
    "web_search": "search",
}
"""Built-in tools whose calls have a generic card, for an icon until the result's card says what they are."""

_DECIDED: Final = ("hunkId", "uri", "decision", "userModified")


def session_updates(notes: Iterable[tuple[str, Mapping[str, Any]]], folder: str | None) -> Iterator[Json]:
    """The notifications of a session, as ACP has them: whole JSON-RPC messages, in order.

    Args:
        notes: Method and params of each notification of ours; those of no interest to ACP are left out.
        folder: See `session_update`.
    """
    for method, params in notes:
        update = session_update(method, params, folder)
        if update is not None:
            yield {"jsonrpc": "2.0", "method": "session/update", "params": update}


def session_update(method: str, params: Mapping[str, Any], folder: str | None) -> Json | None:
    """The params of ``session/update`` for a notification of ours; None for one that ACP has nothing for.

    Args:
        method: ``dsh/toolCall``, ``dsh/toolResult`` or ``dsh/decided``.
        params: Its params, as JSON.
        folder: The workspace folder from which relative paths start, as an absolute path or a ``file:`` URI.
    """
    start = None if folder is None else absolute(folder, None)
    match method:
        case "dsh/toolCall":
            update = _call(params, start)
        case "dsh/toolResult":
            update = _result(params, start)
        case "dsh/decided":
            update = _decided(params)
        case _:
            return None
    return {"sessionId": string(params, "sessionId") or "", "update": update}


def _call(params: Mapping[str, Any], folder: str | None) -> Json:
    view, name = _view(params), string(params, "name") or ""
    seen = shown(view, folder)
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": string(params, "callId") or "",
        "title": string(view, "title") or name,
        "kind": kind_of(view) or _KNOWN_TOOLS.get(name, "other"),
        "status": "pending",
        **({"content": list(seen.content)} if seen.content else {}),
        **({"locations": list(seen.locations)} if seen.locations else {}),
        **_raw_input(view),
        "_meta": _meta(params, seen.truncated),
    }


def _raw_input(view: Mapping[str, Any]) -> Json:
    """What the card has of the arguments, as data."""
    match view.get("card"):
        case "generic" if view.get("input") is not None:
            return {"rawInput": view["input"]}
        case "terminal":
            named = {name: string(view, name) for name in ("command", "cwd")}
            return {"rawInput": {name: value for name, value in named.items() if value is not None}}
        case _:
            return {}


def _result(params: Mapping[str, Any], folder: str | None) -> Json:
    view = _view(params)
    failed = boolean(params, "isError") or False
    seen, kind, title = shown(view, folder), kind_of(view), string(view, "title")
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": string(params, "callId") or "",
        # The title of an error is the tool's name, which says less than the call's.
        **({"title": title} if title and not failed else {}),
        **({"kind": kind} if kind is not None else {}),
        "status": "failed" if failed else "completed",
        "content": list(seen.content),
        **({"locations": list(seen.locations)} if seen.locations else {}),
        "_meta": _meta(params, seen.truncated, string(view, "code")),
    }


def _decided(params: Mapping[str, Any]) -> Json:
    decided = {name: params[name] for name in _DECIDED if name in params}
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": string(params, "callId") or "",
        "_meta": {"dsh": {"decided": decided}},
    }


def _meta(params: Mapping[str, Any], truncated: bool, code: str | None = None) -> Json:
    seq = integer(params, "seq")
    return {
        "dsh": {
            "tool": string(params, "name") or "",
            **({} if seq is None else {"seq": seq}),
            **({} if code is None else {"code": code}),
            **({"truncated": True} if truncated else {}),
        }
    }


def _view(params: Mapping[str, Any]) -> Mapping[str, Any]:
    view = params.get("view")
    return view if isinstance(view, Mapping) else {}
