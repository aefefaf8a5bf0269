"""Showing what was there before: as a document where the editor can open one of ours, else in a message."""

from collections.abc import Iterator

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dsh_lsp.editor import Editor
from dsh_lsp.handlers.review import mirror_of, targets_of
from dsh_lsp.hub import Hub
from dsh_lsp.messages import message
from dsh_lsp.plain.before import base_position, base_text, before_uri
from dsh_lsp.plain.client import PlainClient
from dsh_lsp.plain.names import shown_path
from dsh_lsp.plain.places import shown_hunks
from dsh_lsp.plain.wording import BRIEF, removed_lines
from dsh_lsp.review.reviews import Reviewed
from dsh_lsp.review.selection import Selection
from dsh_lsp.rpc.errors import PeerGone

_WITHIN = 10.0
"""Seconds that an editor has to open a document."""

_HUNKS = 3
"""Hunks of which a message tells."""


class Showing:
    """Shows texts from before in an editor.

    Args:
        hub: Where they can be had.
        editor: Where they are shown.
        client: What that can do.
    """

    def __init__(self, hub: Hub, editor: Editor, client: PlainClient) -> None:
        self._hub = hub
        self._peer = editor.peer
        self._client = client

    async def show(self, uri: str, selection: Selection) -> None:
        """Show the text from before of some hunks of a document."""
        found = None
        for target in await targets_of(self._hub, uri):
            found = await self._hub.reviews.of(target)
        chosen = [] if found is None else [part.hunk.id for part in selection.of(found.hunks)]
        if found is None or not chosen:
            self._say("that change is not pending any more")
        elif not (self._client.opens_before and await self._open(uri, found, chosen[0])):
            self._say("\n".join(_told(found, chosen, shown_path(self._hub.workspace, found.target))))

    async def _open(self, uri: str, found: Reviewed, hunk_id: str) -> bool:
        """Open the whole text, with the hunk in view; whether the editor says that it did."""
        place = base_position(found.hunks, hunk_id, base_text(found))
        params = types.ShowDocumentParams(uri=before_uri(uri), take_focus=True, selection=types.Range(place, place))
        try:
            answer = await self._peer.request(types.WINDOW_SHOW_DOCUMENT, params, timeout=_WITHIN)
        except (JsonRpcException, TimeoutError):
            return False
        except PeerGone:
            return True  # nobody is there to be told anything
        return isinstance(answer, dict) and answer.get("success") is True

    def _say(self, text: str) -> None:
        self._peer.notify(types.WINDOW_SHOW_MESSAGE, message(types.MessageType.Info, text))


def _told(found: Reviewed, chosen: list[str], path: str) -> Iterator[str]:
    """The hunks in a message."""
    shown = [each for each in shown_hunks(found.hunks, mirror_of(found)) if each.hunk.id in chosen]
    for each in shown[:_HUNKS]:
        lines, cut = removed_lines(each, BRIEF)
        place = f"line {each.first + 1} of {path}"
        yield f"before, at {place}:" if lines else f"before, there was nothing at {place}"
        yield from lines
        if cut is not None:
            yield f"({cut})"
    if len(shown) > _HUNKS:
        yield f"({len(shown) - _HUNKS} more changes are not shown)"
