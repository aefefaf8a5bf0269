"""The fixtures of the tests of sockets and discovery files."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from dsh_lsp.endpoint import AgentEndpoint
from tests.support.discovery_files import listening_socket
from tests.support.endpoint_peer import Served
from tests.support.short_directory import short_directory


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A temporary directory whose path leaves room for a socket."""
    with short_directory() as path:
        yield path


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A runtime directory."""
    path = tmp_path / "run"
    path.mkdir(0o700)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace folder."""
    path = tmp_path / "work space"
    path.mkdir()
    return path


@pytest.fixture
def listening(runtime: Path) -> Iterator[Path]:
    """A socket in the runtime directory that somebody listens on."""
    with listening_socket(runtime / "a.sock") as path:
        yield path


@pytest.fixture
def served() -> Served:
    """What the endpoints of these tests do with a connection."""
    return Served()


@pytest.fixture
async def endpoint(tmp_path: Path, served: Served) -> AsyncIterator[AgentEndpoint]:
    """An open endpoint."""
    async with AgentEndpoint(served, directory=tmp_path / "run") as opened:
        yield opened
