"""What follows from a journal: where a session stands, and which cards it has shown.

Two folds over the same events. `Standing` is small and is what a server needs to go on with a session; `History` holds
all cards and is what a replay shows. Both take events in order, one at a time, and never ask anybody anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from dsh_ledger.journal import (
    FS_OBSERVED,
    REVIEW_DECIDED,
    SESSION_END,
    SESSION_START,
    TOOL_CALL,
    TOOL_RESULT,
    Event,
    UnreadableLine,
    observed_fact,
)
from dsh_ledger.json_values import JsonObject, JsonValue
from dsh_ledger.ledger import Observed


@dataclass(slots=True)
class Standing:
    """Where a session stands after the events that were applied.

    Attributes:
        session: The session's id.
        start: The data of the last ``session/start``; empty before there was one.
        started_at: The time of the first event.
        last_at: The time of the last event.
        last_seq: Its number.
        is_ended: It was closed, and not opened again.
        observed: What it has seen, in order.
        unfinished: Calls without a result, by id, with the tool's name.
        calls: How many calls there were.
        untold: Data of the decisions that the agent has not been told of in a result.
        unreadable: Events whose data could not be used.
    """

    session: str
    start: JsonObject = field(default_factory=dict)
    started_at: str | None = None
    last_at: str | None = None
    last_seq: int = 0
    is_ended: bool = False
    observed: list[Observed] = field(default_factory=list)
    unfinished: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    untold: list[JsonObject] = field(default_factory=list)
    unreadable: int = 0

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        self.started_at = self.started_at or event.at
        self.last_at = event.at
        self.last_seq = max(self.last_seq, event.seq)
        if event.type == SESSION_START:
            self.start = event.data
            self.is_ended = False
        elif event.type == SESSION_END:
            self.is_ended = True
            self.observed.clear()
        elif event.type == FS_OBSERVED:
            try:
                self.observed.append(observed_fact(self.session, event.data))
            except UnreadableLine:
                self.unreadable += 1
        elif event.type == TOOL_CALL:
            self.calls += 1
            self.unfinished[str(event.data.get("callId"))] = str(event.data.get("name"))
        elif event.type == TOOL_RESULT:
            self.unfinished.pop(str(event.data.get("callId")), None)
            self.untold.clear()
        elif event.type == REVIEW_DECIDED:
            self.untold.append(event.data)


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call as it was recorded.

    Attributes:
        seq: The number of its event.
        at: When it began.
        name: The tool's name.
        arguments: What it was called with.
        view: The card that was shown.
    """

    id: str
    seq: int
    at: str
    name: str
    arguments: JsonObject
    view: JsonObject


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """A result as it was recorded.

    Attributes:
        seq: The number of its event.
        at: When it ended.
        is_error: It failed.
        content: What the model read: blocks.
        error: ``{code, message, details}`` of a failed one.
        meta: What its card was made from.
        view: The card that was shown.
        told: What the model was told besides: the decisions since the call before.
    """

    call: str
    seq: int
    at: str
    is_error: bool
    content: JsonValue
    error: JsonObject | None
    meta: JsonValue
    view: JsonObject
    told: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """A decision on a hunk as it was recorded: the data of ``dsh/decided``, with the file's path and lines."""

    seq: int
    at: str
    data: JsonObject

    @property
    def call(self) -> str:
        """The call that the hunk comes from."""
        return str(self.data.get("callId", ""))


@dataclass(slots=True)
class History:
    """All that was shown of a session.

    Attributes:
        session: The session's id, as it is recorded; empty before there was a ``session/start``.
        start: The data of the first ``session/start``.
        started_at: The time of the first event.
        ended_at: When it was closed; None while it is not.
        calls: By id, in order. A call id that was, against the rules, recorded twice keeps its first call.
        results: By call id, in order.
        decisions: In order.
        unreadable: Events of known types whose data could not be used.
    """

    session: str = ""
    start: JsonObject = field(default_factory=dict)
    started_at: str | None = None
    ended_at: str | None = None
    calls: dict[str, RecordedCall] = field(default_factory=dict)
    results: dict[str, RecordedResult] = field(default_factory=dict)
    decisions: list[RecordedDecision] = field(default_factory=list)
    unreadable: int = 0

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        self.started_at = self.started_at or event.at
        self.ended_at = event.at if event.type == SESSION_END else None
        if event.type == SESSION_START and not self.start:
            self.start = event.data
            self.session = str(event.data.get("sessionId", ""))
        elif event.type == TOOL_CALL:
            call = recorded_call(event)
            self.unreadable += call is None
            if call is not None:
                self.calls.setdefault(call.id, call)
        elif event.type == TOOL_RESULT:
            result = recorded_result(event)
            self.unreadable += result is None
            if result is not None:
                self.results.setdefault(result.call, result)
        elif event.type == REVIEW_DECIDED:
            self.decisions.append(RecordedDecision(event.seq, event.at, event.data))

    def in_order(self) -> Iterator[RecordedCall | RecordedResult | RecordedDecision]:
        """Calls, results and decisions in the order in which they were told."""
        shown: list[RecordedCall | RecordedResult | RecordedDecision] = [
            *self.calls.values(),
            *self.results.values(),
            *self.decisions,
        ]
        return iter(sorted(shown, key=lambda item: item.seq))


def recorded_call(event: Event) -> RecordedCall | None:
    """The call of a ``tool/call`` event, or None if it holds none."""
    match event.data:
        case {"callId": str(call), "name": str(name), "arguments": dict(arguments), "view": dict(view)}:
            return RecordedCall(call, event.seq, event.at, name, arguments, view)
        case _:
            return None


def recorded_result(event: Event) -> RecordedResult | None:
    """The result of a ``tool/result`` event, or None if it holds none."""
    data = event.data
    match data:
        case {"callId": str(call), "isError": bool(is_error), "content": list(content), "view": dict(view)}:
            error = data.get("error")
            return RecordedResult(
                call,
                event.seq,
                event.at,
                is_error,
                content,
                error if isinstance(error, dict) else None,
                data.get("meta"),
                view,
                told if isinstance(told := data.get("told"), str) else None,
            )
        case _:
            return None
