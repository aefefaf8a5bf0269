"""``dsh/review/list``, ``dsh/review/keep`` and ``dsh/review/undo``."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from dsh_ledger.errors import LedgerError, ReviewConflict
from dsh_ledger.targets import Target
from dsh_lsp.buffers.decorations import AuthorOf, decorated_hunks
from dsh_lsp.handlers.context import hub_of, invalid_params
from dsh_lsp.hub import Hub
from dsh_lsp.review.deciding import Decided
from dsh_lsp.review.reviews import Reviewed
from dsh_lsp.review.selection import Selection
from dsh_lsp.text.document import Document
from dsh_lsp.wire import (
    DecisionInfo,
    Range,
    ReviewedHunk,
    ReviewListParams,
    ReviewListResult,
    ReviewParams,
    ReviewResult,
)
from dsh_tools.uninterrupted import completed, uninterrupted

Decide: TypeAlias = Callable[[Target, Selection], Awaitable[list[Decided]]]
"""Keeps or undoes what is meant in one file."""


async def review_list(peer: Any, params: ReviewListParams) -> ReviewListResult:
    """What is pending, file by file, in order; ranges are in the files as they are now."""
    hub = hub_of(peer)
    selection = Selection(session=params.session_id, call=params.call_id)
    listed: list[ReviewedHunk] = []
    await hub.ready()
    for target in await targets_of(hub, params.uri):
        found = await hub.reviews.of(target)
        if found is not None:
            listed += _listed(found, selection, hub.agent_of)
    return ReviewListResult(hunks=tuple(listed))


async def review_keep(peer: Any, params: ReviewParams) -> ReviewResult:
    """Accept what is named.

    Raises:
        JsonRpcInvalidParams: Nothing is named, or a range without its file.
    """
    hub = hub_of(peer)
    return await _decide(hub, params, hub.deciding.keep)


async def review_undo(peer: Any, params: ReviewParams) -> ReviewResult:
    """Take back what is named: one edit a file. Errors as for `review_keep`."""
    hub = hub_of(peer)
    return await _decide(hub, params, hub.deciding.undo)


async def _decide(hub: Hub, params: ReviewParams, decide: Decide) -> ReviewResult:
    decided = await decide_on(hub, params.uri, selection_of(params), decide)
    return ReviewResult(results=tuple(map(_info, decided)))


async def decide_on(hub: Hub, uri: str | None, selection: Selection, decide: Decide) -> list[Decided]:
    """Decide on what is meant, in one file or in all, tell the sessions, and write down what is left.

    Whoever cancels this has the files so far decided on, recorded and told, and the rest pending.
    """
    decided: list[Decided] = []
    await hub.ready()
    for target in await targets_of(hub, uri):
        more, was_cancelled = await completed(_decide_and_tell(hub, target, selection, decide))
        decided += more
        if was_cancelled:
            break
    await uninterrupted(hub.pending.save())
    return decided


async def _decide_and_tell(hub: Hub, target: Target, selection: Selection, decide: Decide) -> list[Decided]:
    decided = await decide(target, selection)
    await hub.telling.tell(decided)
    return decided


def selection_of(params: ReviewParams, path: str = "params") -> Selection:
    """Which hunks are named; ``path`` is where the names stand in the message.

    Raises:
        JsonRpcInvalidParams: Nothing is named, or what is named does not hold together.
    """
    named = (params.hunk_ids, params.uri, params.call_id, params.session_id)
    if all(each is None for each in named) and not params.all:
        raise invalid_params(path, "name hunkIds, uri, callId or sessionId, or say all")
    if params.range is not None and params.uri is None:
        raise invalid_params(f"{path}.range", "it needs uri")
    if params.call_id is not None and params.session_id is None:
        raise invalid_params(f"{path}.callId", "it needs sessionId: a call id is known in its session alone")
    return Selection(
        ids=None if params.hunk_ids is None else frozenset(params.hunk_ids),
        session=params.session_id,
        call=params.call_id,
        lines=None if params.range is None else _lines(params.range),
    )


def _lines(chosen: Range) -> tuple[int, int]:
    """The lines of a range; one that ends at the beginning of a line has nothing of that line."""
    end = chosen.end.line + (chosen.end.character > 0)
    return chosen.start.line, max(end, chosen.start.line + 1)


async def targets_of(hub: Hub, uri: str | None) -> list[Target]:
    """The files in which something may be pending: all, or the one that is named, in anybody's spelling."""
    targets = await hub.reviews.targets()
    if uri is None:
        return targets
    document = hub.documents.of_uri(uri)
    if document is not None and document.target is not None:
        return [document.target]
    try:
        wanted = await hub.files.resolve(uri)
    except LedgerError:
        return []
    return [target for target in targets if target == wanted]


def mirror_of(found: Reviewed) -> Document:
    """The document that pending hunks are in; for a file that is not open, one that stands for it."""
    if found.document is not None:
        return found.document.mirror
    return Document(found.target.uri, found.text, language_id="", version=0, epoch=0, encoding="utf-16")


def _listed(found: Reviewed, selection: Selection, author_of: AuthorOf) -> list[ReviewedHunk]:
    mirror = mirror_of(found)
    meant = {part.hunk.id for part in selection.of(found.hunks)}
    return [
        ReviewedHunk(uri=mirror.uri, **dict(each))
        for each in decorated_hunks(found.hunks, mirror, author_of)
        if each.id in meant
    ]


def _info(decided: Decided) -> DecisionInfo:
    return DecisionInfo(
        id=decided.hunk.id,
        uri=decided.target.uri,
        status="conflict" if decided.conflict is not None else decided.decision,
        reason=None if decided.conflict is None else ReviewConflict(decided.conflict).model_text(),
    )
