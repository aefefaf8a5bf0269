r"""What is searched for, as ripgrep is told it, and whether it can be.

One definition of a line: ``\n`` and ``\r\n`` end it. ripgrep sees the bytes of the disk, where a line may end with
``\r\n``, and the texts of editors, where it never does; a pattern that spans lines is widened to match both.
"""

import re
from dataclasses import dataclass

from dsh_ledger.errors import QUOTED, FieldError, InvalidArgs
from dsh_tools.search import ripgrep

_VERBOSE = re.compile(r"\(\?[a-zA-Z]*x")
_LINE_END = r"(?:\r?\n)"


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for.

    Attributes:
        pattern: A regular expression of the Rust dialect, or a literal.
        literal: It is a literal.
        ignore_case: Case does not count.
        multiline: A match may span lines; ``.`` matches line ends too.
        context: Lines before and after a hit that are wanted.
        type: One of ripgrep's file types.
    """

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    multiline: bool = False
    context: int = 0
    type: str | None = None

    def arguments(self) -> list[str | bytes]:
        """What ripgrep is told: how to search, and the pattern, which can't be taken for an option."""
        flags = ["--json", "--crlf", "--no-mmap", "--binary", f"--context={self.context}"]
        flags += ["--fixed-strings"] if self.literal else []
        flags += ["--ignore-case"] if self.ignore_case else []
        flags += ["--multiline", "--multiline-dotall"] if self.multiline else []
        flags += [f"--type={self.type}"] if self.type else []
        return [*flags, *(b"--regexp=" + pattern.encode() for pattern in self._patterns())]

    async def check(self) -> None:
        """See whether ripgrep takes it, on nothing.

        Raises:
            InvalidArgs: It does not: the argument is named, with ripgrep's reason.
        """
        for field, given in (("pattern", self.pattern), ("type", self.type or "")):
            if "\0" in given:
                raise InvalidArgs([FieldError(field, "has a NUL character")])
        ended = await ripgrep.run(["--no-config", *self.arguments(), "-"], lambda _piece: True)
        if ended.code == 2:
            field = "type" if "unrecognized file type" in ended.said else "pattern"
            raise InvalidArgs([FieldError(field, _reason(ended.said))])

    def _patterns(self) -> list[str]:
        if not self.multiline:
            return [self.pattern]
        if self.literal:
            both = [self.pattern.replace("\r\n", "\n"), self.pattern.replace("\r\n", "\n").replace("\n", "\r\n")]
            return list(dict.fromkeys(both))
        return [_spanning(self.pattern)]


def _spanning(pattern: str) -> str:
    r"""The expression with each ``\n`` outside of a class also for ``\r\n``."""
    widened, depth, at = "", 0, 0
    newline_counts = _VERBOSE.search(pattern) is None
    while at < len(pattern):
        part = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        if depth == 0 and (part == "\\n" or (part == "\n" and newline_counts)):
            widened += _LINE_END
        else:
            widened += part
        if part == "[":
            depth += 1
            # A bracket that closes right away is a member of the class.
            first = re.compile(r"\^?\]").match(pattern, at + 1)
            if first is not None:
                widened += first[0]
                at = first.end() - 1
        elif part == "]" and depth:
            depth -= 1
        at += len(part)
    return widened


def _reason(said: str) -> str:
    """The reason that ripgrep gave, without the picture of the pattern and with our names for its options."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return "ripgrep refused it and gave no reason"
    first = lines[0].removeprefix("rg: ").rstrip(":")
    error = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), None)
    reason = first if error is None else f"{first}: {error}"
    if r'literal "\n"' in reason:
        reason += "; set multiline for a pattern that spans lines"
    return reason[:QUOTED]
