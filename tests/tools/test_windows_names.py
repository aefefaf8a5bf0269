"""Names and paths of Windows (F19). The type of a file system is given where a real one of Windows would be needed."""

import os
from pathlib import Path

import pytest

from dsh_ledger.errors import InvalidArgs
from dsh_tools.fs import windows_names
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.windows_names import file_system
from tests.support.disk_faults import mounted, mutated, names

BAD = ["nul", "NUL.txt", "Con", "com1.log", "LPT9", "a:b", "what?", "a.", "a ", 'say "hi"', "back\\slash"]
GOOD = ["null", "console", "com", "com10", "a.b", ".a", "a b", "\u30db", "nul-1"]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("below", [False, True])
def test_F19_a_name_that_windows_reads_as_another_thing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, below: bool
) -> None:
    """On a file system of Windows neither a file nor a folder of such a name is made (F19)."""
    monkeypatch.setattr(windows_names, "file_system", lambda directory: "vfat")

    with pytest.raises(InvalidArgs, match="file system of Windows"):
        mutated(tmp_path, f"{name}/x" if below else f"./{name}", "x")
    assert [] == names(tmp_path)


@pytest.mark.parametrize("name", GOOD)
def test_F19_other_names_are_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What only looks like one is made there as anywhere (F19)."""
    monkeypatch.setattr(windows_names, "file_system", lambda directory: "ntfs3")
    mutated(tmp_path, name, "x")

    assert [name] == names(tmp_path)


@pytest.mark.parametrize("name", [name for name in BAD if "\\" not in name])
def test_F19_on_a_file_system_of_linux_they_are_names(tmp_path: Path, name: str) -> None:
    """There they mean nothing else (F19)."""
    mutated(tmp_path, f"./{name}", "x")

    assert [name] == names(tmp_path)


@pytest.mark.parametrize("path", ["C:\\Users\\x", "c:/x", "Z:\\"])
def test_F19_a_path_of_windows_is_an_argument_error(tmp_path: Path, path: str) -> None:
    """No file of that name is made in the workspace; one that is there can be named with a dot in front (F19)."""
    workspace = Workspace([tmp_path])
    with pytest.raises(InvalidArgs, match="is a path of Windows"):
        workspace.resolve(path)

    assert f"./{path}".rstrip("/") == workspace.resolve(f"./{path}").path


def test_F19_the_type_of_a_file_system_is_the_mounts(tmp_path: Path) -> None:
    """As the kernel says it, for a mount like for any other folder (F19)."""
    (tmp_path / "m").mkdir()
    with mounted("-t", "tmpfs", "tmpfs", at=tmp_path / "m"):
        fd = os.open(tmp_path / "m", os.O_PATH)
        try:
            assert "tmpfs" == file_system(fd)
        finally:
            os.close(fd)
