"""The repository as files, for the tests that are about the repository itself.

Held: where the root is, which files a person would call ours, and what the README has in fences and tables. Absent:
git. The walk goes by folder names, so that the tests also run in an unpacked source archive.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FOLDERS = ("dsh_lsp", "ledger", "tools", "tests", "benchmarks")
PACKAGES = {
    "dsh_ledger": ROOT / "ledger" / "dsh_ledger",
    "dsh_tools": ROOT / "tools" / "dsh_tools",
    "dsh_lsp": ROOT / "dsh_lsp",
}

_MADE = {"__pycache__", "node_modules", "dist", "build", "out"}
_OURS_THOUGH_HIDDEN = {".ci", ".gitignore"}
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def files(root: Path = ROOT) -> Iterator[Path]:
    """Every file that is kept in version control, or could be: caches, build results and hidden folders left out."""
    for entry in sorted(root.iterdir()):
        hidden = entry.name.startswith(".") and entry.name not in _OURS_THOUGH_HIDDEN
        if hidden or entry.name in _MADE or entry.name.endswith(".egg-info") or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from files(entry)
        elif entry.is_file():
            yield entry


def text_of(path: Path) -> str | None:
    """A file's text, or None when its bytes are not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None


def read(name: str) -> str:
    """The text of a file named from the root, or an empty text when there is none."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def fenced_lines(markdown: str) -> list[str]:
    """The lines inside fenced blocks, without a leading ``$ `` and without empty ones."""
    return [
        line.removeprefix("$ ").rstrip()
        for block in _FENCE.findall(markdown)
        for line in block.splitlines()
        if line.strip()
    ]


def first_column(markdown: str, heading: str) -> list[str]:
    """The cells of the first column of each table whose first heading is ``heading``, without code marks and links."""
    cells: list[str] = []
    inside = False
    for line in markdown.splitlines():
        if not line.lstrip().startswith("|"):
            inside = False
            continue
        cell = line.strip().strip("|").split("|")[0].strip()
        if cell.lower() == heading:
            inside = True
        elif inside and cell.strip("-: "):
            cells.append(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).strip("`* "))
    return cells
