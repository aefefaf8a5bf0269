"""The README's table of dependencies and pyproject.toml say the same."""

import re
import tomllib

from packaging.requirements import Requirement

from tests.support.repository import first_column, read


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
