"""What a policy may write down, and what it may not; see `test_decisions.py`. Never imported.

Every line that ends in ``# forbidden`` must be refused by the type checkers, and no other line.
"""

from typing import Any

from dsh_tools.content import TextBlock
from dsh_tools.decisions import Accept, After, Allow, Ask, Before, Block, Deny, ReplaceContent, ReplaceValue
from dsh_tools.policies import Policy, PolicyCall, PolicyResult

CONTENT = (TextBlock(text="x"),)
VALUE: dict[str, Any] = {}

ALLOWED: list[After] = [Accept(), ReplaceContent(CONTENT), ReplaceValue(VALUE), Block("why")]
OPINIONS: list[Before] = [Allow(), Ask(), Ask("why"), Deny("why")]

ReplaceContent(content=CONTENT, value=VALUE)  # forbidden
ReplaceContent(CONTENT, VALUE)  # forbidden
ReplaceContent(value=VALUE)  # forbidden
ReplaceContent()  # forbidden
ReplaceContent("text")  # forbidden
ReplaceValue(value=VALUE, content=CONTENT)  # forbidden
ReplaceValue(VALUE, CONTENT)  # forbidden
ReplaceValue(content=CONTENT)  # forbidden
ReplaceValue()  # forbidden
Accept(content=CONTENT)  # forbidden
Accept(value=VALUE)  # forbidden
Accept(CONTENT)  # forbidden
Block("why", value=VALUE)  # forbidden
Block("why", content=CONTENT)  # forbidden
Block()  # forbidden
Allow("why")  # forbidden
Deny()  # forbidden


def later(replacement: ReplaceContent, other: ReplaceValue, accepted: Accept) -> None:
    """Nothing can be added to a decision that was made."""
    replacement.content = ()  # forbidden
    replacement.value = VALUE  # forbidden
    other.value = VALUE  # forbidden
    other.content = CONTENT  # forbidden
    accepted.content = CONTENT  # forbidden


class Both(ReplaceContent): ...  # forbidden


class BothAgain(ReplaceValue): ...  # forbidden


def fine(_call: PolicyCall, _result: PolicyResult) -> After:
    """One decision."""
    return ReplaceValue(VALUE)


def two(_call: PolicyCall, _result: PolicyResult) -> After:
    """Two of them at once."""
    return ReplaceContent(CONTENT), ReplaceValue(VALUE)  # forbidden


def early(_call: PolicyCall, _result: PolicyResult) -> After:
    """A decision about a call, not about a result."""
    return Deny("why")  # forbidden


def late(_call: PolicyCall) -> Before | None:
    """A decision about a result, not about a call."""
    return Block("why")  # forbidden


def loosening(_call: PolicyCall) -> Allow | None:
    """A guard that allows."""
    return Allow()


def changing(_call: PolicyCall, result: PolicyResult) -> Accept:
    """A result that is changed in place."""
    result.value = VALUE  # forbidden
    return Accept()


Policy("fine", after=fine)
Policy("loosening", guard=loosening)  # forbidden
Policy("late", after=late)  # forbidden
