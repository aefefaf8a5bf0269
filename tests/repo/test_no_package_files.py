"""``ledger/`` and ``tools/`` are folders that hold a package, not packages; the tests are not packages either."""

import pytest

from tests.support.repository import PACKAGES, ROOT, files


@pytest.mark.parametrize("folder", ["ledger", "tools"])
def test_the_folder_is_not_a_package(folder: str) -> None:
    """A folder around a package holds no Python file, so that nobody can import it by the folder's name."""
    modules = [path.name for path in (ROOT / folder).glob("*.py")]

    assert [] == modules


@pytest.mark.parametrize("package", PACKAGES)
def test_the_package_is_one_and_is_typed(package: str) -> None:
    """Each import package has its ``__init__.py`` and says with ``py.typed`` that its types can be relied on."""
    marks = sorted(path.name for path in PACKAGES[package].iterdir() if path.name in {"__init__.py", "py.typed"})

    assert ["__init__.py", "py.typed"] == marks


def test_the_tests_are_not_packages() -> None:
    """No ``__init__.py`` among the tests: pytest imports them by path, the support modules as a namespace."""
    packages = [str(path.relative_to(ROOT)) for path in files(ROOT / "tests") if path.name == "__init__.py"]

    assert [] == packages
