"""What the two libraries offer, name by name, pinned in ``exports.txt``.

A tool's author imports from ``dsh_tools`` and ``dsh_ledger``; a name that goes or comes there is a decision, and shows
in a change as a line of that file. ``DSH_UPDATE_EXPORTS=1`` writes the file again. ``dsh_lsp`` is a program, not a
library: what it offers is its protocol and its command line.
"""

import ast
import os
from pathlib import Path

from tests.support.repository import PACKAGES

PINNED = Path(__file__).with_name("exports.txt")
LIBRARIES = ("dsh_ledger", "dsh_tools")


def test_the_exports_are_the_pinned_ones() -> None:
    """The public names of both libraries are those of the file, no fewer and no more."""
    actual = [line for package in LIBRARIES for line in exports(package, PACKAGES[package])]
    if os.environ.get("DSH_UPDATE_EXPORTS"):
        PINNED.write_text("".join(f"{line}\n" for line in actual), encoding="utf-8", newline="")
    pinned = PINNED.read_text(encoding="utf-8").splitlines()

    assert pinned == actual


def exports(package: str, folder: Path) -> list[str]:
    """The dotted public names of a package's public modules, sorted.

    A module with ``__all__`` offers that; one without offers what it defines at its top under a name with no
    underscore in front. What a module merely imports is not offered by it.
    """
    lines: set[str] = set()
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            module = ".".join((package, *parts))
            lines.update(f"{module}.{name}" for name in public_names(path.read_text(encoding="utf-8")))
    return sorted(lines)


def public_names(source: str) -> list[str]:
    """The names that a module's text offers."""
    defined: list[str] = []
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return [str(name) for name in ast.literal_eval(value)]
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.append(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                defined.append(name)
            case ast.Assign(targets=targets):
                defined.extend(target.id for target in targets if isinstance(target, ast.Name))
            case _:
                pass
    return [name for name in defined if not name.startswith("_")]


def test_a_declared_list_wins() -> None:
    """A module's ``__all__`` is what it offers, whatever else it defines."""
    names = public_names("__all__ = ['b']\n\n\ndef a(): ...\n")

    assert ["b"] == names


def test_definitions_are_offered_and_imports_are_not() -> None:
    """Without a list, classes, functions and constants are offered, unless an underscore keeps them private."""
    names = public_names(
        "import os\nfrom a import B\nX = 1\nY: int = 2\n_Z = 3\nclass C: ...\ndef _d(): ...\nasync def e(): ...\n"
    )

    assert ["X", "Y", "C", "e"] == names
