"""The direction of dependencies: dsh_lsp uses dsh_tools uses dsh_ledger, never back, and the ledger stands alone.

The contracts are import-linter's, in pyproject.toml. Here they are run on the packages as they are, then on tiny
stand-ins that each break one rule: a contract that nothing can break says nothing.
"""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import PACKAGES, ROOT

RUN = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
LAYERS = "dsh_lsp uses dsh_tools uses dsh_ledger, never back"
ONLY_LSP = "only dsh_lsp speaks LSP"
APART = "only the MCP bridge knows the MCP kit, and only the screen of watch textual"
ALONE = "dsh_ledger stands on the standard library alone, and does no I/O"
IMPURE_CALLS = {"open", "print", "input"}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts of a folder's pyproject.toml on the packages that are found from there."""
    return subprocess.run(
        [sys.executable, "-c", RUN, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def lay_stand_ins(folder: Path, module: str, code: str) -> None:
    """Write the three packages, empty but for one module with the code given, beside the project's contracts."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text('"""Empty."""\n', encoding="utf-8")
    (folder / module).write_text(code, encoding="utf-8")


def ledger_trees() -> list[tuple[str, ast.Module]]:
    """Each module of the ledger with its syntax tree."""
    paths = sorted(PACKAGES["dsh_ledger"].rglob("*.py"))
    return [(path.name, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def test_the_packages_keep_the_contracts() -> None:
    """The three packages, as they stand, break no contract."""
    done = lint(ROOT)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "4 kept, 0 broken" in done.stdout


def test_stand_ins_that_break_nothing_pass(tmp_path: Path) -> None:
    """The stand-ins are what is linted, and imports along the arrows are allowed."""
    lay_stand_ins(tmp_path, "dsh_lsp/server.py", "import dsh_tools\nimport dsh_ledger\nimport pygls\n")

    done = lint(tmp_path)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "3 dependencies" in done.stdout


@pytest.mark.parametrize(
    ("module", "code", "contract"),
    [
        ("dsh_ledger/up.py", "import dsh_tools\n", LAYERS),
        ("dsh_ledger/up.py", "import dsh_lsp\n", LAYERS),
        ("dsh_tools/up.py", "def later() -> None:\n    import dsh_lsp\n", LAYERS),
        ("dsh_tools/wire.py", "from pygls.workspace import TextDocument\n", ONLY_LSP),
        ("dsh_tools/wire.py", "from lsprotocol import types\n", ONLY_LSP),
        ("dsh_ledger/wire.py", "import lsprotocol.types\n", ONLY_LSP),
        ("dsh_ledger/disk.py", "import os\n", ALONE),
        ("dsh_ledger/disk.py", "from pathlib import Path\n", ALONE),
        ("dsh_ledger/wait.py", "import asyncio\n", ALONE),
        ("dsh_ledger/model.py", "from pydantic import BaseModel\n", ALONE),
        ("dsh_lsp/server.py", "def later() -> None:\n    from mcp.types import Tool\n", APART),
        ("dsh_tools/screen.py", "import textual\n", APART),
    ],
)
def test_a_break_is_found(tmp_path: Path, module: str, code: str, contract: str) -> None:
    """An import against the arrows fails the run and names the contract, also from inside a function."""
    lay_stand_ins(tmp_path, module, code)

    done = lint(tmp_path)

    assert 1 == done.returncode, done.stdout + done.stderr
    assert f"{contract} BROKEN" in done.stdout


def test_the_ledger_imports_the_standard_library_alone() -> None:
    """Every absolute import in the ledger is of the standard library or of the ledger itself.

    The contract names what is forbidden; this says what is allowed, so a library that nobody thought of is found too.
    """
    allowed = sys.stdlib_module_names | {"dsh_ledger"}
    strangers = [
        f"{name}: {imported}"
        for name, tree in ledger_trees()
        for node in ast.walk(tree)
        for imported in imported_names(node)
        if imported.partition(".")[0] not in allowed
    ]

    assert [] == strangers


def test_the_ledger_neither_waits_nor_reads_nor_prints() -> None:
    """The ledger has no coroutine, no ``await`` and no call of open, print or input."""
    impure = [
        f"{name}:{node.lineno}"
        for name, tree in ledger_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.Await)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS)
    ]

    assert [] == impure


def imported_names(node: ast.AST) -> list[str]:
    """The modules that a statement imports by absolute name."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
        return [node.module]
    return []
