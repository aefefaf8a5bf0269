"""The notifications of a session, once more: the same JSON, byte for byte, as was sent when it ran."""

from collections.abc import Iterator
from typing import Any

from dsh_ledger.journal_folds import History, RecordedCall, RecordedDecision

_DECIDED = ("callId", "hunkId", "uri", "decision", "userModified")


def notes(history: History) -> Iterator[tuple[str, dict[str, Any]]]:
    """Method and params of each ``dsh/toolCall``, ``dsh/toolResult`` and ``dsh/decided``, in order.

    Members are in the order of the models in `dsh_lsp.wire`. The models themselves
    are not used: a journal of a later version may hold cards that they don't know.
    """
    for item in history.in_order():
        if isinstance(item, RecordedCall):
            about = {"sessionId": history.session, "callId": item.id, "seq": item.seq, "name": item.name}
            yield "dsh/toolCall", {**about, "view": item.view}
        elif isinstance(item, RecordedDecision):
            data = {name: item.data[name] for name in _DECIDED if name in item.data}
            yield "dsh/decided", {"sessionId": history.session, **data}
        else:
            name = history.calls[item.call].name if item.call in history.calls else ""
            about = {"sessionId": history.session, "callId": item.call, "seq": item.seq, "name": name}
            yield "dsh/toolResult", {**about, "isError": item.is_error, "view": item.view}
