r"""Line ends: a change to the logical text, carried out on the text that is really there.

A logical text has ``\n`` for every line end; the physical text has ``\r\n`` or ``\n``, possibly both, and a lone ``\r``
that is a character like any other. Used by the disk and by the editor's buffers alike.

Deliberately absent: anything that looks at, or alters, a character outside the replaced spans; the host's own
convention; conversions of a whole file that nobody asked for.
"""

import re
from itertools import chain

from dsh_ledger.edits import Change, Edit
from dsh_ledger.versions import BOM, logical_text

_LINE_END = re.compile(r"\r?\n")


def to_physical(change: Change, physical: str, default_eol: str = "\n") -> Change:
    r"""The change to the physical text that a change to its logical text stands for.

    Newline *i* of an inserted text takes the line end of the *i*-th newline that it replaces, further ones the last
    replaced one's. Where none is replaced they take the end of the line that the span is in; an insertion at the very
    start of a line follows the line before it and takes that one's. The last line, if it has no end, takes the
    previous line's. ``\r\n`` in an inserted text means one line end; a lone ``\r`` is inserted as it is. A byte order
    mark at the start of what is put at the very start means nothing: a file keeps the mark that it has, or has none.

    Args:
        change: Edits with offsets in code points of the logical text.
        physical: The physical text. A byte order mark at its start, as some buffers have, is not part of the logical
            text.
        default_eol: The line end for a text that has none.

    Returns:
        Edits with offsets in code points of ``physical``; the same object where nothing differs.
    """
    plain = "\r" not in physical and not physical.startswith(BOM) and (default_eol == "\n" or "\n" in physical)
    marks = bool(change.edits) and change.edits[0].start == 0 and change.edits[0].text.startswith(BOM)
    if plain and not marks and not any("\r" in edit.text for edit in change.edits):
        return change
    cursor = _Cursor(physical)
    edits: list[Edit] = []
    for edit in change.edits:
        start = cursor.advance(edit.start)
        end = cursor.advance(edit.end)
        text = edit.text if edit.start else edit.text.lstrip(BOM)
        edits.append(Edit(start, end, _with_line_ends(text, physical, start, end, default_eol)))
    return Change.of(*edits)


def rewrite(physical_old: str, logical_new: str, default_eol: str = "\n") -> str:
    r"""The physical text that overwrites an existing one and keeps its line-end style.

    A uniform text stays uniform. In a mixed one the unchanged leading and trailing lines keep their ends, and the
    lines between take the more frequent end.

    Args:
        physical_old: The physical text that is there. Its byte order mark, if it starts with one, is kept.
        logical_new: The new text; ``\r\n`` in it means a line end, a byte order mark at its start nothing.
        default_eol: The line end where the old text has none.
    """
    new = logical_text(logical_new)
    mark = BOM if physical_old.startswith(BOM) else ""
    crlf = physical_old.count("\r\n") if "\r" in physical_old else 0
    ends = physical_old.count("\n")
    if crlf and crlf < ends:
        return mark + _rewrite_mixed(physical_old[len(mark) :], new, "\r\n" if 2 * crlf > ends else "\n")
    eol = default_eol if not ends else "\r\n" if crlf else "\n"
    return mark + (new if eol == "\n" else new.replace("\n", eol))


class _Cursor:
    r"""Walks a physical text by logical distances, each character once, without looking at each in Python."""

    def __init__(self, physical: str) -> None:
        self._text = physical
        self._logical = 0
        self._at = 1 if physical.startswith(BOM) else 0

    def advance(self, logical: int) -> int:
        r"""The physical offset of a logical one that is not before the last one asked for.

        Each turn jumps as far as there would be to go without any ``\r\n``, and subtracts what the pairs on the way
        took; what is left shrinks by the length of a line each time.
        """
        text, at = self._text, self._at
        left = logical - self._logical
        while left > 0:
            to = at + left
            if text[to - 1 : to + 1] == "\r\n":
                to += 1
            left -= to - at - text.count("\r\n", at, to)
            at = to
        self._logical, self._at = logical, at
        return at


def _with_line_ends(text: str, physical: str, start: int, end: int, default_eol: str) -> str:
    """An inserted text with the line ends that it takes from the span it replaces, or from around it."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\n" not in text:
        return text
    replaced = physical.count("\n", start, end)
    pairs = physical.count("\r\n", start, end)
    if 0 < pairs < replaced:
        lines = text.split("\n")
        ends: list[str] = _LINE_END.findall(physical, start, end)[: len(lines) - 1]
        ends += ends[-1:] * (len(lines) - 1 - len(ends))
        return _joined(lines, ends)
    eol = _neighbour(physical, start, end, default_eol) if not replaced else "\r\n" if pairs else "\n"
    return text if eol == "\n" else text.replace("\n", eol)


def _neighbour(physical: str, start: int, end: int, default_eol: str) -> str:
    """The line end for text that replaces none."""
    at_line_start = start == end and physical[start - 1 : start] == "\n"
    at = start - 1 if at_line_start else physical.find("\n", end)
    if at < 0:
        at = physical.rfind("\n", 0, start)
    if at < 0:
        return default_eol
    return "\r\n" if physical[at - 1 : at] == "\r" else "\n"


def _rewrite_mixed(old: str, new: str, dominant: str) -> str:
    old_lines = old.split("\n")
    old_ends = ["\r\n" if line.endswith("\r") else "\n" for line in old_lines[:-1]]
    bodies = [line.removesuffix("\r") for line in old_lines[:-1]] + old_lines[-1:]
    lines = new.split("\n")
    most = min(len(bodies), len(lines))
    lead = 0
    while lead < most - 1 and bodies[lead] == lines[lead]:
        lead += 1
    trail = 0
    while trail < most - lead and bodies[-1 - trail] == lines[-1 - trail]:
        trail += 1
    # The last piece has no end of its own: the ends of `trail` equal pieces are one fewer.
    kept = max(trail - 1, 0)
    ends = old_ends[:lead] + [dominant] * (len(lines) - 1 - lead - kept) + old_ends[len(old_ends) - kept :]
    return _joined(lines, ends)


def _joined(lines: list[str], ends: list[str]) -> str:
    return "".join(chain.from_iterable(zip(lines, [*ends, ""], strict=True)))
