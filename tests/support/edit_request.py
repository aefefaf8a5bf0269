"""A request to apply an edit, in either of its two dialects: ``workspace/applyEdit`` and ``dsh/applyEdit``.

Deliberately absent: what an editor makes of it (see `applying`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.peer import ServerRequest


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """The edits of one document.

    Attributes:
        uri: The document, as the server spells it.
        version: The version that the edits are for; None if none is given or it is null.
        edits: LSP text edits.
        content_version: The content version that the edits are for; only ``dsh/applyEdit`` has one.
    """

    uri: str
    version: int | None
    edits: list[Any]
    content_version: str | None = None


class EditRequest:
    """A request to apply an edit.

    Attributes:
        documents: What is to be edited, in the order of the request.
        params: As they came.
    """

    def __init__(self, request: ServerRequest) -> None:
        self.params: Any = request.params
        self.documents = list(_documents(request))
        self._request = request

    @property
    def method(self) -> str:
        """``workspace/applyEdit`` or ``dsh/applyEdit``."""
        return self._request.method

    def answer(self, applied: bool, reason: str | None = None) -> None:
        """Say that the edit was applied, or not; without a reason, the answer has no member for one."""
        key = "reason" if self._request.method == "dsh/applyEdit" else "failureReason"
        self._request.answer({"applied": applied} if reason is None else {"applied": applied, key: reason})

    def fail(self, code: int, message: str) -> None:
        """Answer with a JSON-RPC error."""
        self._request.fail(code, message)

    def leave(self) -> None:
        """Never answer, on purpose."""
        self._request.leave()


def _documents(request: ServerRequest) -> Iterator[DocumentEdit]:
    params = request.params
    if request.method == "dsh/applyEdit":
        yield DocumentEdit(params["uri"], params["version"], params["edits"], params["contentVersion"])
        return
    for entry in params["edit"].get("documentChanges", []):
        document = entry["textDocument"]  # no resource operations: the server has no use for them
        yield DocumentEdit(document["uri"], document.get("version"), entry["edits"])
    for uri, edits in params["edit"].get("changes", {}).items():
        yield DocumentEdit(uri, None, edits)
