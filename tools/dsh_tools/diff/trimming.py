r"""What two texts have in common at both ends, found by comparing slices.

Equal slices are compared at memory speed, so the cost of a diff follows the size of the change and not the size of the
file. Held here: the counting of equal code points and the snapping to whole lines. Deliberately absent: any notion of
what lies between the two ends.
"""

from dataclasses import dataclass

_FIRST_STEP = 64
_LAST_STEP = 1 << 16


@dataclass(frozen=True, slots=True)
class Middle:
    """The lines between the common ends, as offsets in code points; both sides begin at ``start``.

    Attributes:
        start: Where the first differing line begins, on both sides.
        old_end: Where the common last lines begin on the old side.
        new_end: The same on the new side.
    """

    start: int
    old_end: int
    new_end: int


def common_prefix(one: str, other: str, one_at: int = 0, other_at: int = 0) -> int:
    """How many code points are equal from the two offsets on."""
    limit = min(len(one) - one_at, len(other) - other_at)
    size, step = 0, _FIRST_STEP
    while size < limit:
        step = min(step, limit - size)
        if one[one_at + size : one_at + size + step] != other[other_at + size : other_at + size + step]:
            return size + _first_difference(one, other, one_at + size, other_at + size, step)
        size += step
        step = min(step * 2, _LAST_STEP)
    return limit


def common_suffix(one: str, other: str, limit: int) -> int:
    """How many code points are equal at the two ends; at most ``limit``."""
    size, step = 0, _FIRST_STEP
    while size < limit:
        step = min(step, limit - size)
        one_end, other_end = len(one) - size, len(other) - size
        if one[one_end - step : one_end] != other[other_end - step : other_end]:
            return size + _last_difference(one, other, one_end, other_end, step)
        size += step
        step = min(step * 2, _LAST_STEP)
    return limit


def trim(old: str, new: str) -> Middle:
    r"""Cut the common first lines off, then the common last lines of what is left.

    A last line without ``\n`` differs from the same line with one.
    """
    start = old.rfind("\n", 0, common_prefix(old, new)) + 1
    size = common_suffix(old, new, min(len(old), len(new)) - start)
    if not (_begins_line(old, len(old) - size) and _begins_line(new, len(new) - size)):
        end = old.find("\n", len(old) - size)
        size = len(old) - end - 1 if end >= 0 else 0
    return Middle(start, len(old) - size, len(new) - size)


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _first_difference(one: str, other: str, one_at: int, other_at: int, size: int) -> int:
    low, high = 0, size - 1
    while low < high:
        middle = (low + high + 1) // 2
        if one[one_at : one_at + middle] == other[other_at : other_at + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _last_difference(one: str, other: str, one_end: int, other_end: int, size: int) -> int:
    low, high = 0, size - 1
    while low < high:
        middle = (low + high + 1) // 2
        if one[one_end - middle : one_end] == other[other_end - middle : other_end]:
            low = middle
        else:
            high = middle - 1
    return low
