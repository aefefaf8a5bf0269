"""A workspace of a test's own, on the real disk, and runs of tools in it, as a server without an editor has them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dsh_ledger.ledger import Ledger
from dsh_tools.contract import ToolRun
from dsh_tools.fs.disk import DiskFileSystem
from dsh_tools.fs.paths import Workspace
from dsh_tools.observing import SessionLedger
from dsh_tools.snapshots import Snapshots


class TemporaryWorkspace:
    """A folder with one session: each run is another call of it. Call `close` when done, or use `workspace_run`.

    Args:
        folder: The workspace; it must exist. Nothing is deleted from it.
        session: The session's id.

    Attributes:
        fs: Its files.
        ledger: What sessions have seen of them.
        snapshots: The texts that they have seen.
    """

    def __init__(self, folder: Path, session: str = "s-test") -> None:
        self.fs = DiskFileSystem(Workspace([folder]))
        self.ledger = Ledger()
        self.snapshots = Snapshots()
        self._session = session
        self._calls = 0

    def run(self) -> ToolRun:
        """What the session's next call may use."""
        self._calls += 1
        seen = SessionLedger(self.ledger, self._session, self.ledger.apply)
        return ToolRun(self._session, f"c-{self._calls}", self.fs, seen, self.snapshots)

    def close(self) -> None:
        """Let the disk's threads end."""
        self.fs.close()


@contextmanager
def workspace_run(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Iterator[ToolRun]:
    """A run of one call in a workspace, for a test that calls `Tool.execute` or `run_tool` by itself.

    Args:
        folder: The workspace; it must exist.
        files: Files to write there first: see `ToolCase.files`.
    """
    write_files(folder, files or {})
    workspace = TemporaryWorkspace(folder)
    try:
        yield workspace.run()
    finally:
        workspace.close()


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder, with the folders that they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
