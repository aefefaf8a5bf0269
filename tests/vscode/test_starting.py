"""Finding and starting the server: where it is looked for, what is said when it is not there, and who has no say."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.vscode.lab.window import eventually, server_in

if TYPE_CHECKING:
    from playwright.async_api import Locator

    from tests.vscode.lab.code import Code
    from tests.vscode.lab.window import Window


def status(window: "Window") -> "Locator":
    """The extension's item in the status bar."""
    return window.page.locator(".statusbar-item[id='dsh-lsp.dsh-lsp.dsh']")


async def test_without_a_server_there_is_one_clear_message(code: "Code") -> None:
    """The message names what to install and the setting, and has one button; a server that comes later is taken."""
    folder = code.root / "without"
    folder.mkdir()
    window = await code.open(folder)
    shown = window.page.locator(".notification-list-item", has_text="dsh-lsp was not found")
    await shown.wait_for()
    text = await shown.inner_text()
    assert "pipx install dsh-lsp" in text
    assert "dsh.server.path" in text
    assert await shown.locator(".monaco-button:visible").all_inner_texts() == ["Open Settings"]

    server_in(folder)
    await status(window).click()
    agent = await window.agent()
    assert not (await agent.write("a.txt", "a\n"))["isError"]
    await agent.close()
    await window.page.close()


async def test_a_server_that_never_answers_is_given_up_when_it_is_started_again(code: "Code") -> None:
    """The status bar says that it starts; a click takes another program, and what is given up is not complained of."""
    folder = code.root / "silent"
    program = script(folder, "exec sleep 600")
    window = await code.open(folder)
    item = status(window).locator("a")

    async def label() -> str:
        return await item.get_attribute("aria-label") or ""

    await eventually(label, "it starts", ok=lambda said: "dsh-lsp starts" in said)
    shutil.rmtree(program.parents[1])
    server_in(folder)
    await item.click()
    await eventually(label, "it runs", ok=lambda said: "0 sessions open" in said)

    assert await window.page.locator(".notification-list-item").all_inner_texts() == []
    await window.page.close()


async def test_a_server_that_ends_at_once_is_one_clear_message(code: "Code") -> None:
    """It names the program, and its one button shows the log."""
    folder = code.root / "broken"
    program = script(folder, "echo no module named dsh_lsp >&2; exit 3")
    window = await code.open(folder)
    shown = window.page.locator(".notifications-toasts .notification-list-item")
    await shown.first.wait_for()
    await eventually(
        lambda: status(window).locator("a").get_attribute("aria-label"),
        "it has stopped",
        ok=lambda said: "has stopped" in (said or ""),
    )

    (text,) = await shown.all_inner_texts()
    assert f"the server {program} could not be started" in text
    assert await shown.locator(".monaco-button:visible").all_inner_texts() == ["Show Log"]
    await window.page.close()


def script(folder: Path, lines: str) -> Path:
    """A server of a folder's virtual environment that does something else; its path."""
    program = folder / ".venv" / "bin" / "dsh-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


async def test_the_status_bar_tells_of_sessions_and_changes(window: "Window") -> None:
    """Open sessions, pending changes, and files that have changed since an agent read them, also for screen readers."""
    await window.show("counted.txt", "one\ntwo\n")
    agent = await window.agent()
    await agent.read("counted.txt")
    await agent.edit("counted.txt", "two", "TWO")
    item = status(window).locator("a")

    async def label() -> str:
        return await item.get_attribute("aria-label") or ""

    await eventually(label, "one change", ok=lambda said: "1 session open, 1 change of agents pending" in said)
    await window.cursor(0)
    await window.page.keyboard.type("!")
    await eventually(label, "a stale file", ok=lambda said: "1 file changed since an agent read it" in said)


async def test_a_server_that_dies_is_started_again(window: "Window") -> None:
    """After a crash the client starts it anew, and what was pending is painted again."""
    await window.show("crash.txt", "one\ntwo\n")
    agent = await window.agent()
    await agent.read("crash.txt")
    await agent.edit("crash.txt", "two", "TWO")
    await window.until_painted("crash.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 3]])
    await window.kill_server()
    await window.until_painted("crash.txt", lambda seen: not seen)

    await window.until_painted("crash.txt", lambda seen: seen.get("modified") == [[1, 0, 1, 3]])


async def test_several_folders_have_one_server(code: "Code") -> None:
    """A workspace of two folders: agents of either find the same server, and edits reach both."""
    folders = [code.root / "multi" / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
    server_in(folders[0])
    workspace = code.root / "multi" / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": str(folder)} for folder in folders]}), encoding="utf-8")
    window = await code.open(workspace)
    window.folder = folders[1]
    await window.show("b.txt", "one\n")
    agent = await window.agent()
    read = await agent.read(folders[1] / "b.txt")
    edited = await agent.edit(folders[1] / "b.txt", "one", "ONE")
    assert not read["isError"], read

    assert edited["value"]["via"] == "buffer", edited
    await window.until_painted("b.txt", lambda seen: seen.get("modified") == [[0, 0, 0, 3]])
    assert (await agent.write(folders[0] / "a.txt", "a\n"))["value"]["via"] == "disk"
    await agent.close()
    await window.page.close()


async def test_a_restricted_workspace_can_not_name_the_program(code: "Code") -> None:
    """Neither its virtual environment nor its settings count until the user trusts it."""
    folder = code.root / "untrusted"
    started = [trap(folder / ".venv" / "bin" / "dsh-lsp"), trap(folder / "tools" / "dsh-lsp")]
    (folder / ".vscode").mkdir()
    settings = json.dumps({"dsh.server.path": str(folder / "tools" / "dsh-lsp")})
    (folder / ".vscode" / "settings.json").write_text(settings, encoding="utf-8")
    async with code.restricted():
        window = await code.open(folder)
        assert await window.host.run("return vscode.workspace.isTrusted") is False
        await window.page.locator(".notification-list-item", has_text="dsh-lsp was not found").wait_for()
        await window.page.close()

    assert [False, False] == [mark.exists() for mark in started]


def trap(program: Path) -> Path:
    """A program that leaves a mark when it is started; where that is."""
    mark = program.with_name("it-was-started")
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n", encoding="utf-8")
    program.chmod(0o755)
    return mark
