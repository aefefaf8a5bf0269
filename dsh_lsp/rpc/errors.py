"""What goes wrong between us and a peer, as exceptions and as JSON.

Held: the exception for a peer that has gone, the answers that this layer gives by itself, and the wire form of an
error. Absent: errors of tools, files and sessions. A handler raises any ``pygls.exceptions.JsonRpcException`` to choose
the code, message and data of its answer; every other exception becomes :func:`internal_error`.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcRequestCancelled

from dsh_tools.reporting import shown

MsgId: TypeAlias = int | str


class PeerGone(Exception):
    """The peer disconnected, so a request that was sent to it will never be answered.

    Attributes:
        reason: Why the connection ended, in a few words that hold no content.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the peer has gone: {reason}")
        self.reason = reason


def is_message_id(value: object) -> TypeGuard[MsgId]:
    """Whether ``value`` may identify a request: an integer or a string (LSP 3.17, Request Message)."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def internal_error(method: str) -> JsonRpcInternalError:
    """Return the answer to a request whose handler failed: the method, and nothing of what happened inside."""
    return JsonRpcInternalError(f"internal error while handling {shown(method)}")


def request_cancelled(method: str) -> JsonRpcRequestCancelled:
    """Return the answer to a request that was cancelled (LSP 3.17, ``$/cancelRequest``)."""
    return JsonRpcRequestCancelled(f"{shown(method)} was cancelled")


def error_answer(request_id: MsgId | None, error: JsonRpcException) -> dict[str, Any]:
    """Return the response message that carries ``error``; the id is null when the request's is not known."""
    wire: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        wire["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id, "error": wire}


def exception_from(error: object) -> JsonRpcException:
    """Return the exception for the ``error`` member of a response, whatever shape it is in."""
    if not isinstance(error, dict):
        return JsonRpcInternalError("the peer answered with a malformed error")
    code = error.get("code")
    return JsonRpcException(
        message=str(error.get("message", "")),
        code=code if isinstance(code, int) else None,
        data=error.get("data"),
    )
