"""``dsh/review/summary``."""

from collections import Counter
from typing import Any

from dsh_lsp.handlers.context import hub_of
from dsh_lsp.handlers.session_replay import history_of
from dsh_lsp.review.selection import Selection
from dsh_lsp.review.summarizing import summarize
from dsh_lsp.wire import ReviewSummaryResult, SessionParams


async def review_summary(peer: Any, params: SessionParams) -> ReviewSummaryResult:
    """What a session's calls did to files, and what people made of it.

    Raises:
        JsonRpcInvalidParams: This workspace has no such session.
    """
    hub = hub_of(peer)
    history, _ = await history_of(hub, params.session_id)
    mine = Selection(session=params.session_id)
    pending: Counter[str] = Counter()
    for target in await hub.reviews.targets():
        found = await hub.reviews.of(target)
        if found is not None:
            pending[target.uri] += sum(1 for _ in mine.of(found.hunks))
    return summarize(history, pending)
