"""strace, which makes system calls fail or kills at them."""

import os
import shutil

import pytest


def strace(*arguments: str) -> list[str]:
    """The beginning of a command that runs another one under strace, children included.

    The test is skipped where there is no strace, but not in continuous integration, which has to install it.
    """
    if shutil.which("strace") is None:
        if os.environ.get("CI"):
            pytest.fail("continuous integration has to have strace")
        pytest.skip("strace is not here")
    return ["strace", "-f", *arguments]
