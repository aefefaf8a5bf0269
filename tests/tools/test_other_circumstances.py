"""The tests of the disk once more, as another user and in another locale."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.support.disk_faults import NOBODY
from tests.support.python_child import python
from tests.support.repository import ROOT

OPTIONS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"))

IN_PROCESS = ("attributes", "edits", "guards", "paths", "races", "reading", "removal", "turns")
"""Tests that start no Python of their own: that may lie where another user may not go."""


def outcome(output: bytes) -> dict[str, int]:
    """How many passed, failed and were skipped, from pytest's last line."""
    last = output.decode().strip().splitlines()[-1]
    return {what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|error|skipped)", last)}


def disk_tests(*names: str) -> list[str]:
    """The files of those tests."""
    return [str(ROOT / "tests" / "tools" / f"test_disk_{name}.py") for name in names]


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as a user without privileges anyway")
def test_it_all_holds_for_a_user_without_privileges() -> None:
    """Guards, races, permissions, links and names, as nobody; what only root can do is left out, and little else."""
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv (util-linux) is not here")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, NOBODY, NOBODY)
        done = python(
            *OPTIONS,
            *("--basetemp", f"{folder}/tests"),
            *disk_tests(*IN_PROCESS),
            under=["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"],
            HOME=folder,
            TMPDIR=folder,
        )
    counts = outcome(done.stdout)

    assert 0 == done.returncode, done.stdout.decode()
    assert counts["passed"] > 150
    assert counts.get("skipped", 0) < 20


@pytest.mark.slow
def test_it_all_holds_in_the_c_locale() -> None:
    """Names and texts are what they are, whatever the locale says that bytes mean."""
    # A short path: one of the tests binds a socket in it.
    with tempfile.TemporaryDirectory(prefix="dsh-", dir="/tmp") as folder:
        done = python(
            *OPTIONS,
            *("--basetemp", str(Path(folder) / "t")),
            *disk_tests(*IN_PROCESS, "faults"),
            LC_ALL="C",
            PYTHONUTF8="0",
            PYTHONCOERCECLOCALE="0",
        )

    assert 0 == done.returncode, done.stdout.decode()
    assert outcome(done.stdout)["passed"] > 150
