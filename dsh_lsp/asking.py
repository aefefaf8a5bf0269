"""Asking the user whether a call may run, through the editor (LSP 3.17, "ShowMessage Request").

No answer, no editor and an answer that is too late are all a no. There is always a deadline: the dialog of some editors
takes over the keyboard, and a question must not stay open for ever on the server's side.
"""

from collections.abc import Callable, Sequence
from typing import Final

from dsh_lsp.editor import Editor
from dsh_tools.cards import TerminalCall
from dsh_tools.policies import Question
from dsh_tools.visible import visible

ALLOW: Final = "Allow"
DENY: Final = "Deny"

_SHOWN = 8_000
"""Characters of a question. A longer one says that it was cut; a user who can't see all of it should say no."""


class EditorAsker:
    """Asks through the first editor that is there.

    Args:
        editors: The editors, at the time of asking.
        agent_of: Who the agent of a session says it is.
        within: Seconds that the user has.
    """

    def __init__(
        self, editors: Callable[[], Sequence[Editor]], agent_of: Callable[[str], str | None], within: float
    ) -> None:
        self._editors = editors
        self._agent_of = agent_of
        self._within = within

    async def __call__(self, question: Question) -> str | None:
        """Ask; None for yes, else why it counts as no."""
        editors = self._editors()
        if not editors:
            return "no editor is there to ask the user"
        message = _message(question, self._agent_of(question.session))
        answer = await editors[0].ask(message, (ALLOW, DENY), self._within)
        if answer == ALLOW:
            return None
        return "the user said no" if answer == DENY else "the user did not answer"


def _message(question: Question, agent: str | None) -> str:
    """What the user is asked: the card's title, and of a command all of it, with nothing hidden in it."""
    card = question.card
    lines = [f"{visible(agent) if agent else 'An agent'} wants to use {question.tool}: {visible(card.title)}"]
    if isinstance(card, TerminalCall) and visible(card.command) not in lines[0]:
        lines.append(visible(card.command))
    message = "\n".join([*lines, *question.reasons])
    if len(message) <= _SHOWN:
        return message
    return f"{message[:_SHOWN]}… (cut: {len(message) - _SHOWN} more characters are not shown)"
