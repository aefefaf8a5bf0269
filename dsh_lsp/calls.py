"""The life of a call: recorded, admitted, run in its turn, recorded again, and told.

The journal comes first: nothing is sent to anybody, and nothing runs, before the operating system has the event.
Deliberately absent: the wire, and what a tool does.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dsh_ledger.errors import (
    Aborted,
    AbortedBeforeDispatch,
    FieldError,
    FsIoError,
    InvalidArgs,
    LedgerBug,
    LedgerError,
)
from dsh_ledger.journal import TOOL_CALL, TOOL_RESULT
from dsh_ledger.json_values import JsonObject
from dsh_lsp.journals.session_journal import JournalFailed
from dsh_lsp.progress import Progress
from dsh_lsp.review.wording import told
from dsh_lsp.sessions import Call, Session
from dsh_lsp.subscribers import Subscribers
from dsh_lsp.turns import Turn
from dsh_lsp.wire import ErrorInfo, ToolCallNote, ToolResultNote, ToolRunResult
from dsh_tools.cards import ResultCard
from dsh_tools.content import text_content
from dsh_tools.contract import ToolResult, ToolRun
from dsh_tools.pipeline import failed, run_tool
from dsh_tools.policies import Policies
from dsh_tools.presenting import call_card, result_card
from dsh_tools.registry import Registry
from dsh_tools.uninterrupted import completed, uninterrupted

_log = logging.getLogger(__name__)


async def _nothing() -> None:
    """There is nothing to write down."""


@dataclass(slots=True)
class Calls:
    """Starts calls, and remembers which run.

    Attributes:
        registry: The tools.
        subscribers: Who is told of cards.
        tool_run: Makes what a tool may use.
        policies: What calls may do.
        save: Writes down what a call has changed besides, before it is answered.
        progress: Shows calls that take their time.
    """

    registry: Registry
    subscribers: Subscribers
    tool_run: Callable[[Session, str], ToolRun]
    policies: Policies = field(default_factory=Policies)
    save: Callable[[], Awaitable[None]] = _nothing
    progress: Progress = field(default_factory=lambda: Progress(lambda: ()))
    _running: set[asyncio.Task[ToolRunResult]] = field(default_factory=set)

    def start(self, session: Session, call_id: str | None, name: str, arguments: Mapping[str, Any]) -> Call:
        """Start a call, or find the one that has this id already: a call id never runs twice.

        The call does not depend on the connection that asked for it: it runs to its end, and its outcome is kept.
        """
        if call_id is not None and (known := session.calls.get(call_id)) is not None:
            return known
        if call_id is not None and session.journal.has_result(call_id):
            return Call(call_id, name, self._track(self._recorded(session, call_id)))
        call_id = call_id or session.new_call_id()
        running = _Running(self, session, call_id, name, dict(arguments))
        call = Call(call_id, name, self._track(running.run()))
        session.remember(call)
        return call

    async def end_all(self) -> None:
        """Let running calls end, those that may still be cancelled at once."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    def _track(self, work: Any) -> "asyncio.Task[ToolRunResult]":
        task: asyncio.Task[ToolRunResult] = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _recorded(self, session: Session, call_id: str) -> ToolRunResult:
        found = await session.journal.result(call_id)
        if found is None:
            return _answer(call_id, failed(Aborted("This call has run, and its recorded outcome can't be read.")))
        answer = ToolRunResult.model_validate(
            {
                "callId": call_id,
                "isError": found.is_error,
                "content": found.content,
                **({"error": found.error} if found.error else {}),
                **({"meta": found.meta} if found.meta is not None else {}),
            }
        )
        return answer if found.told is None else _with_news(answer, found.told)


class _Running:
    """One call on its way."""

    def __init__(self, calls: Calls, session: Session, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        self._calls = calls
        self._session = session
        self._id = call_id
        self._name = name
        self._arguments = arguments
        self._tool = calls.registry.find(name)

    async def run(self) -> ToolRunResult:
        """Run it to its end. Never raises."""
        turn = self._session.turns.enter(alone=self._tool is None or not self._tool.concurrency_safe)
        try:
            title, was_cancelled = await completed(self._begin())
            result = failed(AbortedBeforeDispatch()) if was_cancelled else await self._shown_outcome(turn, title)
            return await uninterrupted(self._finish(result, turn))
        except JournalFailed as failure:
            return self._not_begun(_unrecordable(failure))
        except ValueError:
            return self._not_begun(InvalidArgs([FieldError("", "a number is too large for JSON")]))
        finally:
            turn.end()

    def _not_begun(self, error: LedgerError) -> ToolRunResult:
        """The answer to a call that could not be recorded: nothing has run, and its id may be used again."""
        self._session.calls.pop(self._id, None)
        return _answer(self._id, failed(error))

    async def _begin(self) -> str:
        """Record the call and tell of it; the title of its card."""
        journal = self._session.journal
        if journal.is_broken:
            await journal.flush()
        view = call_card(self._tool, self._name, self._arguments)
        about: JsonObject = {"callId": self._id, "name": self._name}
        seq = journal.append(TOOL_CALL, {**about, "arguments": self._arguments, "view": view.to_wire()})
        await journal.flush()
        note = ToolCallNote(session_id=self._session.id, call_id=self._id, seq=seq, name=self._name, view=view)
        self._calls.subscribers.tell(self._session.id, "dsh/toolCall", note)
        return view.title

    async def _shown_outcome(self, turn: Turn, title: str) -> ToolResult:
        agent = f"{self._session.agent}: " if self._session.agent else ""
        with self._calls.progress.in_editors(f"{self._session.id}-{self._id}", f"{agent}{title}"):
            return await self._outcome(turn)

    async def _outcome(self, turn: Turn) -> ToolResult:
        if self._tool is None or self._tool.why_withheld(self._session.traits) is not None:
            return failed(self._calls.registry.unknown(self._name, self._session.traits))
        try:
            await turn.come()
        except asyncio.CancelledError:
            return failed(AbortedBeforeDispatch())
        return await run_tool(
            self._tool, self._arguments, self._calls.tool_run(self._session, self._id), self._calls.policies
        )

    async def _finish(self, result: ToolResult, turn: Turn) -> ToolRunResult:
        journal = self._session.journal
        card = result_card(self._tool, self._name, self._arguments, result)
        answer = _answer(self._id, result)
        recorded = _recorded(self._name, answer, card)
        news = told(self._session.untold)
        if news is not None:
            recorded["told"] = news
            answer = _with_news(answer, news)
            self._session.untold.clear()
        seq = journal.append(TOOL_RESULT, recorded)
        turn.end()
        await self._calls.save()
        try:
            await journal.flush()
        except JournalFailed as failure:
            _log.error("the outcome of a call could not be recorded: %s", failure.reason)
        note = ToolResultNote(
            session_id=self._session.id,
            call_id=self._id,
            seq=seq,
            name=self._name,
            is_error=result.is_error,
            view=card,
        )
        self._calls.subscribers.tell(self._session.id, "dsh/toolResult", note)
        return answer


def _unrecordable(failure: JournalFailed) -> FsIoError:
    return FsIoError(
        "the session's journal",
        failure.reason,
        f"The session's journal can't be written ({failure.reason}), so nothing was run.",
    )


def _answer(call_id: str, result: ToolResult) -> ToolRunResult:
    return ToolRunResult(
        call_id=call_id,
        is_error=result.is_error,
        content=tuple(result.content),
        error=_error_info(result.error),
        meta=result.meta,
        value=result.value,
    )


def _with_news(answer: ToolRunResult, news: str) -> ToolRunResult:
    """The answer, with what the model is told besides."""
    return answer.model_copy(update={"content": (*answer.content, *text_content(news)), "told": news})


def _error_info(error: LedgerError | LedgerBug | None) -> ErrorInfo | None:
    return None if error is None else ErrorInfo(code=error.code, message=error.message, details=error.details)


def interrupted(call_id: str, name: str) -> JsonObject:
    """The recorded result of a call during which its server ended."""
    result = failed(Aborted(f"The server ended while {name} ran; whether it was done is not known."))
    return _recorded(name, _answer(call_id, result), result_card(None, name, {}, result))


def _recorded(name: str, answer: ToolRunResult, card: ResultCard) -> JsonObject:
    """The data of a ``tool/result``: all of the answer but the value, which is never recorded, and the card."""
    told_to_agent = answer.model_dump(mode="json", by_alias=True, exclude={"value"})
    return {"callId": answer.call_id, "name": name, **told_to_agent, "view": card.to_wire()}
