"""What a session came to: its changes, and what was refused, failed, or never ended.

Changes are counted from the hunks recorded with applied results and from nothing else, so that what the user typed, and
what a call asked for and did not get, is in none of the numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from dsh_lsp.replaying.session_cards import ReplayedCard, ReplayedSession
from dsh_lsp.replaying.views import DiffView, GenericView, ReadView, SearchView, TerminalView, View, WebView, view_of

DENIED = "DENIED"
"""The code of a call that a policy or the user said no to."""


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card with its views read.

    Attributes:
        number: Its place in the session, from 1.
        card: What was recorded.
        call: The call.
        result: The result, if there is one.
    """

    number: int
    card: ReplayedCard
    call: View
    result: View | None

    @property
    def main(self) -> View:
        """What the card shows: a completed card replaces the pending one."""
        return self.call if self.result is None else self.result

    @property
    def code(self) -> str | None:
        """The code of an error; empty for an error that has none, None where there is no error."""
        if not self.card.is_error or self.result is None:
            return None
        return (self.result.code if isinstance(self.result, GenericView) else None) or ""

    @property
    def change(self) -> DiffView | None:
        """The change that was applied, if the call made one."""
        result = self.result
        applied = isinstance(result, DiffView) and not self.card.is_error and result.operation != "unchanged"
        return result if applied and isinstance(result, DiffView) else None

    @property
    def with_call(self) -> bool:
        """Whether the result does not say what was asked for, so that the call is to be shown with it."""
        return self.result is not None and (self.card.is_error or isinstance(self.result, GenericView))

    @property
    def status(self) -> str:
        """``done``, ``failed``, ``denied`` or ``never ended``."""
        if self.result is None:
            return "never ended"
        if not self.card.is_error:
            return "done"
        return "denied" if self.code == DENIED else "failed"

    @property
    def subject(self) -> str:
        """What the call is about: a path, a command, what was searched for, a URL; a title where there is none."""
        return (_subject(self.result) if self.result is not None and not self.with_call else "") or _subject(self.call)


@dataclass(slots=True)
class FileChanges:
    """What the calls did to one file: the sums over the calls, and which calls (by number)."""

    path: str
    operations: list[str] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    calls: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Summary:
    """A session in numbers.

    Attributes:
        cards: All cards, with their views read.
        files: One for each file that was changed, in the order of the first change.
        troubled: The cards that have failed, were denied, or never ended.
    """

    cards: tuple[ShownCard, ...]
    files: tuple[FileChanges, ...]
    troubled: tuple[ShownCard, ...]

    def count(self, status: str) -> int:
        """How many cards have a status."""
        return sum(card.status == status for card in self.cards)

    @property
    def added(self) -> int:
        """Lines added by all applied changes."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines removed by all applied changes."""
        return sum(file.removed for file in self.files)


def summary(session: ReplayedSession) -> Summary:
    """Read all views of a session, and count."""
    cards = tuple(
        ShownCard(number, card, view_of(card.call), None if card.result is None else view_of(card.result))
        for number, card in enumerate(session.cards, start=1)
    )
    return Summary(cards, tuple(_files(cards)), tuple(card for card in cards if card.status != "done"))


def _files(cards: Iterable[ShownCard]) -> list[FileChanges]:
    files: dict[object, FileChanges] = {}
    for card in cards:
        if (change := card.change) is None:
            continue
        uri = (card.card.result or {}).get("uri")
        file = files.setdefault(uri if isinstance(uri, str) else change.path, FileChanges(change.path))
        operation = change.operation or "changed"
        if operation not in file.operations:
            file.operations.append(operation)
        file.added += change.added
        file.removed += change.removed
        file.calls.append(card.number)
    return list(files.values())


def _subject(view: View) -> str:
    match view:
        case DiffView() | ReadView():
            return view.path
        case TerminalView():
            return view.command
        case SearchView():
            return view.query
        case WebView():
            return view.url
        case GenericView():
            return view.title
