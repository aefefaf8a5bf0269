"""``dsh-lsp doctor``: each finding has what to do, and the exit code says whether something is wrong."""

import json
import socket
from pathlib import Path

import pytest

from dsh_lsp.commands.checks_here import checks_here
from dsh_lsp.commands.checks_server import checks_server
from dsh_lsp.commands.doctor import run_doctor
from dsh_lsp.commands.findings import Finding
from dsh_lsp.discovery import Discovery
from dsh_tools.search import ripgrep
from tests.support.commands import command
from tests.support.editors import NoApplyEdit, OwnClient, StockNeovim, VsCodeLike
from tests.support.world import World


@pytest.fixture(autouse=True)
def _same_runtime_dir(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(world.runtime))


def about(found: list[Finding], what: str) -> list[Finding]:
    """The findings about one thing."""
    return [each for each in found if each.about == what]


async def test_a_set_up_that_works_has_nothing_wrong(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Who has the folder, who is attached, its encoding, how it applies edits, and the limits for watching."""
    editor = await world.editor(OwnClient)
    editor.open(world.file("a.txt", "one\n"))
    await world.socket(editor)
    code = await run_doctor(world.workspace, None, as_json=True, wait=5.0)
    found = json.loads(capsys.readouterr().out)
    said = "\n".join(f"{each['about']}: {each['message']}" for each in found["findings"])

    assert (0, True) == (code, found["ok"])
    assert f"server: process {editor.process.pid}, dsh-lsp " in said
    assert f"server: it has {world.workspace}" in said
    assert "attached; positions in utf-" in said
    assert "applies edits by our own method" in said
    assert "paints hunks itself" in said
    assert "discovery files: 1 file of servers that run" in said
    assert "inotify watches in use" in said
    assert all("remedy" in each for each in found["findings"] if each["state"] == "wrong")


async def test_without_a_server_it_says_how_to_have_one(world: World) -> None:
    """As a process: exit code 1, in lines for people, with the way out under each that is wrong."""
    ended = await command(world, "doctor", "--wait", "0", "--editor", "neovim")

    assert (1, "") == (ended.code, ended.err)
    assert "wrong  server" in ended.out
    assert "-> open a file of the folder in Neovim and look at :checkhealth vim.lsp" in ended.out
    assert "1 thing is wrong." == ended.out.splitlines()[-1]


async def test_an_editor_that_cannot_apply_edits_is_wrong(world: World) -> None:
    """And it says which capability is missing."""
    editor = await world.editor(NoApplyEdit)
    editor.open(world.file("a.txt", "one\n"))
    await world.socket(editor)
    found = await checks_server(world.workspace, None, 5.0)
    [wrong] = [each for each in found if each.state == "wrong"]

    assert "declares no workspace/applyEdit" in wrong.message
    assert wrong.remedy is not None
    assert "workspace.applyEdit" in wrong.remedy


async def test_the_editor_that_was_meant_is_not_there(world: World) -> None:
    """Another one is: it is named, and the way to start the right one."""
    await world.socket(await world.editor(VsCodeLike))
    [there] = [
        each for each in await checks_server(world.workspace, "code", 5.0) if each.message.startswith("attached")
    ]
    found = await checks_server(world.workspace, "neovim", 5.0)
    [wrong] = about(found, "editor")

    assert "Visual Studio Code" == there.about
    assert "wrong" == wrong.state
    assert "no editor of the name 'neovim' is attached (there are: Visual Studio Code)" == wrong.message


async def test_a_stock_neovim_has_no_plug_in_of_ours(world: World) -> None:
    """Nothing is wrong with that; it is told what it does not get."""
    await world.socket(await world.editor(StockNeovim))
    found = about(await checks_server(world.workspace, "neovim", 5.0), "Neovim")

    assert [] == [each for each in found if each.state == "wrong"]
    assert any("it has no plug-in of ours" in each.message for each in found)
    assert any("open a file of the workspace" in (each.remedy or "") for each in found)


def test_a_stale_discovery_file_is_swept_and_told(world: World) -> None:
    """Of a server that is gone without its socket; nobody is misled by it after that."""
    Discovery(world.runtime).announce([world.workspace], f"unix:{world.runtime}/gone.sock")
    found = about(checks_here(), "discovery files")
    again = about(checks_here(), "discovery files")

    assert ["0 files of servers that run; 1 stale one swept away just now"] == [each.message for each in found]
    assert ["0 files of servers that run"] == [each.message for each in again]
    assert ["note", "ok"] == [found[0].state, again[0].state]


def test_a_server_out_of_reach_is_told_and_its_file_stays(world: World) -> None:
    """Its process is there and the directory of its socket is not, as from inside of a sandbox."""
    Discovery(world.runtime).announce([world.workspace], "unix:/nowhere/at/all/here.sock")
    found = about(checks_here(), "discovery files")

    assert ["ok", "note"] == [each.state for each in found]
    assert "1 server can't be reached from here" in found[1].message
    assert 1 == len(list((world.runtime / "workspaces").iterdir()))


def test_a_discovery_file_that_makes_no_sense_is_wrong(world: World) -> None:
    """It stays, and it is said how to be rid of it."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(world.runtime / "here.sock"))
    listener.listen()
    Discovery(world.runtime).announce([world.workspace], f"unix:{world.runtime}/here.sock")
    [path] = (world.runtime / "workspaces").iterdir()
    path.write_text("no JSON")
    [first, counted] = about(checks_here(), "discovery files")
    listener.close()

    assert ("wrong", f"remove it: rm {path}") == (first.state, first.remedy)
    assert counted.message.startswith("0 files")


@pytest.mark.parametrize("mode", [0o755, 0o600])
def test_a_runtime_directory_with_the_wrong_mode_is_wrong(world: World, mode: int) -> None:
    """It is looked at before anything puts it right."""
    world.runtime.chmod(mode)
    [found] = about(checks_here(), "runtime directory")
    world.runtime.chmod(0o700)

    assert ("wrong", f"chmod 700 {world.runtime}") == (found.state, found.remedy)
    assert f"has mode {mode:04o}" in found.message


def test_a_runtime_directory_that_is_a_link_is_wrong(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever made the link says where sockets are."""
    (tmp_path / "link").symlink_to(world.runtime)
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(tmp_path / "link"))
    [found] = about(checks_here(), "runtime directory")

    assert ("wrong", True) == (found.state, "is no directory" in found.message)


def test_relative_directories_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each names its variable."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", "here")
    monkeypatch.setenv("DSH_LSP_STATE_DIR", "there")
    found = {each.about: each for each in checks_here() if each.state == "wrong"}

    assert "DSH_LSP_RUNTIME_DIR" in (found["runtime directory"].remedy or "")
    assert "DSH_LSP_STATE_DIR" in (found["state directory"].remedy or "")


def test_without_ripgrep_something_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sessions have no glob and no grep then."""
    monkeypatch.setattr(ripgrep.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {each.about: each.state for each in checks_here()}

    assert ("wrong", "note") == (found["ripgrep"], found["command"])
