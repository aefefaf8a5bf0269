"""A slow and obvious model of a change to a text with line ends of several kinds: one unit at a time."""

from dsh_ledger.edits import Change, Edit

BOM = "\ufeff"


def units(physical: str) -> list[str]:
    """The text in units of one logical character each."""
    found: list[str] = []
    for character in physical.removeprefix(BOM):
        if character == "\n" and found and found[-1] == "\r":
            found[-1] = "\r\n"
        else:
            found.append(character)
    return found


def modelled(change: Change, physical: str, default_eol: str = "\n") -> str:
    """The physical text after a change."""
    return "".join(text for text, _ in modelled_pieces(change, physical, default_eol))


def modelled_pieces(change: Change, physical: str, default_eol: str = "\n") -> list[tuple[str, bool]]:
    """The physical text after a change, in pieces, each with whether it is new."""
    old = units(physical)
    out, at = [(BOM if physical.startswith(BOM) else "", False)], 0
    for edit in change.edits:
        out.append(("".join(old[at : edit.start]), False))
        replaced = [unit for unit in old[edit.start : edit.end] if unit.endswith("\n")]
        out.append(("".join(_insert(edit, replaced or [_neighbour(edit, old, default_eol)])), True))
        at = edit.end
    return [*out, ("".join(old[at:]), False)]


def _insert(edit: Edit, ends: list[str]) -> list[str]:
    """An inserted text, its n-th line end written as the n-th of ``ends``, or as the last of them."""
    out, number = [], 0
    for unit in units(edit.text.replace("\r\n", "\n")):
        out.append(ends[min(number, len(ends) - 1)] if unit == "\n" else unit)
        number += unit == "\n"
    return out


def _neighbour(edit: Edit, old: list[str], default_eol: str) -> str:
    """The end of the line before an insertion at a line's start, else of the line it is in, else of the one before."""
    before = [unit for unit in old[: edit.start] if unit.endswith("\n")]
    after = [unit for unit in old[edit.end :] if unit.endswith("\n")]
    if edit.start == edit.end and edit.start > 0 and old[edit.start - 1].endswith("\n"):
        return before[-1]
    return after[0] if after else before[-1] if before else default_eol
