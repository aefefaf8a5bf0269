"""What the fake editor answers to the server's requests, apart from what its ways of applying decide.

A request that it doesn't know is refused, and is the server's fault. One that a person would have to see (a question, a
document to be shown) must be read by the test. Deliberately absent: waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.edit_request import EditRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.support.editor import StrictEditor
    from tests.support.peer import ServerRequest


def serve(editor: StrictEditor, request: ServerRequest) -> None:
    """Answer a request, or have it answered later."""
    method = request.method
    if method in editor.held:
        request.message.must_read = False
        editor.held[method].put_nowait(request)
    elif method in editor.answers:
        request.message.must_read = False
        request.answer(editor.answers[method](request.params))
    elif method in ("workspace/applyEdit", "dsh/applyEdit"):
        request.message.must_read = False
        editor.applying(editor, EditRequest(request))
    elif method == "workspace/semanticTokens/refresh":
        request.message.must_read = False
        editor.refresh_tokens(request)
    elif method in _ANSWERS:
        request.message.must_read = False
        request.answer(_ANSWERS[method](editor, request.params))
    elif method in _FOR_A_PERSON:
        request.answer(_FOR_A_PERSON[method])
    else:
        editor.problem(f"the editor was asked for {method}, which it does not know")
        request.fail(-32601, f"Method Not Found: {method}")


def _configuration(editor: StrictEditor, params: Any) -> list[Any]:
    get = editor.lsp.get_configuration
    return [get(section=item.get("section"), scope_uri=item.get("scopeUri")) for item in params["items"]]


def _create_progress(editor: StrictEditor, params: Any) -> None:
    editor.lsp.progress_reports.setdefault(params["token"], [])


def _save_document(editor: StrictEditor, params: Any) -> dict[str, Any]:
    buffer = editor.buffers.get(params["uri"])
    if buffer is None:
        return {"saved": False, "reason": "not open"}
    if buffer.version != params["version"]:
        return {"saved": False, "reason": f"the document is at version {buffer.version}"}
    if buffer.typed:
        editor.problem(f"the server had {buffer.uri} saved, in which there was unsaved typing")
    if not editor.save(buffer.uri):
        return {"saved": False, "reason": "the file was changed on disk"}
    return {"saved": True}


def _reload_document(editor: StrictEditor, params: Any) -> dict[str, bool]:
    reloaded = params["uri"] in editor.buffers and editor.reload(params["uri"])
    editor.flush()
    return {"reloaded": reloaded}


def _nothing(editor: StrictEditor, params: Any) -> None:
    return None


_ANSWERS: Mapping[str, Callable[[StrictEditor, Any], Any]] = {
    "client/registerCapability": _nothing,
    "client/unregisterCapability": _nothing,
    "dsh/reloadDocument": _reload_document,
    "dsh/saveDocument": _save_document,
    "window/workDoneProgress/create": _create_progress,
    "workspace/codeLens/refresh": _nothing,
    "workspace/configuration": _configuration,
    "workspace/diagnostic/refresh": _nothing,
    "workspace/inlayHint/refresh": _nothing,
    "workspace/textDocumentContent/refresh": _nothing,
    "workspace/workspaceFolders": lambda editor, _params: editor.folders or None,
}

_FOR_A_PERSON: Mapping[str, Any] = {
    "window/showDocument": {"success": True},
    "window/showMessageRequest": None,
}
