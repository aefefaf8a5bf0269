"""Leaving the fake editor: everything that must be right at the end of a test, whatever it was about.

A message nobody read, a request nobody answered, an error nobody asked for, anything the editor noted as wrong, and a
document of which the server has another text than the editor. The last is seen through the public way: the server is
asked to ``read`` each open document in a session of its own. Deliberately absent: what a single test expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.inbox import NeverMet, Unmet
from tests.support.naive_text import content_version
from tests.support.peer import RpcError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.support.buffers import Buffer
    from tests.support.editor import StrictEditor

_GRACE = 10.0
"""Seconds that the server may take to leave."""


class NotStrict(AssertionError):
    """Something was wrong at the end of a test."""


async def leave(editor: StrictEditor) -> None:
    """Check everything and end the server.

    Raises:
        NotStrict: Something was not right; all of it is told, and the server's last words.
    """
    faults: list[str] = []
    try:
        if not editor.ended:
            faults = [fault async for fault in _ending(editor)]
        faults += _left_over(editor)
    finally:
        await editor.abandon()
    if faults:
        told = ["the editor was left, but:", *(f"- {fault}" for fault in faults)]
        if editor.process.stderr:
            told.append(f"({editor.process.epitaph()})")
        raise NotStrict("\n".join(told))


async def _ending(editor: StrictEditor) -> AsyncIterator[str]:
    if editor.inbox.gone is not None:
        yield f"the server is gone: {editor.inbox.gone}"
        return
    try:
        if editor.initialized:
            async for fault in _mirror(editor):
                yield fault
        code = await editor.shutdown(_GRACE)
    except (NeverMet, Unmet, RpcError) as error:
        yield f"the end was not reached: {error}; {editor.process.epitaph()}"
        return
    if code is None or (editor.initialized and code != 0):  # LSP 3.17, Exit Notification: 1 without a shutdown
        yield f"shutdown and exit did not end the server with 0: {editor.process.epitaph()}"


async def _mirror(editor: StrictEditor) -> AsyncIterator[str]:
    """Compare each document that the server may read with its own text."""
    for buffer in editor.buffers.values():
        editor.sending.finish(buffer, editor.tell)
    await editor.sync()
    readable = [buffer for buffer in editor.buffers.values() if buffer.path is not None]
    if not readable:
        return
    opened = await editor.request("dsh/session/open", {"agent": {"name": "mirror check"}})
    session = opened["sessionId"]
    for buffer in readable:
        arguments = {"file_path": buffer.uri, "limit": 1}
        call = {"sessionId": session, "name": "read", "arguments": arguments}
        result = await editor.request("dsh/tool/run", call)
        if result["isError"]:
            if result["error"]["code"] != "FS_SANDBOX_DENIED":  # nobody may read it, and nobody may edit it
                yield f"the server can't read {buffer.uri}, which is open: {result['error']}"
            continue
        value = result["value"]
        if value["version"] != content_version(buffer.text) and not _served_from_disk(buffer, value["via"]):
            yield f"the server has another text of {buffer.uri} than the editor, which has {buffer.text[:400]!r}"
    await editor.request("dsh/session/close", {"sessionId": session})
    for message in editor.inbox.messages:
        if isinstance(message.params, dict) and message.params.get("sessionId") == session:
            message.taken = True


def _served_from_disk(buffer: Buffer, via: str) -> bool:
    """The file is newer than a buffer without unsaved changes: then it is the file that agents read."""
    path = buffer.path
    return via == "disk" and not buffer.is_dirty and path is not None and path.read_bytes() != buffer.disk


def _left_over(editor: StrictEditor) -> Iterator[str]:
    yield from editor.problems
    yield from (f"nobody read {message}" for message in editor.inbox.unread(editor.ignore))
    yield from (f"nobody answered {request.message}" for request in editor.peer.unanswered())
    yield from (f"an answer came to nothing that was asked: {message}" for message in editor.peer.stray)
    if "Traceback (most recent call last)" in editor.process.stderr and not editor.stderr_may_hold_tracebacks:
        yield f"the server wrote a traceback: {editor.process.epitaph()}"
