"""The webview: six kinds of cards as they come, replayed sessions, and what people with other eyes and hands need."""

import json
from typing import TYPE_CHECKING, Any

import pytest_asyncio

from tests.vscode.lab.installed import EXTENSION

if TYPE_CHECKING:
    from playwright.async_api import FrameLocator, Locator

    from tests.support.agent import Agent
    from tests.vscode.lab.window import Window

_AXE = EXTENSION / "node_modules" / "axe-core" / "axe.min.js"
_RUN_AXE = """async (body, source) => {
  (0, eval)(source);
  const { violations } = await axe.run(document);
  const told = node => [node.html, node.failureSummary];
  return violations.map(each => [each.id, each.impact, each.nodes.slice(0, 5).map(told)]);
}"""
_THEMES = {
    "Default Dark Modern": ".vscode-dark",
    "Default Light Modern": ".vscode-light",
    "Default High Contrast": ".vscode-high-contrast:not(.vscode-high-contrast-light)",
    "Default High Contrast Light": ".vscode-high-contrast-light",
}
_TROJAN = "<img src=x onerror=alert(1)> \u202eevil\x1b[31m"


@pytest_asyncio.fixture(loop_scope="session")
async def page(window: "Window") -> "FrameLocator":
    """The page of the view "Agent Activity"."""
    from tests.vscode.lab.shown import activity

    return await activity(window)


def card(page: "FrameLocator", call: str) -> "Locator":
    """The card of a call."""
    return page.locator(f'article[data-call="{call}"]')


async def six_kinds(window: "Window", agent: "Agent", mark: str) -> dict[str, str]:
    """Calls whose results have the six kinds of cards: the id of the call by its kind."""
    window.file(f"{mark}.py", "".join(f"value_{number} = {number}\n" for number in range(40)))
    window.file(f"{mark}.html", "<title>A page</title><p>Hello from the web</p>")
    calls = {kind: f"{mark}-{kind}" for kind in ("read", "diff", "search", "generic", "terminal", "web")}
    await agent.run("read", call_id=calls["read"], file_path=f"{mark}.py", offset=5, limit=3)
    new = f"value_5 = 55  # {_TROJAN}\n"
    await agent.run("edit", call_id=calls["diff"], file_path=f"{mark}.py", old_string="value_5 = 5\n", new_string=new)
    await agent.run("grep", call_id=calls["search"], pattern="value_3", path=f"{mark}.py")
    await agent.run("edit", call_id=calls["generic"], file_path="never-read.py", old_string="a", new_string="b")
    bash = agent.start("bash", call_id=calls["terminal"], command="printf 'one\\ntwo\\n'; exit 3")
    await (
        window.page.locator(".notification-list-item", has_text="wants to use bash")
        .get_by_role("button", name="Allow")
        .click()
    )
    await bash.result()
    await agent.run("web_fetch", call_id=calls["web"], url="http://127.0.0.1:1/nothing")
    return calls


async def test_cards_of_all_kinds_come_as_they_happen(window: "Window", page: "FrameLocator") -> None:
    """Each call has an article: its heading names tool and subject, its state is said, and its content is there."""
    agent = await window.agent()
    await window.command("notifications.clearAll")
    calls = await six_kinds(window, agent, "kinds")

    for kind, call in calls.items():
        if kind != "web":
            await card(page, call).and_(page.locator(f'[data-kind="{kind}"]')).wait_for()
    read = await card(page, calls["read"]).inner_text()
    assert "lines 5\u20137 of 40" in read
    assert "Not shown: 4 lines before and 33 lines after." in read
    assert "value_4 = 4" in read
    diff = card(page, calls["diff"])
    assert await diff.locator(".del del").all_inner_texts() == ["value_5 = 5"]
    (added,) = await diff.locator(".add ins").all_inner_texts()
    assert added == "value_5 = 55  # <img src=x onerror=alert(1)> \u27e8U+202E\u27e9evil\u27e8ESC\u27e9[31m"
    assert await page.locator("img").count() == 0
    assert await diff.locator(".counts").get_attribute("aria-label") == "1 line added, 1 line removed"
    assert "11 of 11 hits listed" in await card(page, calls["search"]).inner_text()
    generic = card(page, calls["generic"])
    assert await generic.get_attribute("data-state") == "failed"
    assert "FS_NOT_OBSERVED" in await generic.inner_text()
    terminal = await card(page, calls["terminal"]).inner_text()
    assert "exit code 3" in terminal
    assert "test agent" in terminal
    assert "one\ntwo" in terminal


async def test_a_web_page_and_what_was_cut_are_said(window: "Window", page: "FrameLocator") -> None:
    """A page from the web has its address as a link, its status, and the word that it was cut."""
    from tests.vscode.lab.web import pages

    agent = await window.agent()
    async with pages({"/": "<p>Hello</p>" + "<p>word</p>" * 15_000}) as address:
        answer = await agent.run("web_fetch", call_id="web-cut", url=address)
    assert not answer["isError"], answer
    shown = card(page, "web-cut")
    await shown.and_(page.locator('[data-kind="web"]')).wait_for()

    assert await shown.locator("a.subject").get_attribute("href") == address
    text = await shown.inner_text()
    assert "status 200" in text
    assert "The page was cut: not all of it is shown." in text


async def test_a_path_in_a_card_leads_to_the_file_and_line(window: "Window", page: "FrameLocator") -> None:
    """A click on a hit of a search shows that file at that line."""
    from tests.vscode.lab.window import eventually

    agent = await window.agent()
    window.file("jump.py", "".join(f"row_{number}\n" for number in range(100)))
    await agent.run("grep", call_id="jump", pattern="row_77", path="jump.py")
    await card(page, "jump").locator("button.place", has_text="jump.py:78").click()
    where = (
        "const e = vscode.window.activeTextEditor; return e ? [e.document.uri.fsPath, e.selection.active.line] : null"
    )

    expected = [str(window.folder / "jump.py"), 77]
    await eventually(lambda: window.host.run(where), "the place", ok=lambda seen: seen == expected)


async def test_the_feed_can_be_read_with_the_keyboard(window: "Window", page: "FrameLocator") -> None:
    """Page Down and Page Up go from card to card; a card can be focused and has the name of its heading."""
    agent = await window.agent()
    for number in range(3):
        await agent.run("glob", call_id=f"feed-{number}", pattern=f"*.none{number}")
    await card(page, "feed-2").wait_for()
    await card(page, "feed-0").focus()
    await window.page.keyboard.press("PageDown")
    focused = page.locator("article:focus")
    assert await focused.get_attribute("data-call") == "feed-1"
    await window.page.keyboard.press("PageUp")

    assert await focused.get_attribute("data-call") == "feed-0"
    assert await page.get_by_role("feed", name="Agent activity").count() == 1
    assert await page.get_by_role("article", name="glob").count() >= 3


async def test_nothing_from_elsewhere_may_be_loaded_or_run(window: "Window", page: "FrameLocator") -> None:
    """The page's policy: no connections, no images, scripts by nonce alone, styles from the extension alone."""
    policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")

    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].startswith("'nonce-")
    assert "unsafe" not in policy


async def test_axe_finds_no_serious_fault(window: "Window") -> None:
    """With cards of all kinds shown, in the dark, in light, and in high contrast."""
    from tests.vscode.lab.shown import page_of

    agent = await window.agent(agent={"name": "looked at"})
    await six_kinds(window, agent, "axe")
    await window.command("dsh.replaySession", {"sessionId": agent.session_id, "startedAt": "2026-01-02T03:04:05Z"})
    page = await page_of(window, 'h1:text("Replay: an agent")')
    await page.locator('[data-kind="terminal"]').wait_for()
    settings = "await vscode.workspace.getConfiguration('workbench').update('colorTheme', args[0], true)"
    serious = {}
    try:
        for theme, kind in _THEMES.items():
            await window.host.run(settings, theme)
            await page.locator(f"body{kind}").wait_for()
            found: list[Any] = await page.locator("body").evaluate(_RUN_AXE, _AXE.read_text(encoding="utf-8"))
            serious[theme] = [each for each in found if each[1] in {"serious", "critical"}]
    finally:
        await window.host.run(settings, "Default Dark Modern")

    assert {theme: [] for theme in _THEMES} == serious, json.dumps(serious, indent=1)


async def test_a_session_is_replayed_from_the_list(window: "Window") -> None:
    """The list has the session; a click shows its cards, from the record alone, and runs nothing again."""
    from tests.vscode.lab.shown import page_of

    agent = await window.agent(agent={"name": "replayed agent"})
    await agent.write("replayed.txt", "once\n")
    await agent.request("dsh/session/close", {"sessionId": agent.session_id})
    (window.folder / "replayed.txt").unlink()
    await window.command("dsh.sessions.focus")
    await window.command("dsh.refresh")
    row = window.page.locator('.pane:has(.title:text-is("Sessions")) .monaco-list-row', has_text="replayed agent")
    assert "ended" in await row.inner_text()
    await row.click()
    page = await page_of(window, 'h1:text("Replay: replayed agent")')

    shown = page.locator("article")
    assert await shown.count() == 1
    assert await shown.locator(".add ins").all_inner_texts() == ["once"]
    assert "nothing was run again" in await page.locator("#notes").inner_text()
    assert not (window.folder / "replayed.txt").exists()
