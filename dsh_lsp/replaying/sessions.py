"""From what is recorded of a session to what its renderers take."""

from dsh_ledger.journal_folds import History
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_lsp.replaying.session_cards import ReplayedCard, ReplayedSession
from dsh_lsp.review.wording import decision_sentence


def replayed_session(history: History, unreadable: int) -> ReplayedSession:
    """A session as it is shown."""
    agent = history.start.get("agent")
    folders = history.start.get("workspaceFolders")
    return ReplayedSession(
        session_id=history.session,
        agent=_name(agent),
        workspace_folders=tuple(map(str, folders)) if isinstance(folders, list) else (),
        started_at=history.started_at,
        ended_at=history.ended_at,
        cards=tuple(_cards(history)),
        unreadable=unreadable,
    )


def _cards(history: History) -> list[ReplayedCard]:
    cards = []
    decisions: dict[str, list[str]] = {}
    for decision in history.decisions:
        decisions.setdefault(decision.call, []).append(decision_sentence(decision.data))
    for call in history.calls.values():
        result = history.results.get(call.id)
        cards.append(
            ReplayedCard(
                call_id=call.id,
                seq=call.seq,
                name=call.name,
                call=call.view,
                result=_with_decisions(result.view, decisions.get(call.id, [])) if result else None,
                is_error=result.is_error if result else False,
                started_at=call.at,
                ended_at=result.at if result else None,
            )
        )
    return cards


def _with_decisions(view: JsonObject, sentences: list[str]) -> JsonObject:
    """The card, with what was decided on its hunks since among its notes."""
    notes = view.get("notes")
    return {**view, "notes": [*(notes if isinstance(notes, list) else []), *sentences]} if sentences else view


def _name(agent: JsonValue) -> str | None:
    match agent:
        case {"name": str(name)}:
            return name
        case _:
            return None
