"""Temporary directories for sockets, whose paths may have some hundred bytes and no more."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def short_directory() -> Iterator[Path]:
    """A directory with a short path, wherever pytest puts its own; it is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="dsh-test-", dir="/tmp") as path:
        yield Path(path).resolve()
