"""What the fake editor expects of every message of the server, whatever the test is about.

Held: the shapes of the custom methods, which capability a message or an announcement needs, how an edit must be asked
for, and that every range lies inside the text it is about. Each check yields what is wrong, in words. Deliberately
absent: what a test expects of its own story.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from dsh_lsp import wire
from tests.support.buffers import Told
from tests.support.naive_text import Encoding, Outside, offset_of, ranges_in

_SHAPES: Final[Mapping[str, type[BaseModel]]] = {
    "dsh/applyEdit": wire.ApplyEditParams,
    "dsh/decorations": wire.DecorationsNote,
    "dsh/drift": wire.DriftNote,
    "dsh/reloadDocument": wire.ReloadDocumentParams,
    "dsh/saveDocument": wire.SaveDocumentParams,
    "dsh/toolCall": wire.ToolCallNote,
    "dsh/toolResult": wire.ToolResultNote,
}

_PAINTS: Final = ("experimental", "dsh", "decorations")

_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "dsh/applyEdit": ("experimental", "dsh", "applyEdit"),
    "dsh/decorations": ("experimental", "dsh", "decorations"),
    "dsh/reloadDocument": ("experimental", "dsh", "reloadDocument"),
    "dsh/saveDocument": ("experimental", "dsh", "saveDocument"),
    "textDocument/publishDiagnostics": ("textDocument", "publishDiagnostics"),
    "window/showDocument": ("window", "showDocument", "support"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
    "workspace/codeLens/refresh": ("workspace", "codeLens", "refreshSupport"),
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/diagnostic/refresh": ("workspace", "diagnostics", "refreshSupport"),
    "workspace/inlayHint/refresh": ("workspace", "inlayHint", "refreshSupport"),
    "workspace/semanticTokens/refresh": ("workspace", "semanticTokens", "refreshSupport"),
    "workspace/textDocumentContent/refresh": ("workspace", "textDocumentContent"),
    "workspace/workspaceFolders": ("workspace", "workspaceFolders"),
}

_PLAIN: Final = frozenset(
    {
        "textDocument/publishDiagnostics",
        "workspace/codeLens/refresh",
        "workspace/diagnostic/refresh",
        "workspace/textDocumentContent/refresh",
    }
)
"""What a client that paints is never sent."""

_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "codeActionProvider": ("textDocument", "codeAction"),
    "codeLensProvider": ("textDocument", "codeLens"),
    "diagnosticProvider": ("textDocument", "diagnostic"),
    "hoverProvider": ("textDocument", "hover"),
}
"""What is announced to clients that declared it and don't paint."""


def wrong_shape(method: str, params: Any) -> Iterator[str]:
    """What is wrong with the params of a custom method."""
    shape = _SHAPES.get(method)
    if shape is not None:
        try:
            shape.model_validate(params)
        except ValidationError as error:
            yield f"{method} has not the shape of the protocol: {error}"


def undeclared(method: str, capabilities: Mapping[str, Any]) -> Iterator[str]:
    """Whether a message needs something that the client did not declare."""
    if not _has(capabilities, _NEEDS.get(method, ())):
        yield f"{method} came, and the client did not declare {'.'.join(_NEEDS[method])}"
    if method in _PLAIN and _has(capabilities, _PAINTS):
        yield f"{method} came, and the client paints"


def overannounced(announced: Mapping[str, Any], capabilities: Mapping[str, Any]) -> Iterator[str]:
    """What the server announced and the client has no use for."""
    paints = _has(capabilities, _PAINTS)
    for provider, needed in _PROVIDERS.items():
        if announced.get(provider) and (paints or not _has(capabilities, needed)):
            yield f"{provider} was announced, and the client did not declare {'.'.join(needed)}, or it paints"
    content = _has(announced, ("workspace", "textDocumentContent"))
    if content and (paints or not _has(capabilities, ("workspace", "textDocumentContent"))):
        yield "workspace.textDocumentContent was announced, and the client did not declare it, or it paints"
    ways = [("textDocument", "codeAction"), ("textDocument", "codeLens"), ("workspace", "executeCommand")]
    if announced.get("executeCommandProvider") and (paints or not any(_has(capabilities, way) for way in ways)):
        yield "commands were announced, and the client has no way to get at them, or it paints"


def _has(capabilities: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """Whether a capability is declared; an empty object declares one."""
    value: Any = capabilities
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value is not None and value is not False


def wrong_edit(params: Any) -> Iterator[str]:
    """What is wrong with the way ``workspace/applyEdit`` asks: one document, one form, its version, and no label."""
    edit = params["edit"]
    if ("documentChanges" in edit) == ("changes" in edit):
        yield "an edit has both changes and documentChanges, or neither"
    if "label" in params:
        yield "an edit has a label, which makes a Neovim wait for a key"
    if len(edit.get("documentChanges", ())) + len(edit.get("changes", {})) != 1:
        yield "an edit is not of one document; a Neovim checks the version of the first one only"
    for entry in edit.get("documentChanges", ()):
        if entry.get("textDocument", {}).get("version") is None:
            yield "an edit names no version, so that no editor checks it"


def outside(uri: str, version: int | None, value: Any, told: list[Told], encoding: Encoding) -> Iterator[str]:
    """Which ranges in a JSON value do not lie inside the document that they are about.

    Args:
        uri: The document.
        version: The version that the ranges are about; if None, any text that the server was sent will do.
        value: Where the ranges are.
        told: Every text that the server was sent of the document.
        encoding: What a ``character`` counts.
    """
    texts = [each.text for each in told if version is None or each.version == version]
    if not texts:
        yield f"ranges in {uri} at version {version}, which the server was never sent"
    for span in ranges_in(value):
        # The latest text first: nearly always the range is about that one.
        if texts and all(_fault(text, span, encoding) for text in reversed(texts)):
            yield f"{span} is not inside {uri} at version {version}: {_fault(texts[-1], span, encoding)}"


def _fault(text: str, span: dict[str, dict[str, int]], encoding: Encoding) -> str | None:
    try:
        if offset_of(text, span["end"], encoding) < offset_of(text, span["start"], encoding):
            return "it ends before it starts"
    except Outside as error:
        return str(error)
    return None
