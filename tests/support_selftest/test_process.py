"""A real child process behind the fake editor: its output, its words and its end."""

import asyncio
import os
import sys
from functools import partial
from typing import Any

import pytest

from tests.support import framing
from tests.support.editor import StrictEditor
from tests.support.inbox import NeverMet
from tests.support.leaving import NotStrict
from tests.support.process import ServerProcess

PRINTS = "print('hello'); input()"
DIES = "import sys; sys.stderr.write('last words'); sys.exit(3)"
STAYS = "import time; time.sleep(600)"


def runs(script: str) -> StrictEditor:
    """An editor whose server is a script."""
    return StrictEditor(partial(ServerProcess.start, [sys.executable, "-c", script]))


async def test_output_that_is_no_frame() -> None:
    """A server that prints something is told by what it printed."""
    editor = runs(PRINTS)
    await editor.start()
    await editor.until(lambda: bool(editor.problems))
    await editor.abandon()

    assert ["the server's output broke: not a header: b'hello\\n'"] == editor.take_problems()


async def test_death_ends_every_wait() -> None:
    """A server that dies ends waits and requests at once, with its exit code and its last words."""
    editor = runs(DIES)
    await editor.start()
    with pytest.raises(NeverMet, match=r"(?s)exited with 3; its stderr ends with:\nlast words"):
        await editor.next("anything", within=60)
    with pytest.raises(NeverMet, match="last words"):
        await editor.request("anything", within=60)
    with pytest.raises(NotStrict, match="the server is gone"):
        await editor.__aexit__(None, None, None)


async def test_server_that_stays_is_killed() -> None:
    """A server that does not go by itself is killed by its process id, and nothing of it is left."""
    editor = runs(STAYS)
    await editor.start()
    pid = editor.process.pid
    await editor.abandon()

    assert -9 == editor.process.exit_code
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 18\r\n\r\n" + b'{"jsonrpc":"1.0"}\n',
        b'Content-Length: 24\r\n\r\n{"jsonrpc":"2.0","a":NaN}',
        b"Content-Length: 4\r\n\r\n\xff\xff{}",
        b"content-length: 2\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n{",
        b"\r\n",
    ],
)
async def test_broken_frames(data: bytes) -> None:
    """What is not a frame of a JSON-RPC 2.0 message is an error, whatever is wrong with it."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    with pytest.raises(framing.BrokenFrame):
        await framing.read(reader)


async def test_frames_carry_any_text() -> None:
    """A message comes back as it was, whatever its text; the end of the stream is None."""
    messages: list[dict[str, Any]] = [{"method": "ä😋\u2028", "params": {"a": [1, None]}}, {"method": "\ud800"}]
    reader = asyncio.StreamReader()
    for message in messages:
        reader.feed_data(framing.encode(message))
    reader.feed_eof()

    assert [{"jsonrpc": "2.0", **message} for message in messages] == [await framing.read(reader) for _ in messages]
    assert await framing.read(reader) is None
