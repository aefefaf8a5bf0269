"""The commands of lenses and actions: ``dsh.keep``, ``dsh.undo``, ``dsh.showBefore`` (``workspace/executeCommand``).

A command is answered as soon as it is understood, with null, and done after that: an undo needs the editor to apply an
edit and to tell of it, which an editor that waits for the answer to its command may not do. What comes of it is seen in
the text; only what went wrong is said. Commands are done one after the other, in the order in which they came.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Annotated, Any, Final, TypeVar

from lsprotocol import types
from pydantic import Strict, ValidationError

from dsh_lsp.editor import Editor
from dsh_lsp.handlers.review import Decide, decide_on, selection_of
from dsh_lsp.hub import Hub
from dsh_lsp.messages import message
from dsh_lsp.plain.names import shown_path
from dsh_lsp.plain.showing import Showing
from dsh_lsp.review.deciding import Decided
from dsh_lsp.review.selection import Selection
from dsh_lsp.rpc.validation import InvalidParams, pydantic_errors
from dsh_lsp.wire import ReviewParams
from dsh_tools.models import Items, WireModel, optional
from dsh_tools.reporting import log_failure
from dsh_tools.visible import one_line

_log = logging.getLogger(__name__)

_APART: Final = 0.1
"""Seconds between the answer to a command and what it does. The clients of Emacs leave their reader when an answer that
they wait for comes: of a request that came in one piece with it, nobody hears, or not until more has come."""

KEEP: Final = "dsh.keep"
UNDO: Final = "dsh.undo"
SHOW_BEFORE: Final = "dsh.showBefore"
COMMANDS: Final = (KEEP, UNDO, SHOW_BEFORE)

_ARGUMENT: Final = "params.arguments[0]"
_REASON: Final = 300
"""Characters of a reason that are shown."""


class DecideArgument(ReviewParams):
    """The argument of ``dsh.keep`` and ``dsh.undo``.

    Attributes:
        version: With ``range``: the version of the open document that the lines are those of.
    """

    version: int | None = optional()


class ShowBeforeArgument(WireModel):
    """The argument of ``dsh.showBefore``: a document, and which of its hunks; all without."""

    uri: str
    hunk_ids: Items[str] | None = optional()


class _DecideArguments(WireModel):
    arguments: Annotated[tuple[DecideArgument], Strict(False)]


class _ShowBeforeArguments(WireModel):
    arguments: Annotated[tuple[ShowBeforeArgument], Strict(False)]


M = TypeVar("M", bound=WireModel)


class Commands:
    """Does what an editor's user wants.

    Args:
        hub: Where things are pending.
        editor: Whose user it is.
        showing: Shows texts from before.
    """

    def __init__(self, hub: Hub, editor: Editor, showing: Showing) -> None:
        self._hub = hub
        self._editor = editor
        self._showing = showing
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def keep(self, _peer: Any, arguments: Sequence[Any]) -> None:
        """``dsh.keep``.

        Raises:
            JsonRpcInvalidParams: The argument is not a `DecideArgument`, or names nothing that can be decided on.
        """
        self._decide(arguments, self._hub.deciding.keep)

    def undo(self, _peer: Any, arguments: Sequence[Any]) -> None:
        """``dsh.undo``. Errors as for `keep`."""
        self._decide(arguments, self._hub.deciding.undo)

    def show_before(self, _peer: Any, arguments: Sequence[Any]) -> None:
        """``dsh.showBefore``.

        Raises:
            JsonRpcInvalidParams: The argument is not a `ShowBeforeArgument`.
        """
        (wanted,) = _validated(_ShowBeforeArguments, arguments).arguments
        ids = None if wanted.hunk_ids is None else frozenset(wanted.hunk_ids)
        self._start(self._showing.show(wanted.uri, Selection(ids=ids)))

    async def close(self) -> None:
        """Wait for what is under way; without an editor it ends soon."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _decide(self, arguments: Sequence[Any], decide: Decide) -> None:
        (wanted,) = _validated(_DecideArguments, arguments).arguments
        self._start(self._decided(wanted, selection_of(wanted, _ARGUMENT), decide))

    async def _decided(self, wanted: DecideArgument, selection: Selection, decide: Decide) -> None:
        document = None if wanted.uri is None else self._hub.documents.of_uri(wanted.uri, self._editor)
        if document is not None and wanted.version not in (None, document.mirror.version):
            self._say(types.MessageType.Info, "the text has changed since these lines were selected; nothing was done")
            return
        decided = await decide_on(self._hub, wanted.uri, selection, decide)
        failed = [each for each in decided if each.conflict is not None]
        if not decided:
            self._say(types.MessageType.Info, "that change is not pending any more")
        if failed:
            self._say(types.MessageType.Warning, self._failure(failed))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(self._in_turn(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _in_turn(self, work: Coroutine[Any, Any, None]) -> None:
        async with self._turn:
            try:
                await asyncio.sleep(_APART)
                await work
            except Exception as error:  # noqa: BLE001 - the command was answered; nobody else would hear of it
                log_failure(_log, "a command failed", error)
                self._say(types.MessageType.Error, "that failed; the server's log says more")

    def _failure(self, failed: Sequence[Decided]) -> str:
        first = failed[0]
        path = shown_path(self._hub.workspace, first.target)
        reason = one_line(first.conflict or "")
        reason = reason if len(reason) <= _REASON else f"{reason[:_REASON]}…"
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        return f"a change of {path} could not be {first.decision}{more}: {reason}"

    def _say(self, kind: types.MessageType, text: str) -> None:
        self._editor.peer.notify(types.WINDOW_SHOW_MESSAGE, message(kind, text))


def _validated(model: type[M], arguments: Sequence[Any]) -> M:
    try:
        return model.model_validate({"arguments": arguments})
    except ValidationError as error:
        raise InvalidParams(pydantic_errors(error)) from error
