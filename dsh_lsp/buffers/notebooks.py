"""Notebooks that editors have open: files that are edited by cells, and that no edit of a text may reach meanwhile.

An editor keeps a notebook's cells, not its file's text. What is written into the file behind an open notebook is lost
when the user saves, or the user's cells are. So agents may read the file, and are told that it may be behind; edits
are refused until the notebook is closed. A notebook that is not open is a text file like any other, in JSON.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

from dsh_ledger.errors import FsApplyRejected
from dsh_ledger.targets import Target
from dsh_lsp.editor import Editor
from dsh_tools.fs.port import TextRead, WriteOutcome

_OPEN: Final = "it is open there as a notebook, which is edited by cells: the user can close it, or change the cells"
_BEHIND: Final = "The file is open in the editor as a notebook; what is unsaved in its cells is not in this text."
_NO_JSON: Final = "The file is no valid JSON any more ({}): no editor can open it as a notebook until that is mended."
_SUFFIX: Final = ".ipynb"


class OpenNotebooks:
    """The notebooks that editors have open.

    Args:
        identify: The target of an editor's URI.
    """

    def __init__(self, identify: Callable[[str], Awaitable[Target]]) -> None:
        self._identify = identify
        self._targets: dict[tuple[Editor, str], Target | None] = {}
        self._looking: set[asyncio.Task[None]] = set()

    def open(self, uri: str, editor: Editor) -> None:
        """Follow a ``notebookDocument/didOpen``."""
        self._targets[editor, uri] = None
        self._look(self._opened(uri, editor))

    def close(self, uri: str, editor: Editor) -> None:
        """Follow a ``notebookDocument/didClose``; one for a notebook that is not open is fine."""
        self._targets.pop((editor, uri), None)

    def close_all(self, editor: Editor) -> None:
        """The editor has gone, and its notebooks with it."""
        for key in [key for key in self._targets if key[0] is editor]:
            del self._targets[key]

    async def has(self, target: Target) -> bool:
        """Whether the target is open as a notebook, once all that was opened before has been looked at."""
        while self._looking:
            await asyncio.wait(self._looking)
        return target.uri in {known.uri for known in self._targets.values() if known is not None}

    async def refuse(self, target: Target) -> None:
        """Refuse to change a file that is open as a notebook.

        Raises:
            FsApplyRejected: It is.
        """
        if self._targets and await self.has(target):
            raise FsApplyRejected(target.path, _OPEN)

    async def marked(self, target: Target, found: TextRead) -> TextRead:
        """What was read, with a note if the file is open as a notebook."""
        if self._targets and await self.has(target):
            return replace(found, notes=(*found.notes, _BEHIND))
        return found

    def _look(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _opened(self, uri: str, editor: Editor) -> None:
        target = await self._identify(uri)
        if (editor, uri) in self._targets:
            self._targets[editor, uri] = target


async def checked(target: Target, outcome: WriteOutcome) -> WriteOutcome:
    """The outcome of a change, with a warning if it made of a notebook what no editor can open."""
    if not target.path.endswith(_SUFFIX) or outcome.before == outcome.after:
        return outcome
    fault = await asyncio.to_thread(_fault, outcome.after)
    if fault is None:
        return outcome
    return replace(outcome, notes=(*outcome.notes, _NO_JSON.format(fault)))


def _fault(text: str) -> str | None:
    """Where a text stops to be JSON, in words; None if it is JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}"
    except RecursionError:
        return "it is nested too deep"
    return None
