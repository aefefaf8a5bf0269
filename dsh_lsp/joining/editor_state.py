"""What a new hub must be told of an editor, and the editor of its old hub, when one hub follows another.

Followed from the messages that pass, both ways. Deliberately absent: connections, and when a hub has ended.
"""

import logging
from collections.abc import Iterator
from typing import Any, Final

from lsprotocol import types

from dsh_lsp.joining.documents import FollowedDocuments
from dsh_lsp.rpc.converter import shared_converter
from dsh_lsp.rpc.errors import MsgId

_log = logging.getLogger(__name__)

Frame = dict[str, Any]
"""A message, as JSON."""

_AGAIN: Final = frozenset(
    {
        "dsh/ledger/query",
        "dsh/review/list",
        "dsh/review/summary",
        "dsh/session/list",
        "dsh/session/open",
        "dsh/session/replay",
        "dsh/subscribe",
        "dsh/tool/list",
        "initialize",
        "shutdown",
        "textDocument/codeAction",
        "textDocument/codeLens",
        "textDocument/diagnostic",
        "textDocument/hover",
        "textDocument/semanticTokens/full",
        "workspace/textDocumentContent",
    }
)
"""Requests that may be asked twice. ``dsh/tool/run`` with a call id is one more: a call id never runs twice."""

_PAINT: Final = {"dsh/decorations": "hunks", "textDocument/publishDiagnostics": "diagnostics"}
"""What stays on the screen until it is told anew, and the member that says it."""

_TRY_AGAIN: Final = -32802
"""``ServerCancelled`` (LSP 3.17, "Error Codes")."""


class EditorState:
    """What passed between an editor and its hub.

    Args:
        initialize: The editor's first request.

    Attributes:
        initialize: The same, with the folders that there are now.
        documents: What it has open.
        is_initialized: It sent ``initialized``.
        is_shut_down: It asked for ``shutdown``.
        asked: Its requests that were not answered, by id.
    """

    def __init__(self, initialize: Frame) -> None:
        self.documents = FollowedDocuments()
        self.is_initialized = False
        self.is_shut_down = False
        self.asked: dict[MsgId, Frame] = {initialize["id"]: initialize}
        self.initialize = initialize
        self._sessions: dict[str | None, Frame] = {}
        self._subscribed: dict[str | None, Frame] = {}
        self._progress: set[MsgId] = set()
        self._registered: dict[str, str] = {}
        self._painted: dict[tuple[str, str], Any] = {}

    # What passes

    def request(self, frame: Frame) -> None:
        """The editor asks for something."""
        self.asked[frame["id"]] = frame
        self.is_shut_down |= frame["method"] == "shutdown"

    def notification(self, method: str, params: Any) -> None:
        """The editor tells something."""
        if self.documents.follow(method, params):
            return
        if method == "initialized":
            self.is_initialized = True
        elif method == types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS:
            self._change_folders(params)

    def answered(self, frame: Frame) -> None:
        """The hub answers the editor."""
        asked = self.asked.pop(frame["id"], None)
        result = frame.get("result")
        if asked is None or not isinstance(result, dict):
            return
        params = asked.get("params") or {}
        session = params.get("sessionId")
        match asked["method"]:
            case "initialize":
                self.documents.encoding = (result.get("capabilities") or {}).get("positionEncoding") or "utf-16"
            case "dsh/session/open":
                self._sessions[result["sessionId"]] = params
            case "dsh/session/close":
                self._sessions.pop(session, None)
                self._subscribed.pop(session, None)
            case "dsh/subscribe":
                self._subscribed[session] = params
            case _:
                pass

    def told(self, method: str, params: Any) -> None:
        """The hub tells the editor something, or asks it."""
        if not isinstance(params, dict):
            return
        if method == "$/progress":
            kind = params["value"].get("kind") if isinstance(params.get("value"), dict) else None
            (self._progress.discard if kind == "end" else self._progress.add)(params["token"])
        elif method == "client/registerCapability":
            self._registered |= {each["id"]: each["method"] for each in params["registrations"]}
        elif method == "client/unregisterCapability":
            for each in params["unregisterations"]:
                self._registered.pop(each["id"], None)
        elif method in _PAINT:
            key = (method, params["uri"])
            self._painted.pop(key, None)
            if params[_PAINT[method]]:
                self._painted[key] = params.get("version")

    # When the hub has ended

    def given_up(self) -> Iterator[Frame]:
        """Answers to what is not asked again: it may have been done, or not. Those are not open any more."""
        for request_id, frame in list(self.asked.items()):
            if not _may_be_asked_again(frame):
                del self.asked[request_id]
                message = "the server ended while this was under way: see what it did, and try again"
                yield {"jsonrpc": "2.0", "id": request_id, "error": {"code": _TRY_AGAIN, "message": message}}

    def cleared(self) -> Iterator[Frame]:
        """What ends what the old hub began on the screen."""
        for token in self._progress:
            params: dict[str, Any] = {"token": token, "value": {"kind": "end"}}
            yield {"jsonrpc": "2.0", "method": "$/progress", "params": params}
        for (method, uri), version in self._painted.items():
            params = {"uri": uri, _PAINT[method]: []}
            if version is not None:
                params["version"] = version
            yield {"jsonrpc": "2.0", "method": method, "params": params}
        self._progress.clear()
        self._painted.clear()

    def unregistered(self) -> Frame | None:
        """The params by which the editor forgets what the old hub registered."""
        found = [{"id": name, "method": method} for name, method in self._registered.items()]
        self._registered.clear()
        return {"unregisterations": found} if found else None

    def replayed(self) -> Iterator[Frame]:
        """What a new hub is told first. But for a first ``initialize``, nobody waits for the answers.

        Of requests, only that one's id is to be sent as it is.
        """
        yield self.initialize
        if self.is_initialized:
            yield {"jsonrpc": "2.0", "method": "initialized", "params": {}}
        yield from self.documents.opened()
        for name, params in self._sessions.items():
            yield {"jsonrpc": "2.0", "id": "", "method": "dsh/session/open", "params": {**params, "sessionId": name}}
        for params in self._subscribed.values():
            yield {"jsonrpc": "2.0", "id": "", "method": "dsh/subscribe", "params": params}

    def _change_folders(self, said: Any) -> None:
        """Have ``initialize`` say the folders that there are now; what makes no sense is passed over, as by the hub."""
        try:
            shared_converter().structure(said, types.DidChangeWorkspaceFoldersParams)
        except Exception:  # noqa: BLE001 - whatever is wrong with it
            _log.warning("passed over malformed workspace folders")
            return
        event, params = said["event"], self.initialize.get("params") or {}
        root = params.get("rootUri")
        folders = params.get("workspaceFolders") or ([{"uri": root, "name": ""}] if root else [])
        gone = {each.get("uri") for each in event.get("removed") or []}
        kept = [each for each in folders if each.get("uri") not in gone]
        now = kept + [each for each in event.get("added") or [] if each not in kept]
        self.initialize = {**self.initialize, "params": {**params, "workspaceFolders": now or folders[:1]}}


def _may_be_asked_again(frame: Frame) -> bool:
    if frame["method"] == "dsh/tool/run":
        params = frame.get("params")
        return isinstance(params, dict) and isinstance(params.get("callId"), str)
    return frame["method"] in _AGAIN
