r"""How a new file is written: as it was given, but for what the workspace asks of its files.

Deliberately absent: any say over a file that exists and has something in it.
"""

from dsh_ledger.versions import BOM
from dsh_tools.fs.charsets import UTF8
from dsh_tools.fs.encoding import Decoded
from dsh_tools.fs.file_style import FileStyle

_LINE_END_NAMES = {"\n": "LF line ends", "\r\n": "CRLF line ends"}


def new_file(text: str, style: FileStyle, path: str) -> tuple[Decoded, bytes, tuple[str, ...]]:
    r"""The text and the bytes of a new file, and a note of what was adapted.

    Nothing is asked of an empty one: it has no line that could end, and is the same in every encoding.

    Args:
        text: What it should hold; ``\r\n`` and ``\n`` both mean a line end where a line end is asked for.
        style: What is asked.
        path: The path to name in an error.

    Raises:
        FsNotText: The encoding has no bytes for a character.
    """
    if not text:
        return Decoded(""), b"", ()
    adapted: list[str] = []
    written = text
    if style.line_end is not None:
        written = text.replace("\r\n", "\n").replace("\n", style.line_end)
        if written != text:
            adapted.append(_LINE_END_NAMES[style.line_end])
    decoded = _encoding(written, style)
    if decoded.bom:
        written = written.removeprefix(BOM)
    if decoded.encoding != UTF8 or decoded.bom:
        adapted.append(f"the encoding {decoded.encoding}" + (" with a byte order mark" if decoded.bom else ""))
    if style.final_newline and not written.endswith("\n"):
        written += style.line_end or ("\r\n" if "\r\n" in written else "\n")
        adapted.append("a line end after the last line")
    note = (f"As the workspace's settings ask, the new file was given {_listed(adapted)}.",) if adapted else ()
    return Decoded(written, decoded.bom, decoded.encoding), decoded.encode(written, path), note


def _encoding(text: str, style: FileStyle) -> Decoded:
    """An empty file in the encoding of the new one."""
    charset = style.charset
    if charset is not None and charset.mark:
        return Decoded("", charset.mark, charset.codec)
    return Decoded("").accepting(text, lambda: style)


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
