"""The pytest-lsp client behind the fake editor: LSP's own methods with types, and its checks of a server's answers.

It has no streams: what it sends goes through the editor, and the editor feeds it what it should see. Deliberately
absent: the custom methods, which stay raw JSON (pygls would make objects of them, and lose names on the way).
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, LanguageClientProtocol
from pytest_lsp.checks import check_params_against_client_capabilities
from pytest_lsp.client import register_lsp_features

from tests.support.inbox import NeverMet


class TypedProtocol(LanguageClientProtocol):
    """Lets the editor send its held changes before each message."""

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification."""
        self._client.before_sending()
        super().notify(method, params)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: str | int | None = None,
    ) -> Future[Any]:
        """Send a request."""
        self._client.before_sending()
        return super().send_request(method, params, callback, msg_id)

    @property
    def _client(self) -> "TypedClient":
        return cast("TypedClient", self._server)


class _Writer:
    """What pygls writes to."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send

    def write(self, data: bytes) -> None:
        """Send a frame."""
        self._send(data)

    def close(self) -> None:
        """There is nothing to close."""


class TypedClient(LanguageClient):
    """A pytest-lsp client without streams.

    Args:
        write: Sends a frame.
        before_sending: Called before each message.
        problem: Told of what the server did wrong.
    """

    def __init__(
        self, write: Callable[[bytes], None], before_sending: Callable[[], None], problem: Callable[[str], None]
    ) -> None:
        super().__init__(protocol_cls=TypedProtocol, converter_factory=default_converter)
        register_lsp_features(self)
        self.before_sending = before_sending
        self._problem = problem
        self.protocol.set_writer(_Writer(write))

    def declare(self, capabilities: dict[str, Any]) -> None:
        """Take a client's capabilities, by which the server's messages are checked."""
        self.capabilities = self.protocol._converter.structure(capabilities, types.ClientCapabilities)

    def feed(self, message: dict[str, Any]) -> bool:
        """Take in a message of LSP's own; whether it was an answer to a request of this client."""
        method = message.get("method")
        if method is None:
            if message.get("id") not in self.protocol._request_futures:
                return False
            self.protocol.handle_message(self._typed(message))
            return True
        if self.protocol.get_message_type(method) is None:
            return False
        try:
            typed = self._typed(message)
        except Exception as error:  # noqa: BLE001 - whatever lsprotocol makes of it, it is not LSP
            self._problem(f"{method} is not what LSP says: {error.__cause__ or error}")
            return False
        if "id" in message:  # the editor answers
            check_params_against_client_capabilities(self.capabilities, method, typed.params)
        else:
            self.protocol.handle_message(typed)
        return False

    def end(self, reason: str) -> None:
        """Nothing will come any more: whoever waits for an answer learns of it."""
        for future in list(self.protocol._request_futures.values()):
            if not future.done():
                future.set_exception(NeverMet(reason))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Called by pygls for what it can't make sense of."""
        self._problem(f"{source.__name__}: {error}")

    def _typed(self, message: dict[str, Any]) -> Any:
        return self.protocol.structure_message(message)
