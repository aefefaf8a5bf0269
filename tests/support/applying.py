"""What an editor makes of a request to apply an edit: the ways that were measured, and a few that are merely possible.

Each way is called with the editor and the request, in one go, as if the editor did nothing else meanwhile; it answers,
or lets the test answer later. Ways can be put around one another: ``AnswersLate(LikeVsCode())``.
Deliberately absent: anything that waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tests.support.naive_text import content_version, spans_of
from tests.support.vim_text import VimText

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.edit_request import DocumentEdit, EditRequest
    from tests.support.editor import StrictEditor


class Applying(Protocol):
    """A way of applying."""

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply or refuse, and answer (or not)."""


class Exactly:
    """As the specification would have it: all documents at their exact version, or nothing; told before the answer.

    ``dsh/applyEdit`` also names the content, which must be the same: a version alone can come back after a reload.
    """

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply or refuse with a reason, and answer."""
        refusal = next(filter(None, (_refusal(editor, document) for document in request.documents)), None)
        if refusal is not None:
            request.answer(False, refusal)
            return
        for document in request.documents:
            apply_spans(editor, document)
        editor.flush()
        request.answer(True)


class LikeVsCode:
    """VS Code 1.100 and 1.139 with vscode-languageclient 9 to 11.

    A version that is not the document's own is refused without a reason, null is not checked, and a file that is not
    open is opened and edited whatever the version.
    """

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply or refuse, and answer; the change is told after the answer."""
        for document in request.documents:
            buffer = editor.buffers.get(document.uri)
            if buffer is not None and document.version not in (None, buffer.version):
                request.answer(False)
                return
        for document in request.documents:
            if document.uri not in editor.buffers and editor.open_in_background(document.uri) is None:
                request.answer(False)
                return
        for document in request.documents:
            editor.check_edit(document, editor.buffers[document.uri])
            apply_spans(editor, document)
        request.answer(True)


class LikeNeovim:
    """Stock Neovim 0.11.4: it says yes to everything, also to what it skips.

    An edit is skipped if its version is above 0 and below the buffer's, and only if it is the first of the request. A
    file that is not open is loaded into a hidden buffer.
    """

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply or skip, and say yes; the change is told when Neovim gets round to it."""
        for index, document in enumerate(request.documents):
            buffer = editor.buffers.get(document.uri) or editor.open_in_background(document.uri, create=True)
            if buffer is None or (index == 0 and 0 < (document.version or 0) < buffer.version):
                continue
            editor.check_edit(document, buffer)
            vim = VimText.load(buffer.text).edited(document.edits, buffer.encoding)
            editor.changed(buffer, buffer.become(vim.text, "agent"))
        request.answer(True)


class Rejecting:
    """Says no and does nothing; the editor may give a reason or none."""

    def __init__(self, reason: str | None = None) -> None:
        self._reason = reason

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Say no."""
        request.answer(False, self._reason)


class Lying:
    """Says yes and does nothing."""

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Say yes."""
        request.answer(True)


class Silent:
    """Never answers and does nothing."""

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Leave it."""
        request.leave()


class AnswersLate:
    """Does nothing until the test says so, as a Neovim that waits for a key: then it applies and answers all the same.

    Args:
        then: What is done on release.
    """

    def __init__(self, then: Applying) -> None:
        self.waiting: list[tuple[StrictEditor, EditRequest]] = []
        self._then = then

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Keep it."""
        self.waiting.append((editor, request))

    def release(self) -> None:
        """Deal with everything that waits; later requests wait again."""
        waiting, self.waiting = self.waiting, []
        for editor, request in waiting:
            self._then(editor, request)


class ErrorsOnApply:
    """Emacs' eglot 1.9: another version than its own is a JSON-RPC error, null is not checked; answers first."""

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Apply and say yes, or answer with an error."""
        for document in request.documents:
            buffer = editor.buffers.get(document.uri)
            if buffer is None:
                request.answer(False, "not open")
                return
            if document.version not in (None, buffer.version):
                request.fail(32603, f"require version {document.version}, you have {buffer.version}")
                return
        request.answer(True)
        for document in request.documents:
            editor.check_edit(document, editor.buffers[document.uri])
            apply_spans(editor, document)


class UserTypesDuringApply:
    """The person types when an edit has arrived and was not looked at yet.

    Args:
        type: Called with the editor and the first document's URI; types, or does whatever a person may do.
        then: What is made of the request afterwards.
        times: How many requests it happens to.
    """

    def __init__(self, type: Callable[[StrictEditor, str], object], then: Applying, times: int = 1) -> None:  # noqa: A002
        self._type = type
        self._then = then
        self._times = times

    def __call__(self, editor: StrictEditor, request: EditRequest) -> None:
        """Type, then pass it on."""
        if self._times > 0:
            self._times -= 1
            self._type(editor, request.documents[0].uri)
        self._then(editor, request)


def apply_spans(editor: StrictEditor, document: DocumentEdit) -> None:
    """Replace the spans of a document that is open, its places clamped into the text as editors do."""
    buffer = editor.buffers[document.uri]
    spans = spans_of(buffer.text, document.edits, buffer.encoding, clamp=True)
    editor.changed(buffer, buffer.change(spans, "agent"))


def _refusal(editor: StrictEditor, document: DocumentEdit) -> str | None:
    buffer = editor.buffers.get(document.uri)
    if buffer is None:
        return "not open"
    if document.version not in (None, buffer.version):
        return f"the edit is for version {document.version}, the document is at {buffer.version}"
    if document.content_version is not None and document.content_version != content_version(buffer.text):
        return "the document has another content"
    return editor.check_edit(document, buffer)
