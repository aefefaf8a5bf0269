"""The three verdicts of a wait, and what counts as read."""

import asyncio

import pytest

from tests.support.inbox import Inbox, NeverMet, Unmet
from tests.support.peer import Peer, RpcError


async def test_next_is_met_by_what_came_and_by_what_comes() -> None:
    """A message that came before the wait meets it, and so does one that comes during it, each once and in order."""
    inbox = Inbox("test")
    inbox.add("m", 1)
    waits = [asyncio.create_task(inbox.next("m")) for _ in range(3)]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    inbox.add("other", 0)
    inbox.add("m", 2)
    inbox.add("m", 3)

    assert [1, 2, 3] == await asyncio.gather(*waits)
    assert ["other"] == [message.method for message in inbox.unread()]


async def test_next_takes_what_is_wanted_and_leaves_the_rest() -> None:
    """Messages that are not accepted stay unread, in their order."""
    inbox = Inbox("test")
    for number in range(4):
        inbox.add("m", number)

    assert 2 == await inbox.next("m", where=lambda params: params == 2)
    assert [0, 1, 3] == inbox.take("m")
    assert [] == inbox.unread()


async def test_unmet_tells_what_came_instead() -> None:
    """A wait whose time is over says what came, and what was not read."""
    inbox = Inbox("test")
    inbox.add("other", {"a": 1})
    with pytest.raises(Unmet) as unmet:
        await inbox.next("m", within=0.01)

    assert "test waited 0.01 s for m. What came: other (1).\n  unread: other {'a': 1}" == str(unmet.value)


async def test_never_met_is_told_at_once() -> None:
    """A wait ends when the other side is gone, however much time there is; what came before still meets it."""
    inbox = Inbox("test")
    wait = asyncio.create_task(inbox.next("m", within=60))
    inbox.add("last", 1)
    inbox.close("it died")
    with pytest.raises(NeverMet, match="it died"):
        await wait

    assert 1 == await inbox.next("last")


@pytest.mark.parametrize("told", [True, False])
async def test_until_looks_when_something_happens(told: bool) -> None:
    """A condition is looked at again when something happens, and not by the clock."""
    inbox = Inbox("test")
    values: list[int] = []
    started = asyncio.Event()

    def condition() -> bool:
        started.set()
        return bool(values)

    wait = asyncio.create_task(inbox.until(condition, within=5 if told else 0.01))
    await started.wait()
    values.append(1)
    if told:
        inbox.happened()
        await wait
    else:
        with pytest.raises(Unmet):
            await wait


async def test_messages_that_need_no_reading() -> None:
    """A message that nobody must read is not unread, but can be taken."""
    inbox = Inbox("test")
    inbox.add("served", 1, must_read=False)
    inbox.add("log", 2)

    assert [] == inbox.unread(ignore={"log"})
    assert 1 == await inbox.next("served")


async def test_requests_end_with_their_answer_or_with_the_peer() -> None:
    """A request returns its result, raises its error, and fails when the other side is gone."""
    sent: list[dict[str, object]] = []
    peer = Peer("test", sent.append, lambda request: None)
    one, other, lost = (peer.start("m", {"n": number}) for number in range(3))
    peer.receive({"id": other.id, "error": {"code": -1, "message": "no", "data": [1]}})
    peer.receive({"id": one.id, "result": 5})
    peer.close("it died")

    assert 5 == await one.result()
    with pytest.raises(RpcError) as error:
        await other.result()
    assert (-1, "no", [1]) == (error.value.code, error.value.message, error.value.data)
    with pytest.raises(NeverMet, match="it died"):
        await lost.result()


async def test_request_without_an_answer_is_unmet() -> None:
    """A request that nobody answers in time is unmet, and can be waited for again."""
    peer = Peer("test", lambda message: None, lambda request: None)
    call = peer.start("m")
    with pytest.raises(Unmet):
        await call.result(within=0.01)
    peer.receive({"id": call.id, "result": None})

    assert await call.result() is None


async def test_answers_to_nothing_are_kept() -> None:
    """An error without an id and an answer with a strange one belong to no request."""
    peer = Peer("test", lambda message: None, lambda request: None)
    peer.receive({"id": None, "error": {"code": -32700, "message": "parse"}})
    peer.receive({"id": "x", "result": 1})

    assert 2 == len(peer.stray)


async def test_requests_are_answered_once() -> None:
    """A request of theirs is unanswered until it is settled, and settled only once."""
    sent: list[dict[str, object]] = []
    peer = Peer("test", sent.append, lambda request: None)
    peer.receive({"id": 7, "method": "q"})
    (request,) = peer.unanswered()
    request.answer(None)

    assert [{"id": 7, "result": None}] == sent
    assert [] == peer.unanswered()
    with pytest.raises(AssertionError):
        request.leave()
