r"""Which lines changed: the same answer as ``git diff``, at the price of the change and not of the file.

libgit2 answers for the lines that differ and a margin around them. Three things make its answer depend on lines far
away, and each has its own remedy here:

* *Sliding.* A run of changed lines that could as well be the lines next to it is moved to where it reads best. A run is
  moved up by at most 100 lines from the lowest place it fits, and judged by at most 21 lines around it. So an answer
  that stays `_SETTLED` lines away from where the margin ends is the answer for the whole text; one that comes nearer is
  asked for again with a larger margin.
* *Counts.* A line that is nowhere on the other side, or that is there very often, is left out before lines are matched,
  and "very often" depends on the number of lines. Outside the margin the lines that also occur between the ends are
  handed over as they are, and every other one as a filler, so that both numbers are those of the whole text.
* *No choice at all.* Where the two middles share no line, or lines were put in or taken out at a place where they
  can't slide, there is nothing to ask.

Deliberately absent: hunks, context and the text of the answer.
"""

from dataclasses import dataclass

from dsh_tools.diff.trimming import Middle, trim

MAX_LINES = 200_000
"""Differing lines on one side above which one run stands for them all.

libgit2 holds the interpreter lock while it works: two shuffles of 400,000 lines took it 2.1 s.
"""

MAX_CHARACTERS = 20_000_000
"""The same bound in code points."""

_MARGIN = 256
_SETTLED = 130
_WHOLE = 1 << 16
"""Up to so many code points outside the middle, the whole texts are handed over: cheaper than counting lines."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of changed lines. Lines are 0-based in the window; a side with no lines says where they would go."""

    old_line: int
    old_lines: int
    new_line: int
    new_lines: int


@dataclass(frozen=True, slots=True)
class Side:
    r"""One side of a window: its text, and its lines without their ends.

    ``unended`` says that the last line has no ``\n``.
    """

    text: str
    lines: tuple[str, ...]
    unended: bool


@dataclass(frozen=True, slots=True)
class Window:
    """Both texts around what differs.

    Attributes:
        above: Lines before the window, the same number on both sides.
        offset: Code points before the window, the same on both sides.
        lead: Equal lines at the top of the window.
        trail: Equal lines at the bottom of the window.
        at_top: Nothing lies above the window.
        at_bottom: Nothing lies below it.
        old: The old side.
        new: The new side.
    """

    above: int
    offset: int
    lead: int
    trail: int
    at_top: bool
    at_bottom: bool
    old: Side
    new: Side

    def middle(self, side: Side) -> tuple[str, ...]:
        """The lines of a side between the equal ends."""
        return side.lines[self.lead : len(side.lines) - self.trail]


@dataclass(frozen=True, slots=True)
class Script:
    """What changed.

    Attributes:
        window: The lines around it.
        runs: The changed lines, in order, with at least one equal line between two runs.
        coarse: There was too much to compare; one run stands for everything between the equal ends.
    """

    window: Window
    runs: tuple[Run, ...]
    coarse: bool = False


_EMPTY = Side("", (), unended=False)
_NOTHING = Script(Window(0, 0, 0, 0, at_top=True, at_bottom=True, old=_EMPTY, new=_EMPTY), ())


def script(old: str, new: str, context: int) -> Script:
    r"""Compare two texts by lines, which end at ``\n`` and nowhere else.

    Args:
        old: The old text.
        new: The new text.
        context: How many equal lines the window must show around every run, where there are so many.

    Returns:
        The runs of ``git diff`` (git 2.39, default algorithm with the indent heuristic).
    """
    if old == new:
        return _NOTHING
    middle = trim(old, new)
    outside = len(old) - (middle.old_end - middle.start)
    changed = max(middle.old_end, middle.new_end) - middle.start
    near = _window(old, new, middle, max(context, 1) if outside > changed else outside)
    whole = Run(near.lead, len(near.middle(near.old)), near.lead, len(near.middle(near.new)))
    if changed > MAX_CHARACTERS or max(whole.old_lines, whole.new_lines) > MAX_LINES:
        return Script(near, (whole,), coarse=True)
    if _leaves_no_choice(near):
        return Script(near, (whole,))
    if near.at_top and near.at_bottom:
        return Script(near, _runs(near, []))
    both = whole.old_lines > 0 and whole.new_lines > 0
    margin = outside if both and outside <= _WHOLE else max(_MARGIN, context)
    while True:
        window = _window(old, new, middle, margin)
        runs = _runs(window, _stand_ins(old, window) if both else [])
        if _settled(window, runs, max(_SETTLED, context)):
            return Script(window, runs)
        margin *= 4


def _window(old: str, new: str, middle: Middle, margin: int) -> Window:
    start, lead = _lines_up(old, middle.start, margin)
    end, trail = _lines_down(old, middle.old_end, margin)
    below = len(old) - end
    return Window(
        above=old.count("\n", 0, start),
        offset=start,
        lead=lead,
        trail=trail,
        at_top=start == 0,
        at_bottom=below == 0,
        old=_side(old[start:end]),
        new=_side(new[start : len(new) - below]),
    )


def _lines_up(text: str, at: int, lines: int) -> tuple[int, int]:
    seen = 0
    while at > 0 and seen < lines:
        at = text.rfind("\n", 0, at - 1) + 1
        seen += 1
    return at, seen


def _lines_down(text: str, at: int, lines: int) -> tuple[int, int]:
    seen = 0
    while at < len(text) and seen < lines:
        end = text.find("\n", at)
        at = end + 1 if end >= 0 else len(text)
        seen += 1
    return at, seen


def _side(text: str) -> Side:
    lines = text.split("\n")
    unended = bool(lines[-1])
    if not unended:
        lines.pop()
    return Side(text, tuple(lines), unended)


def _leaves_no_choice(window: Window) -> bool:
    old, new = window.middle(window.old), window.middle(window.new)
    if old and new:
        # Two runs at the same place hold each other there, whatever each of them could slide over.
        return set(old).isdisjoint(new)
    # The first lines after the common beginning differ, so one run alone can only slide up.
    return window.lead == 0 or window.old.lines[window.lead - 1] != (old or new)[-1]


def _stand_ins(old: str, window: Window) -> list[str]:
    """As many lines as lie outside the window: those that matter as they are, fillers for the others."""
    if window.at_top and window.at_bottom:
        return []
    outside = old[: window.offset].split("\n")[:-1] + old[window.offset + len(window.old.text) :].split("\n")
    if not outside[-1]:
        outside.pop()
    wanted = {*window.middle(window.old), *window.middle(window.new)}
    filler = ""
    while filler in wanted:
        filler += "."
    if outside and not window.at_bottom and not old.endswith("\n"):
        outside[-1] = filler  # without a line end it is equal to no line in the middle
    kept = list(filter(wanted.__contains__, outside))
    return kept + [filler] * (len(outside) - len(kept))


def _settled(window: Window, runs: tuple[Run, ...], distance: int) -> bool:
    above = runs[0].old_line
    below = len(window.old.lines) - runs[-1].old_line - runs[-1].old_lines
    return (window.at_top or above >= distance) and (window.at_bottom or below >= distance)


def _runs(window: Window, stand_ins: list[str]) -> tuple[Run, ...]:
    """Ask libgit2; the stand-ins go to an end of the window that is not an end of the text."""
    extra = "".join(f"{line}\n" for line in stand_ins)
    if window.at_top:
        return _ask(window.old.text + extra, window.new.text + extra, 0)
    return _ask(extra + window.old.text, extra + window.new.text, len(stand_ins))


def preload() -> None:
    """Load libgit2 now: a tenth of a second that neither a start nor the first edit should wait for."""
    import pygit2.enums  # noqa: F401


def _ask(old: str, new: str, before: int) -> tuple[Run, ...]:
    import pygit2
    from pygit2.enums import DiffOption

    # libgit2 keeps pointers into both buffers and does not keep them alive: the two names do, until the return.
    # Without FORCE_TEXT a NUL would make a text binary, and without hunks.
    old_bytes, new_bytes = _bytes(old), _bytes(new)
    patch = pygit2.Patch.create_from(
        old_bytes,
        new_bytes,
        flag=DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT,
        context_lines=0,
        interhunk_lines=0,
    )
    return tuple(
        Run(
            hunk.old_start - before - (1 if hunk.old_lines else 0),
            hunk.old_lines,
            hunk.new_start - before - (1 if hunk.new_lines else 0),
            hunk.new_lines,
        )
        for hunk in patch.hunks
    )


def _bytes(text: str) -> bytes:
    # libgit2 counts \v and \f as indentation and git does not: bytes that UTF-8 never has stand in for them.
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded.replace(b"\v", b"\xfe").replace(b"\f", b"\xff")
