"""What a session's calls did to files, and what people made of it. Pure: from the record, and what is pending now."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from dsh_ledger.journal_folds import History, RecordedCall, RecordedResult
from dsh_ledger.json_values import JsonValue
from dsh_lsp.wire import ReviewSummaryResult, SummarizedCall, SummarizedFile

Outcome: TypeAlias = Literal["applied", "unchanged", "refused", "failed", "denied", "unfinished"]


def summarize(history: History, pending: Mapping[str, int]) -> ReviewSummaryResult:
    """The summary.

    Args:
        history: The session's record.
        pending: How many hunks are pending, by the URI of their file.
    """
    calls = [
        summarized
        for call in history.calls.values()
        if (summarized := _call(call, history.results.get(call.id))) is not None
    ]
    outcomes = Counter(call.outcome for call in calls)
    files = _files(history, calls, pending)
    return ReviewSummaryResult(
        session_id=history.session,
        files=files,
        calls=tuple(calls),
        changed=len(files),
        refused=outcomes["refused"],
        failed=outcomes["failed"],
        denied=outcomes["denied"],
    )


def _call(call: RecordedCall, result: RecordedResult | None) -> SummarizedCall | None:
    """What is said of a call; nothing of one that only looked, and could."""
    changes = call.view.get("card") == "diff"
    path = _text(call.view.get("path"))
    if result is None:
        return SummarizedCall(call_id=call.id, name=call.name, outcome="unfinished", path=path) if changes else None
    if result.is_error:
        code = _text((result.error or {}).get("code"))
        outcome: Outcome = "denied" if code == "DENIED" else "refused" if changes else "failed"
        return SummarizedCall(call_id=call.id, name=call.name, outcome=outcome, code=code, path=path)
    view = result.view
    if view.get("card") != "diff":
        return None
    return SummarizedCall(
        call_id=call.id,
        name=call.name,
        outcome="unchanged" if view.get("operation") == "unchanged" else "applied",
        uri=_text(view.get("uri")),
        path=_text(view.get("path")),
        added=_number(view.get("added")),
        removed=_number(view.get("removed")),
    )


def _files(history: History, calls: list[SummarizedCall], pending: Mapping[str, int]) -> tuple[SummarizedFile, ...]:
    decisions = Counter((str(each.data.get("uri")), str(each.data.get("decision"))) for each in history.decisions)
    created = {
        _text(result.view.get("uri"))
        for result in history.results.values()
        if result.view.get("operation") == "created"
    }
    by_uri: dict[str, list[SummarizedCall]] = {}
    for call in calls:
        if call.outcome == "applied" and call.uri is not None:
            by_uri.setdefault(call.uri, []).append(call)
    return tuple(
        SummarizedFile(
            uri=uri,
            path=applied[-1].path or uri,
            created=uri in created,
            added=sum(call.added for call in applied),
            removed=sum(call.removed for call in applied),
            kept=decisions[uri, "kept"],
            undone=decisions[uri, "undone"],
            pending=pending.get(uri, 0),
        )
        for uri, applied in by_uri.items()
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: JsonValue) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
