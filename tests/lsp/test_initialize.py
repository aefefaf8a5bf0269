"""What an editor says of itself, and the folders that follow from it."""

from pathlib import Path

import pytest
from lsprotocol import types

from dsh_lsp.buffers.confirm import Timing
from dsh_lsp.handlers.initialize import changed_folders, editor_traits, options_of, workspace_folders
from dsh_lsp.wire import DshCapabilities


def params(**more: object) -> types.InitializeParams:
    """The params of an editor that says no more than this."""
    return types.InitializeParams(capabilities=types.ClientCapabilities(), **more)  # type: ignore[arg-type]


def folder(path: str) -> types.WorkspaceFolder:
    """A workspace folder."""
    return types.WorkspaceFolder(uri=f"file://{path}", name="x")


def test_the_folders_are_those_that_the_editor_has_open() -> None:
    """Workspace folders come before the root, and escapes are undone."""
    both = params(workspace_folders=[folder("/w/a%20b"), folder("/w/c")], root_uri="file:///other")

    assert workspace_folders(both) == [Path("/w/a b"), Path("/w/c")]
    assert workspace_folders(params(root_uri="file:///r")) == [Path("/r")]


def test_without_a_folder_it_is_the_one_that_the_server_was_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for any command in a terminal."""
    monkeypatch.chdir(tmp_path)

    assert workspace_folders(params()) == [tmp_path]


@pytest.mark.parametrize("above", [".", "..", "/"])
def test_a_home_is_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: str) -> None:
    """A server that was started in the user's home or above it, with no folder open, lets agents reach nothing."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / above)

    [nowhere] = workspace_folders(params())

    assert not nowhere.exists()
    assert not home.is_relative_to(nowhere)


def test_folders_that_are_no_files_are_not_replaced_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual workspace does not open the folder that the server happens to run in."""
    monkeypatch.chdir(tmp_path)

    [nowhere] = workspace_folders(params(workspace_folders=[types.WorkspaceFolder("vscode-vfs://github/a", "a")]))

    assert not nowhere.exists()


def test_folders_are_added_and_removed_and_the_last_one_stays(tmp_path: Path) -> None:
    """A workspace always has a folder; one that is there already is not added twice."""
    event = types.WorkspaceFoldersChangeEvent
    a, b = Path("/w/a"), Path("/w/b")

    assert changed_folders([a], event(added=[folder("/w/b"), folder("/w/a")], removed=[])) == [a, b]
    assert changed_folders([a, b], event(added=[], removed=[folder("/w/a")])) == [b]
    assert changed_folders([a], event(added=[], removed=[folder("/w/a")])) == [a]


def test_options_that_can_not_be_used_leave_the_usual_ones() -> None:
    """What is not ours is ignored, and what is wrong does not keep the editor from starting."""
    given = options_of(params(initialization_options={"timing": {"answer": 1}, "somebody": "else's"}))
    wrong = options_of(params(initialization_options={"timing": {"answer": "soon"}}))

    assert given.timing == Timing(answer=1)
    assert wrong.timing == Timing()


def test_what_a_client_of_ours_declares_is_believed_and_nonsense_is_not() -> None:
    """Unknown members of `experimental.dsh` are ignored; a wrong type makes all of it void."""
    result = types.InitializeResult(capabilities=types.ServerCapabilities())

    def declared(value: object) -> DshCapabilities:
        capabilities = types.ClientCapabilities(experimental={"dsh": value})
        return editor_traits(types.InitializeParams(capabilities=capabilities), result).dsh

    assert declared({"cards": True, "applyEdit": True, "newer": 1}) == DshCapabilities(cards=True, apply_edit=True)
    assert declared({"cards": "yes"}) == DshCapabilities()
    assert declared(None) == DshCapabilities()
