"""Content versions: the only identity a guard trusts.

Held here: what the logical text of a file is, and its digest. Deliberately absent: modification times, LSP version
numbers, inode numbers. They are hints of other layers; equal content is never stale, different content always is.
"""

import hashlib
from typing import NewType

Version = NewType("Version", str)
"""An opaque token of content. Compare it, store it, send it; never parse it."""

BOM = "\ufeff"
"""The byte order mark as a decoded character."""


def logical_text(text: str) -> str:
    r"""The text as an agent sees it: one leading byte order mark removed, ``\r\n`` written as ``\n``.

    A lone ``\r`` stays: turning it into ``\n`` could not be undone. The final newline is part of the text.
    """
    if text.startswith(BOM):
        text = text[1:]
    return text.replace("\r\n", "\n") if "\r" in text else text


def version_of_text(text: str) -> Version:
    r"""The version of a text, physical or logical: both give the same token.

    But not where a physical text has ``\r\r\n`` or begins with two byte order marks: one layer of it comes off at each
    call, so give such a text in one of its forms only.

    The SHA-256, in hexadecimal, of the logical text in UTF-8. A lone surrogate, which an editor can send and UTF-8
    can't hold, is written as its three bytes, so that every ``str`` has a version.
    """
    return Version(hashlib.sha256(logical_text(text).encode("utf-8", "surrogatepass")).hexdigest())


def version_of_bytes(data: bytes) -> Version:
    """The version of content that is not text: the SHA-256, in hexadecimal, of the bytes as they are."""
    return Version(hashlib.sha256(data).hexdigest())
