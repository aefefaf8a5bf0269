"""Pictures of the extension for the documents, in the VS Code of the tests: light, dark, and both high contrasts.

Run it from anywhere, once ``tests/setup.sh`` has been run::

    python editor-clients/vscode/docs/screenshots.py

It writes PNG files beside itself. The session in them is made up; nothing of this machine is in them.
"""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.vscode.lab.code import Code

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

THEMES = {
    "dark": "Default Dark Modern",
    "light": "Default Light Modern",
    "high-contrast": "Default High Contrast",
    "high-contrast-light": "Default High Contrast Light",
}
SOURCE = """\
import json


def load(path):
    text = open(path).read()
    return json.loads(text)


def names(rows):
    out = []
    for row in rows:
        out.append(row["name"])
    return out


LIMIT = 10
DEBUG = True
"""
EDITS = (
    (
        "    text = open(path).read()\n",
        '    with open(path, encoding="utf-8") as file:\n        text = file.read()\n',
    ),
    (
        '    out = []\n    for row in rows:\n        out.append(row["name"])\n    return out\n',
        '    return [row["name"] for row in rows]\n',
    ),
    ("LIMIT = 10\n", "LIMIT = 20\n"),
    ("DEBUG = True\n", ""),
    ("import json\n", "import json\n\n# The file is a list of objects.\n"),
)
_THEME = "await vscode.workspace.getConfiguration('workbench').update('colorTheme', args[0], true)"


async def main() -> int:
    """Make all pictures; the exit code."""
    from tests.vscode.lab.code import Code
    from tests.vscode.lab.installed import installed

    found = installed()
    if isinstance(found, str):
        sys.stderr.write(f"screenshots: {found}\n")
        return 1
    code = Code(found)
    try:
        await code.start()
        await _shoot(code)
    finally:
        await code.stop()
    return 0


async def _shoot(code: "Code") -> None:
    from tests.vscode.lab.shown import page_of
    from tests.vscode.lab.window import server_in

    folder = code.root / "app"
    folder.mkdir()
    server_in(folder)
    window = await code.open(folder, width=1200, height=760)
    await window.show("app.py", SOURCE)
    agent = await window.agent(agent={"name": "claire"})
    await agent.read("app.py")
    for old, new in EDITS:
        await agent.edit("app.py", old, new)
    await agent.write("test_app.py", "from app import names\n\n\ndef test_names():\n    assert names([]) == []\n")
    await agent.run("grep", pattern="def ", path="app.py")
    await window.until_painted("app.py", lambda seen: len(seen.get("modified", [])) == 3)
    await window.command("dsh.changes.focus")
    await window.command("dsh.activity.focus")
    await page_of(window, "article:nth-of-type(8)")
    await window.cursor(15)
    for name, theme in THEMES.items():
        await window.host.run(_THEME, theme)
        await asyncio.sleep(1)
        await window.page.screenshot(path=HERE / f"review-{name}.png")
    await window.host.run(_THEME, THEMES["light"])
    await window.command("workbench.action.closePanel")
    await window.focus_editor()
    await window.command("dsh.openDiff")
    await asyncio.sleep(2)
    await window.page.screenshot(path=HERE / "diff.png")
    session = {"sessionId": agent.session_id, "agent": {"name": "claire"}, "startedAt": "2026-01-02T03:04:05Z"}
    await window.command("dsh.replaySession", session)
    await (await page_of(window, 'h1:text("Replay")')).locator("article").first.wait_for()
    await window.command("workbench.action.closeSidebar")
    await asyncio.sleep(1)
    await window.page.screenshot(path=HERE / "replay.png")
    await agent.close()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(asyncio.run(main()))
