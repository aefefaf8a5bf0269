"""``textDocument/didOpen``, ``didChange``, ``didSave`` and ``didClose``: followed synchronously, in order of arrival.

LSP 3.17, "Text Document Synchronization".
"""

from lsprotocol import types

from dsh_lsp.buffers.open_document import TextChange
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.editor import Editor


def did_open(documents: OpenDocuments, editor: Editor, params: types.DidOpenTextDocumentParams) -> None:
    """A document is open from now on; its text is the editor's."""
    item = params.text_document
    documents.open(item.uri, str(item.language_id), item.version, item.text, editor)


def did_change(documents: OpenDocuments, editor: Editor, params: types.DidChangeTextDocumentParams) -> None:
    """Its text has changed."""
    changes = [_change(change) for change in params.content_changes]
    documents.change(params.text_document.uri, params.text_document.version, changes, editor)


def did_save(documents: OpenDocuments, editor: Editor, params: types.DidSaveTextDocumentParams) -> None:
    """It may have been saved."""
    documents.saved(params.text_document.uri, editor)


def did_close(documents: OpenDocuments, editor: Editor, params: types.DidCloseTextDocumentParams) -> None:
    """It is not open any more; what was not saved of it is gone, by the user's decision."""
    documents.close(params.text_document.uri, editor)


def _change(change: types.TextDocumentContentChangeEvent) -> TextChange:
    if isinstance(change, types.TextDocumentContentChangePartial):
        start, end = change.range.start, change.range.end
        return TextChange((start.line, start.character, end.line, end.character), change.text)
    return TextChange(None, change.text)
