"""The demo as a newcomer runs it: on the project's own sources and on any folder, which stays as it was."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from dsh_lsp.demo.screen import Screen


def demo(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``dsh-lsp demo`` with an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C"}
    command = [sys.executable, "-m", "dsh_lsp", "demo", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False)


def test_it_keeps_its_promises_on_its_own_sources(tmp_path: Path) -> None:
    """Every step of the story is as promised, also in the C locale, and the exit code says so."""
    done = demo(tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "All 21 promises kept." in done.stdout
    for said in ("FS_STALE_VERSION", "FS_NOT_OBSERVED", "from the editor's buffer, with unsaved changes"):
        assert said in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        b"".join(f"row {n};\r\n".encode() for n in range(1, 60)),
        "".join(f"// zeile {n} \u00fc \U0001f60b\n" for n in range(1, 8)).encode(),
        b"first line\nsecond line",
        b"\xef\xbb\xbfclass A {}\n\nclass B {}\n",
    ],
    ids=["crlf", "unicode", "two lines without an end", "byte order mark"],
)
def test_it_works_on_a_folder_of_the_users_and_leaves_it_alone(tmp_path: Path, content: bytes) -> None:
    """Whatever is in the text file: the same promises, and the folder keeps its bytes and gets no new file."""
    folder = tmp_path / "a folder"
    (folder / ".git").mkdir(parents=True)
    (folder / "file.c").write_bytes(content)
    (folder / "binary").write_bytes(b"\x00\xff" * 50)

    done = demo(tmp_path, "--workspace", str(folder))

    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [".git", "binary", "file.c"]
    assert (folder / "file.c").read_bytes() == content


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_that_it_can_not_work_on_is_said(tmp_path: Path, make: bool) -> None:
    """No folder, or none with a text to edit: exit code 2 and what it needs, and no traceback."""
    folder = tmp_path / "nothing"
    if make:
        folder.mkdir()

    done = demo(tmp_path, "--workspace", str(folder))

    assert done.returncode == 2
    assert "can't be shown" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_broken_promise_is_said_and_counted() -> None:
    """What is not as promised is printed where it happens and at the end."""
    console = Console(record=True, file=open(os.devnull, "w", encoding="utf-8"), width=100)  # noqa: SIM115, PTH123
    screen = Screen(console)
    screen.promise(True, "this is so")
    screen.promise(False, "that is not")
    screen.close()

    assert screen.broken == ["that is not"]
    text = console.export_text()
    assert "NOT AS PROMISED: that is not" in text
    assert "1 of 2 promises broken" in text
