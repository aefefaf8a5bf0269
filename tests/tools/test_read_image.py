"""read_image: kinds by their first bytes, sizes from headers, and what is seen of it."""

import base64
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_ledger.ledger import Ledger
from dsh_ledger.observations import Absent, Present
from dsh_ledger.versions import version_of_bytes
from dsh_tools.builtin.read_image import LARGEST, READ_IMAGE
from dsh_tools.cards import GenericResult
from dsh_tools.content import ImageBlock, TextBlock
from dsh_tools.contract import SessionTraits, ToolResult, ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.images import image_size, image_type
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.presenting import result_card
from dsh_tools.registry import Registry
from dsh_tools.snapshots import Snapshots


def png(width: int, height: int) -> bytes:
    """The head of a PNG."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


def jpeg(width: int, height: int, *, frame: int = 0xC0) -> bytes:
    """The head of a JPEG, with segments before the frame that hold what looks like one, and fill bytes."""
    decoy = b"\xff\xc0\x00\x0b\x08\x00\x01\x00\x01"
    app = b"\xff\xe1" + struct.pack(">H", 2 + len(decoy)) + decoy
    tables = b"\xff\xc4" + struct.pack(">H", 2 + 4) + b"\0\1\2\3"
    start = b"\xff\xff\xff" + bytes([frame]) + struct.pack(">HBHH", 11, 8, height, width) + b"\1\1\x11\0"
    return b"\xff\xd8" + app + tables + start


def gif(width: int, height: int) -> bytes:
    """The head of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def webp(chunk: bytes, data: bytes) -> bytes:
    """A WebP of one chunk."""
    return b"RIFF" + struct.pack("<I", 4 + 8 + len(data)) + b"WEBP" + chunk + struct.pack("<I", len(data)) + data


LOSSY = webp(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", 640 | 0x4000, 480 | 0x8000))
LOSSLESS = webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14 | 1 << 28) + b"\0\0\0\0\0")
EXTENDED = webp(b"VP8X", b"\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little"))

WHOLE = [
    ("image/png", png(640, 480)),
    ("image/jpeg", jpeg(640, 480)),
    ("image/jpeg", jpeg(640, 480, frame=0xC2)),
    ("image/gif", gif(640, 480)),
    ("image/webp", LOSSY),
    ("image/webp", LOSSLESS),
    ("image/webp", EXTENDED),
]


@pytest.mark.parametrize(("kind", "data"), WHOLE)
def test_the_header_tells_kind_and_size(kind: str, data: bytes) -> None:
    """Each format, and each of WebP's three."""
    assert (kind, (640, 480)) == (image_type(data), image_size(data))


@pytest.mark.parametrize(("kind", "data"), WHOLE)
def test_a_header_that_is_cut_short_has_no_size(kind: str, data: bytes) -> None:
    """Wherever it is cut, nothing raises, and no other size is made up."""
    for length in range(len(data)):
        assert image_size(data[:length]) in {None, (640, 480)}
    assert kind == image_type(data[:12])
    assert None is image_size(data[:12] if kind != "image/gif" else data[:9])


@pytest.mark.parametrize(
    "data",
    [
        png(0, 480),
        gif(640, 0),
        png(640, 480).replace(b"IHDR", b"IDAT"),
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xda\0\2",
        b"\xff\xd8\xff\xe1\0\0" * 3,
        b"\xff\xd8" + b"\xff" * 50,
        webp(b"VP8 ", bytes(20)),
        webp(b"ANIM", bytes(20)),
    ],
)
def test_a_header_that_makes_no_sense_has_no_size(data: bytes) -> None:
    """It is still an image of its kind."""
    assert None is image_size(data)
    assert None is not image_type(data)


@given(st.sampled_from([data[:12] for _, data in WHOLE]), st.binary(max_size=80))
def test_no_bytes_are_too_strange(start: bytes, rest: bytes) -> None:
    """Whatever follows the first bytes, there is a size or there is none."""
    size = image_size(start + rest)

    assert size is None or (size[0] > 0 and size[1] > 0)


@pytest.mark.parametrize("data", [b"", b"text", b"BM" + bytes(60), b"RIFF\0\0\0\0WAVE", b"II*\0", b"<svg>", b"\x89PNG"])
def test_other_content_is_no_image(data: bytes) -> None:
    """What models don't take is not offered to them."""
    assert (None, None) == (image_type(data), image_size(data))


class Call:
    """One session on a disk."""

    def __init__(self, disk: DiskFileSystem) -> None:
        self.ledger = Ledger()
        session = SessionLedger(self.ledger, "s", self.ledger.apply)
        self.run = ToolRun("s", "c", disk, session, Snapshots())

    async def read(self, path: str) -> ToolResult:
        """Call the tool."""
        return await run_tool(READ_IMAGE, {"file_path": path}, self.run)

    async def refusal(self, path: str) -> Any:
        """The error of a call."""
        error = (await self.read(path)).error
        assert error is not None
        return error


@pytest.fixture
def call(disk: DiskFileSystem) -> Call:
    """A session on the disk."""
    return Call(disk)


async def test_an_image_is_shown_and_observed(call: Call, tmp_path: Path, disk: DiskFileSystem) -> None:
    """The model gets a line about it and the picture; the session has seen its bytes."""
    data = png(640, 480)
    (tmp_path / "a.txt").write_bytes(data)

    result = await call.read("a.txt")

    encoded = base64.b64encode(data).decode()
    line = f"a.txt: image/png, {len(data)} bytes, 640 × 480 pixels."
    assert (TextBlock(text=line), ImageBlock(data=encoded, mime_type="image/png")) == tuple(result.content)
    target = await disk.resolve("a.txt")
    assert Present(version_of_bytes(data)) == call.run.ledger.observation(target)
    assert {
        "path": "a.txt",
        "uri": target.uri,
        "version": version_of_bytes(data),
        "mimeType": "image/png",
        "bytes": len(data),
        "width": 640,
        "height": 480,
        "data": encoded,
    } == result.value


async def test_the_picture_is_not_recorded(call: Call, tmp_path: Path) -> None:
    """The card says what it is; the journal does not keep megabytes for it."""
    (tmp_path / "a.gif").write_bytes(gif(640, 480))
    result = await call.read("a.gif")

    card = result_card(READ_IMAGE, "read_image", {"file_path": "a.gif"}, ToolResult((), meta=result.meta))

    assert isinstance(result.meta, dict)
    assert "data" not in result.meta
    assert GenericResult(title="Look at a.gif", text="image/gif, 13 bytes, 640 × 480 pixels") == card


async def test_an_image_without_a_size_is_shown_all_the_same(call: Call, tmp_path: Path) -> None:
    """The numbers are left out, not made up."""
    (tmp_path / "a.jpg").write_bytes(jpeg(640, 480)[:9])

    result = await call.read("a.jpg")

    assert isinstance(result.value, dict)
    assert (None, None) == (result.value["width"], result.value["height"])
    assert TextBlock(text="a.jpg: image/jpeg, 9 bytes.") == result.content[0]


async def test_a_missing_image_is_an_observation(call: Call, disk: DiskFileSystem) -> None:
    """FS_NOT_FOUND, and the session knows that nothing is there."""
    assert "FS_NOT_FOUND" == (await call.refusal("no.png")).code
    assert Absent() == call.run.ledger.observation(await disk.resolve("no.png"))


async def test_other_content_is_an_argument_to_correct(call: Call, tmp_path: Path, disk: DiskFileSystem) -> None:
    """The name says nothing; nothing of the content is said, and nothing was seen."""
    (tmp_path / "a.png").write_bytes(b"a secret")

    error = await call.refusal("a.png")

    assert "INVALID_ARGS: file_path: a.png is not a PNG, JPEG, GIF or WebP image. " in error.model_text()
    assert not isinstance(call.run.ledger.observation(await disk.resolve("a.png")), Present)


async def test_an_image_over_the_limit_is_refused_unread(call: Call, tmp_path: Path) -> None:
    """Exactly the limit passes; more names size, limit and what to do, which is not to read a window."""
    path = tmp_path / "a.png"
    path.write_bytes(png(1, 1))
    os.truncate(path, LARGEST)
    assert None is (await call.read("a.png")).error
    os.truncate(path, LARGEST + 1)

    error = await call.refusal("a.png")

    said = f"FS_TOO_LARGE: a.png has {LARGEST + 1} bytes; the limit is {LARGEST} bytes. Use a smaller copy of it."
    assert said == error.model_text()


async def test_a_file_larger_than_the_disk_reads_is_refused_with_the_same_words(call: Call, tmp_path: Path) -> None:
    """The size is looked at before a byte is read."""
    path = tmp_path / "a.png"
    path.write_bytes(b"")
    os.truncate(path, 60 * 1024 * 1024)

    assert f"the limit is {LARGEST} bytes. Use a smaller" in (await call.refusal("a.png")).model_text()


async def test_a_directory_is_no_image(call: Call, tmp_path: Path) -> None:
    """The kind of thing that it is is named."""
    (tmp_path / "d").mkdir()

    assert "FS_NOT_REGULAR_FILE" == (await call.refusal("d")).code


def test_only_agents_that_take_attachments_get_the_tool() -> None:
    """Others are told why, should they call it."""
    registry = Registry([READ_IMAGE])

    assert (READ_IMAGE,) == registry.offered(SessionTraits(attachments=True))
    assert () == registry.offered()
    assert "the agent takes no images" in registry.unknown("read_image", SessionTraits()).message
