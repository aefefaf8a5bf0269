"""The fixtures of all tests; see README.md beside this file."""

from tests.support.world import pytest_runtest_makereport, via, world

__all__ = ["pytest_runtest_makereport", "via", "world"]
