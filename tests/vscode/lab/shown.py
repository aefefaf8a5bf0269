"""What a person sees in VS Code, compared with what a conformance transcript says must be seen."""

from typing import Any

from playwright.async_api import FrameLocator

from tests.vscode.lab.window import Window, eventually

_LOOK = """const document = vscode.workspace.textDocuments.find(each => each.uri.fsPath === args[0]);
if (!document) return null;
const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri);
const painted = ours.exports.painted(document.uri);
const hovers = {};
for (const line of args[1]) {
  const at = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
  const found = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at);
  hovers[line] = found.flatMap(hover => hover.contents.map(content => content.value)).join('\\n');
}
return { text: document.getText(), dirty: document.isDirty, painted, hovers, lines: document.lineCount,
         lenses: lenses.map(lens => [lens.range.start.line, lens.command.title]) };"""


class Shown:
    """Looks at a window."""

    def __init__(self, window: Window) -> None:
        self._window = window

    async def document(self, name: str, wanted: dict[str, Any]) -> None:
        """Wait until a document is shown as it must be."""
        path = self._window.folder / name
        lines = [each["before"] for each in wanted["paint"]["removed"]]

        async def look() -> list[str]:
            seen = await self._window.host.run(_LOOK, str(path), lines)
            return ["it is not open"] if seen is None else _differences(seen, wanted, path.read_bytes().decode())

        await eventually(look, name, ok=lambda found: not found)

    async def card(self, call: str, state: str, contains: list[str]) -> None:
        """Wait until the card of a call is shown as it must be."""
        cards = await activity(self._window)
        card = cards.locator(f'article[data-call="{call}"]')

        async def look() -> list[str]:
            seen = await card.get_attribute("data-state")
            text = await card.evaluate("card => card.textContent")
            return [f"state {seen}"] * (seen != state) + [
                f"no {each!r} in {text!r}" for each in contains if each not in text
            ]

        await eventually(look, f"the card of {call}", ok=lambda found: not found)


async def activity(window: Window) -> FrameLocator:
    """The page of the view "Agent Activity", shown."""
    await window.command("dsh.activity.focus")
    return await page_of(window, "#cards")


async def page_of(window: Window, marked: str) -> FrameLocator:
    """The innermost frame of the webview that has something."""

    async def look() -> FrameLocator | None:
        outer = window.page.locator("iframe.webview.ready")
        for index in range(await outer.count()):
            inner = outer.nth(index).content_frame.locator("iframe#active-frame").content_frame
            if await outer.nth(index).is_visible() and await inner.locator(marked).count():
                return inner
        return None

    found = await eventually(look, "the webview")
    assert found is not None
    return found


def _differences(seen: dict[str, Any], wanted: dict[str, Any], disk: str) -> list[str]:
    paint, painted = wanted["paint"], seen["painted"]
    lenses: list[tuple[int, str]] = seen["lenses"]
    pairs = [
        ("text", wanted["text"], seen["text"]),
        ("saved", wanted["saved"], not seen["dirty"] and disk == wanted["text"]),
        ("added", paint["added"], _rows(painted.get("added", []))),
        ("modified", paint["modified"], _rows(painted.get("modified", []))),
        ("words", paint["words"], [[line, start, end] for line, start, _, end in painted.get("words", [])]),
    ]
    found = [f"{name}: {right!r}, not {got!r}" for name, right, got in pairs if right != got]
    for line, name in paint["authors"]:
        found += [] if any(at == line and name in title for at, title in lenses) else [f"{name} at {line}: {lenses}"]
    for verb in paint["finalNewline"]:
        said = f"{verb} the line end at the end of the file"
        found += [] if any(said in title for _, title in lenses) else [f"{said}: {lenses}"]
    return found + [miss for each in paint["removed"] for miss in _not_shown(each, seen)]


def _not_shown(removed: dict[str, Any], seen: dict[str, Any]) -> list[str]:
    """What of removed lines is not to be seen: the first behind the end of a line, all of them in the hover there."""
    hover = seen["hovers"][str(removed["before"])]
    texts = [
        text for line, text in seen["painted"].get("texts", []) if line == min(removed["before"], seen["lines"] - 1)
    ]
    found = [f"-{line} in {hover!r}" for line in removed["lines"] if f"-{line}" not in hover]
    first = removed["lines"][0].strip()
    return found if any(first in text for text in texts) else [*found, f"{first!r} in {texts}"]


def _rows(ranges: list[list[int]]) -> list[int]:
    return [row for first, _, last, _ in ranges for row in range(first, last + 1)]
