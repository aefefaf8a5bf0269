"""Whatever a peer sends, it is answered or its connection ends, and the others are served throughout."""

import asyncio
import random
from contextlib import suppress

import pytest

from tests.support.broken_frames import broken_frames, shown
from tests.support.editors import VsCodeLike
from tests.support.framing import encode
from tests.support.world import World

PEERS = 150
FRAMES = 4
SETTLED = encode({"jsonrpc": "2.0", "id": "last", "method": "dsh/tool/list"})


async def outcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: list[bytes]) -> str:
    """What becomes of a peer that has sent these: it gets an answer to its last request, or its connection ends."""
    with suppress(OSError):
        for each in sent:
            writer.write(each)
        writer.write(SETTLED)
        await writer.drain()
    received = b""
    with suppress(OSError):
        while chunk := await reader.read(65536):
            received += chunk
            if b'"id":"last"' in received:
                return "answered"
    return "closed"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
async def test_G04_a_broken_peer_is_answered_or_closed_and_hurts_nobody(world: World, part: int) -> None:
    """Bad headers, bad JSON, deep, huge, wrong types, unknown methods, noise; the same for every seed."""
    editor = await world.editor(VsCodeLike)
    world.file("a.txt", "one\n")
    good = await world.agent()
    socket = await world.socket()
    loop = asyncio.get_running_loop()
    seen: dict[str, int] = {"answered": 0, "closed": 0, "open": 0}
    for number in range(PEERS):
        random_ = random.Random(f"{part}.{number}")
        sent = list(broken_frames(random_, random_.randrange(1, FRAMES)))
        reader, writer = await asyncio.open_unix_connection(socket)
        waiting = loop.create_task(outcome(reader, writer, sent))
        # A frame may announce more bytes than come: the server waits for them, and that hurts nobody either.
        read = await good.read("a.txt")
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        if not done:
            writer.write_eof()
            done, _ = await asyncio.wait([waiting], timeout=5)
            seen["open"] += 1
        assert done, f"neither answered nor closed: {[shown(each) for each in sent]}"
        seen[waiting.result()] += 1
        writer.close()
        assert not read["isError"]
    edited = await good.edit("a.txt", "one", "two")
    await editor.sync()

    assert not edited["isError"]
    assert b"two\n" == world.bytes("a.txt")
    assert min(seen["answered"], seen["closed"]) > PEERS // 10, seen
    assert "Traceback" not in editor.process.stderr


@pytest.mark.slow
async def test_G04_a_broken_editor_ends_its_server_and_leaves_nothing_behind(world: World) -> None:
    """Its connection is the server's life: it is answered, or the server ends with an exit code, soon."""
    for number in range(40):
        random_ = random.Random(f"editor {number}")
        editor = await world.editor(VsCodeLike)
        for each in broken_frames(random_, random_.randrange(1, FRAMES)):
            editor.process.write(each)
        editor.process.write(SETTLED)
        editor.process.writer.write_eof()
        assert await editor.process.wait(8) is not None
        assert "Traceback" not in editor.process.stderr
        await world.kill(editor)
    assert [] == list(world.runtime.glob("*.sock"))
