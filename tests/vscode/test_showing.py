"""What can be shown, and what can be switched off: painting, lenses, the quick diff, the walkthrough; many hunks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.vscode.lab.window import eventually

if TYPE_CHECKING:
    from tests.vscode.lab.window import Window

_UPDATE = "await vscode.workspace.getConfiguration().update(args[0], args[1] ?? undefined, true)"


@asynccontextmanager
async def setting(window: "Window", name: str, value: Any) -> AsyncIterator[None]:
    """A setting of the user's, for a while."""
    await window.host.run(_UPDATE, name, value)
    try:
        yield
    finally:
        await window.host.run(_UPDATE, name, None)


async def one_hunk(window: "Window", name: str) -> None:
    """A file in which an agent has changed a word."""
    await window.show(name, "one\ntwo and more\nthree\n")
    agent = await window.agent()
    await agent.read(name)
    await agent.edit(name, "two", "zwei")
    await window.until_painted(name, lambda seen: "words" in seen)


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("dsh.paint.enabled", False, set()),
        ("dsh.paint.words", False, {"modified", "before", "texts"}),
        ("dsh.paint.removedText", "off", {"modified", "words"}),
    ],
)
async def test_painting_can_be_switched_off(window: "Window", name: str, value: Any, left: set[str]) -> None:
    """Each setting takes away what it names at once, and gives it back."""
    file = f"{name}.txt"
    await one_hunk(window, file)
    async with setting(window, name, value):
        await window.until_painted(file, lambda seen: set(seen) == left)

    await window.until_painted(file, lambda seen: set(seen) == {"modified", "words", "before", "texts"})


async def test_lenses_can_be_switched_off(window: "Window") -> None:
    """Without lenses the lines stand as they always do."""
    await one_hunk(window, "lenses.txt")
    lens = window.editor.locator(".codelens-decoration a", has_text="Keep")
    await lens.wait_for()
    async with setting(window, "dsh.codeLens.enabled", False):
        await lens.wait_for(state="detached")


async def test_the_text_from_before_is_a_quick_diff_for_who_wants_it(window: "Window") -> None:
    """With the setting, VS Code's own gutter marks the change, and peeks at what was there."""
    await one_hunk(window, "quick.txt")
    gutter = window.editor.locator('.dirty-diff-glyph, [class*="dirty-diff-"]')
    assert await gutter.count() == 0
    async with setting(window, "dsh.quickDiff.enabled", True):
        await gutter.first.wait_for()
        await window.cursor(1)
        await window.command("editor.action.dirtydiff.next")
        peek = window.page.locator(".peekview-widget .monaco-diff-editor")
        await eventually(peek.inner_text, "the peek", ok=lambda text: "two" in text.replace("\u00a0", " "))
        await window.page.keyboard.press("Escape")


async def test_the_walkthrough_opens(window: "Window") -> None:
    """Its four steps are shown on one page."""
    await window.command("workbench.action.openWalkthrough", "dsh-lsp.dsh-lsp#start", False)
    steps = window.page.locator(".gettingStartedContainer .step-title")

    titles = ["Get the server", "Attach an agent", "Keep or undo", "Look at a session again"]
    await eventually(steps.all_inner_texts, "the steps", ok=lambda seen: seen == titles)


async def test_thousands_of_hunks_leave_the_editor_quick(window: "Window") -> None:
    """With 3,000 changes in a file everything is painted, and a key still shows within half a second."""
    lines = [f"line {number}" for number in range(9_000)]
    await window.show("many.txt", "\n".join(lines) + "\n")
    agent = await window.agent()
    await agent.read("many.txt")
    changed = [f"CHANGED {number}" if number % 3 == 0 else line for number, line in enumerate(lines)]
    written = await agent.run("write", file_path="many.txt", content="\n".join(changed) + "\n", within=60)
    assert not written["isError"], written
    count = "return ours.exports.painted(vscode.window.activeTextEditor.document.uri).modified?.length ?? 0"
    await eventually(lambda: window.host.run(count), "3,000 hunks", 30.0, ok=lambda number: number == 3_000)
    await window.cursor(1, 0)
    times = []
    for _ in range(5):
        times.append(await window.page.evaluate(_KEY_TIME))
        await window.page.keyboard.press("x")
        times[-1] = await window.page.evaluate("window.untilShown")

    assert sorted(times)[2] < 500, times
    await window.command("dsh.keepFile")
    await window.until_painted("many.txt", lambda seen: not seen)


_KEY_TIME = """() => {
  const start = performance.now();
  window.untilShown = new Promise(resolve => {
    const seen = new MutationObserver(() => { seen.disconnect(); resolve(performance.now() - start); });
    seen.observe(document.querySelector('.view-lines'), { childList: true, subtree: true, characterData: true });
  });
}"""
