"""What is kept of a thousand keystrokes and calls: nothing."""

import asyncio
import socket
from pathlib import Path
from typing import Any

from dsh_lsp.rpc.connection import Connection
from dsh_lsp.server import Server
from tests.support import framing

KEYS = 1_000


async def test_a_thousand_keystrokes_leave_no_growth(tmp_path: Path, monkeypatch: Any) -> None:
    """After 1,000 didChange and 100 calls, no table of the server has an entry more than after one."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(tmp_path / "run"))
    file = tmp_path / "w" / "a.txt"
    file.parent.mkdir()
    file.write_bytes(b"x\n")
    ours, theirs = socket.socketpair()
    server = Server(Connection(*await asyncio.open_connection(sock=ours)))
    running = asyncio.ensure_future(server.run())
    client = Client(*await asyncio.open_connection(sock=theirs))
    await client.request("initialize", {"rootUri": file.parent.as_uri(), "processId": None, "capabilities": {}})
    document = {"uri": file.as_uri(), "languageId": "x", "version": 1, "text": "x\n"}
    client.notify("textDocument/didOpen", {"textDocument": document})
    session = (await client.request("dsh/session/open", {}))["sessionId"]
    read = {"sessionId": session, "name": "read", "arguments": {"file_path": "a.txt"}}
    await client.request("dsh/tool/run", read)
    before = tables(server)

    for version in range(2, KEYS + 2):
        zero = {"line": 0, "character": 0}
        change = {"range": {"start": zero, "end": zero}, "text": "k"}
        document = {"uri": file.as_uri(), "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    await client.request("dsh/tool/list", {})
    during = tables(server)
    result = await client.request("dsh/tool/run", read)

    assert result["value"]["text"] == "k" * KEYS + "x\n"
    assert {name: size for name, size in during.items() if size > before[name] + 1} == {}
    await client.request("shutdown", None)
    client.notify("exit", None)
    assert await asyncio.wait_for(running, 10) == 0


def tables(server: Server) -> dict[str, int]:
    """The sizes of everything that could grow with each message."""
    host, peer = server._front.host, server._front.peer
    assert host is not None
    hub = host.hub
    [document] = hub.documents
    return {
        "incoming requests": len(peer._incoming),
        "outgoing requests": len(peer._outgoing),
        "pygls requests": len(peer._request_futures),
        "pygls result types": len(peer._result_types),
        "documents": len(hub.documents),
        "waiters of the document": len(document._waiters),
        "documents being looked at": len(hub.documents._settling),
        "paintings due": len(hub._painter._due),
        "drift due": len(hub._drift._due),
        "running calls": len(hub.calls._running),
        "tasks": len(asyncio.all_tasks()),
    }


class Client:
    """A bare client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._writer.write(framing.encode({"jsonrpc": "2.0", "method": method, "params": params}))

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result; what else comes is skipped."""
        self._writer.write(framing.encode({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
        async with asyncio.timeout(20):
            while (message := await framing.read(self._reader)) is not None:
                if message.get("id") == method and "method" not in message:
                    return message["result"]
        raise AssertionError(f"no answer to {method}")
