"""What a client may have to deal with, as exceptions."""

from typing import Any


class ClientError(Exception):
    """Everything below."""


class NoServer(ClientError):
    """No server has the workspace: none runs, or it can't be reached."""


class Disconnected(ClientError):
    """The connection ended and could not be made again in time; whether the request was carried out is not known."""


class Unsupported(ClientError):
    """The server speaks another version of the protocol."""


class RequestRefused(ClientError):
    """The server refused a request as such: unknown method, invalid params.

    Attributes:
        code: The JSON-RPC error code.
        data: What the server said besides; for invalid params ``{"errors": [{"path", "message"}]}``.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(": ".join([message, *_fields(data)]))
        self.code = code
        self.data = data


class Refused(ClientError):
    """A call did not end well. The text is what a model is told, with what to do next.

    Attributes:
        code: The error's code: ``FS_STALE_VERSION``, ``DENIED``, ...
        message: The error in one sentence or two.
        details: What belongs to the code, as JSON: the hunks of FS_STALE_VERSION, say.
        call_id: Which call.
    """

    def __init__(self, code: str, message: str, details: Any, text: str, call_id: str) -> None:
        super().__init__(text or f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details
        self.call_id = call_id


def _fields(data: Any) -> list[str]:
    """The members that were wrong, each with what is wrong with it, if the server has named them."""
    errors = data.get("errors") if isinstance(data, dict) else None
    said = [f"{each.get('path')}: {each.get('message')}" for each in errors or () if isinstance(each, dict)]
    return ["; ".join(said)] if said else []
