"""Policies: a deployment's say in what calls may do and in what their results show.

Held here: how the opinions of several policies become one decision, and what a policy gets to see. Guards can only
deny: whatever was allowed before them, they may tighten it, never loosen it. A policy that fails denies: what it would
have stopped must not get through because of a mistake in it. Deliberately absent: any particular policy, and the way
in which the user is asked.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from dsh_ledger.errors import Denied
from dsh_tools.cards import CallCard
from dsh_tools.content import ContentBlock
from dsh_tools.decisions import After, Ask, Before, Block, Deny
from dsh_tools.json_values import Frozen
from dsh_tools.reporting import log_failure

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PolicyCall:
    """A call as policies see it.

    Attributes:
        session: The session's id.
        call: The call's id.
        tool: The tool's name.
        reads_only: The tool only reads (`Tool.concurrency_safe`).
        arguments: The arguments after validation, defaults filled in.
    """

    session: str
    call: str
    tool: str
    reads_only: bool
    arguments: Mapping[str, Frozen]


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """A successful result as policies see it."""

    value: Frozen
    content: Sequence[ContentBlock]


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy. Its functions are called on the event loop, and must not block.

    Attributes:
        name: For the log and for the messages that name who refused.
        before: What it says of a call before it runs; None is no opinion.
        guard: A last look that can only deny; None lets the call through.
        after: What it says of a successful result.
    """

    name: str
    before: Callable[[PolicyCall], Before | None] | None = None
    guard: Callable[[PolicyCall], Deny | None] | None = None
    after: Callable[[PolicyCall, PolicyResult], After] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What the user is asked before a call runs.

    Attributes:
        session: The session's id.
        call: The call's id.
        tool: The tool's name.
        card: The call's card.
        reasons: Why policies want the user to be asked.
    """

    session: str
    call: str
    tool: str
    card: CallCard
    reasons: Sequence[str] = ()


Asker: TypeAlias = Callable[[Question], Awaitable[str | None]]
"""Asks the user; the answer is None for yes, or the reason why it counts as no."""


async def nobody(_question: Question) -> str | None:
    """Where there is no user to ask, the answer is no."""
    return "no editor is there to ask the user"


class Policies:
    """Several policies as one.

    Args:
        policies: In the order in which results pass through them.
        ask: How the user is asked.
    """

    def __init__(self, policies: Sequence[Policy] = (), ask: Asker = nobody) -> None:
        self._policies = tuple(policies)
        self._ask = ask

    async def admit(self, call: PolicyCall, card: Callable[[], CallCard], *, asks: bool) -> None:
        """Let a call through, or not.

        Args:
            call: The call.
            card: Makes what the user is shown of it, where they are asked.
            asks: The user is to be asked unless a policy allows the call.

        Raises:
            Denied: A policy, the user or a guard says no.
        """
        opinions = [
            opinion
            for policy in self._policies
            if policy.before is not None and (opinion := _decided(policy, partial(policy.before, call))) is not None
        ]
        for opinion in opinions:
            if isinstance(opinion, Deny):
                raise Denied(f"{call.tool} was denied: {opinion.reason}")
        questions = [opinion for opinion in opinions if isinstance(opinion, Ask)]
        if questions or (asks and not opinions):
            reasons = tuple(question.reason for question in questions if question.reason)
            refusal = await self._ask(Question(call.session, call.call, call.tool, card(), reasons))
            if refusal is not None:
                raise Denied(f"{call.tool} was not allowed: {refusal}.")
        for policy in self._policies:
            if policy.guard is not None:
                verdict = _decided(policy, partial(policy.guard, call))
                if verdict is not None:
                    reason = verdict.reason if isinstance(verdict, Deny) else "a guard can only deny"
                    raise Denied(f"{call.tool} was denied: {reason}")

    def reviews(self) -> Sequence[tuple[str, Callable[[PolicyCall, PolicyResult], After]]]:
        """What results pass through, in order, each with its policy's name."""
        return [
            (policy.name, _reviewing(policy, policy.after)) for policy in self._policies if policy.after is not None
        ]


def _decided(policy: Policy, decide: Callable[[], Before | None]) -> Before | None:
    verdict = _verdict(policy, decide)
    if verdict is None or isinstance(verdict, Before):
        return verdict
    return Deny(_fault(policy, verdict))


def _reviewing(
    policy: Policy, after: Callable[[PolicyCall, PolicyResult], After]
) -> Callable[[PolicyCall, PolicyResult], After]:
    def review(call: PolicyCall, result: PolicyResult) -> After:
        verdict = _verdict(policy, partial(after, call, result))
        return verdict if isinstance(verdict, After) else Block(_fault(policy, verdict))

    return review


def _verdict(policy: Policy, decide: Callable[[], object]) -> object:
    """What a policy decides, or the exception if it fails: it is somebody else's code."""
    try:
        return decide()
    except BaseException as error:  # noqa: BLE001 - as said; it may even call sys.exit()
        log_failure(_log, f"policy {policy.name} failed", error)
        return error


def _fault(policy: Policy, verdict: object) -> str:
    what = "failed" if isinstance(verdict, BaseException) else "decided something that is no decision"
    return f"the policy {policy.name} {what}"
