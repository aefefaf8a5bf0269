"""Which encodings there are, under which names, and by which marks a file says its own.

An encoding is in the list if a text means the same wherever it stands: no shift states (ISO-2022, HZ, UTF-7), and no
characters that are written together (JIS X 0213, Big5-HKSCS). So the bytes of what is not edited can stay. All but
UTF-16 and UTF-32 write ASCII as ASCII (no EBCDIC). Deliberately absent: guessing an encoding from the bytes.
"""

import codecs
from dataclasses import dataclass
from typing import Final

UTF8: Final = "utf-8"
"""The codec name of the default encoding."""

WIDE: Final = frozenset({"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"})
"""Encodings that write ASCII with NUL bytes."""

_CODE_PAGES = (437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866, 869, 874, 1125)
_MAC = ("croatian", "cyrillic", "greek", "iceland", "latin2", "roman", "romanian", "turkish")

_SINGLE_BYTE: Final = frozenset(
    {
        *(f"iso8859-{part}" for part in range(1, 17) if part != 12),
        *(f"cp{page}" for page in (*range(1250, 1259), *_CODE_PAGES)),
        *(f"mac-{name}" for name in _MAC),
        *("koi8-r", "koi8-t", "koi8-u", "kz1048", "ptcp154", "tis-620"),
    }
)

_MULTI_BYTE: Final = frozenset(
    {"big5", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "johab", "shift_jis"}
)

NARROW: Final = _SINGLE_BYTE | _MULTI_BYTE
"""Encodings that write ASCII as ASCII and are not UTF-8."""

MARKS: Final = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and what they say. UTF-32's begins like UTF-16's and comes first."""

_MARK_OF: Final = {codec: mark for mark, codec in MARKS}

_OWN_NAMES: Final = {
    "utf-8-bom": "utf-8-sig",
    "utf8bom": "utf-8-sig",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "utf-32le": "utf-32-le",
    "utf-32be": "utf-32-be",
}
"""Names of EditorConfig and of editors that Python does not know."""


@dataclass(frozen=True, slots=True)
class Charset:
    """An encoding that somebody declared for files.

    Attributes:
        codec: The codec's canonical name.
        mark: The byte order mark that a new file gets; an existing one keeps what it has.
    """

    codec: str
    mark: bytes = b""


def charset_of(name: str) -> Charset | None:
    """The encoding of a name, however it is spelled; None where it can't be used.

    ``utf-16`` and ``utf-32`` alone can't: without a mark they don't say in which order the bytes are.

    Args:
        name: A codec name or an alias of one, or EditorConfig's name.
    """
    name = name.strip().lower()
    try:
        codec = codecs.lookup(_OWN_NAMES.get(name, name)).name
    except (LookupError, ValueError):
        return None
    if codec == "utf-8-sig":
        return Charset(UTF8, codecs.BOM_UTF8)
    if codec in WIDE:
        return Charset(codec, _MARK_OF[codec])
    return Charset(codec) if codec == UTF8 or codec in NARROW else None
