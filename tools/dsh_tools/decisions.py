"""What a policy may decide about a call: before it runs, and about its result.

Each decision is a class of its own with exactly what belongs to it. Replacing content and value together can't be
written down: content follows from the value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from dsh_tools.content import ContentBlock


@final
@dataclass(frozen=True, slots=True)
class Allow:
    """Run the call, also where the tool would have the user asked."""


@final
@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user. No answer is a denial."""

    reason: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Deny:
    """Don't run the call. ``reason`` is told to the model."""

    reason: str


Before: TypeAlias = Allow | Ask | Deny
"""A decision before the call runs. Of several, the strictest holds: Deny, then Ask, then Allow."""


@final
@dataclass(frozen=True, slots=True)
class Accept:
    """The result is fine as it is."""


@final
@dataclass(frozen=True, slots=True)
class ReplaceContent:
    """The model reads something else. Programs still get the value, and people the card made of it."""

    content: Sequence[ContentBlock]


@final
@dataclass(frozen=True, slots=True)
class ReplaceValue:
    """The canonical value is another one: it is validated again, and content, meta and cards are made from it."""

    value: Any


@final
@dataclass(frozen=True, slots=True)
class Block:
    """The result is withheld; the model reads the feedback instead. What the call did stands."""

    feedback: str


After: TypeAlias = Accept | ReplaceContent | ReplaceValue | Block
"""A decision about a result."""
