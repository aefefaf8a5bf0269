"""The socket where agents attach: who can reach it, and what becomes of the connections."""

import asyncio
import errno
import logging
import os
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dsh_lsp.endpoint import AgentEndpoint
from dsh_lsp.runtime_dir import RuntimeDirRefused
from dsh_lsp.unix_socket import bound_socket
from tests.support.endpoint_peer import PATIENCE, Served, connect, echoed, names, no_connections, rest
from tests.support.short_directory import short_directory

UID = os.geteuid()
NOBODY = 65534


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.lstat().st_mode)


async def test_a_connection_is_handed_on_as_its_two_streams(endpoint: AgentEndpoint) -> None:
    """Bytes go both ways."""
    streams = await connect(endpoint)

    assert b"hello\n" == await echoed(streams, b"hello\n")
    assert 1 == endpoint.connections
    streams[1].close()


async def test_the_address_says_where_it_is(endpoint: AgentEndpoint, tmp_path: Path) -> None:
    """The address is ``unix:`` and the absolute path; the name can't be guessed."""
    assert f"unix:{endpoint.path}" == endpoint.address
    assert tmp_path / "run" == endpoint.path.parent
    assert 16 + len(".sock") == len(endpoint.path.name)


async def test_the_runtime_directory_is_the_default(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no directory given the socket is in the runtime directory."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(tmp_path / "run"))

    async with AgentEndpoint(served) as endpoint:
        assert tmp_path / "run" == endpoint.path.parent


async def test_only_the_owner_can_reach_the_file(tmp_path: Path, served: Served) -> None:
    """The socket is 0600 in a 0700 directory, whatever the umask and whatever the directory was."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o777)
    before = os.umask(0)
    try:
        async with AgentEndpoint(served, directory=tmp_path / "run") as endpoint:
            assert stat.S_ISSOCK(endpoint.path.lstat().st_mode)
            assert 0o600 == mode(endpoint.path)
            assert 0o700 == mode(endpoint.path.parent)
    finally:
        assert 0 == os.umask(before)


async def test_a_strange_umask_does_not_lock_us_out(tmp_path: Path, served: Served) -> None:
    """Even a umask that takes the owner's rights leaves a socket that the owner can connect to."""
    (tmp_path / "run").mkdir(0o700)
    before = os.umask(0o777)
    try:
        async with AgentEndpoint(served, directory=tmp_path / "run") as endpoint:
            assert 0o600 == mode(endpoint.path)
    finally:
        os.umask(before)


async def test_no_child_process_inherits_it(tmp_path: Path) -> None:
    """Neither the listening socket nor a connection is passed to programs that are started."""
    inheritable: asyncio.Queue[bool] = asyncio.Queue()

    async def look(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inheritable.put_nowait(os.get_inheritable(writer.get_extra_info("socket").fileno()))

    with bound_socket(tmp_path / "s") as listening:
        assert not listening.get_inheritable()
    async with AgentEndpoint(look, directory=tmp_path / "run") as endpoint:
        await rest(await connect(endpoint))
        assert not await asyncio.wait_for(inheritable.get(), PATIENCE)


async def test_a_directory_that_is_not_ours_is_refused(tmp_path: Path, served: Served) -> None:
    """No socket is put behind a symbolic link."""
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "run").symlink_to(tmp_path / "real")

    with pytest.raises(RuntimeDirRefused):
        await AgentEndpoint(served, directory=tmp_path / "run").open()
    assert [] == names(tmp_path / "real")


async def test_a_user_who_is_not_allowed_is_refused(
    tmp_path: Path, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """The connection is closed before anything is read, and the log has the user's id and nothing that was sent."""
    caplog.set_level(logging.DEBUG)
    async with AgentEndpoint(served, directory=tmp_path, allowed_uids={UID + 1}) as endpoint:
        streams = await connect(endpoint)
        streams[1].write(b"the-secret\n")

        assert b"" == await rest(streams)
        assert (0, 0) == (served.count, endpoint.connections)
    assert [f"refused a connection from user id {UID}"] == [
        record.getMessage() for record in caplog.records if record.name == "dsh_lsp.endpoint"
    ]
    assert "the-secret" not in caplog.text


CONNECT_AS_NOBODY = f"""
import os, socket, sys
os.setgroups([]); os.setgid({NOBODY - 1}); os.setuid({NOBODY})
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
try:
    s.sendall(b"hello\\n"); print(s.recv(100))
except OSError as error:
    print(b"")
"""


@pytest.mark.skipif(UID != 0 or sys.platform != "linux", reason="only root can become somebody else")
@pytest.mark.parametrize(("allowed", "answer"), [(None, b""), ({UID, NOBODY}, b"hello\n")])
async def test_a_process_of_another_user_is_refused(served: Served, allowed: set[int] | None, answer: bytes) -> None:
    """With both modes opened by accident, another user's process still gets nothing, and an allowed one is served."""
    with short_directory() as directory:
        async with AgentEndpoint(served, directory=directory, allowed_uids=allowed) as endpoint:
            endpoint.path.chmod(0o666)
            endpoint.path.parent.chmod(0o711)
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", CONNECT_AS_NOBODY, str(endpoint.path), stdout=subprocess.PIPE
            )
            out, _ = await asyncio.wait_for(child.communicate(), PATIENCE)

            assert repr(answer).encode() == out.strip()
            assert (1 if answer else 0) == served.count


async def test_a_failing_connection_does_not_touch_the_others(
    endpoint: AgentEndpoint, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug ends its own connection, is logged without the values it met, and new connections are still served."""
    first, second = await connect(endpoint), await connect(endpoint)
    assert b"1\n" == await echoed(first, b"1\n")
    assert b"2\n" == await echoed(second, b"2\n")

    assert b"" == await echoed(first, b"fail the-secret\n")
    assert "ValueError" == await asyncio.wait_for(served.ended.get(), PATIENCE)
    assert b"3\n" == await echoed(second, b"3\n")
    third = await connect(endpoint)
    assert b"4\n" == await echoed(third, b"4\n")
    assert "ValueError" in caplog.text
    assert "the-secret" not in caplog.text
    for streams in (first, second, third):
        streams[1].close()


async def test_a_peer_that_breaks_off_is_no_error(
    tmp_path: Path, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection that broke is not reported as a failure of ours."""

    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise ConnectionResetError("by peer")

    async with AgentEndpoint(broken, directory=tmp_path) as endpoint:
        assert b"" == await rest(await connect(endpoint))
    assert [] == [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_ended_connections_are_forgotten(endpoint: AgentEndpoint, served: Served) -> None:
    """Nothing is kept of a connection once it is over."""
    for _ in range(20):
        streams = await connect(endpoint)
        assert b"x\n" == await echoed(streams, b"x\n")
        streams[1].close()
        await streams[1].wait_closed()

    await no_connections(endpoint)
    assert 20 == served.count


async def test_a_connection_is_closed_when_its_handler_returns(tmp_path: Path) -> None:
    """What the handler wrote arrives, then the end of the stream."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * 3_000_000)

    async with AgentEndpoint(greet, directory=tmp_path, grace=3 * PATIENCE) as endpoint:
        assert b"x" * 3_000_000 == await rest(await connect(endpoint))


async def test_a_peer_that_does_not_read_is_cut_off_in_the_end(tmp_path: Path) -> None:
    """A handler that is done does not wait for ever for its peer to take the rest."""
    written = asyncio.Event()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * 30_000_000)
        written.set()

    async with AgentEndpoint(greet, directory=tmp_path, grace=0.1) as endpoint:
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.connect(str(endpoint.path))
            await asyncio.wait_for(written.wait(), PATIENCE)
            await no_connections(endpoint)


async def test_the_readers_limit_is_the_one_given(tmp_path: Path) -> None:
    """A line longer than the limit can't be read as a line."""
    seen: asyncio.Queue[str] = asyncio.Queue()

    async def read_line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            seen.put_nowait(type(error).__name__)

    async with AgentEndpoint(read_line, directory=tmp_path, limit=64) as endpoint:
        streams = await connect(endpoint)
        streams[1].write(b"x" * 100)
        assert "LimitOverrunError" == await asyncio.wait_for(seen.get(), PATIENCE)
        streams[1].close()


async def test_it_opens_once(tmp_path: Path, served: Served) -> None:
    """An endpoint is opened and closed once; before it is open it has no path."""
    endpoint = AgentEndpoint(served, directory=tmp_path)
    with pytest.raises(RuntimeError):
        _ = endpoint.address
    await endpoint.open()
    with pytest.raises(RuntimeError):
        await endpoint.open()
    await endpoint.close()

    never = AgentEndpoint(served, directory=tmp_path)
    await never.close()
    with pytest.raises(RuntimeError):
        await never.open()


async def test_a_path_too_long_for_a_socket_gets_a_short_one(
    tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket is then in a private directory among the temporary files, and both are removed at the end."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    long = tmp_path / ("x" * 120)

    async with AgentEndpoint(served, directory=long) as endpoint:
        streams = await connect(endpoint)
        assert b"x\n" == await echoed(streams, b"x\n")
        assert tmp_path == endpoint.path.parent.parent
        assert 0o700 == mode(endpoint.path.parent)
        assert 0o600 == mode(endpoint.path)
        assert 0o700 == mode(long)
        streams[1].close()

    assert [long.name] == names(tmp_path)


async def test_a_failed_start_leaves_nothing_behind(
    tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that can't be listened on is closed, and its file and directory are removed."""
    tried: list[socket.socket] = []

    async def fail(*_args: object, sock: socket.socket, **_options: object) -> None:
        tried.append(sock)
        raise OSError(errno.ENOBUFS, "no buffers")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(asyncio, "start_unix_server", fail)

    with pytest.raises(OSError, match="no buffers"):
        await AgentEndpoint(served, directory=tmp_path / ("x" * 120)).open()
    assert ["x" * 120] == names(tmp_path)
    assert [-1] == [each.fileno() for each in tried]
