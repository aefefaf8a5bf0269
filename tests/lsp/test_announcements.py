"""What of a discovery file is believed, and when the server that wrote it is gone."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dsh_lsp.announcements import key_of, live_or_swept, read
from dsh_lsp.discovery import find
from dsh_lsp.liveness import process_started_at
from tests.support.discovery_files import (
    another_server,
    ended_pid,
    files,
    orphaned_socket,
    put,
    put_raw,
    sleeping_process,
)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc elsewhere")


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process of ours that runs until the test is over."""
    with sleeping_process() as pid:
        yield pid


def bad_files() -> dict[str, Callable[[Path, Path], Path]]:
    """Files that make no sense, each for another reason."""
    me = os.getpid()

    def raw(content: bytes, pid: object = me) -> Callable[[Path, Path], Path]:
        return lambda runtime, folder: put_raw(runtime, folder, pid, content)

    def member(**members: Any) -> Callable[[Path, Path], Path]:
        return lambda runtime, folder: put(runtime, folder, **members)

    def made(make: Callable[[Path], object]) -> Callable[[Path, Path], Path]:
        def build(runtime: Path, folder: Path) -> Path:
            path = put(runtime, folder)
            kept = path.rename(path.with_name("kept"))
            make(path)
            assert kept.exists()
            return path

        return build

    def changed(to: int) -> Callable[[Path, Path], Path]:
        def build(runtime: Path, folder: Path) -> Path:
            path = put(runtime, folder)
            path.chmod(to)
            return path

        return build

    def renamed(runtime: Path, folder: Path) -> Path:
        path = put(runtime, folder)
        return path.rename(path.with_name(f"{key_of(folder)}.{me + 1}.json"))

    return {
        "empty": raw(b""),
        "not JSON": raw(b"{"),
        "not UTF-8": raw(b'{"pid": "\xff"}'),
        "not an object": raw(b"[]"),
        "too deep": raw(b"[" * 100_000),
        "too large": member(padding="x" * 1024 * 1024),
        "no members": raw(b"{}"),
        "pid 0, which is every process of our group": raw(b'{"pid": 0}', 0),
        "pid is zero": member(pid=0),
        "pid negative": member(pid=-1),
        "pid out of range": member(pid=2**31),
        "pid a boolean": member(pid=True),
        "pid a string": member(pid=str(me)),
        "pid of another name": renamed,
        "endpoint of another kind": member(endpoint="tcp:127.0.0.1:80"),
        "endpoint relative": member(endpoint="unix:a.sock"),
        "endpoint with NUL": member(endpoint="unix:/a\0b"),
        "endpoint too long": member(endpoint="unix:/" + "x" * 5000),
        "folders a string": member(workspaceFolders=str(me)),
        "a link": made(lambda path: path.symlink_to("kept")),
        "a directory": made(Path.mkdir),
        "a pipe": made(os.mkfifo),
        "readable to others": changed(0o640),
        "writable by others": changed(0o602),
    }


@pytest.mark.parametrize("kind", list(bad_files()))
def test_a_file_that_makes_no_sense_is_passed_over(
    runtime: Path,
    folder: Path,
    listening: Path,
    sleeper: int,
    tmp_path: Path,
    kind: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is left alone, nothing in it is logged, and the servers beside it are found."""
    caplog.set_level("DEBUG")
    put(runtime, folder, pid=sleeper)
    path = bad_files()[kind](runtime, folder)

    assert [sleeper] == [found.pid for found in find(folder, [runtime])]
    assert os.path.lexists(path)
    assert str(tmp_path) not in caplog.text


def test_a_pipe_is_not_read(runtime: Path, folder: Path, listening: Path) -> None:
    """Not even one with the right words in it, which stay there."""
    path = put(runtime, folder)
    content = path.read_bytes()
    path.unlink()
    os.mkfifo(path, 0o600)
    pipe = os.open(path, os.O_RDWR)
    try:
        os.write(pipe, content)

        assert [] == find(folder, [runtime])
        os.write(pipe, b"!")
        assert content + b"!" == os.read(pipe, len(content) + 1)
    finally:
        os.close(pipe)


@pytest.mark.parametrize("pid", [0, -1])
def test_a_process_id_that_means_many_processes_is_not_believed(runtime: Path, folder: Path, pid: int) -> None:
    """Zero is our own process group and -1 every process there is (kill(2)); both always run."""
    assert read(put(runtime, folder, pid=pid)) is None


@as_root
@pytest.mark.parametrize("what", ["file", "directory"])
def test_files_of_another_user_are_passed_over(runtime: Path, folder: Path, listening: Path, what: str) -> None:
    """Somebody else must not send our agents to a socket of theirs."""
    path = put(runtime, folder)
    assert 1 == len(find(folder, [runtime]))
    os.chown(path if what == "file" else path.parent, 65534, 65534)

    assert [] == find(folder, [runtime])
    assert path.exists()


def test_members_of_a_later_version_are_ignored(runtime: Path, folder: Path, listening: Path) -> None:
    """A newer server is found, with the version that it speaks."""
    put(runtime, folder, protocolVersion=7, colour="green")

    assert [7] == [found.protocol_version for found in find(folder, [runtime])]


def test_a_server_that_was_killed_is_swept(runtime: Path, folder: Path) -> None:
    """Its file and its socket are removed by the first client that looks."""
    with another_server(runtime, folder) as process:
        assert [process.pid] == [found.pid for found in find(folder, [runtime])]
        process.kill()
        process.communicate()

    assert (runtime / f"{process.pid}.sock").exists()
    assert [] == find(folder, [runtime])
    assert [] == files(runtime)
    assert not (runtime / f"{process.pid}.sock").exists()


@on_linux
def test_a_server_that_waits_to_be_collected_is_gone(runtime: Path, folder: Path) -> None:
    """A process that has ended still has its id until its parent asks; that doesn't make it a server."""
    with another_server(runtime, folder) as process:
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        os.kill(process.pid, 0)

        assert [] == find(folder, [runtime])
        assert [] == files(runtime)
        process.communicate()


@on_linux
def test_a_process_that_got_the_same_id_is_not_the_server(
    runtime: Path, folder: Path, listening: Path, sleeper: int
) -> None:
    """The id alone would do; the time at which the process started tells them apart."""
    orphaned = orphaned_socket(runtime / "b.sock")
    started_at = process_started_at(sleeper)
    assert started_at is not None
    path = put(runtime, folder, pid=sleeper, endpoint=f"unix:{orphaned}", startedAt=started_at)
    assert [sleeper] == [found.pid for found in find(folder, [runtime])]

    put(runtime, folder, pid=sleeper, endpoint=f"unix:{orphaned}", startedAt=started_at - 1)

    assert [] == find(folder, [runtime])
    assert not path.exists()
    assert not orphaned.exists()


def test_a_server_whose_socket_is_gone_is_swept(runtime: Path, folder: Path, sleeper: int) -> None:
    """A process that runs but has no socket any more can't be reached by anybody."""
    path = put(runtime, folder, pid=sleeper, endpoint=f"unix:{runtime}/none.sock")
    (runtime / "file").write_bytes(b"")
    other = put(runtime, folder, endpoint=f"unix:{runtime}/file")

    assert [] == find(folder, [runtime])
    assert not path.exists()
    assert not other.exists()


def test_a_server_without_socket_or_process_is_swept(runtime: Path, folder: Path) -> None:
    """Nothing of it is left but the file."""
    path = put(runtime, folder, pid=ended_pid(), endpoint="unix:/nowhere/at/all.sock")

    assert [] == find(folder, [runtime])
    assert not path.exists()


def test_a_socket_out_of_our_sight_is_not_swept(tmp_path: Path, runtime: Path, folder: Path, sleeper: int) -> None:
    """In a sandbox with a temporary directory of its own the socket can't be seen; others still go by the file."""
    path = put(runtime, folder, pid=sleeper, endpoint=f"unix:{tmp_path}/not-mounted/a.sock")

    assert [] == find(folder, [runtime])
    assert path.exists()


def test_a_process_out_of_our_sight_is_still_a_server(runtime: Path, folder: Path, listening: Path) -> None:
    """In a sandbox with process ids of its own the server can't be seen; somebody who listens is there all the same."""
    pid = ended_pid()
    path = put(runtime, folder, pid=pid, endpoint=f"unix:{listening}")

    assert [pid] == [found.pid for found in find(folder, [runtime])]
    assert path.exists()


def test_sweeping_removes_no_socket_outside_the_runtime_directory(tmp_path: Path, runtime: Path, folder: Path) -> None:
    """A file does not get to name just anything for removal."""
    orphaned_socket(tmp_path / "other.sock")
    path = put(runtime, folder, pid=ended_pid(), endpoint=f"unix:{tmp_path}/other.sock")

    assert [] == find(folder, [runtime])
    assert not path.exists()
    assert (tmp_path / "other.sock").exists()


def test_a_new_server_with_the_same_id_is_not_swept(runtime: Path, folder: Path, listening: Path) -> None:
    """A file that was replaced between reading and sweeping is not the one that was read."""
    pid = ended_pid()
    path = put(runtime, folder, pid=pid, endpoint=f"unix:{runtime}/none.sock")
    stale = read(path)
    assert stale is not None
    put(runtime, folder.parent, pid=pid, workspaceFolders=[folder.as_uri()]).replace(path)

    assert not live_or_swept(stale)
    assert [pid] == [found.pid for found in find(folder, [runtime])]
