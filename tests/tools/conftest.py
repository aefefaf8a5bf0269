"""The fixtures of the tools' tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskFileSystem]:
    """A disk whose workspace is the temporary folder."""
    disk = DiskFileSystem(Workspace([tmp_path]))
    yield disk
    disk.close()
