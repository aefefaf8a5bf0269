"""What no tool may change, however it is named; and what all tools are told alike."""

from typing import Any

import pytest

from tests.support.editor import IGNORED
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
        ".bashrc",
        ".ssh/authorized_keys",
        ".gitconfig",
        ".devcontainer.json",
        ".devcontainer/python/devcontainer.json",
        "team.code-workspace",
        ".zed/tasks.json",
        ".idea/startup.xml",
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


async def test_I08_a_git_directory_of_any_name_is_protected(world: World, via: Via) -> None:
    """The one that a `.git` file leads to, a bare repository, and the file that would make a folder one."""
    world.file(".git", "gitdir: store\n")
    for name in ("store", "theirs.git"):
        world.file(f"{name}/HEAD", "ref: refs/heads/main\n")
        world.path(f"{name}/objects").mkdir()
        world.path(f"{name}/refs").mkdir()
    world.file("bait/objects/x")
    world.file("bait/refs/x")
    world.file("theirs.git/main/.git", "gitdir: ../worktrees/main\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    results = [
        await agent.write("store/hooks/post-commit", "rm\n"),
        await agent.write("store/config", "[core]\n"),
        await agent.write("theirs.git/hooks/post-receive", "rm\n"),
        await agent.write("bait/HEAD", "ref: refs/heads/main\n"),
    ]

    assert [True] * 4 == [is_protected(result) for result in results]
    # A work tree that lies in its repository, and what only shares some names with one, are everyday places.
    assert not (await agent.write("theirs.git/main/src/a.txt", "x\n"))["isError"]
    assert not (await agent.write("bait/config", "x\n"))["isError"]


async def test_I07_what_a_protected_name_leads_to_is_protected_by_every_name(world: World, via: Via) -> None:
    """A hook that is a link to a script, a folder of hooks, settings that are kept elsewhere."""
    world.file("tools/check.sh", "#!/bin/sh\n")
    world.file("tools/other.sh", "#!/bin/sh\n")
    world.file("sub/.git/config", '[core]\n\thooksPath = "team hooks"\n')
    world.path("sub/.git/hooks").mkdir()
    world.file("sub/team hooks/pre-push", "#!/bin/sh\n")
    world.path(".git/hooks").mkdir(parents=True)
    world.path(".git/hooks/pre-commit").symlink_to("../../tools/check.sh")
    world.file("kept/envrc", "x\n")
    world.path(".envrc").symlink_to("kept/envrc")
    world.path("kept/code").mkdir()
    world.path(".vscode").symlink_to("kept/code")
    world.path(".claude").symlink_to(".")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    names = (
        *(".git/hooks/pre-commit", "tools/check.sh", ".envrc", "kept/envrc"),
        *(".vscode/tasks.json", "kept/code/tasks.json", "sub/team hooks/pre-push", "sub/team hooks/post-commit"),
    )
    results = []
    for name in names:
        await agent.read(name)
        results.append(await agent.write(name, "rm\n"))

    assert dict.fromkeys(names, True) == dict(zip(names, map(is_protected, results), strict=True))
    assert b"#!/bin/sh\n" == world.bytes("tools/check.sh") == world.bytes("sub/team hooks/pre-push")
    await agent.read("tools/other.sh")
    assert not (await agent.write("tools/other.sh", "x\n"))["isError"]
    assert not (await agent.write("kept/code/notes.md", "x\n"))["isError"]


async def test_I08_the_server_s_own_records_are_protected(world: World, via: Via) -> None:
    """Where they lie in the workspace, as in a home folder: journals, what is pending, crash logs."""
    world.env["DSH_LSP_STATE_DIR"] = str(world.path("state"))
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via, sessionId="s")
    [journal] = world.workspace.glob("state/sessions/*/s.jsonl")
    results = [
        await agent.write("state/publishing/0/0.json", "{}\n"),
        await agent.write("state/reviews/x.json", "{}\n"),
        await agent.write(str(journal), "{}\n"),
    ]

    assert [True, True] == [is_protected(result) for result in results[:2]]
    assert results[2]["isError"]
    assert not world.path("state/reviews/x.json").exists()


def is_protected(result: dict[str, Any]) -> bool:
    """Whether a call was refused for the place that it is about."""
    return bool(result["isError"]) and "is protected" in result["error"]["message"]


async def test_what_became_protected_can_still_be_undone_by_the_user(world: World, via: Via) -> None:
    """The script that an agent has edited is a hook by now. That is a reason to refuse the agent, not the person."""
    world.file("check.sh", "#!/bin/sh\n")
    world.path(".git/hooks").mkdir(parents=True)
    editor = await world.editor(VsCodeLike, ignore=IGNORED | {"dsh/decided", "dsh/drift"})
    agent = await world.agent(via=via)
    await agent.read("check.sh")
    await agent.edit("check.sh", "sh", "bash")
    world.path(".git/hooks/pre-commit").symlink_to("../../check.sh")

    assert is_protected(await agent.edit("check.sh", "bash", "zsh"))

    results = (await editor.request("dsh/review/undo", {"all": True}))["results"]

    assert ["undone"] == [result["status"] for result in results]
    assert b"#!/bin/sh\n" == world.bytes("check.sh")
