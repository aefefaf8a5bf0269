"""What a command changed of the files that a session knows, and what it did not see."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dsh_ledger.ledger import Ledger
from dsh_ledger.observations import Absent, Present
from dsh_ledger.targets import Target
from dsh_ledger.versions import version_of_text
from dsh_tools.builtin import EDIT, READ, WRITE
from dsh_tools.builtin.bash import BASH
from dsh_tools.content import content_text
from dsh_tools.contract import AnyTool, ToolResult, ToolRun
from dsh_tools.decisions import Allow
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.fs.port import Missing, OpenText
from dsh_tools.observing import SessionLedger
from dsh_tools.pipeline import run_tool
from dsh_tools.policies import Policies, Policy
from dsh_tools.shell import changes
from dsh_tools.shell.changes import Changes
from dsh_tools.snapshots import Snapshots

ALLOWED = Policies([Policy("allow", before=lambda _call: Allow())])


class WithOpenTexts(DiskFileSystem):
    """A disk under an editor that has these texts open; counts what is read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Workspace([folder]))
        self.texts: list[OpenText] = []
        self.reads: list[str] = []

    async def open_texts(self) -> tuple[OpenText, ...]:
        """The texts."""
        return tuple(self.texts)

    async def read_bytes(self, target: Target) -> bytes | Missing:
        """As ever, and counted."""
        self.reads.append(target.path)
        return await super().read_bytes(target)


@dataclass
class Bench:
    """A workspace, a session in it, and the tools."""

    folder: Path
    disk: WithOpenTexts
    run: ToolRun

    async def use(self, tool: AnyTool, **arguments: Any) -> ToolResult:
        """Call a tool."""
        return await run_tool(tool, arguments, self.run, ALLOWED)

    async def bash(self, command: str) -> ToolResult:
        """Run a command that succeeds."""
        result = await self.use(BASH, command=command)
        assert result.error is None
        return result

    async def file(self, name: str, text: str) -> Path:
        """A file that the session has read."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        await self.use(READ, file_path=name)
        return path

    async def opened(self, name: str, text: str, *, dirty: bool, agent_edited: bool) -> None:
        """Have an editor open a file."""
        target = await self.disk.resolve(name)
        self.disk.texts.append(OpenText(target, text, version_of_text(text), dirty, agent_edited))


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    """A bench in the temporary folder."""
    ledger = Ledger()
    disk = WithOpenTexts(tmp_path)
    yield Bench(tmp_path, disk, ToolRun("s", "c", disk, SessionLedger(ledger, "s", ledger.apply), Snapshots()))
    disk.close()


def changed(result: ToolResult) -> list[tuple[str, str, bool, bool]]:
    """Path, change, open and stale of each changed file."""
    assert isinstance(result.value, dict)
    files: Any = result.value["changed"]
    return [(file["path"], file["change"], file["open"], file["stale"]) for file in files]


def unsaved(result: ToolResult) -> list[str]:
    """The files whose edits the command did not see."""
    assert isinstance(result.value, dict)
    files: Any = result.value["unsaved"]
    return [file["path"] for file in files]


async def test_a_file_that_was_read_and_changed_is_named_and_stale(bench: Bench) -> None:
    """The model is told to read it again, and an edit before that is refused by version."""
    path = await bench.file("a.txt", "a\n")
    await bench.file("b.txt", "b\n")

    result = await bench.bash("sed -i s/a/A/ a.txt")
    refused = await bench.use(EDIT, file_path="a.txt", old_string="A", new_string="x")

    assert [("a.txt", "modified", False, True)] == changed(result)
    assert isinstance(result.value, dict)
    assert path.as_uri() == result.value["changed"][0]["uri"]  # type: ignore[index,call-overload]
    assert "\nChanged: a.txt (you have read it: read it again before editing)\n" in content_text(result.content)
    assert refused.error is not None
    assert "FS_STALE_VERSION" == refused.error.code
    assert "A\n" == path.read_text(encoding="utf-8")


async def test_a_file_that_was_deleted_is_named_and_stale(bench: Bench) -> None:
    """Neither edit nor write takes it for what was read."""
    await bench.file("a.txt", "a\n")

    result = await bench.bash("rm a.txt")
    refused = await bench.use(WRITE, file_path="a.txt", content="x")

    assert [("a.txt", "deleted", False, True)] == changed(result)
    assert "\nDeleted: a.txt (you have read it)\n" in content_text(result.content)
    assert refused.error is not None
    assert "FS_STALE_VERSION" == refused.error.code


async def test_a_file_that_was_looked_for_and_is_there_now_is_named(bench: Bench) -> None:
    """The session was told that it did not exist; now it does, and a write does not go over it."""
    await bench.use(READ, file_path="new.txt")

    result = await bench.bash("echo n > new.txt")
    refused = await bench.use(WRITE, file_path="new.txt", content="x")

    assert [("new.txt", "created", False, True)] == changed(result)
    assert "\nCreated: new.txt (it did not exist when you looked: read it before editing)\n" in content_text(
        result.content
    )
    assert refused.error is not None
    assert "FS_NOT_OBSERVED" == refused.error.code


async def test_a_file_that_was_only_touched_is_not_named(bench: Bench) -> None:
    """Nor one that was replaced by the same content; what was read of them still holds."""
    await bench.file("a.txt", "a\n")
    await bench.file("b.txt", "b\n")

    result = await bench.bash("touch a.txt; cp b.txt c && mv c b.txt; touch -d 2001-01-01 b.txt; echo d > new")
    edited = await bench.use(EDIT, file_path="b.txt", old_string="b", new_string="B")

    assert [] == changed(result)
    assert edited.error is None


@pytest.mark.parametrize("settled", [-1, 10**18])
async def test_a_change_that_size_and_time_do_not_show_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, settled: int
) -> None:
    """Same size, same modification time; whether the version was remembered or not, the content decides."""
    monkeypatch.setattr(changes, "_SETTLED", settled)
    await bench.file("a.txt", "a\n")
    await bench.bash("true")

    result = await bench.bash("touch -r a.txt mark; printf 'b\\n' > a.txt; touch -r mark a.txt")

    assert [("a.txt", "modified", False, True)] == changed(result)


async def test_what_came_back_to_what_was_read_is_changed_and_not_stale(bench: Bench) -> None:
    """The session may edit it as it is."""
    path = await bench.file("a.txt", "a\n")
    path.write_text("somebody else\n", encoding="utf-8")

    result = await bench.bash("echo a > a.txt")
    edited = await bench.use(EDIT, file_path="a.txt", old_string="a", new_string="b")

    assert [("a.txt", "modified", False, False)] == changed(result)
    assert "\nChanged: a.txt\n" in content_text(result.content)
    assert edited.error is None


async def test_an_open_file_is_named_although_nobody_read_it(bench: Bench) -> None:
    """The editor may still show the old text."""
    (bench.folder / "a.txt").write_text("a\n", encoding="utf-8")
    await bench.opened("a.txt", "a\n", dirty=False, agent_edited=False)

    result = await bench.bash("echo b > a.txt")

    assert [("a.txt", "modified", True, False)] == changed(result)
    assert "\nChanged: a.txt (open in the user's editor, which may not show it yet)\n" in content_text(result.content)


async def test_under_unsaved_typing_a_change_is_named_and_what_was_read_still_holds(bench: Bench) -> None:
    """What the session reads of it is the buffer, which no command can change."""
    await bench.file("a.txt", "a\n")
    await bench.opened("a.txt", "typed\n", dirty=True, agent_edited=False)

    result = await bench.bash("echo b > a.txt")

    assert [("a.txt", "modified", True, False)] == changed(result)
    assert [] == unsaved(result)


async def test_an_agents_edit_that_is_not_on_the_disk_is_named(bench: Bench) -> None:
    """The command did not see it; what is saved, or only typed, is not named."""
    for name in ("a.txt", "b.txt", "c.txt", "d.txt", "e.txt"):
        (bench.folder / name).write_text("old\n", encoding="utf-8")
    await bench.opened("a.txt", "agent\n", dirty=True, agent_edited=True)
    await bench.opened("b.txt", "typed\n", dirty=True, agent_edited=False)
    await bench.opened("c.txt", "old\n", dirty=False, agent_edited=True)
    await bench.opened("d.txt", "old\n", dirty=True, agent_edited=True)
    await bench.opened("e.txt", "older than the disk\n", dirty=False, agent_edited=True)

    result = await bench.bash("cat a.txt")

    assert ["a.txt"] == unsaved(result)
    assert content_text(result.content) == (
        "Exit code 0.\nNot on disk yet, so the command did not see it: the edit of a.txt\nOutput:\nold\n"
    )


async def test_a_buffer_without_a_file_is_not_on_the_disk(bench: Bench) -> None:
    """A document of another scheme has no place there, and is not looked for."""
    text = OpenText(Target("untitled:1", "untitled:1"), "x", version_of_text("x"), dirty=True, agent_edited=True)
    bench.disk.texts.append(text)

    result = await bench.bash("true")

    assert (["untitled:1"], []) == (unsaved(result), changed(result))


async def test_many_changed_files_are_counted(bench: Bench) -> None:
    """Thirty are named to a model, and how many more there are; the value has all."""
    for n in range(33):
        await bench.file(f"{n:02}.txt", "a\n")

    result = await bench.bash("for f in *.txt; do echo b > $f; done")

    text = content_text(result.content)
    assert 33 == len(changed(result))
    assert 30 == text.count("\nChanged: ")
    assert "\nChanged too: 3 more files that you have read or that are open.\n" in text


async def test_what_can_not_be_read_is_compared_as_far_as_it_goes(bench: Bench) -> None:
    """A file that became a directory, or no text, has changed."""
    await bench.file("a.txt", "a\n")
    await bench.file("b.txt", "b\n")

    result = await bench.bash(r"rm a.txt; mkdir a.txt; printf '\xff' > b.txt")
    again = await bench.bash("true")

    assert [("a.txt", "modified", False, True), ("b.txt", "modified", False, True)] == changed(result)
    assert [] == changed(again)


async def test_files_that_are_as_they_were_are_not_read_again(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version is remembered with the stat identity, unless the file is too young for that to be trusted."""
    (tmp_path / "a.txt").write_text("a\n", encoding="utf-8")
    found, target = Changes(), await bench.disk.resolve("a.txt")
    observed = {target: Present(version_of_text("a\n"))}

    young = [await found.before(bench.disk, observed) for _ in range(2)]
    assert ["a.txt"] * 2 == bench.disk.reads
    monkeypatch.setattr(changes, "_SETTLED", -1)
    old = [await found.before(bench.disk, observed) for _ in range(3)]
    assert ["a.txt"] * 3 == bench.disk.reads
    assert {version_of_text("a\n")} == {before.contents[target] for before in young + old}


async def test_what_is_remembered_is_bounded(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files beyond the bound are read again, and nothing else happens."""
    monkeypatch.setattr(changes, "_SETTLED", -1)
    monkeypatch.setattr(changes, "_KNOWN", 2)
    found = Changes()
    observed = {}
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name, encoding="utf-8")
        observed[await bench.disk.resolve(name)] = Present(version_of_text(name))

    for _ in range(2):
        before = await found.before(bench.disk, observed)
        assert [version_of_text(name) for name in ("a", "b", "c")] == list(before.contents.values())

    assert ["a", "b", "c"] * 2 == bench.disk.reads


async def test_observations_from_before_are_a_copy(bench: Bench) -> None:
    """What is recorded while a command runs does not change what was known before it."""
    target = await bench.disk.resolve("a.txt")
    bench.run.ledger.saw_nothing(target)

    before = await Changes().before(bench.disk, bench.run.ledger.observations())
    bench.run.ledger.saw(target, version_of_text("x"))

    assert {target: Absent()} == before.observed
