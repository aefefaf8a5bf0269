"""Sessions: what outlives a connection, and what is forgotten in the end."""

import asyncio
from typing import Any

from dsh_lsp import sessions as module
from dsh_lsp.sessions import Call, Sessions
from dsh_lsp.subscribers import Subscribers
from dsh_lsp.wire import SessionOpenParams, SessionParams
from dsh_tools.contract import ToolResult


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


def test_a_session_that_is_named_again_is_resumed_on_the_new_connection() -> None:
    """Its id and its order of events go on; its notes go to whoever opened it last."""
    sessions, first, second = Sessions(), Recorder(), Recorder()
    opened, resumed, _ = sessions.open(SessionOpenParams(), first)
    opened.next_seq()
    sessions.peer_gone(first)

    again, resumed_again, _ = sessions.open(SessionOpenParams(session_id=opened.id), second)

    assert (resumed, resumed_again) == (False, True)
    assert again is opened
    assert again.peer is second
    assert again.next_seq() == 2


def test_sessions_without_a_connection_are_kept_up_to_a_bound(monkeypatch: Any) -> None:
    """The ones that were left alone the longest go; one that is connected never does."""
    monkeypatch.setattr(module, "_KEPT_SESSIONS", 2)
    sessions, gone, here = Sessions(), Recorder(), Recorder()
    connected = sessions.open(SessionOpenParams(), here)[0].id
    idle = [sessions.open(SessionOpenParams(), gone)[0].id for _ in range(3)]
    sessions.peer_gone(gone)

    _, _, dropped = sessions.open(SessionOpenParams(), here)

    assert dropped == idle[:1]
    assert sessions.get(idle[0]) is None
    assert sessions.get(connected) is not None


async def test_outcomes_are_kept_up_to_a_bound_and_running_calls_always(monkeypatch: Any) -> None:
    """A call that still runs is never forgotten, whatever its age."""
    monkeypatch.setattr(module, "_KEPT_CALLS", 2)
    session, _, _ = Sessions().open(SessionOpenParams(), Recorder())
    never = asyncio.ensure_future(asyncio.Event().wait())

    async def outcome() -> ToolResult:
        return ToolResult(())

    session.remember(Call("running", "t", never))  # type: ignore[arg-type]
    for n in range(4):
        task = asyncio.ensure_future(outcome())
        await task
        session.remember(Call(f"c{n}", "t", task))

    assert list(session.calls) == ["running", "c3"]
    never.cancel()


def test_call_ids_of_ours_are_not_those_of_the_agent() -> None:
    """An id that the agent has used is not given to a call that comes without one."""
    session, _, _ = Sessions().open(SessionOpenParams(), Recorder())
    session.calls["call-1"] = Call("call-1", "t", None)  # type: ignore[arg-type]

    assert session.new_call_id() == "call-2"


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
    assert [subscribers.want(session) for session in ("a", "c")] == [True, False]


def test_a_note_that_can_not_be_sent_does_not_fail_its_call() -> None:
    """The others are told, and the teller goes on."""
    subscribers = Subscribers()
    broken, good = Recorder(), Recorder()
    broken.broken = True
    subscribers.add(broken, None)
    subscribers.add(good, None)

    subscribers.tell("s", "note", SessionParams(session_id="s"))

    assert good.said == ["note"]
