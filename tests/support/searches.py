"""Searches without a server: the disk with texts that editors hold, and one call of a tool on it."""

from pathlib import Path
from typing import Any

from dsh_ledger.ledger import Ledger
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_tools.cards import SearchResult
from dsh_tools.content import content_text
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.port import OpenText
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.presenting import result_card
from dsh_tools.snapshots import Snapshots


class WithOpenTexts:
    """A disk on which editors have some files open.

    Attributes:
        texts: What they have open.
    """

    def __init__(self, disk: DiskFileSystem) -> None:
        self._disk = disk
        self.texts: dict[Target, OpenText] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._disk, name)

    async def open_texts(self) -> tuple[OpenText, ...]:
        """What editors have open."""
        return tuple(self.texts.values())

    def open(self, path: str, text: str, *, dirty: bool = True) -> None:
        """An editor opens a file, or one that there is not, and holds this text."""
        target = self._disk.workspace.resolve(path)
        self.texts[target] = OpenText(target, text, version_of_text(text), dirty, False)


class Searcher:
    """Calls tools on a workspace.

    Attributes:
        root: The workspace.
        files: Its files, with what editors have open.
        ledger: What the session has seen.
    """

    def __init__(self, root: Path, disk: DiskFileSystem) -> None:
        self.root = root
        self.files = WithOpenTexts(disk)
        self.ledger = SessionLedger(ledger := Ledger(), "s", ledger.apply)

    def write(self, name: str, content: str | bytes = "") -> Path:
        """Write a file and its parents; text as UTF-8 as it is."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    async def call(self, tool: AnyTool, /, **arguments: Any) -> ToolResult:
        """Run a tool to its end, refused or not."""
        files: Any = self.files
        run = ToolRun("s", "c", files, self.ledger, Snapshots())
        return await run_tool(tool, arguments, run)

    async def value(self, tool: AnyTool, /, **arguments: Any) -> Any:
        """The value of a call that is not refused."""
        result = await self.call(tool, **arguments)
        assert result.error is None, result.error
        return result.value

    async def text(self, tool: AnyTool, /, **arguments: Any) -> str:
        """What the model reads."""
        return content_text((await self.call(tool, **arguments)).content)

    async def card(self, tool: AnyTool, /, **arguments: Any) -> SearchResult:
        """The card of a call."""
        card = result_card(tool, tool.name, arguments, await self.call(tool, **arguments))
        assert isinstance(card, SearchResult)
        return card

    async def refusal(self, tool: AnyTool, /, **arguments: Any) -> str:
        """What the model reads of a call that is refused."""
        result = await self.call(tool, **arguments)
        assert result.error is not None, result.value
        return content_text(result.content)


def paths(value: Any) -> list[str]:
    """The paths of a search's value."""
    return [file["path"] for file in value["files"]]


def hits(value: Any) -> list[tuple[str, int, int, str]]:
    """The hits of a grep's value: path, line, column, text."""
    return [
        (file["path"], line["line"], line["column"], line["text"])
        for file in value["files"]
        for line in file["lines"]
        if "column" in line
    ]
