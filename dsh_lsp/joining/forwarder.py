"""An editor's process that is not the hub: it carries frames between its editor and the hub, and outlives the hub.

When the connection to the hub ends, the next hub is found (it may be in this process), and told what this editor is and
has open, as if it had begun there. Meanwhile and of all this the editor notices nothing but that some requests are
answered with "try again". What is kept for that: the documents (`dsh_lsp.joining.documents`) and little else.

Requests of hubs get ids of our own: a new hub counts from the beginning, and an answer that was meant for the old one
must not reach it. Deliberately absent: how a hub is found, and what the messages mean beyond that.
"""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from dsh_lsp.joining.attaching import REPLAYED, AttachResult
from dsh_lsp.joining.editor_state import EditorState, Frame
from dsh_lsp.joining.finding import Joined
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.errors import MsgId, error_answer, is_message_id, request_cancelled
from dsh_lsp.rpc.framing import Rejected
from dsh_lsp.rpc.pump import refuse
from dsh_tools.reporting import log_failure

_log = logging.getLogger(__name__)

FindHub = Callable[[AttachResult, Frame], Awaitable[Joined]]
"""Joins the next hub, or becomes it, given what the last one said, and the ``initialize`` of now."""

_OURS: Final = "dsh-lsp:"
"""How the ids of requests begin that were asked for nobody."""


class Forwarder:
    """Serves an editor from another process's hub.

    Args:
        editor: The editor's connection.
        initialize: Its first request, which nobody has answered.
        joined: The hub, which knows nothing of it yet.
        next_hub: Finds the next hub.
    """

    def __init__(self, editor: Connection, initialize: Frame, joined: Joined, next_hub: FindHub) -> None:
        self._editor = editor
        self._state = EditorState(initialize)
        self._joined = joined
        self._hub: Connection | None = None
        self._next_hub = next_hub
        self._numbers = itertools.count(1)
        self._hub_asked: dict[MsgId, MsgId] = {}
        self._replays: set[MsgId] = set()

    async def run(self) -> int:
        """Serve until the editor leaves; the exit code (LSP 3.17, "Exit Notification")."""
        following = asyncio.ensure_future(self._follow_hubs())
        try:
            await self._follow_editor()
        finally:
            following.cancel()
            await asyncio.wait((following,))
            self._joined.connection.close("the editor has gone")
            await self._joined.connection.wait_closed()
            self._editor.close("stopped")
        await self._editor.wait_closed()
        return 0 if self._state.is_shut_down else 1

    # The editor

    async def _follow_editor(self) -> None:
        while not self._editor.is_closed:
            try:
                frame = await self._editor.read()
            except OSError as error:
                self._editor.close(f"reading failed: {type(error).__name__}")
                return
            if frame is None:
                self._editor.close("end of stream")
            elif isinstance(frame, Rejected):
                refuse(self._editor, frame)
            else:
                self._from_editor(frame)
            await asyncio.sleep(0)

    def _from_editor(self, frame: Frame) -> None:
        method, request_id = frame.get("method"), frame.get("id")
        if method is None and is_message_id(request_id):
            self._answer_to_hub(frame, request_id)
        elif not isinstance(method, str) or ("id" in frame and not is_message_id(request_id)):
            self._to_hub(frame)  # it is the hub's to say what is wrong with it
        elif is_message_id(request_id):
            self._state.request(frame)
            if not self._replays:
                self._to_hub(frame)
        elif method == "exit":
            self._editor.close("exit")
        elif method == "$/cancelRequest" and (self._hub is None or self._replays):
            self._cancel(frame.get("params"))
        else:
            self._state.notification(method, frame.get("params"))
            self._to_hub(frame)

    def _answer_to_hub(self, frame: Frame, request_id: MsgId) -> None:
        """An answer to the hub, if it is this one that has asked."""
        asked = self._hub_asked.pop(request_id, None)
        if asked is not None:
            self._to_hub({**frame, "id": asked})

    def _cancel(self, params: Any) -> None:
        """A request is cancelled that no hub has been asked."""
        request_id = params.get("id") if isinstance(params, dict) else None
        asked = self._state.asked.pop(request_id, None) if is_message_id(request_id) else None
        if asked is not None and is_message_id(request_id):
            self._editor.send(error_answer(request_id, request_cancelled(asked["method"])))

    def _to_hub(self, frame: Frame) -> None:
        """Send it, if there is a hub; without one, what matters is in the state and will be told."""
        if self._hub is not None:
            self._hub.send(frame)

    # The hub

    async def _follow_hubs(self) -> None:
        try:
            while True:
                self._begin()
                await self._follow_hub(self._joined.connection)
                self._lost()
                if self._state.is_shut_down:
                    return
                _log.info("the hub has ended: looking for the next one")
                self._joined = await self._next_hub(self._joined.said, self._state.initialize)
        except Exception as error:  # noqa: BLE001 - the editor starts us again when it sees the end
            log_failure(_log, "following the hub failed", error)
            self._editor.close("there is no hub")

    async def _follow_hub(self, hub: Connection) -> None:
        """Take what a hub sends until it has gone."""
        try:
            while (frame := await hub.read()) is not None:
                if not isinstance(frame, Rejected):
                    self._from_hub(frame)
                elif frame.fatal:
                    break
                await asyncio.sleep(0)
        except OSError as error:
            _log.debug("reading from the hub failed: %s", type(error).__name__)
        hub.drop("the hub has ended")

    def _begin(self) -> None:
        """Tell a hub what this editor is and has open, and then ask it what was not answered."""
        hub = self._joined.connection
        for frame in self._state.replayed():
            if "id" in frame and frame["id"] not in self._state.asked:
                frame = {**frame, "id": self._own_id()}
                self._replays.add(frame["id"])
            hub.send(frame)
        hub.send({"jsonrpc": "2.0", "method": REPLAYED, "params": {}})
        self._hub = hub
        if not self._replays:
            self._ask_again()

    def _ask_again(self) -> None:
        """Ask the hub what was not answered, now that it knows the sessions which that may be about."""
        for frame in self._state.asked.values():
            if frame["method"] != "initialize":
                self._to_hub(frame)

    def _lost(self) -> None:
        """The hub has gone: end what it had begun."""
        self._hub = None
        self._hub_asked.clear()
        self._replays.clear()
        if self._state.is_shut_down:
            for request_id in self._state.asked:
                self._editor.send({"jsonrpc": "2.0", "id": request_id, "result": None})
            return
        for frame in (*self._state.given_up(), *self._state.cleared()):
            self._editor.send(frame)
        if (params := self._state.unregistered()) is not None:
            request = {"jsonrpc": "2.0", "id": self._own_id(), "method": "client/unregisterCapability"}
            self._editor.send({**request, "params": params})

    def _own_id(self) -> str:
        """The id of a request of our own."""
        return f"{_OURS}{next(self._numbers)}"

    def _from_hub(self, frame: Frame) -> None:
        method, request_id = frame.get("method"), frame.get("id")
        if not isinstance(method, str):
            if is_message_id(request_id) and request_id in self._replays:
                self._replayed(frame, request_id)
                return
            if is_message_id(request_id):
                self._state.answered(frame)
        elif is_message_id(request_id):
            number = next(self._numbers)
            self._hub_asked[number] = request_id
            self._state.told(method, frame.get("params"))
            frame = {**frame, "id": number}
        elif method == "$/cancelRequest":
            named = (frame.get("params") or {}).get("id")
            ours = next((ours for ours, theirs in self._hub_asked.items() if theirs == named), 0)
            frame = {**frame, "params": {"id": ours}}
        else:
            self._state.told(method, frame.get("params"))
        self._editor.send(frame)

    def _replayed(self, frame: Frame, request_id: MsgId) -> None:
        """The hub answers what the editor was answered by an old one already."""
        self._replays.discard(request_id)
        if isinstance(error := frame.get("error"), dict):
            _log.warning("the new hub refused what the editor had with the old one (code %s)", error.get("code"))
        if not self._replays:
            self._ask_again()
