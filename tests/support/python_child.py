"""Python in a process of its own, which imports what the tests import."""

import os
import subprocess
import sys
from collections.abc import Sequence

from tests.support.repository import ROOT

IMPORTS = os.pathsep.join(str(ROOT / folder) for folder in (".", "ledger", "tools"))
"""A ``PYTHONPATH`` for it."""


def python(*arguments: str, under: Sequence[str] = (), **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python.

    Args:
        arguments: Its command line.
        under: A command that runs it (strace, setpriv).
        environment: Variables, in addition to those of this process.
    """
    return subprocess.run(
        [*under, sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": IMPORTS, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        check=False,
        timeout=100,
    )
