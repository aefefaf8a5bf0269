"""What agents must ask for: a notification that takes no focus, with the whole question one click away."""

import asyncio
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Locator

    from tests.vscode.lab.window import Window


def notification(window: "Window", text: str) -> "Locator":
    """The notification that says something."""
    return window.page.locator(".notifications-toasts .notification-list-item", has_text=text)


@pytest.mark.parametrize("answer", ["Allow", "Deny"])
async def test_a_command_waits_for_the_user_who_may_go_on_typing(window: "Window", answer: str) -> None:
    """The question comes beside what the user types; what is clicked is what happens."""
    name = f"asked-{answer}.txt"
    await window.show(name, "text\n")
    agent = await window.agent()
    await window.cursor(0, 4)
    call = agent.start("bash", command="echo asked", description="")
    asked = notification(window, "wants to use bash")
    await asked.wait_for()
    await window.page.keyboard.type(" typed")
    await window.until_text(name, "text typed\n")
    await asked.get_by_role("button", name=answer).click()
    result = await call.result()

    if answer == "Allow":
        assert "asked" in result["content"][0]["text"]
    else:
        assert result["error"]["code"] == "DENIED"


async def test_a_change_that_is_asked_about_is_one_click_away(window: "Window") -> None:
    """A session that has its edits reviewed before: "Show" opens the diff, the question stays, and Allow applies it."""
    await window.show("proposed.txt", "one\ntwo\n")
    agent = await window.agent(review="before")
    await agent.read("proposed.txt")
    call = agent.start("edit", file_path="proposed.txt", old_string="two", new_string="zwei")
    asked = notification(window, "proposed.txt")
    await asked.get_by_role("button", name="Show").click()
    code = """return await until(() => {
        const document = vscode.window.activeTextEditor?.document;
        return document?.uri.scheme === 'dsh-question' && [document.languageId, document.getText()];
    }, 'the question')"""
    language, text = await window.host.run(code)
    assert language == "diff"
    assert "-two\n+zwei" in text
    assert await window.text("proposed.txt") == "one\ntwo\n"
    await notification(window, "proposed.txt").get_by_role("button", name="Allow").click()

    assert not (await asyncio.wait_for(call.result(), 10))["isError"]
    await window.until_text("proposed.txt", "one\nzwei\n")


async def test_a_command_makes_no_link_of_its_own_in_the_question(window: "Window") -> None:
    """VS Code runs its commands from links in a notification: what an agent asks for is shown as it is, as text."""
    link = "[Allow](command:workbench.action.files.newUntitledFile)"
    agent = await window.agent()
    call = agent.start("bash", command=f"echo {link}", description="")
    asked = notification(window, "wants to use bash")
    await asked.wait_for()
    message = asked.locator(".notification-list-item-message")
    shown, links = await message.inner_text(), await message.locator("a").count()
    await asked.get_by_role("button", name="Deny").click()
    await call.result()

    assert (f"Run: echo {link}", 0) == (shown.replace("\u2060", "").partition("bash: ")[2], links)
