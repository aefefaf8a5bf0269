"""Reading a journal as a whole, to show what is in it. Nothing but the journal is opened."""

from pathlib import Path

from dsh_ledger.journal import Event
from dsh_ledger.journal_folds import History
from dsh_lsp.journals.journal_file import read_events


def read_history(path: Path) -> tuple[History, int]:
    """All that was shown of a session, and how many lines of its journal could not be read.

    Raises:
        OSError: The journal can't be read.
    """
    history = History()
    unreadable = 0
    for event in read_events(path):
        if isinstance(event, Event):
            history.apply(event)
        else:
            unreadable += 1
    return history, unreadable + history.unreadable
