"""Announcing a server, and finding it from a folder upwards."""

import hashlib
import json
import os
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from dsh_lsp.discovery import Discovery, find
from dsh_lsp.liveness import process_started_at
from dsh_lsp.runtime_dir import RuntimeDirRefused
from tests.support.discovery_files import (
    another_server,
    ended_pid,
    files,
    has_announced,
    mode,
    orphaned_socket,
    put,
    starting_server,
)


def test_what_was_announced_is_found(runtime: Path, folder: Path, listening: Path) -> None:
    """A client that looks for the folder gets the process, the socket and the folders."""
    Discovery(runtime).announce([folder], f"unix:{listening}")

    [found] = find(folder, [runtime])

    assert os.getpid() == found.pid
    assert f"unix:{listening}" == found.endpoint
    assert listening == found.socket
    assert 1 == found.protocol_version
    assert folder == found.folder
    assert (folder.as_uri(),) == found.workspace_folders


def test_the_file_is_as_documented(runtime: Path, folder: Path, listening: Path) -> None:
    """Name, modes and members are those that clients in other languages rely on."""
    before = os.umask(0)
    try:
        Discovery(runtime).announce([folder], f"unix:{listening}")
    finally:
        os.umask(before)

    name = f"{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}.{os.getpid()}.json"
    assert [name] == files(runtime)
    path = runtime / "workspaces" / name
    assert 0o600 == mode(path)
    assert 0o700 == mode(path.parent)
    said = json.loads(path.read_bytes())
    started_at = said.pop("startedAt", None)
    assert process_started_at(os.getpid()) == started_at
    assert {
        "pid": os.getpid(),
        "endpoint": f"unix:{listening}",
        "protocolVersion": 1,
        "workspaceFolders": [folder.as_uri()],
    } == said


def test_the_runtime_directory_is_the_default(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, listening: Path
) -> None:
    """Server and client meet where the environment says."""
    monkeypatch.setenv("DSH_LSP_RUNTIME_DIR", str(tmp_path / "elsewhere"))
    Discovery().announce([folder], f"unix:{listening}")

    assert [os.getpid()] == [found.pid for found in find(folder)]
    assert 1 == len(files(tmp_path / "elsewhere"))


def test_announcing_again_replaces_what_was_announced(
    tmp_path: Path, runtime: Path, folder: Path, listening: Path
) -> None:
    """Folders that have left the workspace are found no more, and those that stay have the new list."""
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    discovery = Discovery(runtime)
    discovery.announce([kept, gone], f"unix:{listening}")

    discovery.announce([kept, folder, kept], f"unix:{listening}")

    assert [] == find(gone, [runtime])
    [found] = find(kept, [runtime])
    assert (kept.as_uri(), folder.as_uri()) == found.workspace_folders
    assert 2 == len(files(runtime))


def test_withdrawing_removes_our_files_and_no_others(runtime: Path, folder: Path, listening: Path) -> None:
    """Another server of the same folder is found as before; withdrawing again, or before announcing, does nothing."""
    discovery = Discovery(runtime)
    discovery.withdraw()
    with another_server(runtime, folder) as other:
        discovery.announce([folder], f"unix:{listening}")
        discovery.withdraw()
        discovery.withdraw()

        assert [other.pid] == [found.pid for found in find(folder, [runtime])]
        other.communicate()


def test_a_file_that_cannot_be_written_leaves_no_part_of_it(
    runtime: Path, folder: Path, listening: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure leaves what was there before, and no temporary file."""
    discovery = Discovery(runtime)
    discovery.announce([folder], f"unix:{listening}")
    before = files(runtime)

    def fail(_path: Path, _target: Path) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        discovery.announce([folder], f"unix:{listening}")

    assert before == files(runtime)
    assert 1 == len(find(folder, [runtime]))


def test_a_reader_sees_whole_files_only(runtime: Path, folder: Path, listening: Path) -> None:
    """Whoever looks while a server announces itself again and again finds it every time."""
    discovery = Discovery(runtime)
    discovery.announce([folder], f"unix:{listening}")
    done = threading.Event()

    def announce() -> None:
        for count in range(60):
            discovery.announce([folder, *(folder / str(index) for index in range(count % 7))], f"unix:{listening}")
        done.set()

    thread = threading.Thread(target=announce)
    thread.start()
    seen = []
    while not done.is_set():
        seen.append(len(find(folder, [runtime])))
    thread.join()

    assert {1} == set(seen)


def test_announcing_in_a_foreign_directory_is_refused(
    tmp_path: Path, runtime: Path, folder: Path, listening: Path
) -> None:
    """A link in place of the directory of the files gets nothing written through it."""
    (tmp_path / "trap").mkdir(0o700)
    (runtime / "workspaces").symlink_to(tmp_path / "trap")

    with pytest.raises(RuntimeDirRefused):
        Discovery(runtime).announce([folder], f"unix:{listening}")
    assert [] == list((tmp_path / "trap").iterdir())
    assert [] == find(folder, [runtime])


def test_the_nearest_folder_comes_first(tmp_path: Path, runtime: Path, listening: Path) -> None:
    """From a file deep inside, the servers of its folder and of the folders above are found, innermost first."""
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "a" / "inner"
    inner.mkdir(parents=True)
    with another_server(runtime, outer) as other:
        Discovery(runtime).announce([inner], f"unix:{listening}")

        found = find(inner / "src" / "not there yet.py", [runtime])
        assert [(os.getpid(), inner), (other.pid, outer)] == [(each.pid, each.folder) for each in found]
        assert [other.pid] == [each.pid for each in find(outer / "a", [runtime])]
        assert [] == find(tmp_path, [runtime])
        other.communicate()


def test_a_server_of_two_nested_folders_is_found_once(tmp_path: Path, runtime: Path, listening: Path) -> None:
    """It is named with the nearer of the two."""
    Discovery(runtime).announce([tmp_path, tmp_path / "a"], f"unix:{listening}")

    assert [tmp_path / "a"] == [found.folder for found in find(tmp_path / "a" / "b", [runtime])]


def test_a_folder_is_known_by_its_real_path(tmp_path: Path, runtime: Path, folder: Path, listening: Path) -> None:
    """Server and client may have come to the folder by different links."""
    (tmp_path / "one").symlink_to(folder)
    (tmp_path / "two").symlink_to(folder)
    Discovery(runtime).announce([tmp_path / "one"], f"unix:{listening}")

    assert [folder] == [found.folder for found in find(tmp_path / "two" / "sub", [runtime])]


def test_a_folder_with_a_name_that_is_not_text(tmp_path: Path, runtime: Path, listening: Path) -> None:
    """A name in another encoding than UTF-8 is as good as any."""
    strange = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 %41"))
    strange.mkdir()
    Discovery(runtime).announce([strange], f"unix:{listening}")

    assert [strange] == [found.folder for found in find(strange, [runtime])]


def test_two_servers_of_one_folder_are_both_found(runtime: Path, folder: Path, listening: Path) -> None:
    """Neither overwrites the other's file, and the one that said so last comes first."""
    with another_server(runtime, folder) as first, another_server(runtime, folder) as second:
        assert [second.pid, first.pid] == [found.pid for found in find(folder, [runtime])]

        Discovery(runtime).announce([folder], f"unix:{listening}")
        assert [os.getpid(), second.pid, first.pid] == [found.pid for found in find(folder, [runtime])]
        for process in (first, second):
            process.communicate()


def test_many_servers_announce_at_once(runtime: Path, folder: Path) -> None:
    """Processes that start together for one folder, in a directory that is not there yet, are all found."""
    with ExitStack() as stack:
        processes = [stack.enter_context(starting_server(runtime, folder)) for _ in range(3)]
        assert [True, True, True] == [has_announced(process) for process in processes]
        assert {process.pid for process in processes} == {found.pid for found in find(folder, [runtime])}
        for process in processes:
            process.communicate()


def test_several_directories_are_searched(tmp_path: Path, runtime: Path, folder: Path, listening: Path) -> None:
    """Servers that chose different runtime directories are all found, and a missing directory is no error."""
    second = tmp_path / "second"
    Discovery(second).announce([folder], f"unix:{listening}")
    with another_server(runtime, folder) as other:
        found = find(folder, [tmp_path / "missing", runtime, second])

        assert {os.getpid(), other.pid} == {each.pid for each in found}
        other.communicate()


def test_a_file_for_another_folder_is_not_believed(runtime: Path, folder: Path, listening: Path) -> None:
    """The key is cut short, so the folders in the file decide."""
    path = put(runtime, folder, workspaceFolders=["file:///somewhere/else"])

    assert [] == find(folder, [runtime])
    assert path.exists()


def test_announcing_sweeps_up_after_others(tmp_path: Path, runtime: Path, listening: Path) -> None:
    """What dead servers left behind goes, whatever their folder, before our own files come."""
    orphaned = orphaned_socket(runtime / "b.sock")
    stale = put(runtime, tmp_path / "elsewhere", pid=ended_pid(), endpoint=f"unix:{orphaned}")

    Discovery(runtime).announce([tmp_path], f"unix:{listening}")

    assert not stale.exists()
    assert not orphaned.exists()
    assert 1 == len(files(runtime))
