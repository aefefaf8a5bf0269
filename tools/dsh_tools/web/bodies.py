"""The body of a response, read no further than a limit, and decompressed no further than that.

A few kilobytes of gzip can be gigabytes of zeros: what counts is what comes out, and the decompressor is never asked
for more than there is room for. Deliberately absent: text; that is `dsh_tools.web.pages`.
"""

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

ACCEPTED: Final = "gzip, deflate"
"""The content codings that are understood, as a request names them."""

Stopped: TypeAlias = Literal["size", "time", "broken"]
"""Why a body is not whole: it passed the limit, it took too long, or the connection or its compression broke off."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 16 + zlib.MAX_WBITS


class UnknownCoding(Exception):
    """The body is in a coding that was not asked for."""


@dataclass(slots=True)
class Body:
    """What has arrived so far: valid at any moment, also when reading was cut short.

    Attributes:
        data: The bytes, decompressed.
        stopped: Why it is not whole, or None.
    """

    data: bytearray
    stopped: Stopped | None = None


async def read_into(body: Body, pieces: AsyncIterator[bytes], coding: str, limit: int) -> None:
    """Read a body until it ends or is over the limit.

    Args:
        body: Where to; `Body.stopped` is set when it is not whole.
        pieces: The bytes as they come over the wire.
        coding: The response's ``Content-Encoding``, or an empty string.
        limit: The most bytes to keep.

    Raises:
        UnknownCoding: Before anything is read.
    """
    inflater = _inflater(coding)
    async for piece in pieces:
        try:
            # One byte more than fits tells a body of exactly the limit from a longer one.
            body.data += piece if inflater is None else inflater.feed(piece, limit + 1 - len(body.data))
        except zlib.error:
            body.stopped = "broken"
            return
        if len(body.data) > limit:
            del body.data[limit:]
            body.stopped = "size"
            return
    if inflater is not None and not inflater.ended:
        body.stopped = "broken"


def _inflater(coding: str) -> "_Inflater | None":
    match coding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Inflater(_GZIP)
        case "deflate":
            return _Inflater(zlib.MAX_WBITS)
        case _:
            raise UnknownCoding


class _Inflater:
    """A decompressor that is never asked for more than there is room for.

    ``deflate`` means zlib's format, and some servers send the bare stream instead (RFC 9110, 8.4.1.2).
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inner = zlib.decompressobj(bits)
        self._fed = False

    @property
    def ended(self) -> bool:
        """The compressed data came to its end, or there was none."""
        return self._inner.eof or not self._fed

    def feed(self, data: bytes, room: int) -> bytes:
        """What comes out of some more data, cut at ``room`` bytes.

        Raises:
            zlib.error: The data is damaged.
        """
        out = bytearray()
        while data and len(out) < room:
            if self._inner.eof:
                if self._bits != _GZIP or not data.startswith(_GZIP_MAGIC):
                    break  # Padding after the end.
                self._inner = zlib.decompressobj(self._bits)  # Another member of the same file.
            out += self._first(data, room) if not self._fed else self._inner.decompress(data, room - len(out))
            self._fed = True
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
        return bytes(out)

    def _first(self, data: bytes, room: int) -> bytes:
        try:
            return self._inner.decompress(data, room)
        except zlib.error:
            if self._bits != zlib.MAX_WBITS:
                raise
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
            return self._inner.decompress(data, room)
