"""What `dsh-lsp doctor` finds: one sentence each, and what to do about it."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        about: What was looked at, in a word or two.
        state: ``note``: it works, and there is something to know; ``wrong``: something does not work.
        message: What was found, in one sentence.
        remedy: What to do, for what is not in order.
    """

    about: str
    state: State
    message: str
    remedy: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        found: dict[str, Any] = {"about": self.about, "state": self.state, "message": self.message}
        return found if self.remedy is None else {**found, "remedy": self.remedy}
