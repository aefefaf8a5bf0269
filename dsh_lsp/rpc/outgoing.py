"""Our requests that a peer has not answered.

Held: one future per request, from sending to the answer, to giving up, or to the end of the connection, whichever is
first; then nothing. Absent: the sending, and timeouts (whoever waits gives up by :meth:`PendingRequests.forget`).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from typing import Any

from dsh_lsp.rpc.errors import MsgId, PeerGone, exception_from, is_message_id

logger = logging.getLogger(__name__)


class PendingRequests:
    """The table of one peer."""

    def __init__(self) -> None:
        self._answers: dict[MsgId, asyncio.Future[Any]] = {}
        self._ids = itertools.count(1)

    def __len__(self) -> int:
        return len(self._answers)

    def __contains__(self, request_id: object) -> bool:
        return is_message_id(request_id) and request_id in self._answers

    def open(self, request_id: MsgId | None = None) -> tuple[MsgId, asyncio.Future[Any]]:
        """Return an id that is not in use, and the future of the answer to it.

        Args:
            request_id: The id to use, instead of the next number.
        """
        if request_id is None:
            request_id = next(number for number in self._ids if number not in self._answers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[request_id] = answer
        return request_id, answer

    def forget(self, request_id: MsgId) -> None:
        """Stop waiting for an answer: when it comes, it is dropped."""
        self._answers.pop(request_id, None)

    def resolve(self, message: dict[str, Any]) -> None:
        """Hand a response to whoever waits for it. A late, repeated or unasked-for one is dropped."""
        request_id = message.get("id")
        answer = self._answers.pop(request_id, None) if is_message_id(request_id) else None
        error = message.get("error")
        if answer is None or answer.done():
            # An error without an id is a complaint about something we sent, and worth a look.
            level = logging.WARNING if request_id is None else logging.DEBUG
            logger.log(level, "dropped an answer nobody waits for (error: %s)", error is not None)
        elif error is not None:
            answer.set_exception(exception_from(error))
        else:
            answer.set_result(message.get("result"))

    def fail_all(self, reason: str) -> None:
        """Fail everything that is waiting, with :class:`PeerGone`."""
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            if not answer.done():
                answer.set_exception(PeerGone(reason))
