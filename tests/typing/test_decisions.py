"""Content and value together can't be written down: both type checkers refuse it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLE = HERE / "decisions.py"
FORBIDDEN = {
    number for number, line in enumerate(EXAMPLE.read_text("utf-8").splitlines(), 1) if line.endswith("# forbidden")
}


def run(*command: str) -> str:
    """What a checker prints."""
    env = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False).stdout


def mypy_lines(cache: Path) -> set[int]:
    """The lines that mypy refuses."""
    printed = run(sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={cache}", str(EXAMPLE))
    return {int(number) for number in re.findall(r"decisions\.py:(\d+): error", printed)}


def pyright_lines() -> set[int]:
    """The lines that pyright refuses."""
    printed = json.loads(run(sys.executable, "-m", "pyright", "--outputjson", str(EXAMPLE)))
    found = printed["generalDiagnostics"]
    return {item["range"]["start"]["line"] + 1 for item in found if item["severity"] == "error"}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_mypy_refuses_what_is_forbidden_and_nothing_else(tmp_path: Path) -> None:
    """One error a line that is marked; none elsewhere."""
    assert FORBIDDEN == mypy_lines(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_pyright_refuses_what_is_forbidden_and_nothing_else() -> None:
    """The same lines."""
    assert FORBIDDEN == pyright_lines()
