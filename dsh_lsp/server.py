"""What this server answers: the table, and how a peer is attached to it."""

import asyncio
import signal
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from lsprotocol import types

from dsh_lsp.agents import AgentDoor
from dsh_lsp.editor import Editor
from dsh_lsp.handlers import text_documents
from dsh_lsp.handlers.context import PeerContext
from dsh_lsp.handlers.initialize import (
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
from dsh_lsp.handlers.subscribe import subscribe
from dsh_lsp.handlers.tool_list import tool_list
from dsh_lsp.handlers.tool_run import tool_run
from dsh_lsp.hub import Hub
from dsh_lsp.plain.client import plain_client
from dsh_lsp.plain.review import PlainReview
from dsh_lsp.rpc.connection import Connection
from dsh_lsp.rpc.editor import EditorProtocol, editor_peer
from dsh_lsp.rpc.protocol import MethodTable
from dsh_lsp.rpc.pump import serve
from dsh_lsp.rpc.stdio import stdio_connection, take_stdio
from dsh_lsp.wire import (
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
from dsh_tools.diff import preload

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
}
"""Our own methods: the same for an editor and for an agent on the socket."""


class Server:
    """One editor and its agents, from ``initialize`` to the end of the editor's connection.

    Args:
        connection: The editor's connection.
    """

    def __init__(self, connection: Connection) -> None:
        self._hub: Hub | None = None
        self._editor: Editor | None = None
        self._door: AgentDoor | None = None
        self._plain: PlainReview | None = None
        self._peer = editor_peer(connection, METHODS, version=version("dsh-lsp"), on_initialize=self._initialize)
        self._register(self._peer)

    async def run(self) -> int:
        """Serve until the editor leaves; the exit code (LSP 3.17, "Exit Notification")."""
        try:
            await serve(self._peer)
        finally:
            await self._end()
        return self._peer.exit_code if self._peer.exit_code is not None else 0 if self._was_shut_down else 1

    @property
    def _was_shut_down(self) -> bool:
        # A Neovim that quits sends `shutdown` and then closes the pipe, without `exit`.
        return self._hub is not None and not self._peer.is_initialized

    def _register(self, peer: EditorProtocol) -> None:
        feature = peer.server.feature
        feature(types.TEXT_DOCUMENT_DID_OPEN)(self._with_documents(text_documents.did_open, editor=True))
        feature(types.TEXT_DOCUMENT_DID_CHANGE)(self._with_documents(text_documents.did_change))
        feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(
            self._with_documents(text_documents.did_save)
        )
        feature(types.TEXT_DOCUMENT_DID_CLOSE)(self._with_documents(text_documents.did_close))
        feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, types.SemanticTokensLegend([], []))(_no_tokens)

        @feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
        async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
            if self._hub is not None:
                self._hub.set_folders(changed_folders(self._hub.workspace.roots, params.event))
            if self._door is not None:
                await self._door.announce()

        @feature(types.INITIALIZED)
        async def initialized(_params: types.InitializedParams) -> None:
            await self._open_door()

    def _with_documents(self, follow: Callable[..., None], *, editor: bool = False) -> Callable[[Any], None]:
        def handler(params: Any) -> None:
            if self._hub is not None:
                follow(self._hub.documents, *([self._editor] if editor else []), params)

        return handler

    def _initialize(self, params: types.InitializeParams, result: types.InitializeResult) -> None:
        traits = editor_traits(params, result)
        options = options_of(params)
        result.capabilities.experimental = experimental_capabilities()
        if not traits.is_stock_neovim:
            result.capabilities.semantic_tokens_provider = None
        self._hub = Hub(
            workspace_folders(params),
            tools=options.tools(),
            timing=options.timing,
            permissions=options.permissions,
            watch=options.watch,
        )
        self._hub.files.disk.styles.set_encodings(options.encodings)
        self._editor = Editor(self._peer, traits)
        self._hub.editor_here(self._editor)
        self._peer.context = PeerContext(self._hub, self._editor)
        if traits.dsh.cards:
            self._hub.subscribers.add(self._peer, None)
        # Not even commands for a client that paints: its own of these names would clash with them in VS Code.
        result.capabilities.execute_command_provider = None
        if not traits.dsh.decorations:
            self._plain = PlainReview(self._hub, self._editor, plain_client(params.capabilities))
            self._plain.attach(self._peer, result.capabilities)

    async def _open_door(self) -> None:
        if self._hub is not None:
            self._door = AgentDoor(self._hub, METHODS)
            await self._hub.start()
            await self._door.open()
            await asyncio.to_thread(preload)

    async def _end(self) -> None:
        if self._door is not None:
            await self._door.close()
        if self._hub is not None and self._editor is not None:
            self._hub.editor_gone(self._editor)
            if self._plain is not None:
                await self._plain.close()
            await self._hub.close()


def _no_tokens(_params: types.SemanticTokensParams) -> types.SemanticTokens:
    """No tokens: the provider is there for a stock Neovim, whose answer to its refresh shows that all has been sent."""
    return types.SemanticTokens(data=[])


async def serve_stdio() -> int:
    """Be the server of the editor that started this process; the exit code."""
    connection = await stdio_connection(take_stdio())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, partial(connection.close, f"signal {number}"))
    return await Server(connection).run()
