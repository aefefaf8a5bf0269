"""Sessions: what outlives a connection, and what is forgotten in the end."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dsh_lsp import sessions as module
from dsh_lsp.journals.journal_file import Span
from dsh_lsp.journals.session_journal import SessionJournal
from dsh_lsp.sessions import Call, Session, Sessions
from dsh_lsp.subscribers import Subscribers
from dsh_lsp.wire import AgentInfo, SessionCapabilities, SessionOpenParams, SessionParams, ToolRunResult


class Recorder:
    """A connection that keeps what is said on it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.broken = False

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Never called."""
        raise AssertionError(method)

    def notify(self, method: str, params: object = None) -> None:
        """Keep the method, or fail as a message without a JSON form does."""
        if self.broken:
            raise ValueError(method)
        self.said.append(method)


def made(session_id: str, peer: Recorder | None = None) -> Session:
    """A session without a journal."""
    return Session(session_id, SessionOpenParams(), SessionJournal(ThreadPoolExecutor(1)), peer)


def test_a_session_that_is_rejoined_goes_on_with_what_is_named_now() -> None:
    """Options that are not named again stay as they were."""
    sessions, first = Sessions(), Recorder()
    session = made("s", first)
    session.options = SessionOpenParams(agent=AgentInfo(name="a"), capabilities=SessionCapabilities(attachments=True))
    sessions.add(session)
    sessions.peer_gone(first)

    sessions.rejoin(session, SessionOpenParams(session_id="s", agent=AgentInfo(name="b")))

    assert session.peer is None
    assert session.agent == "b"
    assert session.traits.attachments


async def test_sessions_without_a_connection_are_kept_up_to_a_bound(monkeypatch: Any) -> None:
    """The ones that were left alone the longest go; one that is connected or has a running call never does."""
    monkeypatch.setattr(module, "_KEPT_SESSIONS", 2)
    sessions, here = Sessions(), Recorder()
    never = asyncio.ensure_future(asyncio.Event().wait())
    busy = made("busy")
    busy.remember(Call("c", "t", never))  # type: ignore[arg-type]
    for session in (busy, made("here", here), made("first"), made("second")):
        assert [] == sessions.add(session)

    dropped = sessions.add(made("third"))

    assert ["first"] == [session.id for session in dropped]
    assert ["busy", "here", "second", "third"] == [session.id for session in sessions]
    never.cancel()


async def test_outcomes_are_kept_up_to_a_bound_and_running_calls_always(monkeypatch: Any) -> None:
    """A call that still runs is never forgotten, whatever its age."""
    monkeypatch.setattr(module, "_KEPT_CALLS", 2)
    session = made("s")
    never = asyncio.ensure_future(asyncio.Event().wait())

    async def outcome() -> ToolRunResult:
        return ToolRunResult(call_id="c", is_error=False, content=())

    session.remember(Call("running", "t", never))  # type: ignore[arg-type]
    for n in range(4):
        task = asyncio.ensure_future(outcome())
        await task
        session.remember(Call(f"c{n}", "t", task))

    assert list(session.calls) == ["running", "c3"]
    never.cancel()


def test_call_ids_of_ours_are_not_those_of_the_agent() -> None:
    """An id that the agent has used is not given to a call that comes without one; nor one in the journal."""
    session = made("s")
    session.calls["call-1"] = Call("call-1", "t", None)  # type: ignore[arg-type]
    session.journal = SessionJournal(ThreadPoolExecutor(1), results={"call-2": Span(0, 1)})

    assert session.new_call_id() == "call-3"


def test_a_subscriber_is_told_of_what_it_asked_for() -> None:
    """One session, several, or all; and nothing after it has gone."""
    subscribers = Subscribers()
    one, every = Recorder(), Recorder()
    subscribers.add(one, "a")
    subscribers.add(one, "b")
    subscribers.add(every, None)
    for session in ("a", "b", "c"):
        subscribers.tell(session, session, SessionParams(session_id=session))
    subscribers.remove(every)
    subscribers.tell("c", "late", SessionParams(session_id="c"))

    assert one.said == ["a", "b"]
    assert every.said == ["a", "b", "c"]


def test_a_note_that_can_not_be_sent_does_not_fail_its_call() -> None:
    """The others are told, and the teller goes on."""
    subscribers = Subscribers()
    broken, good = Recorder(), Recorder()
    broken.broken = True
    subscribers.add(broken, None)
    subscribers.add(good, None)

    subscribers.tell("s", "note", SessionParams(session_id="s"))

    assert good.said == ["note"]
