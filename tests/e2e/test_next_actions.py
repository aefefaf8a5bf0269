"""What a refusal tells a model to do next is something that it can do: arguments under the names that its tool has."""

import pytest

from tests.support.editors import VsCodeLike
from tests.support.world import Via, World


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("read", {"file_path": ""}, "file_path"),
        ("write", {"file_path": "~/a", "content": ""}, "file_path"),
        ("edit", {"file_path": "a\0b", "old_string": "a", "new_string": "b"}, "file_path"),
        ("multi_edit", {"file_path": "", "edits": [{"old_string": "a", "new_string": "b"}]}, "file_path"),
        ("str_replace_editor", {"command": "view", "path": ""}, "path"),
        ("glob", {"pattern": "*", "path": "~"}, "path"),
        ("glob", {"pattern": "~/*"}, "pattern"),
        ("bash", {"command": "pwd", "cwd": "~"}, "cwd"),
    ],
)
async def test_a_path_that_can_not_be_one_is_refused_by_its_arguments_name(
    world: World, tool: str, arguments: dict[str, object], argument: str
) -> None:
    """And not by a name that the tool does not know."""
    await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow"}})
    agent = await world.agent()

    refused = await agent.run(tool, **arguments)

    assert "INVALID_ARGS" == refused["error"]["code"]
    assert [argument] == [each["path"] for each in refused["error"]["details"]["errors"]]
    assert refused["content"][0]["text"].startswith(f"INVALID_ARGS: {argument}: ")


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([], "edits: List should have at least 1 item, not 0"),
        ("[]", "edits: Input should be a valid list"),
        ([{"old_string": "a"}], "edits[0].new_string: Field required"),
    ],
)
async def test_a_list_that_is_wrong_is_called_a_list_and_once(world: World, edits: object, said: str) -> None:
    """JSON has no tuples, and a list with a wrong item is not one that is too short as well."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent()

    refused = await agent.run("multi_edit", file_path="a.txt", edits=edits)

    assert f"INVALID_ARGS: {said}. Correct the arguments, then call again." == refused["content"][0]["text"]


async def test_str_replace_editor_speaks_of_its_own_arguments(world: World, via: Via) -> None:
    """It has neither old_string nor replace_all nor offset; a path that has such a name keeps it."""
    world.file("old_string.py", "x\nx\n’y’\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, unicodeFallback=True)

    window = await agent.run("str_replace_editor", command="view", path="old_string.py", view_range=[1, 2])
    asked = [
        await agent.run("str_replace_editor", command="str_replace", path="old_string.py", old_str=old, new_str="z")
        for old in ("x", "X\nx", "'y'")
    ]

    ambiguous, missing, tried = ("\n".join(block["text"] for block in each["content"]) for each in asked)
    assert (
        "Not all is shown, since the limit was reached: view on with view_range=[3, -1]."
        in (window["content"][0]["text"])
    )
    assert (
        "FS_AMBIGUOUS_EDIT: old_str occurs 2 times in old_string.py, on lines 1, 2. "
        "Add surrounding lines to old_str until it is unique. Above the first of them:\n     1| x"
    ) == ambiguous
    assert missing.startswith("FS_EDIT_NOT_FOUND: old_str does not occur in old_string.py exactly as it was given.")
    assert missing.endswith("Copy old_str exactly from the file; matching is exact, character for character.")
    assert "old_str did not occur exactly, and was found on line 3" in tried
    assert "new_str is put in as it was given." in tried
    assert "_string" not in f"{ambiguous}{missing}{tried}".replace("old_string.py", "")


async def test_a_line_that_there_is_not_is_no_reason_to_write_the_file(world: World, via: Via) -> None:
    """The file is there: neither is its path to be checked, nor is it to be created."""
    world.file("a.txt", "one\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)

    asked = [
        await agent.run("read", file_path="a.txt", offset=5),
        await agent.run("str_replace_editor", command="view", path="a.txt", view_range=[5, 9]),
        await agent.run("read", file_path="a.txt"),
        await agent.run("str_replace_editor", command="insert", path="a.txt", insert_line=5, new_str="two"),
    ]

    said = "FS_NOT_FOUND: a.txt has 1 line; there is no line 5. Name a line that there is."
    assert [said, said, said] == [each["content"][0]["text"] for each in asked if each["isError"]]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("grep", {"pattern": "a", "path": "none"}),
        ("glob", {"pattern": "*", "path": "none"}),
        ("bash", {"command": "pwd", "cwd": "none"}),
    ],
)
async def test_a_place_that_there_is_not_is_no_reason_to_write_a_file(
    world: World, tool: str, arguments: dict[str, object]
) -> None:
    """What was to be looked at, or worked in, is not there."""
    await world.editor(VsCodeLike, initialization_options={"permissions": {"bash": "allow"}})
    agent = await world.agent()

    refused = await agent.run(tool, **arguments)

    said = "FS_NOT_FOUND: none does not exist. Check the path: glob shows what there is."
    assert said == refused["content"][0]["text"]


@pytest.mark.parametrize(
    ("expected", "remedy"),
    [
        (1, "Correct expected_replacements, or add surrounding lines to old_string."),
        (3, "Correct expected_replacements, or see how the other places differ from old_string."),
    ],
)
async def test_another_number_of_replacements_than_expected_says_what_to_correct(
    world: World, expected: int, remedy: str
) -> None:
    """replace_all is set already, and old_string was copied right."""
    world.file("a.txt", "x\nx\n")
    await world.editor(VsCodeLike)
    agent = await world.agent()
    await agent.read("a.txt")

    asked = {"old_string": "x", "new_string": "y", "replace_all": True, "expected_replacements": expected}
    refused = await agent.run("edit", file_path="a.txt", **asked)

    assert refused["content"][0]["text"].endswith(f" {remedy}")


async def test_a_directory_of_many_names_is_listed_in_part_and_says_so(world: World, via: Via) -> None:
    """Each name is a line, whatever is in it."""
    for number in range(1_000):
        world.file(f"many/{number:04}")
    world.file("many/0000\nb")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)

    seen = await agent.run("str_replace_editor", command="view", path="many")

    head, *names = seen["content"][0]["text"].split("\n")
    assert "many holds 1001 names. The first 1000 are listed: " in head
    assert (1_000, ["0000", "0000⟨LF⟩b", "0001"]) == (len(names), names[:3])
    assert (1_001, 1_000) == (seen["value"]["names"], len(seen["value"]["listing"]))


async def test_of_a_file_that_is_too_large_a_window_is_read(world: World, via: Via) -> None:
    """As the refusal says; the whole is neither shown nor changed, and what is said then is true as well."""
    line = "x" * 99 + "\n"
    world.file("big.log", line * 600_000 + "the end")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)

    refused = await agent.run("read", file_path="big.log")
    middle = await agent.run("read", file_path="big.log", offset=300_000, limit=2)
    end = await agent.run("str_replace_editor", command="view", path="big.log", view_range=[600_000, -1])
    viewed = await agent.run("str_replace_editor", command="view", path="big.log")
    edited = await agent.edit("big.log", "the end", "an end")

    said = "FS_TOO_LARGE: big.log has 60000007 bytes; the limit is 52428800 bytes. "
    assert f"{said}Read a window of it with offset and limit." == refused["content"][0]["text"]
    assert f"{said}View a part of it with view_range." == viewed["content"][0]["text"]
    assert f"{said}Tell the user: a file of that size is not changed with this tool." == edited["content"][0]["text"]
    assert (line * 2, 600_001, True) == tuple(middle["value"][key] for key in ("text", "totalLines", "truncated"))
    assert middle["content"][0]["text"].startswith(
        "big.log: lines 300000-300001 of 600001.\n"
        "Not all is shown, since the limit was reached: read on with offset=300002.\n300000| x"
    )
    assert f"{line}the end" == end["value"]["read"]["text"]
    assert "big.log: lines 600000-600001 of 600001, no newline at the end." in end["content"][0]["text"]


async def test_a_file_of_any_size_is_not_read_to_its_end(world: World) -> None:
    """A window of a terabyte is refused at once, with what can be done instead."""
    with world.file("huge.log").open("r+b") as file:
        file.truncate(1 << 40)
    await world.editor(VsCodeLike)
    agent = await world.agent()

    refused = await agent.run("read", file_path="huge.log", offset=1)

    assert "FS_TOO_LARGE" == refused["error"]["code"]
    assert refused["content"][0]["text"].endswith("grep, or show a part of it with bash.")
