"""What no tool may change, however it is named; and what all tools are told alike."""

import pytest

from tests.support.editors import VsCodeLike
from tests.support.world import Via, World


async def test_I07_every_tool_and_spelling_gets_the_same_decision(world: World, via: Via) -> None:
    """A hook in .git: by its path, by a URI, through a link, with dots, by every tool that writes; and glob outside."""
    world.file(".git/hooks/pre-commit", "#!/bin/sh\n")
    world.path("link").symlink_to(".git/hooks")
    world.path("sub").mkdir()
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    for name in (
        ".git/hooks/pre-commit",
        "link/pre-commit",
        "sub/../.git/hooks/pre-commit",
        str(world.path(".git/hooks/pre-commit")),
        world.uri(".git/hooks/pre-commit"),
    ):
        read = await agent.read(name)
        results = [
            await agent.edit(name, "sh", "bash"),
            await agent.write(name, "rm -rf ~\n"),
            await agent.run("multi_edit", file_path=name, edits=[{"old_string": "sh", "new_string": "bash"}]),
            await agent.run("str_replace_editor", command="insert", path=name, insert_line=1, new_str="rm"),
        ]

        assert not read["isError"]  # looking is no change
        assert {"FS_SANDBOX_DENIED"} == {result["error"]["code"] for result in results}
        assert 1 == len({result["error"]["message"] for result in results})
    outside = [await agent.run("glob", pattern="*", path=".."), await agent.run("glob", pattern="../*")]

    assert {"FS_SANDBOX_DENIED"} == {result["error"]["code"] for result in outside}
    assert b"#!/bin/sh\n" == world.bytes(".git/hooks/pre-commit")


@pytest.mark.parametrize(
    "name",
    [
        ".git",
        ".GIT/config",
        "sub/.git/config",
        ".hg/hgrc",
        ".vscode/tasks.json",
        "sub/.vscode/settings.json",
        ".envrc",
        "sub/.envrc",
        ".mcp.json",
        ".claude/settings.json",
        ".husky/pre-push",
    ],
)
async def test_what_runs_is_protected(world: World, name: str) -> None:
    """Also where there is no such file yet."""
    await world.editor(VsCodeLike)
    agent = await world.agent()
    result = await agent.write(name, "gitdir: /elsewhere\n")

    assert "FS_SANDBOX_DENIED" == result["error"]["code"]
    assert "protected" in result["error"]["message"]
    assert not world.path(name).exists()


@pytest.mark.parametrize("name", [".gitignore", ".github/workflows/ci.yml", ".vscode/notes.md", "git/config", "envrc"])
async def test_what_only_looks_like_it_is_not(world: World, name: str) -> None:
    """Everyday files are written as any other."""
    await world.editor(VsCodeLike)
    agent = await world.agent()

    assert not (await agent.write(name, "x\n"))["isError"]


async def test_an_open_buffer_of_a_protected_file_is_protected_too(world: World, via: Via) -> None:
    """The editor is not asked for the edit."""
    editor = await world.editor(VsCodeLike)
    uri = editor.open(world.file(".vscode/tasks.json", "{}\n"))
    agent = await world.agent(via=via)
    await agent.read(".vscode/tasks.json")
    result = await agent.edit(".vscode/tasks.json", "{}", '{"tasks": []}')

    assert "FS_SANDBOX_DENIED" == result["error"]["code"]
    assert "{}\n" == editor.text(uri)
