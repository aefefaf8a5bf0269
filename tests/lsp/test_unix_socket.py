"""A socket's file, its modes from the first moment on, and the user at the other end."""

import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from dsh_lsp.unix_socket import SUN_PATH, bound_socket, peer_uid, socket_place


@pytest.mark.skipif(sys.platform != "linux", reason="the file takes the socket's mode on Linux alone")
def test_the_file_is_never_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode is 0600 from the moment of binding, not only once it has been changed."""
    modes: list[int] = []
    change = Path.chmod

    def chmod(path: Path, wanted: int) -> None:
        modes.append(stat.S_IMODE(path.lstat().st_mode))
        change(path, wanted)

    monkeypatch.setattr(Path, "chmod", chmod)
    before = os.umask(0)
    try:
        bound_socket(tmp_path / "s").close()
    finally:
        os.umask(before)

    assert [0o600] == modes


def test_the_kernel_knows_the_peer() -> None:
    """The peer of a socket pair is ourselves."""
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert os.geteuid() == peer_uid(ours)


def test_a_socket_without_a_known_peer_has_no_user() -> None:
    """What the kernel won't say is None, which nobody is allowed to be."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as stranger:
        assert peer_uid(stranger) in (None, 2**32 - 1)


def test_the_longest_path_that_fits_is_used(tmp_path: Path) -> None:
    """A path of one byte less than the kernel's field, in bytes and not in characters, can be bound."""
    room = SUN_PATH - 1 - len("/0123456789abcdef.sock") - len(os.fsencode(tmp_path)) - 1
    fits = tmp_path / ("é" * (room // 2) + "x" * (room % 2))
    fits.mkdir()

    path, own = socket_place(fits)
    assert own is None
    assert SUN_PATH - 1 == len(os.fsencode(path))
    bound_socket(path).close()

    path, own = socket_place(fits.with_name(fits.name + "x"))
    assert own == path.parent
    own.rmdir()


def test_a_temporary_directory_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a long TMPDIR as well the socket goes to /tmp."""
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))

    path, own = socket_place(long)

    assert own == path.parent
    assert Path("/tmp") == own.parent
    assert [] == list(long.iterdir())
    own.rmdir()
