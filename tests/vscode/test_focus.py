"""Nothing that an agent does takes the focus, opens a tab, or moves what the user looks at."""

import asyncio

import pytest

from tests.vscode.lab.window import Window, eventually

_LOOK = """const active = vscode.window.activeTextEditor;
return {
  editor: active?.document.uri.fsPath ?? null,
  selection: active ? [active.selection.active.line, active.selection.active.character] : null,
  top: active?.visibleRanges[0]?.start.line ?? null,
  tabs: vscode.window.tabGroups.all.flatMap(group => group.tabs.map(tab => tab.label)),
};"""
_TERMINAL = """globalThis.typedInTerminal = '';
const pty = { onDidWrite: new vscode.EventEmitter().event, open() {}, close() {},
              handleInput(text) { globalThis.typedInTerminal += text; } };
vscode.window.createTerminal({ name: 'a terminal', pty }).show(false);"""
_FOCUSED = "() => document.activeElement?.closest('.part, .monaco-editor')?.className ?? ''"


@pytest.mark.parametrize("focus", ["other editor", "terminal"])
async def test_D17_edits_of_closed_and_open_files_leave_the_focus_alone(window: Window, focus: str) -> None:
    """With the focus in another editor or in a terminal: the active editor, tabs, cursor and view stay as they are."""
    window.file("closed.txt", "one\ntwo\n")
    await window.show("opened.txt", "one\ntwo\n")
    await window.show("mine.txt", "".join(f"line {number}\n" for number in range(200)))
    await window.cursor(150, 3)
    await window.host.run("vscode.window.activeTextEditor.revealRange(new vscode.Range(140, 0, 140, 0), 3)")
    if focus == "terminal":
        await window.host.run(_TERMINAL)
        await window.page.locator(".terminal-wrapper .xterm.focus").wait_for()
    agent = await window.agent()
    await agent.read("closed.txt")
    await agent.read("opened.txt")
    await asyncio.sleep(0.3)
    before, focused = await window.host.run(_LOOK), await window.page.evaluate(_FOCUSED)
    for name in ("closed.txt", "opened.txt"):
        edited = await agent.edit(name, "two", "TWO")
        assert not edited["isError"], edited
    await agent.write("created.txt", "new\n")
    await agent.edit("never-read.txt", "a", "b")
    # VS Code opens a dirty document without a tab after 0.8 s: nothing of that kind may come either.
    await asyncio.sleep(1.3)

    assert before == await window.host.run(_LOOK)
    assert focused == await window.page.evaluate(_FOCUSED)
    assert window.on_disk("closed.txt") == window.on_disk("opened.txt") == b"one\nTWO\n"
    if focus == "terminal":
        await window.page.keyboard.type("typed")
        typed = "return globalThis.typedInTerminal"
        await eventually(lambda: window.host.run(typed), "the terminal's input", ok=lambda text: text == "typed")


async def test_the_tree_and_the_badge_follow_without_being_shown(window: Window) -> None:
    """The side bar that the user has open stays open; the badge counts."""
    await window.command("workbench.view.explorer")
    agent = await window.agent()
    await agent.write("badge.txt", "new\n")
    badge = window.page.locator('.activitybar .action-item:has([aria-label^="Agent Changes"]) .badge-content')

    await eventually(badge.inner_text, "the badge", ok=lambda text: text == "1")
    assert await window.page.locator(".sidebar .explorer-viewlet, .sidebar .explorer-folders-view").count() > 0
