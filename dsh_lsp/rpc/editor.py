"""The editor as a peer: LSP's life cycle and pygls' capabilities, around our own handlers.

Held: what may come when (LSP 3.17, Lifecycle Messages), and the ``initialize`` answer that pygls builds from the
registered features. Absent: documents. pygls' own handlers of ``didOpen``, ``didChange``, ``didClose``, of notebooks,
of workspace folders and of progress are taken out, so that nothing keeps a second copy of each text (15 ms per
keystroke at 5 MB); only what was registered with ``feature`` runs, in the order of the messages. ``server.workspace``
stays empty.

``exit`` ends the connection and leaves the code in :attr:`EditorProtocol.exit_code`; the process is its owner's to end.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from dsh_lsp.rpc.converter import shared_converter
from dsh_lsp.rpc.protocol import MethodTable, PeerProtocol

if TYPE_CHECKING:
    from cattrs import Converter

    from dsh_lsp.rpc.connection import Connection

OnInitialize: TypeAlias = Callable[[types.InitializeParams, types.InitializeResult], None]

_NOT_PYGLS: Final = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
)

# The one logger of pygls that is still reached with params in its arguments, at INFO: the whole of initialize.
logging.getLogger("pygls.protocol.language_server").addFilter(lambda record: record.levelno >= logging.WARNING)


class _Phase(enum.Enum):
    NEW = enum.auto()
    INITIALIZING = enum.auto()
    RUNNING = enum.auto()


class EditorProtocol(PeerProtocol, LanguageServerProtocol):
    """The peer that an editor is.

    Attributes:
        client_capabilities: What ``initialize`` said; empty before.
        server_capabilities: What we answered; empty before.
        exit_code: What the process should end with once ``exit`` came: 0 after ``shutdown``, else 1. None before.
    """

    def __init__(self, server: EditorServer, converter: Converter) -> None:
        self.client_capabilities = types.ClientCapabilities()
        self.server_capabilities = types.ServerCapabilities()
        self.exit_code: int | None = None
        self._phase = _Phase.NEW
        super().__init__(server, converter)
        for method in _NOT_PYGLS:
            del self.fm.builtin_features[method]

    @property
    def server(self) -> EditorServer:
        """The pygls server, with its typed senders."""
        return cast("EditorServer", self._server)

    @property
    def is_initialized(self) -> bool:
        """Whether ``initialize`` has been answered, and ``shutdown`` has not."""
        return self._phase is _Phase.RUNNING and not self._shutdown

    @property
    def position_encoding(self) -> str:
        """What a ``character`` counts: "utf-8", "utf-16" or "utf-32" code units (LSP 3.17, PositionEncodingKind).

        The first of the client's list that is one of these, or what ``on_initialize`` put into the capabilities.
        """
        chosen = self.server_capabilities.position_encoding
        return types.PositionEncodingKind(chosen or types.PositionEncodingKind.Utf16).value

    def feature(self, method: str, handler: Callable[[Any, Any], object], options: Any = None) -> None:
        """Register the handler of one of LSP's own methods.

        Unlike ``server.feature``, it takes any callable (bound methods, one function for several editors) and calls it
        as ours are: pygls writes attributes onto what it is given, and passes the server in the first place or not by
        the name and the annotation that it finds there.

        Args:
            method: As on the wire.
            handler: ``handler(peer, params)`` with lsprotocol's params; may be a coroutine function. Its result is an
                lsprotocol object, a list of them, plain JSON or None.
            options: lsprotocol's registration options, for the capabilities.

        Raises:
            FeatureAlreadyRegisteredError: The method has a handler.
        """
        self.fm.feature(method, options)(lambda params=None: handler(self, params))

    def command(self, name: str, handler: Callable[[Any, tuple[Any, ...]], object]) -> None:
        """Register a command for ``workspace/executeCommand``.

        Args:
            name: The command.
            handler: ``handler(peer, arguments)`` with the arguments as plain JSON; may be a coroutine function.

        Raises:
            CommandAlreadyRegisteredError: The command has a handler.
        """
        self.fm.command(name)(lambda *arguments: handler(self, arguments))

    def refusal(self, method: str, *, is_request: bool) -> JsonRpcException | None:
        """Return why a message may not come now (LSP 3.17, Lifecycle Messages); None if it may."""
        if method == types.EXIT:
            return JsonRpcInvalidRequest("exit is a notification") if is_request else None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was shut down")
        if method == types.INITIALIZE and is_request:
            return None if self._phase is _Phase.NEW else JsonRpcInvalidRequest("initialize may be sent only once")
        if self._phase is not _Phase.RUNNING:
            return JsonRpcServerNotInitialized("the first request must be initialize")
        return None

    def params_type(self, method: str) -> type[Any] | None:
        """Return lsprotocol's class for the params of an LSP method."""
        return _lsp_type(method, 2)

    def result_type(self, method: str) -> type[Any] | None:
        """Return lsprotocol's class for the response to an LSP request."""
        return _lsp_type(method, 1)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Let pygls build the answer from the registered features, and the owner change it."""
        self._phase = _Phase.INITIALIZING
        try:
            result = yield from super().lsp_initialize(params)
            if self.server.on_initialize is not None:
                self.server.on_initialize(params, result)
        except BaseException:
            self._phase = _Phase.NEW  # it was answered with an error, so it may be tried again
            raise
        self._phase = _Phase.RUNNING
        return result

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        """Close the connection; pygls would end the process from inside the event loop."""
        if (handler := self.fm.features.get(types.EXIT)) is not None:
            yield handler, args, None
        self.exit_code = 0 if self._shutdown else 1
        self.connection.close("exit")


def _lsp_type(method: str, part: int) -> type[Any] | None:
    known = types.METHOD_TO_TYPES.get(method)  # (request, response, params, registration options)
    return cast("type[Any] | None", known[part]) if known is not None else None


class EditorServer(LanguageServer):
    """The pygls server object of one editor.

    Args:
        connection: The editor's connection.
        name: For ``serverInfo``.
        version: For ``serverInfo``.
        on_initialize: As for :func:`editor_peer`.
    """

    def __init__(self, connection: Connection, name: str, version: str, on_initialize: OnInitialize | None) -> None:
        self.connection = connection
        self.on_initialize = on_initialize
        super().__init__(name, version, protocol_cls=EditorProtocol, converter_factory=shared_converter)

    @property
    def peer(self) -> EditorProtocol:
        """The editor; pygls types ``protocol`` less exactly."""
        return cast("EditorProtocol", self.protocol)


def editor_peer(
    connection: Connection,
    methods: MethodTable,
    *,
    version: str,
    name: str = "dsh-lsp",
    context: Any = None,
    on_initialize: OnInitialize | None = None,
) -> EditorProtocol:
    """Return the peer for one editor's connection; feed it with :func:`dsh_lsp.rpc.pump.serve`.

    LSP methods are registered afterwards, with :meth:`EditorProtocol.feature` and :meth:`EditorProtocol.command`.

    Args:
        connection: Its connection.
        methods: Which of our own methods it may call.
        version: Ours, for ``serverInfo``.
        name: Ours, for ``serverInfo``.
        context: What the handlers find as ``peer.context``.
        on_initialize: Called with the params and the result of ``initialize`` before it is sent, to put into the
            capabilities what pygls does not know (``experimental``) or to choose another position encoding. A
            handler registered for ``initialize`` runs earlier, and may still register features.
    """
    peer = EditorServer(connection, name, version, on_initialize).peer
    peer.context = context
    peer.install(methods)
    return peer
