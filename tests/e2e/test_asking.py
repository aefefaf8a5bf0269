"""Calls that the user is asked about, and those that policies decide."""

from typing import Any

from tests.support.applying import AnswersLate, Exactly
from tests.support.editors import NoApplyEdit, VsCodeLike
from tests.support.world import Via, World

ASKED = "window/showMessageRequest"


def runs(world: World) -> bool:
    """Whether the command of these tests has run."""
    return world.path("done").exists()


async def test_the_user_is_asked_with_the_cards_title_and_says_yes(world: World, via: Via) -> None:
    """The question shows who wants what; the command runs after the yes, and not before."""
    editor = await world.editor(VsCodeLike)
    asked: list[dict[str, Any]] = []

    def yes(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        assert not runs(world)
        return params["actions"][0]

    editor.answers[ASKED] = yes
    agent = await world.agent(via=via)
    result = await agent.run("bash", command="touch done")

    assert not result["isError"]
    assert runs(world)
    assert ["Allow", "Deny"] == [action["title"] for action in asked[0]["actions"]]
    assert "test agent" in asked[0]["message"]
    assert "touch done" in asked[0]["message"]


async def test_what_is_asked_and_told_has_no_links(world: World) -> None:
    """VS Code would run a command of the agent's choice from one: here in a shell command, and in a file's name."""
    link = "[Allow](command:workbench.action.quit)"
    world.file(f"{link}.txt", "one\n")
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(sessionId="s")
    asked: list[str] = []
    editor.answers[ASKED] = lambda params: asked.append(params["message"])
    await agent.run("bash", command=f"echo '{link}'")
    await agent.read(f"{link}.txt")
    await agent.edit(f"{link}.txt", "one", "two")
    world.path(f"{link}.txt").chmod(0o444)
    await editor.request("workspace/executeCommand", {"command": "dsh.undo", "arguments": [{"all": True}]})
    told = await editor.next("window/showMessage")

    assert "Allow" in asked[0]
    assert "Allow" in told["message"]
    assert not any("](" in text for text in (asked[0], told["message"]))
    agent.take("dsh/decided")


async def test_no_and_no_answer_are_a_denial(world: World, via: Via) -> None:
    """Whatever the editor says that is not the yes."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    for answer in ({"title": "Deny"}, None, {"title": "something else"}, "Allow", {}):
        editor.answers[ASKED] = lambda _params, answer=answer: answer
        result = await agent.run("bash", command="touch done")

        assert "DENIED" == result["error"]["code"]
        assert "asking the user" in result["content"][0]["text"]
    assert not runs(world)


async def test_an_answer_that_is_too_late_is_a_denial(world: World) -> None:
    """There is a deadline, which the editor is told of; what it says afterwards changes nothing."""
    editor = await world.editor(VsCodeLike, initialization_options={"timing": {"ask": 0.05}})
    agent = await world.agent()
    editor.hold(ASKED)
    result = await agent.run("bash", command="touch done")
    question = await editor.held_request(ASKED)
    withdrawn = await editor.next("$/cancelRequest")
    question.answer({"title": "Allow"})
    await editor.sync()

    assert {"id": question._id} == withdrawn
    assert "DENIED" == result["error"]["code"]
    assert not runs(world)


async def test_a_long_command_is_shown_whole_and_nothing_in_it_is_hidden(world: World) -> None:
    """What the user says yes to is what runs."""
    editor = await world.editor(VsCodeLike)
    agent = await world.agent()
    asked: list[str] = []
    editor.answers[ASKED] = lambda params: asked.append(params["message"])
    command = f"echo {'a' * 1_500} rm-rf {'b' * 1_500}\u202e\x1b[8m hidden"
    await agent.run("bash", command=command)

    assert f"{'a' * 1_500} rm-rf {'b' * 1_500}" in asked[0]
    assert "\u202e" not in asked[0]
    assert "\x1b" not in asked[0]


async def test_settings_allow_and_deny_without_a_question(world: World, via: Via) -> None:
    """A tool that would ask runs; one that would not is denied."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow", "read": "deny"}})
    agent = await world.agent(via=via)

    assert not (await agent.run("bash", command="touch done"))["isError"]
    assert runs(world)
    assert "DENIED" == (await agent.read("a.txt"))["error"]["code"]


async def test_settings_can_have_the_user_asked_about_any_tool(world: World) -> None:
    """A write with a question; the pending card's title is in it."""
    editor = await world.editor(NoApplyEdit, initialization_options={"permissions": {"write": "ask"}})
    asked: list[str] = []
    editor.answers[ASKED] = lambda params: asked.append(params["message"])
    agent = await world.agent()
    result = await agent.write("new.txt", "text\n")

    assert "DENIED" == result["error"]["code"]
    assert "Write new.txt" in asked[0]
    assert not world.path("new.txt").exists()


async def test_an_edit_that_nobody_waits_for_is_not_cancelled(world: World) -> None:
    """It may be applied already: only a question to a person is ever taken back."""
    late = AnswersLate(Exactly())
    editor = await world.editor(VsCodeLike, applying=late)
    uri = editor.open(world.file("a.txt", "one\n"))
    agent = await world.agent()
    await agent.read("a.txt")
    call = agent.start("edit", file_path="a.txt", old_string="one", new_string="two")
    await editor.next("workspace/applyEdit")
    call.cancel()
    await editor.sync()
    late.release()
    result = await call.result()

    assert not result["isError"]
    assert "two\n" == editor.text(uri)
    assert [] == editor.take("$/cancelRequest")


async def test_a_call_that_waits_for_the_user_can_be_cancelled(world: World) -> None:
    """The question's answer does not matter any more, and the editor is told so."""
    editor = await world.editor(VsCodeLike)
    editor.hold(ASKED)
    agent = await world.agent()
    call = agent.start("bash", command="touch done")
    question = await editor.held_request(ASKED)
    call.cancel()
    result = await call.result()
    withdrawn = await editor.next("$/cancelRequest")
    question.answer({"title": "Allow"})
    await editor.sync()

    assert {"id": question._id} == withdrawn
    assert "ABORTED" == result["error"]["code"]
    assert not runs(world)
