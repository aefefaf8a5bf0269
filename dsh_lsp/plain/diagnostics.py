"""Pending hunks as diagnostics: one each, for information (LSP 3.17, "Diagnostic")."""

import hashlib

from lsprotocol import types

from dsh_lsp.buffers.open_document import OpenDocument
from dsh_lsp.plain.names import Names
from dsh_lsp.plain.places import ShownHunk, shown_hunks
from dsh_lsp.plain.wording import sentence

SOURCE = "dsh"
"""``source`` of the diagnostics."""


def diagnostics(document: OpenDocument, names: Names) -> list[types.Diagnostic]:
    """All hunks of a document, in order."""
    return [_diagnostic(each, names) for each in shown_hunks(document.hunks, document.mirror)]


def report(
    found: list[types.Diagnostic], previous: str | None
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """The answer to ``textDocument/diagnostic``; ``previous`` is the id of the last answer that the client has.

    The id is made of what is reported alone, so that nothing has to be remembered.
    """
    result_id = hashlib.sha256(repr(found).encode("utf-8", "backslashreplace")).hexdigest()[:16]
    if result_id == previous:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result_id)


def hunk_of(diagnostic: types.Diagnostic) -> str | None:
    """The id of the hunk that a diagnostic is about; None where it is not one of ours."""
    match diagnostic.data:
        case {"hunkId": str(hunk_id)} if diagnostic.source == SOURCE:
            return hunk_id
        case _:
            return None


def _diagnostic(shown: ShownHunk, names: Names) -> types.Diagnostic:
    nothing = not shown.painted.added_lines and not shown.painted.removed_lines
    return types.Diagnostic(
        range=shown.range,
        message=sentence(shown, names),
        severity=types.DiagnosticSeverity.Information,
        source=SOURCE,
        code="modified" if nothing else shown.painted.kind,
        data={"hunkId": shown.hunk.id},
    )
