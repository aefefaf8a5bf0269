"""What the demo prints: who does what, what the buffer looks like, and whether it was as promised."""

from collections.abc import Sequence

from rich.console import Console, Group
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from dsh_lsp.text.document import Document
from dsh_lsp.wire import DecoratedHunk, ToolRunResult

_CONTEXT = 3
_SHOWN_LINES = 12

_AGENT = "bold cyan"
_USER = "bold yellow"


class Screen:
    """A terminal, or a file.

    Args:
        console: Where to print.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._broken: list[str] = []
        self._kept = 0
        self._step = 0

    @property
    def broken(self) -> list[str]:
        """The promises that were not kept."""
        return self._broken

    def step(self, title: str) -> None:
        """Start a step of the story."""
        self._step += 1
        self._console.print()
        self._console.print(Rule(Text(f"{self._step}. {title}", style="bold"), align="left", style="dim"))

    def say(self, text: str) -> None:
        """Say something, plainly."""
        self._console.print(Text(text))

    def user(self, text: str) -> None:
        """The user does something."""
        self._console.print(Text.assemble(("user   ", _USER), text))

    def agent(self, text: str) -> None:
        """The agent asks for something."""
        self._console.print(Text.assemble(("agent  ", _AGENT), text))

    def answer(self, result: ToolRunResult, lines: int = _SHOWN_LINES) -> None:
        """What the agent is answered, as its model reads it."""
        text = "\n".join(block.text for block in result.content if block.type == "text").rstrip("\n").split("\n")
        more = len(text) - lines
        shown = "\n".join(text[:lines]) + (f"\n… {more} more lines, not shown here" if more > 0 else "")
        style = "red" if result.is_error else "green"
        title = Text(f"answer: {result.error.code}" if result.error else "answer", style=style)
        self._console.print(Panel(Text(shown), title=title, title_align="left", border_style=style, padding=(0, 1)))

    def buffer(self, title: str, buffer: Document, hunks: Sequence[DecoratedHunk], typed: Sequence[str]) -> None:
        """The editor's buffer around the painted hunks, ±3 lines, and around what the user typed."""
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(justify="right", style="dim", width=len(str(buffer.line_count)), no_wrap=True)
        table.add_column(width=1, no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        shown = _shown_lines(buffer, hunks, typed)
        previous = -1
        for line in shown:
            if line != previous + 1:
                table.add_row("⋮", "", "")
            previous = line
            self._removed(table, hunks, line)
            if line < buffer.line_count:
                self._line(table, buffer.line(line).rstrip("\r\n"), line, hunks, typed)
        legend = Text.assemble(
            ("+ added or changed by the agent", "green"), "   ", ("- its old text", "red"), "   ", ("~ typed", "yellow")
        )
        self._console.print(Panel(Group(table, legend), title=Text(title), title_align="left", padding=(0, 1)))

    def promise(self, kept: bool, text: str) -> None:
        """Say whether something is as promised."""
        self._console.print(
            Text.assemble(("  ✓ ", "bold green") if kept else ("  ✗ NOT AS PROMISED: ", "bold red"), text)
        )
        if kept:
            self._kept += 1
        else:
            self._broken.append(text)

    def close(self) -> None:
        """Sum up."""
        self._console.print()
        if self._broken:
            self._console.print(
                Text(f"{len(self._broken)} of {self._kept + len(self._broken)} promises broken:", "bold red")
            )
            for text in self._broken:
                self._console.print(Text(f"  ✗ {text}"))
        else:
            self._console.print(Text(f"All {self._kept} promises kept.", "bold green"))

    def _removed(self, table: Table, hunks: Sequence[DecoratedHunk], line: int) -> None:
        for hunk in hunks:
            if hunk.removed_lines and hunk.range.start.line == line:
                for text in hunk.removed_text.split("\n"):
                    table.add_row("", Text("-", "red"), Text(text, "red"))

    def _line(self, table: Table, text: str, line: int, hunks: Sequence[DecoratedHunk], typed: Sequence[str]) -> None:
        number = str(line + 1)
        if text in typed:
            table.add_row(number, Text("~", "yellow"), Text(text, "yellow"))
        elif any(hunk.range.start.line <= line < hunk.range.start.line + hunk.added_lines for hunk in hunks):
            table.add_row(number, Text("+", "green"), Text(text, "green"))
        else:
            table.add_row(number, "", Text(text))


def _shown_lines(buffer: Document, hunks: Sequence[DecoratedHunk], typed: Sequence[str]) -> list[int]:
    found: set[int] = set()
    for hunk in hunks:
        start = hunk.range.start.line
        found.update(range(start - _CONTEXT, start + hunk.added_lines + _CONTEXT))
    for line in range(buffer.line_count):
        if buffer.line(line).rstrip("\r\n") in typed:
            found.update(range(line - 1, line + 2))
    return sorted(line for line in found if 0 <= line < buffer.line_count)
