"""Public bug reports about files on a disk, as tiny inputs, through a server; each test is named by its case.

What needs a fault that no real system can be made to have is in `tests/tools`, under the same ids.
"""

import asyncio
import os
import re
import stat
from pathlib import Path
from typing import Any

from tests.support.disk_faults import mounted
from tests.support.editor import IGNORED
from tests.support.editors import OwnClient, VsCodeLike
from tests.support.world import Via, World

QUIET = IGNORED | {"dsh/drift", "dsh/decided"}
"""Agents on the editor's connection hear there of what others did to their files, an unmounted disk included."""


def code(result: dict[str, Any]) -> str | None:
    """The error code of a result."""
    return result["error"]["code"] if result["isError"] else None


def said(result: dict[str, Any]) -> str:
    """What the model reads."""
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def names(world: World) -> list[str]:
    """Every name in the workspace."""
    return sorted(path.name for path in world.workspace.iterdir())


def identity(path: Path) -> tuple[int, ...]:
    """What changes when a file is written, replaced, touched or given other attributes."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


async def test_C15_a_hundred_writes_at_once_in_one_folder(world: World) -> None:
    """Each file has its own content, and nothing else is there."""
    await world.editor(VsCodeLike)
    agents = [await world.agent() for _ in range(4)]
    calls = [agents[n % 4].start("write", file_path=f"{n}.txt", content=f"{n}\n") for n in range(100)]
    results = await asyncio.gather(*(call.result(60) for call in calls))

    assert [None] * 100 == [code(result) for result in results]
    assert sorted(f"{n}.txt" for n in range(100)) == names(world)
    assert {f"{n}\n".encode() for n in range(100)} == {world.bytes(f"{n}.txt") for n in range(100)}


async def test_C19_replaying_a_session_touches_nothing(world: World, via: Via) -> None:
    """After an agent's and a user's edits a session is replayed, left and resumed: no file is as much as touched.

    An edit is taken back by its hunk, in the text as it is now; the user's line stays.
    """
    world.file("a.txt", "one\ntwo\nthree\nfour\nfive\n")
    editor = await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via, sessionId="s")
    await agent.read("a.txt")
    await agent.edit("a.txt", "two", "TWO")
    await agent.write("new.txt", "new\n")
    world.file("a.txt", world.bytes("a.txt").replace(b"five", b"user's"))
    before = {name: identity(world.path(name)) for name in names(world)}

    for _ in range(2):
        replayed = await agent.request("dsh/session/replay", {"sessionId": "s", "notify": True})
    await agent.request("dsh/session/close", {"sessionId": "s"})
    await world.kill(editor)
    await world.editor(VsCodeLike, ignore=QUIET)
    again = await world.agent(via=via, sessionId="s")
    await again.request("dsh/session/replay", {"sessionId": "s", "notify": True})

    assert 3 == len(replayed["cards"])
    assert before == {name: identity(world.path(name)) for name in names(world)}
    hunks = (await again.request("dsh/review/list", {"uri": world.uri("a.txt")}))["hunks"]
    [result] = (await again.request("dsh/review/undo", {"hunkIds": [hunks[0]["id"]]}))["results"]
    assert "undone" == result["status"]
    assert b"one\ntwo\nthree\nfour\nuser's\n" == world.bytes("a.txt")


async def test_C20_taking_back_knows_no_git(world: World, via: Via) -> None:
    """An agent creates a file, the user commits, the edit is taken back: git is as it was, and no git was ever run."""
    await _git(world, "init", "-q")
    world.file("theirs.txt", "uncommitted\n")
    tripwire = world.runtime / "bin"
    tripwire.mkdir()
    ran = world.runtime / "git-was-run"
    (tripwire / "git").write_text(f"#!/bin/sh\necho \"$@\" >> '{ran}'\n", encoding="utf-8")
    (tripwire / "git").chmod(0o755)
    world.env["PATH"] = f"{tripwire}{os.pathsep}{world.env['PATH']}"
    await world.editor(VsCodeLike, ignore=QUIET)
    agent = await world.agent(via=via, sessionId="s")
    await agent.write("f.txt", "agent\n")
    await _git(world, "add", "f.txt")
    await _git(world, "commit", "-qm", "user's")
    before = await _git_state(world)
    await agent.request("dsh/session/replay", {"sessionId": "s", "notify": True})
    hunks = (await agent.request("dsh/review/list", {}))["hunks"]
    results = (await agent.request("dsh/review/undo", {"hunkIds": [hunk["id"] for hunk in hunks]}))["results"]

    assert ["undone"] == [result["status"] for result in results]
    assert ([".git", "theirs.txt"], b"uncommitted\n") == (names(world), world.bytes("theirs.txt"))
    assert before == await _git_state(world)
    assert not ran.exists()


async def test_F03_a_dangling_link_leads_to_its_target(world: World, via: Via) -> None:
    """A miss when it is read; a write makes what it leads to, inside the workspace alone; the link stays."""
    world.path("d.txt").symlink_to("missing.txt")
    world.path("out.txt").symlink_to("../outside.txt")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)

    assert ["FS_NOT_FOUND", None] == [code(await agent.read("d.txt")), code(await agent.write("d.txt", "x"))]
    assert ["FS_SANDBOX_DENIED"] * 2 == [code(await agent.read("out.txt")), code(await agent.write("out.txt", "x"))]
    assert (True, b"x") == (world.path("d.txt").is_symlink(), world.bytes("missing.txt"))
    assert (True, False) == (world.path("out.txt").is_symlink(), world.path("../outside.txt").exists())


async def test_F04_both_names_of_a_file_see_an_edit(world: World, via: Via) -> None:
    """A file with hard links is written in place, and model and program are told."""
    path = world.file("a.txt", "a\n")
    world.path("b.txt").hardlink_to(path)
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "a", "b")

    assert b"b\n" == world.bytes("a.txt") == world.bytes("b.txt")
    assert ["Written in place, not atomically: the file has 2 hard links."] == result["value"]["notes"]
    assert "not atomically" in said(result)


async def test_F04_a_file_that_is_open_under_its_other_name_is_not_written_behind_the_buffer(
    world: World, via: Via
) -> None:
    """What is typed there is not in the text that is read, which says so; an edit is refused and names the other."""
    path = world.file("a.txt", "one\ntwo\n")
    world.path("b.txt").hardlink_to(path)
    editor = await world.editor(OwnClient)
    agent = await world.agent(via=via)
    await agent.read("b.txt")
    uri = editor.open(path)
    editor.type(uri, "two", "typed")
    await editor.sync()
    read = await agent.read("b.txt")
    edits = [await agent.edit("b.txt", "one", "ONE"), await agent.write("b.txt", "ONE\n")]

    assert "as a.txt (a hard link)" in said(read)
    assert ["FS_APPLY_REJECTED"] * 2 == [code(edit) for edit in edits]
    assert all("as a.txt (a hard link)" in said(edit) for edit in edits)
    assert (b"one\ntwo\n", "one\ntyped\n") == (world.bytes("b.txt"), editor.text(uri))
    await agent.read("a.txt")
    assert None is code(await agent.edit("a.txt", "one", "ONE"))
    assert (b"one\ntwo\n", "ONE\ntyped\n") == (world.bytes("b.txt"), editor.text(uri))


async def test_F06_owner_mode_and_attributes_survive_an_edit(world: World, via: Via) -> None:
    """As far as this user may give them away; those of root's may be anybody's."""
    path = world.file("a.txt", "a\n")
    if os.geteuid() == 0:
        os.chown(path, 1234, 50)
    path.chmod(0o6750)
    os.setxattr(path, "user.test", b"v")
    before = path.stat()
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    await agent.read("a.txt")
    result = await agent.edit("a.txt", "a", "b")

    after = path.stat()
    assert (before.st_uid, before.st_gid, before.st_mode) == (after.st_uid, after.st_gid, after.st_mode)
    assert (b"v", b"b\n", []) == (os.getxattr(path, "user.test"), world.bytes("a.txt"), result["value"]["notes"])


async def test_F07_a_frozen_file_stays(world: World, via: Via) -> None:
    """Without the owner's write bit it can be read, and the refusal has the mode; for root too."""
    world.file("locked.txt", "o\n").chmod(0o444)
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    read = await agent.read("locked.txt")
    results = [await agent.edit("locked.txt", "o", "x"), await agent.write("locked.txt", "x\n")]

    assert "o\n" == read["value"]["text"]
    assert ["FS_PERMISSION_DENIED"] * 2 == [code(result) for result in results]
    assert all("0444" in said(result) for result in results)
    assert (b"o\n", 0o444) == (world.bytes("locked.txt"), stat.S_IMODE(world.path("locked.txt").stat().st_mode))


async def test_F10_names_that_differ_in_case_are_two_files(world: World, via: Via) -> None:
    """Who has read a.txt has not read A.txt."""
    world.file("a.txt", "a\n")
    world.file("A.txt", "a\n")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    await agent.read("a.txt")

    assert "FS_NOT_OBSERVED" == code(await agent.edit("A.txt", "a", "b"))
    assert None is code(await agent.edit("a.txt", "a", "b"))
    assert (b"b\n", b"a\n") == (world.bytes("a.txt"), world.bytes("A.txt"))


async def test_F15_folders_and_files_as_parents(world: World, via: Via) -> None:
    """A folder is no file, a file is no folder, and folders that are missing are made and listed."""
    world.path("d").mkdir()
    world.file("f", "f\n")
    os.mkfifo(world.path("pipe"))
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    made = await agent.write("new/deep/f", "x")

    for name in ("d", "pipe"):
        calls = [await agent.read(name), await agent.write(name, "x"), await agent.edit(name, "a", "b")]
        assert "FS_NOT_REGULAR_FILE" == code(calls[0])
        assert {"FS_NOT_REGULAR_FILE", "FS_NOT_OBSERVED"} >= {code(call) for call in calls}
    assert "FS_NOT_DIRECTORY" == code(await agent.write("f/child", "x"))
    assert ["new", "new/deep"] == made["value"]["createdDirectories"]
    assert b"f\n" == world.bytes("f")


async def test_F16_a_full_disk_loses_nothing(world: World, via: Via) -> None:
    """The refusal says ENOSPC, the file has its old bytes, nothing lies beside it; when there is room it goes on."""
    folder = world.path("small")
    folder.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=folder):
        world.file("small/f", "old\n")
        await world.editor(VsCodeLike, ignore=QUIET)
        agent = await world.agent(via=via)
        await agent.read("small/f")
        full = [await agent.write("small/f", "x" * 1_000_000), await agent.write("small/g", "x" * 1_000_000)]
        left = sorted(path.name for path in folder.iterdir())
        fits = await agent.edit("small/f", "old", "new")

        assert [("FS_IO_ERROR", "ENOSPC")] * 2 == [(code(each), each["error"]["details"]["reason"]) for each in full]
        assert "small/f: the file system that holds it is full" in said(full[0])
        assert (["f"], None, b"new\n") == (left, code(fits), world.bytes("small/f"))


async def test_F16_a_journal_that_can_t_be_written_is_said(world: World) -> None:
    """When the disk of the journals is full, calls say so, files are as the last answer said, and the server lives."""
    state = Path(world.env["XDG_STATE_HOME"])
    state.mkdir(parents=True)
    with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=state):
        world.file("a.txt", "0\n" + "filler\n" * 300)
        editor = await world.editor(VsCodeLike)
        agent = await world.agent()
        await agent.read("a.txt")
        number = 0
        while code(result := await agent.edit("a.txt", f"{number}\n", f"{number + 1}\n")) is None:
            number += 1
            assert number < 1000
            await agent.read("a.txt")
        there = int(world.bytes("a.txt").split(b"\n")[0])

        assert there in (number, number + 1)
        assert ("FS_IO_ERROR", True) == (code(result), "ENOSPC" in str(result["error"]))
        assert (await agent.request("dsh/tool/list", {"sessionId": agent.session_id}))["tools"]
        await editor.sync()
        assert await world.agent(session=False)
        await world.kill(editor)


async def test_F19_paths_of_windows_are_argument_errors(world: World, via: Via) -> None:
    """A drive's path makes no file of that name, and one of MSYS is outside; `nul` is a name on Linux's own disks."""
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)

    assert "INVALID_ARGS" == code(await agent.write("C:\\Users\\x", "x"))
    assert "FS_SANDBOX_DENIED" == code(await agent.read("/c/Windows/x"))
    assert None is code(await agent.write("nul", "x"))
    assert ["nul"] == names(world)


async def test_F20_a_mounted_file_is_written_in_place(world: World, via: Via) -> None:
    """A single file that is a mount (Docker's) can't be replaced; it is edited, and the result says how."""
    source = world.runtime / "source"
    source.write_bytes(b"a\n")
    world.file("f")
    with mounted("--bind", str(source), at=world.path("f")):
        await world.editor(VsCodeLike, ignore=QUIET)
        agent = await world.agent(via=via)
        await agent.read("f")
        result = await agent.edit("f", "a", "b")

        assert (None, b"b\n", b"b\n") == (code(result), world.bytes("f"), source.read_bytes())
        assert "not atomically" in said(result)
    assert ["f"] == names(world)


async def test_I01_I10_a_link_to_the_outside_is_not_followed_and_not_told(world: World, via: Via) -> None:
    """Neither read nor written, whatever the tool; nothing that is said has the path that it leads to, or its text."""
    home = world.workspace.parent / "their-home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_bytes(b"s3cr3t\n")
    world.path("l").symlink_to(home / ".ssh" / "id")
    world.path("folder").symlink_to(home / ".ssh")
    await world.editor(OwnClient)
    agent = await world.agent(via=via)
    results = []
    for name in ("l", "folder/id", str(world.path("l")), world.uri("folder/id")):
        results += [
            await agent.read(name),
            await agent.write(name, "x"),
            await agent.edit(name, "s3cr3t", "x"),
            await agent.run("multi_edit", file_path=name, edits=[{"old_string": "s3cr3t", "new_string": "x"}]),
            await agent.run("str_replace_editor", command="view", path=name),
        ]
    results += [
        await agent.run("grep", pattern="s3", path="folder"),
        await agent.run("glob", pattern="*", path="folder"),
    ]

    assert ["FS_SANDBOX_DENIED"] * len(results) == [code(result) for result in results]
    assert not re.search(r"their-home|s3cr3t\\n", str(results))
    assert b"s3cr3t\n" == (home / ".ssh" / "id").read_bytes()


async def test_I08_what_runs_by_itself_is_not_written(world: World, via: Via) -> None:
    """Tasks of an editor, and a `.git` that leads elsewhere, by any name that leads there."""
    world.path(".vscode").mkdir()
    world.path("alias").symlink_to(".vscode")
    await world.editor(VsCodeLike)
    agent = await world.agent(via=via)
    results = [
        await agent.write(".vscode/tasks.json", "{}"),
        await agent.write("alias/tasks.json", "{}"),
        await agent.write("x/../.vscode/tasks.json", "{}"),
        await agent.write(".git", "gitdir: /x"),
        await agent.write("sub/.git", "gitdir: /x"),
    ]

    assert ["FS_SANDBOX_DENIED"] * 5 == [code(result) for result in results]
    assert ([".vscode", "alias"], []) == (names(world), list(world.path(".vscode").iterdir()))


async def _git(world: World, *arguments: str) -> bytes:
    """Run the user's git in the workspace."""
    settings = ["-c", "user.name=User", "-c", "user.email=user@example.org", "-c", "init.defaultBranch=main"]
    done = await asyncio.create_subprocess_exec(
        *("git", *settings, *arguments),
        cwd=world.workspace,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": world.env["HOME"]},
    )
    out, _ = await done.communicate()
    assert 0 == done.returncode
    return out


async def _git_state(world: World) -> dict[str, bytes]:
    """Every file in .git, and its bytes."""
    root = world.path(".git")
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
