"""Texts as they were before the agents' pending changes, as documents of the scheme ``dsh-before``.

``workspace/textDocumentContent`` (LSP 3.18). The URI of such a document is the scheme and, percent-encoded, the URI of
the document that it is about: its name and its language show in the editor.
"""

from collections.abc import Iterable
from urllib.parse import quote, unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dsh_ledger.errors import LedgerError
from dsh_ledger.pending import PendingHunk, PendingHunks
from dsh_lsp.buffers.document_diff import document_lines
from dsh_lsp.handlers.context import invalid_params
from dsh_lsp.handlers.review import targets_of
from dsh_lsp.hub import Hub
from dsh_lsp.review.reviews import Reviewed
from dsh_tools.fs.port import Missing

SCHEME = "dsh-before"


def before_uri(uri: str) -> str:
    """The URI of the text from before of a document, spelled as VS Code spells it."""
    return f"{SCHEME}:{quote(uri, safe='/', errors='surrogatepass')}"


def original_uri(uri: str) -> str | None:
    """The document that a text from before is of; None for any other URI."""
    scheme, colon, rest = uri.partition(":")
    return unquote(rest, errors="surrogatepass") if colon and scheme == SCHEME and rest else None


async def before_text(hub: Hub, uri: str) -> str:
    """The text from before of a document or file; where nothing is pending, that is the text that it has.

    Args:
        hub: Where it is pending.
        uri: The document that it is of.

    Raises:
        JsonRpcInvalidParams: There is none to be had.
    """
    for target in await targets_of(hub, uri):
        if (found := await hub.reviews.of(target)) is not None:
            return base_text(found)
    try:
        read = await hub.files.read_text(await hub.files.resolve(uri))
    except LedgerError:
        raise nothing_there() from None
    if isinstance(read, Missing):
        raise nothing_there()
    return read.text


def base_text(found: Reviewed) -> str:
    """The logical text of a file before what is pending in it."""
    return "\n".join(found.hunks.base_lines(document_lines(found.text)))


def base_position(hunks: PendingHunks, hunk_id: str, text: str) -> types.Position:
    """Where a hunk is in the text from before: the start of its first line there, or of the text's last line."""
    line = min(_base_line(hunks, hunk_id), text.count("\n"))
    return types.Position(line, 0)


def nothing_there() -> JsonRpcInvalidParams:
    """The answer for a URI that names no text from before."""
    return invalid_params("params.uri", "there is no such document")


def _base_line(hunks: Iterable[PendingHunk], hunk_id: str) -> int:
    delta = 0
    for hunk in hunks:
        if hunk.id == hunk_id:
            return hunk.start + delta
        delta += len(hunk.base) - hunk.count
    return 0
