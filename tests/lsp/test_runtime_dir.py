"""Which directory sockets and discovery files live in, and when it is refused."""

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from dsh_lsp.runtime_dir import RuntimeDirRefused, known_runtime_dirs, private_dir, runtime_dir

UID = os.geteuid()
as_root = pytest.mark.skipif(UID != 0, reason="only root can give files away")


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files of the test's own, and no other choice made by the environment."""
    monkeypatch.delenv("DSH_LSP_RUNTIME_DIR", raising=False)
    path = tmp_path / "tmp"
    path.mkdir(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's runtime directory, as the platform names it, whatever this machine has."""
    path = tmp_path / "run" / "dsh-lsp"
    path.parent.mkdir(0o700)
    monkeypatch.setattr(platformdirs, "user_runtime_dir", lambda *_args, **_options: str(path))
    return path


def test_the_variable_names_the_directory(tmp_path: Path, users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory that DSH_LSP_RUNTIME_DIR names is created, with its parents, closed to others, and used."""
    named = tmp_path / "some" / "where"
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(named))

    assert named == runtime_dir()
    assert 0o700 == mode(named)
    assert [named] == known_runtime_dirs()
    assert not users.exists()


def test_a_relative_path_in_the_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path would be another directory for each working directory."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", "some/where")

    with pytest.raises(RuntimeDirRefused, match="absolute"):
        runtime_dir()
    with pytest.raises(RuntimeDirRefused, match="absolute"):
        known_runtime_dirs()


def test_an_unusable_directory_in_the_variable_is_an_error(
    tmp_path: Path, users: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user asked for is not quietly replaced by something else, and the error does not repeat the path."""
    (tmp_path / "file").write_bytes(b"")
    for named in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(named))

        with pytest.raises(RuntimeDirRefused) as refused:
            runtime_dir()
        assert named == refused.value.path
        assert str(tmp_path) not in str(refused.value)
        assert "DSH_LSP_RUNTIME_DIR" in str(refused.value)
        assert [] == known_runtime_dirs()
    assert not users.exists()
    assert [] == list(temporary.iterdir())


def test_the_platform_names_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no variable of ours it is XDG_RUNTIME_DIR/dsh-lsp, as platformdirs has it."""
    base = tmp_path / "xdg"
    base.mkdir(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))

    assert base / "dsh-lsp" == runtime_dir()
    assert 0o700 == mode(base / "dsh-lsp")


def test_without_a_runtime_directory_it_is_a_temporary_one(users: Path, temporary: Path) -> None:
    """Where the platform has no directory for the user none is made there, but one among the temporary files."""
    users.parent.rmdir()

    assert temporary / f"dsh-lsp-{UID}" == runtime_dir()
    assert 0o700 == mode(temporary / f"dsh-lsp-{UID}")
    assert not users.parent.exists()


def test_a_refusal_of_the_platform_leads_to_the_temporary_one(
    users: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform directory that can't be trusted, or that platformdirs refuses to name, is not the end."""
    users.symlink_to(temporary)
    assert temporary / f"dsh-lsp-{UID}" == runtime_dir()

    def refuse(*_args: object, **_options: object) -> str:
        raise PermissionError("runtime directory is not private")

    monkeypatch.setattr(platformdirs, "user_runtime_dir", refuse)
    assert temporary / f"dsh-lsp-{UID}" == runtime_dir()


def test_the_fallback_of_platformdirs_is_not_used(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions of platformdirs differ on a fallback of their own, and two installations have to meet."""
    fallback = temporary / f"runtime-{UID}"
    fallback.mkdir(0o700)
    monkeypatch.setattr(platformdirs, "user_runtime_dir", lambda *_args, **_options: str(fallback / "dsh-lsp"))

    assert temporary / f"dsh-lsp-{UID}" == runtime_dir()
    assert [] == list(fallback.iterdir())


def test_all_known_directories_are_looked_in_and_none_is_made(users: Path, temporary: Path) -> None:
    """An agent with another environment than the server's looks in both places, and leaves no trace."""
    assert [] == known_runtime_dirs()

    fallback = temporary / f"dsh-lsp-{UID}"
    fallback.mkdir(0o700)
    assert [fallback] == known_runtime_dirs()

    users.mkdir(0o700)
    assert [users, fallback] == known_runtime_dirs()


@pytest.mark.parametrize("wide", [0o755, 0o710, 0o701, 0o777, 0o500])
def test_a_directory_of_ours_is_narrowed(tmp_path: Path, wide: int) -> None:
    """A directory of our own that others may enter, or that we may not write to, gets mode 0700."""
    path = tmp_path / "ours"
    path.mkdir()
    path.chmod(wide)

    assert path == private_dir(path)
    assert 0o700 == mode(path)


def test_the_umask_does_not_widen_it(tmp_path: Path) -> None:
    """The mode is 0700 from the start, whatever the umask."""
    before = os.umask(0)
    try:
        private_dir(tmp_path / "ours")
    finally:
        os.umask(before)

    assert 0o700 == mode(tmp_path / "ours")


def link(path: Path) -> None:
    """A symbolic link to a directory that would do."""
    target = path.with_name("target")
    target.mkdir(0o700)
    path.symlink_to(target)


@pytest.mark.parametrize("make", [link, Path.touch, os.mkfifo])
def test_what_is_no_directory_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A symbolic link, a file and a pipe are refused, without waiting for anything."""
    make(tmp_path / "x")

    with pytest.raises(RuntimeDirRefused):
        private_dir(tmp_path / "x")


def test_a_missing_directory_is_refused_when_it_must_not_be_made(tmp_path: Path) -> None:
    """With ``create=False`` nothing is created."""
    with pytest.raises(RuntimeDirRefused):
        private_dir(tmp_path / "x", create=False)
    assert [] == [path for path in tmp_path.iterdir() if path.name == "x"]


@as_root
def test_a_directory_of_another_user_is_refused(tmp_path: Path, users: Path, temporary: Path) -> None:
    """Somebody who made the directory before we did gets nothing put into it, and its mode stays as it is."""
    squatted = temporary / f"dsh-lsp-{UID}"
    for path in (users, squatted):
        path.mkdir()
        path.chmod(0o777)
        os.chown(path, 65534, 65534)

    with pytest.raises(RuntimeDirRefused, match="another user"):
        runtime_dir()
    assert [] == known_runtime_dirs()
    assert 0o777 == mode(squatted)
