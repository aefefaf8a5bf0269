"""Removing a file only if it is what it was thought to be."""

import os
from pathlib import Path

import pytest

from dsh_ledger.errors import FsSandboxDenied
from dsh_ledger.versions import version_of_text
from dsh_tools.fs import removal
from dsh_tools.fs.disk import DiskFileSystem


async def test_a_file_of_that_version_is_removed(disk: DiskFileSystem, tmp_path: Path) -> None:
    """It is gone, and nothing is left beside it."""
    (tmp_path / "a.txt").write_text("one\n")

    assert await disk.remove(await disk.resolve("a.txt"), version_of_text("one\n"))
    assert [] == list(tmp_path.iterdir())


async def test_a_file_of_another_version_stays(disk: DiskFileSystem, tmp_path: Path) -> None:
    """Changed content is nobody's to remove; a missing file is no error."""
    (tmp_path / "a.txt").write_text("two\n")

    assert not await disk.remove(await disk.resolve("a.txt"), version_of_text("one\n"))
    assert not await disk.remove(await disk.resolve("b.txt"), version_of_text("one\n"))
    assert "two\n" == (tmp_path / "a.txt").read_text()


@pytest.mark.parametrize("how", ["renamed over", "written in place"])
async def test_what_is_written_in_the_last_moment_comes_back(
    disk: DiskFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Between the look and the removal somebody else writes; their bytes are there afterwards, under the name."""
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    rename = os.rename

    def late(*args: object, **kwargs: object) -> None:
        if how == "renamed over":
            other = tmp_path / "other"
            other.write_text("theirs\n")
            other.replace(path)
        else:
            path.write_text("theirs\n")
        rename(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(removal.os, "rename", late)

    assert not await disk.remove(await disk.resolve("a.txt"), version_of_text("one\n"))
    assert {"a.txt": "theirs\n"} == {each.name: each.read_text() for each in tmp_path.iterdir()}


async def test_a_protected_file_stays(disk: DiskFileSystem, tmp_path: Path) -> None:
    """As for every other change."""
    (tmp_path / ".envrc").write_text("one\n")

    with pytest.raises(FsSandboxDenied):
        await disk.remove(await disk.resolve(".envrc"), version_of_text("one\n"))
