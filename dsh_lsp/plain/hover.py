"""``textDocument/hover`` on a hunk: the text from before, who changed it, and what can be done (LSP 3.17, "Hover")."""

from collections.abc import Sequence

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.places import ShownHunk, shown_on
from dsh_lsp.plain.wording import Quote, code_span, fenced, removed_lines, sentence, short

_CALLS = 3
"""Calls that are named."""


def hover(document: OpenDocument, position: types.Position, client: PlainClient, names: Names) -> types.Hover | None:
    """What is there to say of the hunks of a line; None where there are none."""
    found = shown_on(document, position.line, position.line)
    if not found:
        return None
    kind = client.hover or types.MarkupKind.PlainText
    parts = [part for each in found for part in _parts(each, names, is_markdown=kind == types.MarkupKind.Markdown)]
    if (way := _way(client)) is not None:
        parts.append(f"Keep or undo it with {way}.")
    return types.Hover(contents=types.MarkupContent(kind=kind, value="\n\n".join(parts)), range=found[0].range)


def _parts(shown: ShownHunk, names: Names, *, is_markdown: bool) -> list[str]:
    quote = code_span if is_markdown else short
    said = sentence(shown, names, quote)
    parts = [f"{said[:1].upper()}{said[1:]}."]
    lines, cut = removed_lines(shown)
    if lines:
        parts.append(fenced(lines, "diff") if is_markdown else "\n".join(lines))
    if cut is not None:
        parts.append(f"({cut})")
    return [*parts, f"Made by {_calls(shown.hunk.calls, names, quote)}."]


def _calls(calls: Sequence[tuple[str, str]], names: Names, quote: Quote) -> str:
    """The calls that a hunk is from, the latest first: ``edit (call c-3)``."""
    told = [_call(session, call, names, quote) for session, call in calls[: -_CALLS - 1 : -1]]
    if len(calls) > _CALLS:
        told.append(f"{len(calls) - _CALLS} earlier")
    return ", ".join(told)


def _call(session: str, call: str, names: Names, quote: Quote) -> str:
    tool = names.tool(session, call)
    return f"call {quote(call)}" if tool is None else f"{quote(tool)} (call {quote(call)})"


def _way(client: PlainClient) -> str | None:
    if client.actions:
        return "the code actions of this line"
    return "the code lens above it" if client.lenses else None
