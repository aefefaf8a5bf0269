"""Globs over paths.

``*`` and ``?`` stay within one name and match hidden names too, ``**`` is any number of folders, ``[…]`` a set of
characters, ``{a,b}`` alternatives, and a backslash takes the next character literally. Case counts. A name in the
pattern also matches the same name literally, so that ``app/[id]/page.tsx`` finds the file of that name.

ripgrep's own globs are not used: there, a glob that matches overrides ``.gitignore``.
"""

import fnmatch
import re
from collections.abc import Sequence
from itertools import pairwise, product

_MOST_ALTERNATIVES = 64
_SPECIAL = re.compile(r"[*?\[{\\]")
_ESCAPED = re.compile(r"\\(.)")


class GlobRefused(ValueError):
    """The pattern can't be used; the message says why, as what the pattern does."""


def has_wildcards(pattern: str) -> bool:
    """Whether a pattern, or a name in one, is more than a literal."""
    return _SPECIAL.search(pattern) is not None


class Glob:
    """One pattern.

    Args:
        pattern: Relative to the folder that the paths are relative to. A slash at its end is what lies below.
        anywhere: Match a pattern of one name at any depth.

    Attributes:
        alternatives: The pattern without braces, split into names.

    Raises:
        GlobRefused: It names a folder above, or has too many alternatives.
    """

    def __init__(self, pattern: str, *, anywhere: bool = False) -> None:
        below = "**" if pattern.endswith("/") else ""
        self.alternatives = [_names(one + below) for one in _without_braces(pattern)]
        if anywhere:
            self.alternatives = [["**", *names] if len(names) == 1 else names for names in self.alternatives]
        self._alternatives = [[_name(name) for name in names] for names in self.alternatives]

    def matches(self, path: str) -> bool:
        """Whether a relative path matches; bytes that are not UTF-8 count as one character each."""
        names = path.split("/")
        return any(_matches(wanted, names) for wanted in self._alternatives)

    @property
    def depth(self) -> int | None:
        """The most names that a match can have, or None for any number."""
        if any("**" in names for names in self.alternatives):
            return None
        return max(map(len, self.alternatives))


def _names(pattern: str) -> list[str]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise GlobRefused("has .. after a wildcard; name the folder above in path")
    # What is below a folder is not the folder itself, though ** alone may be no name at all.
    return [*names, "*"] if names[-1:] == ["**"] else names


def _name(pattern: str) -> re.Pattern[str] | None:
    """What matches one name; None for any number of names."""
    if pattern == "**":
        return None
    plain = _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[{}" else found[1], pattern)
    matcher = fnmatch.translate(plain.replace("[^", "[!"))
    return re.compile(f"{matcher}|{re.escape(pattern)}\\Z" if "[" in pattern else matcher)


def _matches(wanted: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Match name by name; the last ``**`` takes one more whenever what follows it does not fit."""
    at = taken = 0
    deep = resume = -1
    while taken < len(names):
        here = wanted[at] if at < len(wanted) else None
        if at < len(wanted) and here is None:
            deep, resume = at, taken
            at += 1
        elif here is not None and here.match(names[taken]):
            at, taken = at + 1, taken + 1
        elif deep >= 0:
            resume += 1
            at, taken = deep + 1, resume
        else:
            return False
    return all(rest is None for rest in wanted[at:])


def _without_braces(pattern: str) -> list[str]:
    """The pattern once for each choice of alternatives; braces that don't pair are literal."""
    if "\0" in pattern:
        raise GlobRefused("has a NUL character")
    if pattern.count("{") > _MOST_ALTERNATIVES:
        raise GlobRefused(f"has more than {_MOST_ALTERNATIVES} braces")
    opened = _brace(pattern, 0)
    while opened >= 0:
        commas, end = _choices(pattern, opened)
        if end >= 0:
            cuts = [opened, *commas, end]
            options = [pattern[one + 1 : other] for one, other in pairwise(cuts)]
            heads = [pattern[:opened] + each for option in options for each in _without_braces(option)]
            found = [head + tail for head, tail in product(heads, _without_braces(pattern[end + 1 :]))]
            if len(found) > _MOST_ALTERNATIVES:
                raise GlobRefused(f"has more than {_MOST_ALTERNATIVES} alternatives")
            return found
        opened = _brace(pattern, opened + 1)
    return [pattern]


def _brace(pattern: str, start: int) -> int:
    while (at := pattern.find("{", start)) >= 0:
        if not _is_escaped(pattern, at):
            return at
        start = at + 1
    return -1


def _choices(pattern: str, opened: int) -> tuple[list[int], int]:
    """Where the commas of a brace are, and its end, or -1."""
    depth, commas = 0, list[int]()
    for at in range(opened, len(pattern)):
        if pattern[at] not in "{,}" or _is_escaped(pattern, at):
            continue
        depth += {"{": 1, "}": -1}.get(pattern[at], 0)
        if depth == 0:
            return commas, at
        if depth == 1 and pattern[at] == ",":
            commas.append(at)
    return [], -1


def _is_escaped(pattern: str, at: int) -> bool:
    before = len(pattern[:at]) - len(pattern[:at].rstrip("\\"))
    return before % 2 == 1
