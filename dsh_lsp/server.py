"""What this server answers: the table, and how editors are attached to it."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dsh_ledger.errors import LedgerBug
from dsh_lsp.buffers.notebooks import OpenNotebooks
from dsh_lsp.buffers.open_documents import OpenDocuments
from dsh_lsp.editor import Editor
from dsh_lsp.handlers import notebook_documents, text_documents
from dsh_lsp.handlers.context import PeerContext
from dsh_lsp.handlers.initialize import (
    NOWHERE,
    Options,
    changed_folders,
    editor_traits,
    experimental_capabilities,
    options_of,
    workspace_folders,
)
from dsh_lsp.handlers.ledger_query import ledger_query
from dsh_lsp.handlers.review import review_keep, review_list, review_undo
from dsh_lsp.handlers.review_summary import review_summary
from dsh_lsp.handlers.session_close import session_close
from dsh_lsp.handlers.session_list import session_list
from dsh_lsp.handlers.session_open import session_open
from dsh_lsp.handlers.session_replay import session_replay
from dsh_lsp.handlers.status import status
from dsh_lsp.handlers.subscribe import subscribe
from dsh_lsp.handlers.tool_list import tool_list
from dsh_lsp.handlers.tool_run import tool_run
from dsh_lsp.hosting import HubHost, Place
from dsh_lsp.hub import Hub
from dsh_lsp.joining.attaching import REPLAYED, AttachResult, attach_params, granted_attach, refused_attach
from dsh_lsp.joining.finding import Joined, NotReached, claim_or_join
from dsh_lsp.joining.folder_locks import FolderLocks, same_folder, without
from dsh_lsp.joining.forwarder import Forwarder
from dsh_lsp.memory import give_back
from dsh_lsp.messages import message
from dsh_lsp.plain.client import plain_client
from dsh_lsp.plain.review import PlainReview
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.converter import shared_converter
from dsh_lsp.rpc.editor import EditorProtocol, editor_peer
from dsh_lsp.rpc.errors import is_message_id
from dsh_lsp.rpc.framing import STREAM_LIMIT
from dsh_lsp.rpc.protocol import MethodTable
from dsh_lsp.rpc.pump import serve, take
from dsh_lsp.rpc.stdio import stdio_connection, take_stdio
from dsh_lsp.status_wire import StatusParams
from dsh_lsp.wire import (
    Empty,
    LedgerQueryParams,
    ReviewListParams,
    ReviewParams,
    SessionListParams,
    SessionOpenParams,
    SessionParams,
    SessionReplayParams,
    SubscribeParams,
    ToolListParams,
    ToolRunParams,
)

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

METHODS: MethodTable = {
    "dsh/session/open": (SessionOpenParams, session_open),
    "dsh/session/close": (SessionParams, session_close),
    "dsh/session/list": (SessionListParams, session_list),
    "dsh/session/replay": (SessionReplayParams, session_replay),
    "dsh/review/list": (ReviewListParams, review_list),
    "dsh/review/summary": (SessionParams, review_summary),
    "dsh/review/keep": (ReviewParams, review_keep),
    "dsh/review/undo": (ReviewParams, review_undo),
    "dsh/tool/list": (ToolListParams, tool_list),
    "dsh/tool/run": (ToolRunParams, tool_run),
    "dsh/ledger/query": (LedgerQueryParams, ledger_query),
    "dsh/subscribe": (SubscribeParams, subscribe),
    "dsh/status": (StatusParams, status),
}
"""Our own methods: the same for an editor and for an agent on the socket."""

_DOCUMENTS: dict[str, Callable[[OpenDocuments, Editor, Any], None]] = {
    types.TEXT_DOCUMENT_DID_OPEN: text_documents.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: text_documents.did_change,
    types.TEXT_DOCUMENT_DID_SAVE: text_documents.did_save,
    types.TEXT_DOCUMENT_DID_CLOSE: text_documents.did_close,
}

_NOTEBOOKS: dict[str, Callable[[OpenNotebooks, Editor, Any], None]] = {
    types.NOTEBOOK_DOCUMENT_DID_OPEN: notebook_documents.did_open,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: notebook_documents.did_change,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: notebook_documents.did_close,
}


class EditorServer:
    """What one editor is served, from ``initialize`` to the end of its connection.

    Args:
        connection: The editor's connection.
        host: The hub that it is an editor of; it may come later, but before ``initialize``.
        place: Its folders there.

    Attributes:
        peer: The editor.
        host: As above.
        place: As above.
    """

    def __init__(self, connection: Connection, host: HubHost | None = None, place: Place | None = None) -> None:
        self.host = host
        self.place = place
        self.was_initialized = False
        self._editor: Editor | None = None
        self._plain: PlainReview | None = None
        self.peer = editor_peer(connection, METHODS, version=version("dsh-lsp"), on_initialize=self._initialize)
        self._register(self.peer)

    @property
    def exit_code(self) -> int:
        """What a process that serves this editor alone ends with (LSP 3.17, "Exit Notification")."""
        # A Neovim that quits sends `shutdown` and then closes the pipe, without `exit`.
        was_shut_down = self.was_initialized and not self.peer.is_initialized
        return self.peer.exit_code if self.peer.exit_code is not None else 0 if was_shut_down else 1

    async def serve(self) -> None:
        """Serve until the editor leaves."""
        try:
            await serve(self.peer)
        finally:
            await self._end()

    def _register(self, peer: EditorProtocol) -> None:
        feature = peer.server.feature
        for method, follow in _DOCUMENTS.items():
            options = types.SaveOptions(include_text=False) if method == types.TEXT_DOCUMENT_DID_SAVE else None
            feature(method, options)(self._following(lambda hub: hub.documents, follow))
        for method, notice in _NOTEBOOKS.items():
            feature(method)(self._following(lambda hub: hub.files.notebooks, notice))
        feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, types.SemanticTokensLegend([], []))(_no_tokens)

        @feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
        def progress_cancelled(params: types.WorkDoneProgressCancelParams) -> None:
            if self.host is not None:
                self.host.hub.progress.cancelled(params.token)

        @feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
        async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
            if self.host is not None and self.place is not None:
                refused = self.place.refused
                await self.host.move(self.place, changed_folders(self.place.wanted, params.event))
                for folder in without(self.place.refused, refused):
                    self.peer.notify(types.WINDOW_SHOW_MESSAGE, message(types.MessageType.Warning, _refusal(folder)))

        @feature(types.INITIALIZED)
        async def initialized(_params: types.InitializedParams) -> None:
            if self.host is not None:
                await self.host.start()

    def _following(self, of: Callable[[Hub], _T], follow: Callable[[_T, Editor, Any], None]) -> Callable[[Any], None]:
        """The handler of a notification that a part of the hub follows."""

        def handler(params: Any) -> None:
            if self.host is not None and self._editor is not None:
                follow(of(self.host.hub), self._editor, params)

        return handler

    def _initialize(self, params: types.InitializeParams, result: types.InitializeResult) -> None:
        if self.host is None:
            raise LedgerBug("an editor is initialized that has no hub")
        hub, self.was_initialized = self.host.hub, True
        traits = editor_traits(params, result)
        result.capabilities.experimental = experimental_capabilities()
        result.capabilities.notebook_document_sync = notebook_documents.SYNC
        if not traits.is_stock_neovim:
            result.capabilities.semantic_tokens_provider = None
        self._editor = Editor(self.peer, traits)
        hub.editor_here(self._editor, options_of(params).permissions)
        self.peer.context = PeerContext(hub, self._editor)
        if traits.dsh.cards:
            hub.subscribers.add(self.peer, None)
        # Not even commands for a client that paints: its own of these names would clash with them in VS Code.
        result.capabilities.execute_command_provider = None
        if not traits.dsh.decorations:
            self._plain = PlainReview(hub, self._editor, plain_client(params.capabilities))
            self._plain.attach(self.peer, result.capabilities)

    async def _end(self) -> None:
        if self.host is not None and self._editor is not None:
            self.host.hub.editor_gone(self._editor)
            if self._plain is not None:
                await self._plain.close()


def new_host(
    folders: Sequence[Path], options: Options | None = None, *, locks: FolderLocks, home: Path | None = None
) -> HubHost:
    """A hub that is not started.

    Args:
        folders: Its folders.
        options: As an editor gives them.
        locks: The locks of the folders.
        home: See `Hub`.
    """
    options = options or Options()
    hub = Hub(
        folders,
        home=home,
        tools=options.tools(),
        timing=options.timing,
        permissions=options.permissions,
        watch=options.watch,
    )
    hub.files.disk.styles.set_encodings(options.encodings)

    async def attach(connection: Connection, frame: dict[str, Any]) -> None:
        await _serve_attached(host, connection, frame)

    host = HubHost(hub, locks, METHODS, attach, tcp=options.tcp)
    return host


async def _serve_attached(host: HubHost, connection: Connection, frame: dict[str, Any]) -> None:
    """Serve the connection of another process's editor, which has asked for it."""
    connection.name = "editor"
    try:
        params = attach_params(frame, host.secret)
    except JsonRpcException as refusal:
        connection.send(refused_attach(frame, refusal))
        connection.close("it can't be an editor here")
        return
    place = await host.enter(params.paths)
    server = EditorServer(connection, host, place)
    server.peer.method(REPLAYED, Empty, lambda _peer, _params: host.back(params.pid))
    try:
        connection.send(granted_attach(frame, host.hub.home, place.refused))
        await server.serve()
    finally:
        await host.leave(place)


class Server:
    """What an editor's own process serves it: a hub in this process, or the one that has its folder already.

    Args:
        connection: The editor's connection.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._front = EditorServer(connection)
        self._locks = FolderLocks()
        self._folders: list[Path] = []
        self._options = Options()
        self._own: asyncio.Task[None] | None = None
        self._said: set[str] = set()

    async def run(self) -> int:
        """Serve until the editor leaves; the exit code (LSP 3.17, "Exit Notification")."""
        initialize = await self._first_initialize()
        if initialize is None:
            return self._front.exit_code
        try:
            joined = None if self._folders == [NOWHERE] else await self._claimed_or_joined()
        except NotReached as refusal:
            joined = None
            self._warn(str(refusal))
        if joined is not None:
            try:
                return await Forwarder(self._connection, initialize, await self._joined(joined), self._next_hub).run()
            finally:
                await self._own_ended()
                await asyncio.to_thread(self._locks.release_all)
        if self._connection.is_closed:
            await asyncio.to_thread(self._locks.release_all)
            await self._connection.wait_closed()
            return self._front.exit_code
        host = new_host(self._folders, self._options, locks=self._locks)
        self._front.host, self._front.place = host, host.place
        try:
            self._front.peer.receive(initialize)
            await self._front.serve()
        finally:
            await host.close()
        return self._front.exit_code

    async def _claimed_or_joined(self) -> Joined | None:
        """The hub of the folders, or None for being it. A signal ends the wait for one that does not answer.

        Raises:
            NotReached: Neither was possible in time.
        """
        joining = asyncio.ensure_future(claim_or_join(self._locks, self._folders))
        ending = asyncio.ensure_future(self._connection.closed.wait())
        await asyncio.wait({joining, ending}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not joining.done():
            joining.cancel()
            await asyncio.wait({joining})
        return None if joining.cancelled() else joining.result()

    async def _first_initialize(self) -> dict[str, Any] | None:
        """The first ``initialize`` that makes sense; None if the editor leaves before. All else is answered here."""
        while not self._connection.is_closed:
            try:
                frame = await self._connection.read()
            except OSError as error:
                self._connection.close(f"reading failed: {type(error).__name__}")
                break
            if isinstance(frame, dict) and self._is_initialize(frame):
                return frame
            take(self._front.peer, frame)
            await asyncio.sleep(0)
        await self._connection.wait_closed()
        return None

    def _is_initialize(self, frame: dict[str, Any]) -> bool:
        if frame.get("method") != types.INITIALIZE or not is_message_id(frame.get("id")):
            return False
        try:
            params = shared_converter().structure(frame.get("params"), types.InitializeParams)
        except Exception:  # noqa: BLE001 - whatever is wrong with it, the answer will say it
            return False
        self._folders, self._options = workspace_folders(params), options_of(params)
        return frame.get("jsonrpc") == "2.0"

    async def _next_hub(self, said: AttachResult, initialize: dict[str, Any]) -> Joined:
        """The hub after the one that has ended: another process's, or one in this process."""
        await self._own_ended()
        self._is_initialize(initialize)
        refused, home = said.refused_paths, said.home_path
        folders = without(self._folders, refused) or self._folders
        try:
            joined = await claim_or_join(self._locks, folders, home)
        except NotReached as refusal:
            self._warn(str(refusal))
            joined, home = None, None
        return await self._joined(joined) if joined is not None else await self._own_hub(folders, home)

    async def _own_hub(self, folders: list[Path], home: Path | None) -> Joined:
        """A hub in this process; its editor is at the other end of a pair of sockets."""
        # Relative paths of agents start where they did.
        folders = sorted(folders, key=lambda folder: home is None or not same_folder(folder, home))
        host = new_host(folders, self._options, locks=self._locks, home=home)
        host.place.wanted, host.place.refused = self._folders, without(self._folders, folders)
        ends = [await asyncio.open_connection(sock=each, limit=STREAM_LIMIT) for each in socket.socketpair()]
        ours, theirs = Connection(*ends[0], name="hub"), Connection(*ends[1], name="editor")
        self._own = asyncio.ensure_future(_serve_own(EditorServer(theirs, host, host.place), host))
        return Joined(ours, AttachResult.of(host.hub.home, host.place.refused))

    async def _own_ended(self) -> None:
        """Wait until a hub in this process has ended, whose editor has gone."""
        if self._own is not None:
            await asyncio.wait((self._own,))
            self._own = None

    def _warn(self, text: str) -> None:
        """Warn the user, once."""
        if text not in self._said:
            self._said.add(text)
            # Allowed before the answer to `initialize` (LSP 3.17, "Initialize Request").
            params = shared_converter().unstructure(message(types.MessageType.Warning, text))
            self._connection.send({"jsonrpc": "2.0", "method": types.WINDOW_SHOW_MESSAGE, "params": params})

    async def _joined(self, joined: Joined) -> Joined:
        """Let the next hub know that there is this editor, and say what this one would not have."""
        await asyncio.to_thread(self._locks.register, self._folders)
        for folder in joined.said.refused_paths:
            self._warn(_refusal(folder))
        return joined


def _refusal(folder: Path) -> str:
    """What is said of a folder that another hub has."""
    return (
        f"agents can't reach the folder {folder.name} from this window, since another server has it. Close it in the "
        "other window, or open it in a window of its own, which joins that server."
    )


async def _serve_own(server: EditorServer, host: HubHost) -> None:
    try:
        await server.serve()
    finally:
        await host.close()


def _no_tokens(_params: types.SemanticTokensParams) -> types.SemanticTokens:
    """No tokens: the provider is there for a stock Neovim, whose answer to its refresh shows that all has been sent."""
    return types.SemanticTokens(data=[])


async def serve_stdio() -> int:
    """Be the server of the editor that started this process; the exit code."""
    give_back()
    connection = await stdio_connection(take_stdio())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, partial(connection.close, f"signal {number}"))
    return await Server(connection).run()
