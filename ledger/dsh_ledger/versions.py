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
    r"""The version of a physical text: that of its logical text.

    A text that is logical already has the same version, unless it still holds what a logical text was made of: taking
    ``\r\r\n`` to ``\r\n`` is done once and not twice. `version_of_logical` is for those.
    """
    return version_of_logical(logical_text(text))


def version_of_logical(text: str) -> Version:
    """The version of a logical text: the SHA-256, in hexadecimal, of the text in UTF-8.

    A lone surrogate, which an editor can send and UTF-8 cannot hold, is written as its three bytes: every ``str``
    has a version.
    """
    return Version(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def version_of_bytes(data: bytes) -> Version:
    """The version of content that is not text: the SHA-256, in hexadecimal, of the bytes as they are."""
    return Version(hashlib.sha256(data).hexdigest())
