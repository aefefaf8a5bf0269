"""``textDocument/codeLens``: keep, undo, and show what was there before (LSP 3.17, "Code Lens")."""

from collections.abc import Iterator

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.commands import KEEP, SHOW_BEFORE, UNDO
from dsh_lsp.plain.places import ShownHunk, shown_hunks


def code_lenses(document: OpenDocument, client: PlainClient) -> list[types.CodeLens]:
    """The lenses of all hunks, in order, each on the first line of its hunk."""
    uri = document.mirror.uri
    return [
        types.CodeLens(range=types.Range(shown.range.start, shown.range.start), command=command)
        for shown in shown_hunks(document.hunks, document.mirror)
        for command in _commands(shown, uri, client)
    ]


def _commands(shown: ShownHunk, uri: str, client: PlainClient) -> Iterator[types.Command]:
    arguments = [{"uri": uri, "hunkIds": [shown.hunk.id]}]
    yield types.Command(title="Keep", command=KEEP, arguments=arguments)
    yield types.Command(title="Undo", command=UNDO, arguments=arguments)
    if shown.painted.removed_lines or client.opens_before:  # else there is nothing to be shown
        yield types.Command(title="Show before", command=SHOW_BEFORE, arguments=arguments)
