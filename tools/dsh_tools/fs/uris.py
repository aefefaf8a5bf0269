"""``file:`` URIs (RFC 8089) and the bytes of paths.

A path on POSIX is bytes; most are UTF-8 and some are not. Percent escapes carry every one of them through JSON. Escaped
is everything but RFC 3986's unreserved characters and ``/``, in upper case: the spelling of ``pathlib.Path.as_uri``.

Deliberately absent: the disk. Whether two URIs name one file is for `paths` to say.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

_FILE = re.compile(r"file:", re.IGNORECASE)
_LOCAL_HOSTS = ("", "localhost")


def file_uri(path: bytes) -> str:
    """The URI of an absolute path, byte for byte."""
    return "file://" + quote_from_bytes(path)


def is_file_uri(uri: str) -> bool:
    """Whether the scheme is ``file``, in any case of letters."""
    return _FILE.match(uri) is not None


def uri_path(uri: str) -> bytes | None:
    """The absolute path that a ``file:`` URI names, or None when it names none on this machine.

    Everything behind the host is the path, ``?`` and ``#`` too: clients differ in what they escape.

    Args:
        uri: In any spelling: ``file:///p``, ``file://localhost/p``, ``file:/p``, escapes in either case, characters
            beyond ASCII escaped or not.
    """
    if not is_file_uri(uri):
        return None
    rest = uri[len("file:") :]
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if host.lower() not in _LOCAL_HOSTS:
            return None
        rest = slash + path
    if not rest.startswith("/"):
        return None
    try:
        raw = rest.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return unquote_to_bytes(raw)


def escaped_name(name: bytes) -> str:
    """A name as JSON text: itself where it is UTF-8, else percent-escaped whole, as in a URI."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return quote_from_bytes(name, safe="")


def local_paths(uris: Iterable[str]) -> list[Path]:
    """The paths of those URIs that name one. None of a file has a NUL, and Python has a bare ValueError for one."""
    return [Path(os.fsdecode(path)) for uri in uris if (path := uri_path(uri)) is not None and b"\0" not in path]
