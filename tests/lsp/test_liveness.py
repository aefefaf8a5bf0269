"""Whether a process is still there, and whether anybody listens."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dsh_lsp.liveness import is_listening, is_running, is_socket_there, process_started_at
from tests.support.discovery_files import listening_socket, orphaned_socket, python_environment, sleeping_process

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc elsewhere")


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process of ours that runs until the test is over."""
    with sleeping_process() as pid:
        yield pid


@as_root
@on_linux
def test_a_process_that_may_not_be_signalled_is_running(sleeper: int) -> None:
    """Being forbidden to signal a process is no sign that it is gone."""
    script = f"""
import os, sys
from dsh_lsp.liveness import is_running, process_started_at
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    os.kill({sleeper}, 0)
except PermissionError:
    started_at = process_started_at({sleeper})
    print(is_running({sleeper}, started_at), is_running({sleeper}, started_at + 1))
"""
    out = subprocess.check_output([sys.executable, "-c", script], env=python_environment())

    assert b"True False" == out.strip()


@on_linux
def test_the_name_of_a_process_can_not_mislead(tmp_path: Path) -> None:
    """A program may be called anything, parentheses and states included."""
    program = tmp_path / "x) Z 1 2 ("
    shutil.copy(shutil.which("sleep") or "", program)
    with sleeping_process() as before, sleeping_process(str(program)) as pid:
        first, started_at = process_started_at(before), process_started_at(pid)
        assert first is not None
        assert started_at is not None
        assert first <= started_at <= first + 100 * os.sysconf("SC_CLK_TCK")
        assert is_running(pid, started_at)
        assert is_running(pid, None)
        assert not is_running(pid, started_at + 1)


def test_a_server_with_a_full_queue_listens(tmp_path: Path) -> None:
    """A server too busy to accept is asked without waiting, and is there."""
    with socket.socket(socket.AF_UNIX) as server, ExitStack() as stack:
        server.bind(str(tmp_path / "s"))
        server.listen(0)
        full = False
        while not full:
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            full = client.connect_ex(str(tmp_path / "s")) != 0

        assert is_listening(tmp_path / "s") is True


@on_linux
def test_the_signal_that_asks_is_harmless(sleeper: int) -> None:
    """Asking whether a process runs does nothing to it."""
    assert is_running(sleeper, process_started_at(sleeper))
    os.kill(sleeper, signal.SIGTERM)
    os.waitid(os.P_PID, sleeper, os.WEXITED | os.WNOWAIT)
    assert not is_running(sleeper, None)


def test_who_listens_and_who_does_not(tmp_path: Path) -> None:
    """A live socket, an abandoned one and a missing one are told apart; what can't be connected to is not known."""
    with listening_socket(tmp_path / "a") as live:
        assert is_listening(live) is True
        assert is_socket_there(live) is True
    abandoned = orphaned_socket(tmp_path / "b")
    assert is_listening(abandoned) is False
    assert is_socket_there(abandoned) is True
    assert is_listening(tmp_path / "none") is False
    assert is_socket_there(tmp_path / "none") is False
    assert is_socket_there(tmp_path / "none" / "none") is None
    assert is_listening(tmp_path / ("x" * 200)) is None
    assert is_socket_there(tmp_path / ("x" * 5000)) is None


def test_a_process_without_a_known_start(sleeper: int) -> None:
    """Where the start was not recorded the id has to do."""
    assert is_running(sleeper, None)
