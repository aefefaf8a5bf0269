"""Images as far as a header tells: what kind it is, and how large a picture.

Pure, and not one byte of a picture is decoded. A header that is cut short, or says something impossible, has no size;
that is no error, since whoever draws the picture decides what it is worth.
"""

import struct
from typing import Final, Literal, TypeAlias

MimeType: TypeAlias = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
"""The kinds that models take."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_NO_FRAME: Final = frozenset({0xC4, 0xC8, 0xCC})
"""Markers between C0 and CF that are not the start of a frame (ITU T.81, table B.1)."""


def image_type(data: bytes) -> MimeType | None:
    """The kind of an image by its first bytes, or None where it is none of those that models take."""
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(_JPEG):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, as stored, or None where the header does not tell."""
    try:
        match image_type(data):
            case "image/png":
                width, height = _png(data)
            case "image/jpeg":
                width, height = _jpeg(data)
            case "image/gif":
                width, height = struct.unpack_from("<HH", data, 6)
            case "image/webp":
                width, height = _webp(data)
            case None:
                return None
    except (struct.error, IndexError):
        return None
    return (width, height) if width and height else None


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        return 0, 0
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first start of a frame; the segments before it are passed over by their lengths."""
    at = 2
    while True:
        if data[at] != 0xFF:
            return 0, 0
        while data[at] == 0xFF:
            at += 1
        marker = data[at]
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width = struct.unpack_from(">HH", data, at + 4)
            return width, height
        if marker in {0x00, 0xD9, 0xDA}:
            return 0, 0
        (length,) = struct.unpack_from(">H", data, at + 1)
        at += 1 + length


def _webp(data: bytes) -> tuple[int, int]:
    """From the first chunk (RFC 9649, 2.5 to 2.7)."""
    match data[12:16]:
        case b"VP8 " if data[23:26] == b"\x9d\x01\x2a":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L" if data[20] == 0x2F:
            (bits,) = struct.unpack_from("<I", data, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            if len(data) < 30:
                return 0, 0
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case _:
            return 0, 0
