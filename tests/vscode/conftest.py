"""One VS Code for all tests of a process; each test has files of its own and finds an empty desk."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.vscode.lab.installed import Installed, installed

if TYPE_CHECKING:
    from tests.vscode.lab.code import Code
    from tests.vscode.lab.window import Window

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All asynchronous tests here share one loop: VS Code and the browser live in it."""
    for item in items:
        if item.path.is_relative_to(_HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("vscode"))  # with --dist loadgroup, all in one process


@pytest.fixture(scope="session")
def vs_code() -> Installed:
    """What was set up; without it the tests are skipped, unless ``DSH_VSCODE=required``."""
    found = installed()
    if isinstance(found, str):
        if os.environ.get("DSH_VSCODE") == "required":
            pytest.fail(found)
        pytest.skip(found)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def code(vs_code: Installed) -> "AsyncIterator[Code]":
    """VS Code, started once."""
    from tests.vscode.lab.code import Code

    made = Code(vs_code)
    try:
        await made.start(
            **{
                "dsh.server.permissions": {"web_fetch": "allow"},
                "dsh.server.webAllowPrivate": True,
            }
        )
        yield made
    finally:
        await made.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_window(code: "Code") -> "Window":
    """The window that most tests use, with a workspace that has the server in its virtual environment."""
    from tests.vscode.lab.window import server_in

    folder = code.root / "ws"
    folder.mkdir()
    server_in(folder)
    return await code.open(folder)


@pytest_asyncio.fixture(loop_scope="session")
async def window(shared_window: "Window") -> "AsyncIterator[Window]":
    """The shared window, with nothing open and nothing pending."""
    yield shared_window
    await shared_window.command("dsh.keepAll")
    await shared_window.clear()
