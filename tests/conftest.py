"""The fixtures of all tests; see README.md beside this file."""

from pathlib import Path

import pytest

from tests.support.world import pytest_runtest_makereport, via, world

__all__ = ["own_state_dir", "pytest_runtest_makereport", "via", "world"]


@pytest.fixture(autouse=True)
def own_state_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server in the test's own process keeps its journals where the test can see them, and not with the user's."""
    path = tmp_path_factory.getbasetemp() / "state"
    monkeypatch.setenv("DSH_LSP_STATE_DIR", str(path))
    return path
