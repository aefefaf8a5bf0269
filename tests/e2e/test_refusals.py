"""Errors of the call itself: JSON-RPC errors that name the field, for an agent that can correct itself."""

import pytest

from dsh_tools.builtin import BUILTIN
from dsh_tools.registry import Registry
from tests.support.editors import OwnClient
from tests.support.peer import RpcError
from tests.support.world import Via, World


async def test_an_unknown_session_is_an_error_that_says_what_to_do(world: World, via: Via) -> None:
    """-32602, with the field and the method that opens a session."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    with pytest.raises(RpcError) as caught:
        await agent.request("dsh/tool/run", {"sessionId": "nobody", "name": "read", "arguments": {}})

    assert caught.value.code == -32602
    [error] = caught.value.data["errors"]
    assert error["path"] == "params.sessionId"
    assert "dsh/session/open" in error["message"]


async def test_bad_params_name_every_field(world: World, via: Via) -> None:
    """-32602, with a path and a message for each field; unknown members are refused, not ignored."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    with pytest.raises(RpcError) as caught:
        await agent.request("dsh/tool/run", {"sessionId": 3, "arguments": [], "extra": 1})

    assert caught.value.code == -32602
    assert {error["path"] for error in caught.value.data["errors"]} == {
        "params.sessionId",
        "params.name",
        "params.arguments",
        "params.extra",
    }


async def test_an_option_that_is_not_known_is_refused(world: World, via: Via) -> None:
    """An option that would not be honoured is not taken in silence."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via, session=False)

    with pytest.raises(RpcError) as caught:
        await agent.open_session(review="never")

    assert caught.value.code == -32602
    assert [error["path"] for error in caught.value.data["errors"]] == ["params.review"]


async def test_an_unknown_tool_is_a_result_that_lists_the_known_ones(world: World, via: Via) -> None:
    """A failed tool is a result with `isError`, also when there is no such tool."""
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    result = await agent.run("erase")

    assert result["error"]["code"] == "UNKNOWN_TOOL"
    assert result["error"]["details"]["known"] == [tool.name for tool in Registry(BUILTIN).offered()]


async def test_arguments_are_strict_and_the_refusal_names_the_field(world: World, via: Via) -> None:
    """A number as text, a missing or an unknown argument: INVALID_ARGS with a path each, and nothing is done."""
    file = world.file("a.txt", "a\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    result = await agent.run("read", file_path="a.txt", limit="10", colour="red")

    assert result["error"]["code"] == "INVALID_ARGS"
    assert {error["path"] for error in result["error"]["details"]["errors"]} == {"limit", "colour"}
    assert file.read_bytes() == b"a\n"


async def test_a_window_past_the_end_is_not_found(world: World, via: Via) -> None:
    """A read offset that does not exist is FS_NOT_FOUND, with the number of lines there are."""
    world.file("a.txt", "a\nb\n")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)

    result = await agent.read("a.txt", offset=3)

    assert result["error"]["code"] == "FS_NOT_FOUND"
    assert result["error"]["details"]["totalLines"] == 2


async def test_every_cut_of_a_read_is_said(world: World, via: Via) -> None:
    """Lines, bytes and long lines: the value, the model's text and the card all say what is not shown."""
    world.file("long.txt", "".join(f"{n}\n" for n in range(5_000)))
    world.file("wide.txt", "w" * 3_000 + "\nend\n")
    editor = await world.editor(OwnClient)
    agent = await world.agent(via=via)

    long, wide = await agent.read("long.txt"), await agent.read("wide.txt")

    assert (long["value"]["lines"], long["value"]["totalLines"], long["value"]["truncatedBy"]) == (
        2_000,
        5_000,
        "limit",
    )
    assert "offset=2001" in long["content"][0]["text"]
    assert wide["value"]["cutLines"] == [{"line": 1, "shown": 2_000, "total": 3_000}]
    assert wide["value"]["truncated"] is True
    assert "2000 of 3000 characters shown" in wide["content"][0]["text"]
    cards = [await editor.next("dsh/toolResult") for _ in range(2)]
    assert [card["view"]["truncated"] for card in cards] == [True, True]
    assert [card["view"]["totalLines"] for card in cards] == [5_000, 2]
