"""``notebookDocument/didOpen`` and ``didClose`` (LSP 3.17, "Notebook Document Synchronization").

All that is followed is which notebooks are open; their cells are the editor's.
"""

from lsprotocol import types

from dsh_lsp.buffers.notebooks import OpenNotebooks
from dsh_lsp.editor import Editor

SYNC = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook(notebook="*")])
"""The capability: every notebook."""


def did_open(notebooks: OpenNotebooks, editor: Editor, params: types.DidOpenNotebookDocumentParams) -> None:
    """A notebook is open from now on."""
    notebooks.open(params.notebook_document.uri, editor)


def did_change(_notebooks: OpenNotebooks, _editor: Editor, _params: types.DidChangeNotebookDocumentParams) -> None:
    """Its cells have changed, which is the editor's affair."""


def did_close(notebooks: OpenNotebooks, editor: Editor, params: types.DidCloseNotebookDocumentParams) -> None:
    """It is not open any more."""
    notebooks.close(params.notebook_document.uri, editor)
