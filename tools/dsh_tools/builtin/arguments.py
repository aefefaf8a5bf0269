"""Arguments that several tools have."""

from typing import Any

from pydantic import Field

from dsh_ledger.errors import InvalidArgs
from dsh_ledger.targets import Target
from dsh_tools.contract import ToolRun
from dsh_tools.models import ToolArguments

DRY_RUN: Any = Field(default=False, description="Show what would be changed, and change nothing.")
"""``dry_run: bool = DRY_RUN``."""


class FilePath(ToolArguments):
    """Which file."""

    file_path: str = Field(description="Path of the file: absolute, or relative to the workspace.")

    async def target(self, run: ToolRun) -> Target:
        """The file, as `resolved` says."""
        return await resolved(run, self.file_path, "file_path")


async def resolved(run: ToolRun, path: str, argument: str) -> Target:
    """What a path leads to.

    Args:
        run: The call.
        path: As it was given.
        argument: The name of the argument that it was given as, for refusals.

    Raises:
        FsError, InvalidArgs: As for the port's ``resolve``.
    """
    try:
        return await run.fs.resolve(path)
    except InvalidArgs as error:
        raise error.about(argument) from None
